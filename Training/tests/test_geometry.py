import unittest

import numpy as np

from . import support  # noqa: F401
from sightline_training import targets
from sightline_training.geometry import corners, decoded, encoded, iou, suppressed

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


class TargetTests(unittest.TestCase):
    codes = np.zeros((len(ANCHORS), 4), np.float32)
    scores = np.full(len(ANCHORS), 0.3, np.float32)

    def table(self, *rows):
        boxes = np.array([row[:4] for row in rows if row[5] == targets.DETECTOR], np.float32).reshape(-1, 4)
        scores = np.array([row[4] for row in rows if row[5] == targets.DETECTOR], np.float32)
        people = np.array([row[:4] for row in rows if row[5] == targets.PERSON], np.float32).reshape(-1, 4)
        return targets.gathered(boxes, scores, people)

    def test_without_detections_the_teachers_boxes_stay_and_a_part_of_its_scores(self):
        codes, scores = targets.fused(self.codes, self.scores, self.table(), ANCHORS)
        np.testing.assert_array_equal(codes, self.codes)
        np.testing.assert_allclose(scores, targets.ALONE * self.scores)

    def test_a_sure_detection_takes_its_anchor_and_no_far_one(self):
        box = corners(ANCHORS)[13] + np.array([0.02, 0, 0.02, 0], np.float32)
        codes, scores = targets.fused(self.codes, self.scores, self.table([*box, 0.9, targets.DETECTOR]), ANCHORS)
        np.testing.assert_allclose(decoded(codes, ANCHORS)[13], box, atol=1e-5)
        self.assertGreater(scores[13], 0.8)
        self.assertAlmostEqual(scores[0], targets.ALONE * 0.3, places=6)

    def test_a_weaker_detection_lowers_no_score_further(self):
        box = corners(ANCHORS)[13]
        _, scores = targets.fused(self.codes, np.full(len(ANCHORS), 0.8, np.float32), self.table([*box, 0.4, targets.DETECTOR]), ANCHORS)
        self.assertAlmostEqual(scores.min(), targets.ALONE * 0.8, places=6)

    def test_two_finders_of_one_object_are_surer_than_one_and_the_person_draws_the_box(self):
        drawn, found = [0.2, 0.2, 0.6, 0.6], [0.2, 0.2, 0.62, 0.6]
        boxes, scores = targets.merged(self.table([*found, 0.5, targets.DETECTOR], [*drawn, 0.9, targets.PERSON]))
        np.testing.assert_allclose(boxes, [drawn], atol=1e-6)
        self.assertGreater(scores[0], 0.9)

    def test_tiny_and_doubtful_boxes_are_left_out(self):
        table = self.table([0.1, 0.1, 0.15, 0.15, 0.9, targets.DETECTOR], [0, 0, 1, 1, 0.1, targets.DETECTOR])
        self.assertEqual(table.sum(), 0)
