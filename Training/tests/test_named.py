import unittest

import numpy as np
from sightline_training import coco, named

CAT, DOG = (coco.NAMES.index(name) for name in ("cat", "dog"))
LEFT, RIGHT = (0.1, 0.2, 0.4, 0.8), (0.5, 0.2, 0.9, 0.8)


class MeasureTests(unittest.TestCase):
    def result(self, found, ignored=(False, False)):
        boxes, scores, names = (np.array(column) for column in zip(*found))
        truth = np.array([LEFT, RIGHT], np.float32)
        return named.Named(truth, np.array([CAT, DOG]), np.array(ignored), boxes, scores, names)

    def measured(self, *found, ignored=(False, False)):
        return named.measured([self.result(found, ignored)], len(coco.NAMES))

    def test_what_is_found_and_rightly_named_counts(self):
        perfect = self.measured((LEFT, 0.9, CAT), (RIGHT, 0.8, DOG))
        self.assertEqual((perfect["AP50"], perfect["F1"]), (1.0, 1.0))
        self.assertAlmostEqual(perfect["at"], 0.8)
        self.assertEqual(self.measured((LEFT, 0.9, DOG), (RIGHT, 0.8, CAT))["AP50"], 0)

    def test_a_second_box_of_a_thing_is_wrong(self):
        self.assertAlmostEqual(self.measured((LEFT, 0.9, CAT), (LEFT, 0.8, CAT), (RIGHT, 0.7, DOG))["F1"], 0.8)

    def test_what_nobody_is_sure_of_counts_neither_way(self):
        alone = self.measured((LEFT, 0.9, CAT), (RIGHT, 0.95, DOG), ignored=(False, True))
        self.assertEqual((alone["AP50"], alone["F1"]), (1.0, 1.0))


if __name__ == "__main__":
    unittest.main()
