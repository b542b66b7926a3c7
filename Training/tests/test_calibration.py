import unittest

import numpy as np
from sightline_training import calibration


class CalibrationTests(unittest.TestCase):
    def test_a_scale_and_a_shift_are_undone(self):
        rng = np.random.default_rng(0)
        logits = rng.normal(0, 1.5, (4000, 6)).astype(np.float32)
        chance = np.exp(calibration.log_softmax(logits.astype(np.float64)))
        right = np.array([rng.choice(6, p=row) for row in chance])
        logits[:, 5] += 0.6
        excess, temperature = calibration.of_classes(logits * 2, right)
        self.assertAlmostEqual(temperature, 2, delta=0.25)
        self.assertAlmostEqual(excess, 1.2, delta=0.3)

    def test_a_label_becomes_as_sure_as_it_is_right(self):
        rng = np.random.default_rng(0)
        logits = rng.normal(-2, 2, 20000)
        right = rng.random(len(logits)) < calibration.sigmoid(logits)
        factor, summand = calibration.of_label(logits * 3 + 4, right)
        self.assertAlmostEqual(factor, 1 / 3, delta=0.03)
        self.assertAlmostEqual(summand, -4 / 3, delta=0.1)

    def test_few_answers_leave_a_label_where_all_labels_are(self):
        factor, summand = calibration.of_label(np.array([3.0, -3.0]), np.array([True, False]), (0.8, -0.5))
        self.assertAlmostEqual(factor, 0.8, delta=0.3)
        self.assertAlmostEqual(summand, -0.5, delta=0.3)
