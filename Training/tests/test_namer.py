import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training import coco, data, errors, named_boxes, network
from sightline_training.named_boxes import NOTHING, UNCLEAR, Boxes, Thresholds

try:
    import torch
    from sightline_training import fit_namer
except ImportError:
    torch = None

CAT, DOG, PERSON, UMBRELLA = (coco.NAMES.index(name) for name in ("cat", "dog", "person", "umbrella"))
ANIMAL = list(coco.GROUPS).index("animal")
LEFT, RIGHT = (0.0, 0.2, 0.4, 0.8), (0.5, 0.2, 1.0, 0.8)


def photo(*objects, crowd=()):
    """A photo of 100 x 100 pixels with named boxes in 0…1."""
    boxes = np.array([box for box, _ in objects], np.float32).reshape(-1, 4) * 100
    result = data.Photo(pathlib.Path("a.jpg"), "street", (100, 100), boxes)
    result.categories = [name for _, name in objects]
    result.crowd = np.isin(np.arange(len(objects)), list(crowd))
    return result


def probabilities(*rows):
    table = np.zeros((len(rows), NOTHING + 1))
    for row, chances in zip(table, rows):
        for kind, chance in chances.items():
            row[kind] = chance
    return table


class NamedBoxesTests(unittest.TestCase):
    def test_a_box_holds_what_it_overlaps_and_nothing_if_nothing_is_near(self):
        places = np.array([LEFT, RIGHT, (0.0, 0.2, 1.0, 0.8)], np.float32)
        kinds = named_boxes.kinds_of(places, photo((LEFT, "cat"), ((0.0, 0.0, 0.1, 0.1), "house")))
        self.assertEqual(kinds.tolist(), [CAT, NOTHING, UNCLEAR])
        self.assertEqual(named_boxes.kinds_of(places, photo()).tolist(), [NOTHING] * 3)

    def test_a_crowd_is_no_example_of_its_kind(self):
        self.assertEqual(named_boxes.kinds_of(np.array([LEFT]), photo((LEFT, "person"), crowd=[0])).tolist(), [UNCLEAR])

    def test_a_group_is_right_for_each_of_its_kinds(self):
        boxes = Boxes(np.array([0, 0]), np.array([LEFT, RIGHT]), np.array([0.5, 1.0]))
        photos = [photo((LEFT, "cat"), (RIGHT, "umbrella"))]
        chances = probabilities({DOG: 0.5, CAT: 0.3}, {UMBRELLA: 0.6, CAT: 0.2})
        kinds = named_boxes.named(boxes, photos, chances, group=False)
        self.assertEqual(kinds.number.tolist(), [DOG, UMBRELLA])
        self.assertEqual(kinds.right.tolist(), [0, 1])
        groups = named_boxes.named(boxes, photos, chances, group=True)
        self.assertEqual(groups.number[0], ANIMAL)
        np.testing.assert_allclose(groups.confidence, [0.4, 0.2])
        self.assertEqual(groups.right.tolist(), [1, 0])

    def test_a_group_is_told_where_the_kind_is_unsure(self):
        boxes = Boxes(np.array([0, 0]), np.array([LEFT, RIGHT]), np.array([1.0, 1.0]))
        photos = [photo((LEFT, "cat"), (RIGHT, "person"))]
        chances = probabilities({DOG: 0.5, CAT: 0.3}, {PERSON: 0.9})
        names = [named_boxes.named(boxes, photos, chances, group) for group in (False, True)]
        least = Thresholds(np.full(NOTHING, 0.6), np.full(len(coco.GROUPS), 0.7))
        row = named_boxes.report(boxes, photos, *names, least)
        self.assertEqual((row["kinds"], row["right"], row["with groups"], row["right with groups"]), (1, 1, 2, 1))
        self.assertEqual(row["named of those > 5%"], 0.5)
        self.assertEqual(row["named or grouped of those > 5%"], 1)

    def test_the_pixels_of_a_box_are_never_none(self):
        self.assertEqual(named_boxes.region(np.array([1.0, 1.0, 1.0, 1.0]), (64, 48)), (63, 47, 64, 48))
        self.assertEqual(named_boxes.region(np.array([0.5, 0.0, 0.5, 0.5]), (64, 48)), (32, 0, 33, 24))

    def test_thresholds_are_read_as_they_were_written(self):
        least = Thresholds(np.linspace(0, 1, NOTHING), np.linspace(0.2, 0.4, len(coco.GROUPS)))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "namer.thresholds.json"
            path.write_bytes(least.content())
            read = Thresholds.read(path)
            np.testing.assert_allclose(read.kinds, least.kinds, atol=1e-4)
            np.testing.assert_allclose(read.groups, least.groups, atol=1e-4)
            path.write_text('{"kinds": {}, "groups": {}}', encoding="utf-8")
            with self.assertRaisesRegex(errors.TrainingError, "person"):
                Thresholds.read(path)


class PartedTests(unittest.TestCase):
    def test_the_last_layer_is_cut_into_layers(self):
        weights = {"fc/weight": np.arange(12).reshape(2, 6), "fc/bias": np.arange(6)}
        parts = network.parted(weights, {"classes": 2, "kinds": 4})
        self.assertEqual(parts["classes/bias"].tolist(), [0, 1])
        self.assertEqual(parts["kinds/weight"].tolist(), [[2, 3, 4, 5], [8, 9, 10, 11]])


@unittest.skipIf(torch is None, "Torch is not installed")
class ThresholdTests(unittest.TestCase):
    def names(self, count=4000):
        """Names whose confidence is their chance to be right, but those of the second name are right half as often."""
        rng = np.random.default_rng(0)
        number, confidence = rng.integers(0, 2, count), rng.uniform(0.01, 0.99, count)
        right = (rng.random(count) < np.where(number == 1, confidence / 2, confidence)).astype(np.float64)
        return named_boxes.Names(number, confidence, right)

    def test_told_names_are_right_as_often_as_wanted(self):
        names = self.names()
        least = fit_namer.thresholds(names, 2, 0.8)
        told = names.confidence >= least[names.number]
        self.assertAlmostEqual(names.right[told].mean(), 0.8, delta=0.02)
        self.assertLess(least[0], least[1])

    def test_names_that_are_told_already_allow_for_less_sure_ones(self):
        names = self.names()
        alone, beside = (fit_namer.thresholds(names, 2, 0.8, before) for before in ((0, 0), (900, 1000)))
        self.assertTrue((beside < alone).all())

    def test_names_that_are_never_right_are_an_error(self):
        names = self.names()
        names.right[:] = 0
        with self.assertRaisesRegex(errors.TrainingError, "90%"):
            fit_namer.thresholds(names, 2, 0.9)


if __name__ == "__main__":
    unittest.main()
