import pathlib
import random
import tempfile
import unittest
import unittest.mock

import numpy as np
from sightline_training import answers, coco, data, pictures, shards, split

from . import support


def table(*rows):
    """Rows of a box, a score, a finder and a name as the teachers' answers about a photo."""
    found = np.zeros((answers.MOST, 7), np.float16)
    for index, (box, score, finder, name) in enumerate(rows):
        found[index] = [*box, score, finder, coco.NAMES.index(name) if name else -1]
    return found


class Always(random.Random):
    """Takes every object."""

    def random(self):
        return 0.0


class Labeler:
    """Answers its number of one of our classes for every picture."""

    def __init__(self, number=data.UNKNOWN):
        self.number = number

    def __call__(self, image):
        return np.full(631, image.width % 256, np.uint8)

    def posterior(self, scores):
        return np.eye(len(data.CLASSES))[self.number]


class PicturesTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def photo(self, name="photo.jpg"):
        path = support.picture(self.folder / name)
        return data.Photo(path, "street", (64, 48), np.zeros((0, 4), np.float32))

    def test_only_sure_and_large_objects_are_taken_and_each_once(self):
        box = (0.25, 0.25, 0.75, 0.75)
        found = pictures.objects(
            table(
                (box, 0.8, answers.DETECTOR, "cup"),
                ((0, 0, 0.05, 0.05), 0.9, answers.DETECTOR, "cup"),
                (box, 0.9, answers.LOCALIZER, None),
                ((0, 0.6, 0.3, 1), 0.8, answers.LOCALIZER, None),
            ),
            [],
            Always(),
        )
        kinds = sorted(one.kind for one in found)
        self.assertEqual(kinds, [pictures.UNNAMED, coco.NAMES.index("cup")])

    def test_guesses_are_taken_of_the_classes_that_photos_show_least(self):
        found = pictures.objects(
            table(
                ((0.1, 0.1, 0.4, 0.4), 0.12, answers.DETECTOR, "handbag"),
                ((0.6, 0.6, 0.9, 0.9), 0.12, answers.DETECTOR, "cup"),
            ),
            [],
            Always(),
        )
        self.assertEqual([one.kind for one in found], [coco.NAMES.index("handbag")])

    def test_objects_of_the_classes_that_photos_show_least_go_first(self):
        boxes = [(x, y, x + 0.15, y + 0.15) for x in (0, 0.2, 0.4, 0.6) for y in (0, 0.2, 0.4)]
        rows = [(box, 0.9, answers.DETECTOR, "cup") for box in boxes[:-1]]
        found = pictures.objects(table(*rows, (boxes[-1], 0.9, answers.DETECTOR, "tie")), [], Always())
        self.assertEqual(len(found), pictures.MOST)
        self.assertEqual(found[0].kind, coco.NAMES.index("tie"))

    def test_people_may_name_one_of_our_classes(self):
        photo = self.photo()
        photo.boxes, photo.categories = np.array([(0, 0, 32, 24)], np.float32), ["fashion good"]
        (one,) = pictures.drawn(photo)
        self.assertEqual(coco.our_class(one.kind), data.CLASSES.index("fashion good"))

    def test_what_people_named_goes_before_what_detectors_name(self):
        box = (0.25, 0.25, 0.75, 0.75)
        photo = self.photo()
        photo.boxes = np.array([(17, 12, 48, 36), (0, 0, 16, 12)], np.float32)
        photo.categories = ["handbag", "something"]
        found = pictures.objects(table((box, 0.9, answers.DETECTOR, "cup")), pictures.drawn(photo), Always())
        self.assertEqual([one.kind for one in found], [coco.NAMES.index("handbag")])

    def test_a_doubtful_name_holds_only_if_the_labeler_agrees(self):
        photo = self.photo()
        found = table(((0.1, 0.1, 0.9, 0.9), 0.3, answers.DETECTOR, "handbag"))
        for number, kind in (
            (data.CLASSES.index("fashion good"), coco.NAMES.index("handbag")),
            (data.UNKNOWN, pictures.UNNAMED),
        ):
            with (
                unittest.mock.patch.dict(pictures.worker, {"labeler": Labeler(number)}),
                unittest.mock.patch.object(pictures, "CHANCES", {"handbag": 1.0}),
                unittest.mock.patch.object(pictures, "UNNAMED_CHANCE", 1.0),
            ):
                rows = pictures.pictures_of(photo, found, 0)
            self.assertEqual([row.kind for row in rows], [pictures.WHOLE, kind])

    def test_a_varied_box_stays_in_the_picture_and_round_the_object(self):
        box, chance = np.array([0.5, 0.5, 1.0, 0.9]), random.Random(0)
        for _ in range(50):
            x0, y0, x1, y1 = pictures.region(box, (100, 50), chance)
            self.assertTrue(40 <= x0 <= 54 and 20 <= y0 <= 27 and x1 <= 100 and y1 <= 50)
        region = pictures.region(box, (100, 50), None)
        self.assertEqual(tuple(round(value, 2) for value in region), (47.5, 24.0, 100, 46.0))

    def test_a_shard_has_the_whole_photo_then_its_objects_and_skips_what_cannot_be_read(self):
        photo, broken = self.photo(), self.photo("broken.jpg")
        broken.path.write_bytes(b"no picture")
        found = table(((0.1, 0.1, 0.9, 0.9), 0.9, answers.DETECTOR, "cup"))
        with unittest.mock.patch.dict(pictures.worker, {"labeler": Labeler()}):
            done = pictures.shard((self.folder / "pictures" / "shard-00000", [(photo, found), (broken, None)], 0))
        self.assertEqual(done, 2)
        rows = shards.Shards(self.folder / "pictures", ["names", "x", "kind", "scores"]).rows(np.arange(2))
        self.assertEqual(rows["names"].tolist(), [photo.name] * 2)
        self.assertEqual(rows["kind"].tolist(), [pictures.WHOLE, coco.NAMES.index("cup")])
        self.assertEqual(rows["x"].shape, (2, pictures.SIDE, pictures.SIDE, 3))
        self.assertEqual(rows["scores"][0, 0], 64)


class SplitTests(unittest.TestCase):
    def test_a_fifth_is_kept_aside_and_half_of_that_is_for_measuring(self):
        names = [f"street/{number}.jpg" for number in range(4000)]
        aside = sum(split.is_held_out(name) for name in names)
        measuring = [name for name in names if split.is_for_measuring(name)]
        self.assertAlmostEqual(aside / len(names), 0.2, delta=0.03)
        self.assertAlmostEqual(len(measuring) / len(names), 0.1, delta=0.02)
        self.assertTrue(all(split.is_held_out(name) for name in measuring))
