import pathlib
import tempfile
import unittest

import numpy as np

from . import support
from sightline_training import network
from sightline_training.errors import TrainingError
from sightline_training.geometry import corners, decoded

try:
    import torch  # noqa: F401

    from sightline_training import customize, customize_detector
except ImportError:
    customize = None


class AnchorTests(unittest.TestCase):
    def test_anchors_are_as_many_as_the_heads_answer_and_mirror_onto_themselves(self):
        anchors = network.anchors()
        self.assertEqual(anchors.shape, (738, 4))
        mirrored = anchors * [1, -1, 1, 1] + [0, 1, 0, 0]
        distance = np.abs(mirrored[:, None] - anchors[None]).sum(-1)
        self.assertLess(distance.min(1).max(), 1e-5)
        self.assertEqual(len(set(distance.argmin(1).tolist())), 738)


@unittest.skipIf(customize is None, "Torch is not installed")
class CustomizeTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_classes_are_the_subfolders_in_order(self):
        for name in ("tulip", "daisy", ".cache"):
            support.picture(self.folder / name / "a.jpg")
        classes, pictures = customize.labelled(self.folder)
        self.assertEqual(classes, ["daisy", "tulip"])
        self.assertEqual([label for _, label in pictures], [0, 1])

    def test_a_class_without_pictures_is_named(self):
        support.picture(self.folder / "tulip" / "a.jpg")
        (self.folder / "daisy").mkdir()
        with self.assertRaisesRegex(TrainingError, "'daisy' has no pictures"):
            customize.labelled(self.folder)

    def test_one_class_is_too_few(self):
        support.picture(self.folder / "tulip" / "a.jpg")
        with self.assertRaisesRegex(TrainingError, "needs two classes"):
            customize.labelled(self.folder)

    def test_a_detector_without_boxes_is_an_error(self):
        with self.assertRaisesRegex(TrainingError, "holds no boxes"):
            customize_detector.read(support.annotations(self.folder, []))

    def test_every_box_gets_its_best_anchor_with_codes_that_give_it_back(self):
        anchors = network.anchors()
        boxes, numbers = np.array([[0.31, 0.4, 0.35, 0.45], [0.2, 0.1, 0.8, 0.9]], np.float32), np.array([1, 0])
        wanted, codes = customize_detector.matched(boxes, numbers, anchors)
        for box, number in zip(boxes, numbers):
            mine = np.where(wanted == number)[0]
            self.assertGreater(len(mine), 0)
            np.testing.assert_allclose(decoded(codes[mine], anchors[mine]), np.tile(box, (len(mine), 1)), atol=1e-4)
        self.assertTrue((wanted[corners(anchors)[:, 0] > 0.9] < 0).all())

    def test_a_view_keeps_boxes_with_their_classes_inside(self):
        import random

        support.annotations(self.folder, [[8, 4, 16, 20], [40, 30, 20, 15]])
        classes, (photo,) = customize_detector.read(self.folder)
        for seed in range(10):
            pixels, boxes, numbers = customize_detector.example(photo, classes, random.Random(seed))
            self.assertEqual(pixels.shape, (192, 192, 3))
            self.assertEqual(len(boxes), len(numbers))
            self.assertTrue((boxes >= 0).all() and (boxes <= 1).all())
