import pathlib
import tempfile
import unittest

import numpy as np
from PIL import Image
from sightline_training import coco, data, fusion, named, named_answers, named_views, words
from sightline_training.fusion import BOX, CERTAIN, KIND, OBJECT

CAT, DOG, COUCH = (coco.NAMES.index(name) for name in ("cat", "dog", "couch"))
LEFT, RIGHT = (0.1, 0.2, 0.4, 0.8), (0.5, 0.2, 0.9, 0.8)


def fused(*found, said=(), denied=()):
    """Rows of boxes, scores, kinds and finders as `fusion.fused` joins them."""
    boxes, scores, kinds, finders = (np.array(column) for column in zip(*found))
    return fusion.fused(boxes.astype(np.float32), scores, kinds, finders, 3, said, denied)


class FusionTests(unittest.TestCase):
    def test_a_thing_that_three_detectors_see_is_surer_than_what_one_sees(self):
        near = (0.1, 0.2, 0.43, 0.8)
        rows = fused((LEFT, 0.6, CAT, 0), (near, 0.6, CAT, 1), (LEFT, 0.6, CAT, 2), (RIGHT, 0.6, CAT, 0))
        self.assertEqual(len(rows), 2)
        self.assertGreater(rows[0, CERTAIN], 0.7)
        self.assertLess(rows[1, CERTAIN], 0.2)
        np.testing.assert_allclose(rows[0, BOX], [0.1, 0.2, 0.41, 0.8], atol=1e-3)

    def test_boxes_of_one_detector_are_never_merged(self):
        self.assertEqual(len(fused((LEFT, 0.9, CAT, 0), ((0.1, 0.2, 0.41, 0.8), 0.9, CAT, 0))), 2)

    def test_what_people_deny_is_not_learned_and_what_they_say_is_surer(self):
        three = [(LEFT, 0.5, CAT, finder) for finder in range(3)]
        self.assertEqual(len(fused(*three, denied=[CAT])), 0)
        self.assertGreater(fused(*three, said=[CAT])[0, CERTAIN], fused(*three)[0, CERTAIN])

    def test_two_names_for_a_thing_make_it_surer_that_it_is_one(self):
        rows = fused(*((LEFT, 0.42, kind, finder) for kind in (CAT, DOG) for finder in range(3)))
        self.assertEqual(sorted(rows[:, KIND]), [CAT, DOG])
        self.assertTrue((rows[:, OBJECT] > rows[:, CERTAIN]).all())

    def test_peoples_boxes_come_before_those_of_detectors(self):
        photo = data.Photo(pathlib.Path("a.jpg"), "street", (100, 100), np.array([[10, 20, 40, 80]], np.float32))
        photo.categories = ["cat"]
        table = np.zeros((named_answers.MOST, 7), np.float16)
        found = [((0.12, 0.2, 0.4, 0.8), CAT), (RIGHT, CAT), ((0, 0, 1, 1), COUCH)]
        for row, (box, kind) in enumerate((box, kind) for box, kind in found for _ in range(3)):
            table[row] = [*box, 0.8, row % 3, kind]
        rows = {tuple(row[BOX].round(2)): row for row in named_answers.known(photo, table, words.Said())}
        self.assertEqual(len(rows), 3)
        np.testing.assert_allclose(min(rows.values(), key=lambda row: row[0] if row[KIND] == CAT else 1)[BOX], LEFT)
        certain = sorted((row[CERTAIN] for row in rows.values() if row[KIND] == CAT), reverse=True)
        self.assertEqual(certain[0], 1)
        self.assertLess(certain[1], 0.3)


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


class NamedViewTests(unittest.TestCase):
    def views(self, kinds=(CAT,)):
        """Black photos with a white rectangle each, of one of the kinds."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        photos, rows = [], []
        for index, kind in enumerate(kinds):
            pixels = np.zeros((120, 160, 3), np.uint8)
            pixels[30:90, 40:120] = 255
            path = pathlib.Path(temporary.name) / f"{index}.png"
            Image.fromarray(pixels).save(path)
            photos.append(data.Photo(path, "street", (160, 120), np.zeros((0, 4), np.float32), everyday=True))
            rows.append(np.array([[0.25, 0.25, 0.75, 0.75, 1, 1, kind]], np.float32))
        return named_views.NamedViews(photos, rows)

    def test_boxes_go_round_what_is_seen(self):
        pixels, objects = self.views().batch(12, 96, "1/0")
        for view, found in zip(pixels, objects):
            light = view.mean(2) > 100
            covered = np.zeros((96, 96), bool)
            for row in found[found[:, CERTAIN] > 0]:
                left, top, right, bottom = (row[BOX] * 96).round().astype(int)
                self.assertGreater(light[top:bottom, left:right].mean(), 0.9)
                covered[top:bottom, left:right] = True
            # What is hardly seen any more is not learned.
            self.assertLess((light & ~covered).mean(), 0.2)

    def test_a_batch_follows_from_its_seed(self):
        views = self.views()
        for a, b in zip(views.batch(3, 64, "1/0"), views.batch(3, 64, "1/0")):
            np.testing.assert_array_equal(a, b)
        self.assertFalse(np.array_equal(views.batch(3, 64, "1/1")[0], views.batch(3, 64, "1/0")[0]))

    def test_rare_kinds_are_shown_more_often(self):
        rows = [np.array([[0, 0, 1, 1, 1, 1, kind]], np.float32) for kind in [CAT] * 399 + [DOG]]
        weights = named_views.weights(rows)
        self.assertEqual(weights[0], 1)
        self.assertGreater(weights[-1], 2)


if __name__ == "__main__":
    unittest.main()
