import io
import json
import pathlib
import tempfile
import unittest

import numpy as np
from PIL import Image, features
from sightline_training import coco, data, packs, split
from sightline_training.errors import TrainingError

from . import support

try:
    import torch
    from sightline_training import device_views
except ImportError:
    torch = None

BOXES = [(0.1, 0.2, 0.5, 0.6), (0.4, 0.4, 0.9, 0.9), (0.05, 0.5, 0.45, 0.95), (0.3, 0.05, 0.8, 0.4)]


def blob(color, box):
    """A photo with a colored rectangle, left, top, right and bottom in 0…1 of its 320 pixels."""
    image = Image.new("RGB", (320, 320), (60, 60, 60))
    image.paste(color, [round(edge * 320) for edge in box])
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def photo(path, *boxes, size=(64, 48)):
    """A photo with named boxes in pixels."""
    result = data.Photo(path, "street", size, np.array([box for box, _ in boxes], np.float32).reshape(-1, 4))
    result.categories = [name for _, name in boxes]
    result.outlined = np.zeros(len(boxes), bool)
    return result


class PacksTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name="pack001.npz", boxes=BOXES):
        rows = [np.array([[*box, number]]) for number, box in enumerate(boxes)]
        packs.write(self.folder / name, [blob((250, 10, 10), box) for box in boxes], [*rows[:-1], None])

    def read(self):
        return packs.read(packs.files(self.folder), self.folder / "cache", 1)

    def test_packs_are_read_as_they_were_written(self):
        self.write()
        self.write("pack002.npz", BOXES[::-1])
        for pack in (self.read(), self.read()):  # The second time from the cache.
            self.assertEqual(pack.pixels.shape, (8, 3, packs.SIDE, packs.SIDE))
            self.assertEqual(pack.drawn.tolist(), [True, True, True, False] * 2)
            np.testing.assert_allclose(pack.boxes[:3, 0, :4], BOXES[:3], atol=1e-3)
            self.assertEqual(pack.boxes[:4, 0, 4].tolist(), [0, 1, 2, -1])
            self.assertTrue((pack.boxes[:, 1:, 4] == -1).all())
            for row, (left, top, right, bottom) in enumerate([*BOXES, *BOXES[::-1]]):
                x, y = (int((low + high) / 2 * packs.SIDE) for low, high in ((left, right), (top, bottom)))
                self.assertGreater(int(pack.pixels[row, 0, y, x]), 200)

    def test_other_packs_of_the_same_name_are_unpacked_anew(self):
        self.write()
        before = self.read().pixels.copy()
        self.write(boxes=BOXES[::-1])
        np.testing.assert_array_equal(self.read().pixels[0], before[3])
        self.assertEqual(len(list((self.folder / "cache").iterdir())), 1)

    def test_a_damaged_pack_is_named(self):
        self.write()
        path = self.folder / "pack001.npz"
        whole = path.read_bytes()
        for content in (whole[: len(whole) // 2], b"", b"damaged"):
            path.write_bytes(content)
            with self.assertRaisesRegex(TrainingError, r"The pack .*pack001\.npz is damaged"):
                self.read()

    def test_a_photo_of_a_pack_that_cannot_be_read_names_the_pack(self):
        packs.write(self.folder / "pack001.npz", [b"no photo"], [None])
        with self.assertRaisesRegex(TrainingError, r"A photo of the pack .*pack001\.npz cannot be read"):
            self.read()

    def test_people_drew_everything_only_where_all_boxes_are_of_things_of_known_kinds(self):
        path, box = pathlib.Path("a.jpg"), (6.4, 4.8, 32, 24)
        rows = packs.drawn(photo(path, (box, "cat"), (box, "cup")))
        np.testing.assert_allclose(rows[0], [0.1, 0.1, 0.5, 0.5, coco.NAMES.index("cat")], atol=1e-6)
        self.assertIsNone(packs.drawn(photo(path)))
        self.assertIsNone(packs.drawn(photo(path, (box, "cat"), (box, "fashion good"))))
        outlined = photo(path, (box, "cat"))
        outlined.outlined[:] = True
        self.assertIsNone(packs.drawn(outlined))

    @unittest.skipUnless(features.check("avif"), "Pillow has no AVIF")
    def test_photos_of_a_folder_are_packed_those_with_boxes_first(self):
        rows = ["file,source,width,height,boxes"]
        for number in range(5):
            support.picture(self.folder / f"{number}.jpg", seed=number)
            drawn = json.dumps([{"name": "cup", "bbox": [8, 4, 16, 20]}]).replace('"', '""') if number % 2 else ""
            rows.append(f'{number}.jpg,street,64,48,"{drawn}"')
        (self.folder / "4.jpg").write_bytes(b"no photo")
        aside = next(number for number in range(5, 99) if split.is_held_out(f"street/{number}.jpg"))
        support.picture(self.folder / f"{aside}.jpg")
        rows.append(f"{aside}.jpg,street,64,48,")
        (self.folder / "manifest.csv").write_text("\n".join(rows), encoding="utf-8")
        lines, folder = [], self.folder / "packs"
        packed = packs.prepare(data.everyday_photos(self.folder), folder, 1, lines.append)
        self.assertEqual([split.is_held_out(photo.name) for photo in packed], [False] * 4)
        self.assertIn("1 photos that cannot be read are left out", lines)
        pack = packs.read(packs.files(folder), self.folder / "cache", 1)
        self.assertEqual(pack.drawn.tolist(), [True, True, False, False])
        np.testing.assert_allclose(pack.boxes[0, 0], [0.125, 4 / 48, 0.375, 0.5, coco.NAMES.index("cup")], atol=1e-3)

    @unittest.skipUnless(features.check("avif"), "Pillow has no AVIF")
    def test_a_photo_is_encoded_with_the_side_of_packs_at_most(self):
        path = self.folder / "photo.png"
        Image.new("RGB", (900, 300), (200, 30, 30)).save(path)
        image = Image.open(io.BytesIO(packs.encoded(photo(path, size=(900, 300)))))
        self.assertEqual(image.size, (packs.SIDE, packs.SIDE // 3))


@unittest.skipIf(torch is None, "Torch is not installed")
class DeviceViewsTests(unittest.TestCase):
    def setUp(self):
        """Gray photos with a colored box each, whose kind shows in its color; people drew the first three."""
        torch.manual_seed(0)
        self.colors = np.array([(250, 20, 20), (20, 250, 20), (20, 20, 250), (250, 250, 20)], np.uint8)
        pixels = np.full((4, 3, packs.SIDE, packs.SIDE), 60, np.uint8)
        boxes = np.full((4, packs.MOST, 5), -1, np.float32)
        for number, box in enumerate(BOXES):
            left, top, right, bottom = (round(edge * packs.SIDE) for edge in box)
            pixels[number, :, top:bottom, left:right] = self.colors[number][:, None, None]
            boxes[number, 0] = [*(np.array([left, top, right, bottom]) / packs.SIDE), number]
        boxes[3] = -1
        self.pack = packs.Pack(pixels, boxes, np.array([True, True, True, False]))
        self.views = device_views.DeviceViews(self.pack, "cpu")

    def test_boxes_go_round_what_is_seen_in_the_color_of_its_kind(self):
        seen = {"single": 0, "tiled": 0}
        for make in (self.views.single, self.views.tiled):
            pixels, objects = make(40, 128, True)
            for view, rows in zip(pixels.numpy(), objects.numpy()):
                for left, top, right, bottom, _, _, kind in rows[rows[:, 4] >= 1]:
                    color = self.colors[int(kind)].astype(int)
                    near = np.abs(view - color[:, None, None]).max(0) < 60
                    columns = near[int(top) + 2 : int(bottom) - 2, int(left) + 2 : int(right) - 2]
                    self.assertGreater(columns.mean(), 0.97, (left, top, right, bottom))
                    # Just outside of the box, unless it ends with the view or the tile, the color is another, or
                    # belongs to another object of the kind in the tile beside.
                    ring = near[int(top) : int(bottom), max(0, int(left) - 4) : max(0, int(left) - 2)]
                    beside = (rows[:, 4] > 0) & (rows[:, 6] == kind) & (rows[:, 0] < left - 2) & (rows[:, 2] > left - 4)
                    beside &= (rows[:, 1] < bottom) & (rows[:, 3] > top)
                    if ring.size and not near[int(top), max(0, int(left) - 3)] and not beside.any():
                        self.assertLess(ring.mean(), 0.2)
                    seen[make.__name__] += 1
        self.assertTrue(all(count > 20 for count in seen.values()), seen)

    def test_views_of_photos_without_boxes_come_last_and_have_no_objects(self):
        pixels, objects, known = self.views.batch(16, 64)
        self.assertEqual((pixels.shape, objects.shape[:2], known), ((16, 3, 64, 64), (16, device_views.MOST), 12))
        self.assertTrue((objects[:known].amax((1, 2)) > 0).sum() >= 10)
        self.assertEqual(float(objects[known:].abs().max()), 0)
        self.assertTrue(float(pixels.min()) >= 0 and float(pixels.max()) <= 255)

    def test_a_batch_follows_from_the_seed(self):
        torch.manual_seed(5)
        first = self.views.batch(4, 64)[0]
        torch.manual_seed(5)
        self.assertTrue(torch.equal(self.views.batch(4, 64)[0], first))
        self.assertFalse(torch.equal(self.views.batch(4, 64)[0], first))

    def test_photos_with_rare_kinds_are_shown_more_often(self):
        boxes = np.full((400, packs.MOST, 5), -1, np.float32)
        boxes[:, 0] = [0, 0, 1, 1, 15]
        boxes[-1, 0, 4] = 16
        weights = device_views.weighed(packs.Pack(boxes[:, :1], boxes, np.ones(400, bool)))
        self.assertEqual(float(weights[0]), 1)
        self.assertGreater(float(weights[-1]), 2)


if __name__ == "__main__":
    unittest.main()
