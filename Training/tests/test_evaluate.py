import unittest

import numpy as np
from sightline_training import evaluate
from sightline_training.data import Photo

from . import support  # noqa: F401


def found(truth, boxes, scores):
    photo = Photo(None, "", (1, 1), np.array(truth, np.float32).reshape(-1, 4))
    photo.crowd = np.zeros(len(photo.boxes), bool)
    return evaluate.Detections(photo, np.array(boxes, np.float32).reshape(-1, 4), np.array(scores, np.float32))


class EvaluateTests(unittest.TestCase):
    left, right = [0.1, 0.1, 0.4, 0.9], [0.6, 0.1, 0.9, 0.9]

    def test_perfect_answers_have_average_precision_one(self):
        result = found([self.left, self.right], [self.right, self.left], [0.9, 0.8])
        self.assertAlmostEqual(evaluate.average_precision([result], 0.05), 1)
        self.assertEqual(evaluate.average_recall([result], 0.05), 1)

    def test_a_second_box_on_the_same_object_is_wrong(self):
        result = found([self.left, self.right], [self.left, self.left, self.right], [0.9, 0.8, 0.7])
        self.assertLess(evaluate.average_precision([result], 0.05), 0.9)

    def test_small_objects_count_neither_way(self):
        tiny = [0, 0, 0.05, 0.05]
        result = found([self.left, tiny], [self.left, tiny], [0.5, 0.9])
        self.assertAlmostEqual(evaluate.average_precision([result], 0.05), 1)

    def test_nothing_found_is_zero(self):
        self.assertEqual(evaluate.average_precision([found([self.left], [], [])], 0.05), 0)

    def test_the_main_object_is_large_and_central(self):
        middle, corner = [0.3, 0.3, 0.7, 0.7], [0, 0, 0.2, 0.2]
        result = found([middle, corner], [corner, middle], [0.6, 0.5])
        prominent, best = evaluate.main_objects([result])
        self.assertEqual((prominent, best), (1, 0))

    def test_calibration_error_is_the_gap_between_confidence_and_truth(self):
        confidence = np.array([0.9] * 10)
        self.assertAlmostEqual(evaluate.calibration_error(confidence, np.array([1] * 9 + [0])), 0)
        self.assertAlmostEqual(evaluate.calibration_error(confidence, np.array([1] * 4 + [0] * 6)), 0.5)

    def test_a_doubtful_answer_is_unknown(self):
        probabilities = np.array([[0.5, 0.5, 0, 0, 0, 0], [0, 0.9, 0, 0, 0, 0.1]])
        row, recalls = evaluate.classifier_table(probabilities, np.array([0, 1]), 0.6)
        self.assertEqual((row["precision of known"], row["recall of known"]), (1, 0.5))
        self.assertEqual(recalls, {"fashion good": 1, "home good": 1})

    def test_a_label_that_comes_first_where_it_is_has_average_precision_one(self):
        right = np.array([True, False, True, False])
        self.assertAlmostEqual(evaluate.average_precision_of_label(np.array([0.9, 0.1, 0.8, 0.2]), right), 1)
        self.assertAlmostEqual(
            evaluate.average_precision_of_label(np.array([0.8, 0.9, 0.1, 0.2]), right), (1 / 2 + 2 / 4) / 2
        )

    def test_of_labels_that_are_no_object_of_coco_its_boxes_tell_nothing(self):
        photo = Photo(None, "", (1, 1), np.zeros((0, 4), np.float32), categories=["dog"])
        labels = {"Dog": {"names": ["dog"]}, "Cat": {"names": ["cat"]}, "Beach": {"words": ["beach"]}}
        self.assertEqual(evaluate.coco_truth([photo], labels).tolist(), [[1, 0, -1]])
