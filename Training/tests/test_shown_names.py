import io
import json
import pathlib
import tempfile
import unittest
import zipfile

import numpy as np
from sightline_training import coco, data, errors, evaluate_names, fit_detector, shown_names
from sightline_training.shown_names import Boxes, Thresholds

CAT, DOG, PERSON, UMBRELLA = (coco.NAMES.index(name) for name in ("cat", "dog", "person", "umbrella"))
LEFT, RIGHT = (0.0, 0.2, 0.4, 0.8), (0.5, 0.2, 1.0, 0.8)


def photo(*objects):
    """A photo of 100 x 100 pixels with named boxes in 0…1."""
    boxes = np.array([box for box, _ in objects], np.float32).reshape(-1, 4) * 100
    result = data.Photo(pathlib.Path("a.jpg"), "street", (100, 100), boxes)
    result.categories = [name for _, name in objects]
    result.crowd = np.zeros(len(objects), bool)
    return result


class ToldNamesTests(unittest.TestCase):
    def boxes(self, *rows):
        places, kinds, confidences = zip(*rows)
        return Boxes(np.zeros(len(rows), int), np.array(places), np.array(kinds), np.array(confidences))

    def test_a_group_is_right_for_each_of_its_kinds_and_a_kind_without_a_group_has_none(self):
        boxes = self.boxes((LEFT, DOG, 0.5), (RIGHT, UMBRELLA, 0.6))
        kinds, groups, large = shown_names.right(boxes, [photo((LEFT, "cat"), (RIGHT, "umbrella"))])
        self.assertEqual((kinds.tolist(), groups.tolist(), large.tolist()), ([0, 1], [1, 0], [0, 1]))

    def test_of_two_boxes_of_one_object_the_surer_is_right(self):
        boxes = self.boxes((LEFT, CAT, 0.5), (LEFT, CAT, 0.6))
        self.assertEqual(shown_names.right(boxes, [photo((LEFT, "cat"))])[0].tolist(), [0, 1])
        row = shown_names.report(boxes, [photo((LEFT, "cat"), (RIGHT, "dog"))], self.least(0.4, 1, 0))
        self.assertEqual((row["kinds shown"], row["kinds right"], row["found"], row["F1 of kinds"]), (2, 0.5, 0.5, 0.5))

    def least(self, kinds, groups, lowering):
        return Thresholds(np.full(len(coco.NAMES), kinds), np.full(len(coco.GROUPS), groups), lowering)

    def test_large_boxes_are_told_from_a_lower_confidence_on(self):
        small = (0.8, 0.0, 0.9, 0.4)
        boxes = self.boxes((LEFT, CAT, 0.55), (small, CAT, 0.55), (RIGHT, DOG, 0.35))
        kinds, groups = self.least(0.6, 0.4, 0.1).shown(boxes)
        self.assertEqual(kinds.tolist(), [CAT, -1, -1])
        self.assertEqual(
            [list(coco.GROUPS)[number] if number >= 0 else None for number in groups], [None, *["animal"] * 2]
        )

    def test_a_group_is_told_where_the_kind_is_unsure(self):
        boxes = self.boxes((LEFT, DOG, 0.5), (RIGHT, PERSON, 0.9))
        least = self.least(0.6, 0.4, 0)
        row = shown_names.report(boxes, [photo((LEFT, "cat"), (RIGHT, "person"))], least)
        self.assertEqual((row["kinds shown"], row["kinds right"], row["names shown"], row["names right"]), (1, 1, 2, 1))
        self.assertEqual(row["named of those > 5%"], 0.5)

    def test_names_of_a_program_are_counted_as_it_wrote_them(self):
        def box(left, right, name):
            frame = {"x": left, "y": 20, "width": right - left, "height": 60}
            return {"frame": frame, "confidence": 0.5, "labels": [{"text": name}] if name else []}

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "answers.jsonl")
            answer = {"image": "/photos/a.jpg", "objects": [box(0, 40, "cat"), box(50, 100, "animal"), box(0, 9, None)]}
            path.write_text(json.dumps(answer) + "\n")
            row = evaluate_names.row(path, [photo((LEFT, "cat"), (RIGHT, "dog"))])
            self.assertEqual((row["boxes"], row["kinds shown"], row["names shown"], row["names right"]), (3, 1, 2, 1))
            self.assertEqual(row["named of those > 5%"], 0.5)
            path.write_text('{"image": "b.jpg", "objects": []}\n')
            with self.assertRaisesRegex(errors.TrainingError, "no answer about a.jpg"):
                evaluate_names.row(path, [photo()])
            path.write_text('{"image": "a.jpg", "error": "it is damaged"}\n')
            with self.assertRaisesRegex(errors.TrainingError, "Line 1 of"):
                evaluate_names.row(path, [photo()])

    def names(self, count=4000):
        """Names whose confidence is their chance to be right, but those of the second name are right half as often."""
        rng = np.random.default_rng(0)
        number, confidence = rng.integers(0, 2, count), rng.uniform(0.01, 0.99, count)
        right = (rng.random(count) < np.where(number == 1, confidence / 2, confidence)).astype(np.float64)
        return confidence, number, right

    def test_shown_names_are_right_as_often_as_wanted(self):
        confidence, number, right = self.names()
        least = shown_names.thresholds(confidence, number, right, 2, 0.8)
        shown = confidence >= least[number]
        self.assertAlmostEqual(right[shown].mean(), 0.8, delta=0.02)
        self.assertLess(least[0], least[1])

    def test_where_less_is_asked_of_some_boxes_more_is_asked_of_all(self):
        names = self.names()
        lowered = np.where(np.arange(len(names[0])) % 2, 0.05, 0.0)
        plain, least = shown_names.thresholds(*names, 2, 0.8), shown_names.thresholds(*names, 2, 0.8, lowered=lowered)
        self.assertTrue((least > plain).all())
        shown = names[0] + lowered >= least[names[1]]
        self.assertAlmostEqual(names[2][shown].mean(), 0.8, delta=0.02)

    def test_names_that_are_told_already_allow_for_less_sure_ones(self):
        names = self.names()
        alone, beside = (shown_names.thresholds(*names, 2, 0.8, before) for before in ((0, 0), (900, 1000)))
        self.assertTrue((beside < alone).all())

    def test_kinds_are_right_as_often_as_kinds_shall_be_and_all_names_as_names_shall(self):
        rng, count = np.random.default_rng(1), 1500
        confidence, chance = rng.uniform(0.01, 0.99, count), rng.random(count)
        # A cat, another animal, or something else.
        cats, animals = chance < confidence, chance < (1 + confidence) / 2
        photos = [photo((LEFT, "cat" if cat else "dog" if animal else "cup")) for cat, animal in zip(cats, animals)]
        boxes = Boxes(np.arange(count), np.array([LEFT] * count), np.full(count, CAT), confidence)
        row = shown_names.report(boxes, photos, shown_names.chosen(boxes, photos))
        self.assertAlmostEqual(row["kinds right"], shown_names.WANTED, delta=0.02)
        self.assertAlmostEqual(row["names right"], shown_names.WANTED_OF_ALL, delta=0.01)
        self.assertGreater(row["names shown"], row["kinds shown"])

    def test_names_that_are_never_right_are_an_error(self):
        confidence, number, right = self.names()
        with self.assertRaisesRegex(errors.TrainingError, "90%"):
            shown_names.thresholds(confidence, number, right * 0, 2, 0.9)

    def test_packed_thresholds_are_read_as_they_were_chosen(self):
        archive = io.BytesIO()
        archive.write(b"model")
        with zipfile.ZipFile(archive, "a") as target:
            target.writestr("labels.txt", "cat\n")
        least = Thresholds(np.linspace(0, 1, len(coco.NAMES)), np.linspace(0.2, 0.4, len(coco.GROUPS)), 0.05)
        packed = fit_detector.packed(archive.getvalue(), least.content())
        self.assertTrue(packed.startswith(b"model"))
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            self.assertEqual(sorted(archive.namelist()), ["labels.txt", "sightline.json"])
            read = Thresholds.of(json.loads(archive.read("sightline.json")))
        np.testing.assert_allclose(read.kinds, least.kinds, atol=1e-3)
        self.assertEqual(read.lowering, least.lowering)


if __name__ == "__main__":
    unittest.main()
