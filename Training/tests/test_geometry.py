import unittest

import numpy as np
from sightline_training.geometry import decoded, encoded, iou, suppressed

from . import support  # noqa: F401

ANCHORS = np.array([[y, x, s, s] for s in (0.2, 0.5) for y in (0.25, 0.5, 0.75) for x in (0.25, 0.5, 0.75)], np.float32)


class GeometryTests(unittest.TestCase):
    def test_overlap_of_halves_is_a_third(self):
        a, b = np.array([[0, 0, 2, 1.0]]), np.array([[1, 0, 3, 1.0], [5, 5, 6, 6]])
        np.testing.assert_allclose(iou(a, b), [[1 / 3, 0]])

    def test_codes_come_back_as_the_boxes(self):
        boxes = np.random.default_rng(0).uniform(0, 0.5, (len(ANCHORS), 4)).astype(np.float32)
        boxes[:, 2:] += boxes[:, :2] + 0.05
        np.testing.assert_allclose(decoded(encoded(boxes, ANCHORS), ANCHORS), boxes, atol=1e-5)

    def test_of_overlapping_boxes_the_best_stays(self):
        boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3.0]])
        self.assertEqual(suppressed(boxes, np.array([0.5, 0.9, 0.1]), 0.5, 10), [1, 2])

    def test_of_boxes_of_one_kind_from_two_looks_inside_each_other_the_best_stays(self):
        boxes, scores = np.array([[0, 0, 1, 1], [0.1, 0.1, 0.5, 0.5], [0.6, 0.6, 0.9, 0.9]]), np.array([0.8, 0.9, 0.1])
        kinds, looks = np.array([3, 3, 4]), np.array([0, 1, 1])
        self.assertEqual(suppressed(boxes, scores, 0.5, 10), [1, 0, 2])
        self.assertEqual(suppressed(boxes, scores, 0.5, 10, kinds, looks), [1, 2])
        self.assertEqual(suppressed(boxes, scores, 0.5, 10, kinds, np.zeros(3)), [1, 0, 2])
