import json
import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training import coco, named
from sightline_training.data import CLASSES, UNKNOWN, Photo

from . import support


class NamedTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def photo(self, boxes, categories, source="coco_train_permissive"):
        path = support.picture(self.folder / "photo.jpg")
        return Photo(path, source, (64, 48), np.array(boxes, np.float32).reshape(-1, 4), categories=categories)

    def detector(self, *found):
        boxes, scores, names = zip(*found) if found else ([], [], [])
        return lambda image: (
            np.array(boxes, np.float32).reshape(-1, 4),
            np.array(scores),
            [coco.NAMES.index(name) for name in names],
        )

    def labels(self, photo, *found):
        return [CLASSES[label] for _, label in named.named_objects(photo, self.detector(*found))]

    def test_every_class_of_coco_is_one_of_ours_unknown_or_left_out(self):
        self.assertEqual(len(set(coco.NAMES)), 80)
        self.assertEqual(set(coco.OURS) | coco.LEFT_OUT, set(coco.NAMES))
        self.assertEqual((coco.OURS["person"], CLASSES[coco.OURS["potted plant"]]), (UNKNOWN, "plant"))

    def test_people_are_asked_first(self):
        photo = self.photo([[0, 0, 32, 48]], ["Backpack"])
        found = ((0, 0, 0.5, 1), 0.9, "person"), ((0.5, 0, 1, 1), 0.9, "chair")
        self.assertEqual(self.labels(photo, *found), ["fashion good", "home good"])

    def test_the_unsure_the_small_and_the_ambiguous_are_left_out(self):
        found = ((0, 0, 0.5, 1), 0.3, "chair"), ((0, 0, 0.05, 0.05), 0.9, "cup"), ((0, 0, 1, 1), 0.9, "bench")
        self.assertEqual(self.labels(self.photo([], []), *found), [])

    def test_dishes_are_food_whatever_they_are_called(self):
        self.assertEqual(self.labels(self.photo([[0, 0, 30, 30]], ["Tempe"], source="cpfood")), ["food"])

    def test_objects_are_found_once(self):
        path, photo, lines = self.folder / "objects.json", self.photo([[0, 0, 32, 48]], ["Person"]), []
        named.find([photo], self.detector(), path, lines.append)
        self.assertEqual(json.loads(path.read_text()), {"photo.jpg": [[[0, 0, 32, 48], UNKNOWN]]})
        named.find([], None, path, lines.append)
        self.assertEqual((len(lines), len(json.loads(path.read_text()))), (1, 1))
