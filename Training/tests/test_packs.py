import io
import pathlib
import tempfile
import unittest

import numpy as np
from PIL import Image, features
from sightline_training import packs

try:
    import torch
    from sightline_training import device_views
except ImportError:
    torch = None


def blob(color, box):
    """A photo with a colored rectangle, left, top, right and bottom in 0…1 of its 320 pixels."""
    image = Image.new("RGB", (320, 320), (60, 60, 60))
    image.paste(color, [round(edge * 320) for edge in box])
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


BOXES = [(0.1, 0.2, 0.5, 0.6), (0.4, 0.4, 0.9, 0.9), (0.05, 0.5, 0.45, 0.95), (0.3, 0.05, 0.8, 0.4)]


class PacksTests(unittest.TestCase):
    def pack(self, folder):
        path = pathlib.Path(folder) / "pack.npz"
        rows = [np.array([[*box, number]]) for number, box in enumerate(BOXES)]
        blobs = [blob((250, 10, 10), box) for box in BOXES]
        packs.write(path, ["a", "b", "c", "d"], blobs, rows, [True, True, True, False])
        return packs.read(path, pathlib.Path(folder) / "cache", 1)

    def test_a_pack_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for pack in (self.pack(folder), self.pack(folder)):  # The second time from the cache.
                self.assertEqual(pack.pixels.shape, (4, 3, packs.SIDE, packs.SIDE))
                self.assertEqual(pack.drawn.tolist(), [True, True, True, False])
                np.testing.assert_allclose(pack.boxes[:, 0, :4], BOXES, atol=1e-3)
                self.assertTrue((pack.boxes[:, 1:, 4] == -1).all())
                x, y = (int((low + high) / 2 * packs.SIDE) for low, high in ((0.1, 0.5), (0.2, 0.6)))
                self.assertGreater(int(pack.pixels[0, 0, y, x]), 200)

    @unittest.skipUnless(features.check("avif"), "Pillow has no AVIF")
    def test_a_photo_is_encoded_with_the_side_of_packs_at_most(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "photo.png"
            Image.new("RGB", (900, 300), (200, 30, 30)).save(path)
            image = Image.open(io.BytesIO(packs.encoded(path, 40)))
        self.assertEqual(image.size, (packs.SIDE, packs.SIDE // 3))

    @unittest.skipIf(torch is None, "Torch is not installed")
    def test_boxes_of_views_are_where_the_things_are(self):
        torch.manual_seed(0)
        with tempfile.TemporaryDirectory() as folder:
            pack = self.pack(folder)
            pack.pixels = np.array(pack.pixels)
        views = device_views.DeviceViews(pack, torch.ones(4), "cpu")
        checked = 0
        for _ in range(4):
            for make in (views.single, views.tiled):
                pixels, objects = make(8, 128, True)
                for view, rows in zip(pixels, objects):
                    for left, top, right, bottom, sure, _, _ in rows[rows[:, 4] >= 1].tolist():
                        x, y = int((left + right) / 2), int((top + bottom) / 2)
                        red, green, _ = view[:, y, x].tolist()
                        self.assertGreater(red - green, 100, (left, top, right, bottom, sure))
                        checked += 1
        self.assertGreater(checked, 40)


if __name__ == "__main__":
    unittest.main()
