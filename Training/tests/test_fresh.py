import pathlib
import random
import tempfile
import unittest

import numpy as np
from sightline_training import answers, data, fresh, targets

from . import support


def table(*rows):
    """Rows of a box, a score and a finder as the teachers' answers about a photo."""
    found = np.zeros((answers.MOST, 7), np.float16)
    for index, (box, score, finder) in enumerate(rows):
        found[index] = [*box, score, finder, -1]
    return found


class TargetTests(unittest.TestCase):
    def test_two_finders_of_one_object_are_surer_than_one(self):
        box, near = (0.2, 0.2, 0.6, 0.6), (0.2, 0.2, 0.65, 0.6)
        boxes, scores = targets.merged(table((box, 0.5, answers.DETECTOR), (near, 0.5, answers.LOCALIZER)))
        self.assertEqual(len(boxes), 1)
        self.assertGreater(scores[0], 0.6)
        np.testing.assert_allclose(boxes[0], [0.2, 0.2, 0.625, 0.6], atol=2e-3)

    def test_a_persons_box_stays_as_it_was_drawn(self):
        drawn, found = (0.25, 0.25, 0.5, 0.5), (0.25, 0.25, 0.53, 0.5)
        boxes, scores = targets.merged(table((found, 0.5, answers.DETECTOR), (drawn, 1, answers.PERSON)))
        np.testing.assert_allclose(boxes, [drawn], atol=1e-3)
        self.assertAlmostEqual(float(scores[0]), targets.PERSON_SCORE, places=5)

    def test_what_yolox_does_not_find_counts_for_less(self):
        box = (0.2, 0.2, 0.6, 0.6)
        detected = targets.merged(table((box, 0.5, answers.DETECTOR)))[1][0]
        for finder in (answers.LOCALIZER, answers.SSD):
            alone = targets.merged(table((box, 0.5, finder)))[1][0]
            self.assertAlmostEqual(float(alone / detected), targets.UNSEEN, places=5)
        three = targets.merged(
            table(*((box, 0.5, finder) for finder in (answers.DETECTOR, answers.SSD, answers.LOCALIZER)))
        )[1][0]
        two = targets.merged(table(*((box, 0.5, finder) for finder in (answers.SSD, answers.LOCALIZER))))[1][0]
        self.assertTrue(two < detected < three, (two, detected, three))

    def test_a_box_round_an_outline_counts_for_less_if_no_teacher_finds_the_object(self):
        box = (0.25, 0.25, 0.5, 0.5)
        for sure, other, wanted in (
            (1, (0.6, 0.6, 0.9, 0.9), 1),
            (answers.OUTLINED, (0.6, 0.6, 0.9, 0.9), answers.OUTLINED),
            (answers.OUTLINED, box, 1),
        ):
            rows = table((box, sure, answers.PERSON), (other, 0.5, answers.DETECTOR))
            boxes, scores = targets.merged(rows)
            mine = np.abs(boxes - box).max(1) < 0.01
            self.assertAlmostEqual(float(scores[mine].item()), targets.PERSON_SCORE * wanted, places=3)

    def test_boxes_of_one_finder_are_never_merged(self):
        boxes, _ = targets.merged(
            table(((0.2, 0.2, 0.6, 0.6), 0.5, answers.DETECTOR), ((0.2, 0.2, 0.6, 0.62), 0.4, answers.DETECTOR))
        )
        self.assertEqual(len(boxes), 2)


class FreshViewTests(unittest.TestCase):
    def photos(self, count=3):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        paths = [support.picture(pathlib.Path(temporary.name) / f"{index}.jpg", seed=index) for index in range(count)]
        return [data.Photo(path, "street", (64, 48), np.zeros((0, 4), np.float32), everyday=True) for path in paths]

    def test_a_photo_that_nobody_was_asked_about_is_not_learnt(self):
        photos = self.photos()
        known = fresh.known(photos, {"street/1.jpg": table(((0.25, 0.5, 0.75, 1), 0.6, answers.DETECTOR))})
        self.assertEqual([photo.name for photo in known], ["street/1.jpg"])
        np.testing.assert_allclose(known[0].boxes, [[16, 24, 48, 48]], atol=0.1)
        self.assertEqual(len(known[0].scores), 1)

    def test_everyday_photos_are_set_aside_by_their_names(self):
        photos = self.photos(200)
        training, aside = fresh.split(photos, share=10)
        self.assertTrue(5 < len(aside) < 40 and len(training) + len(aside) == 200, len(aside))
        random.Random(0).shuffle(photos)
        self.assertEqual({photo.name for photo in fresh.split(photos, share=10)[1]}, {photo.name for photo in aside})

    def test_a_batch_follows_from_its_seed(self):
        objects = {f"street/{index}.jpg": table(((0.25, 0.25, 0.75, 1), 0.6, answers.DETECTOR)) for index in range(3)}
        views = fresh.FreshViews(fresh.known(self.photos(), objects))
        pixels, found = views.batch(6, 64, "1/0")
        self.assertEqual((pixels.shape, found.shape), ((6, 64, 64, 3), (6, fresh.MOST, 5)))
        self.assertTrue((found[:, :, 4] > 0).any())
        np.testing.assert_array_equal(views.batch(6, 64, "1/0")[0], pixels)
        self.assertFalse(np.array_equal(views.batch(6, 64, "1/1")[0], pixels))

    def test_answers_are_kept_and_a_second_asking_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            folder, photos, lines = pathlib.Path(folder) / "answers", self.photos(), []
            from sightline_training import shards

            shards.write(
                folder / "shard-00000",
                {"names": np.array([photos[0].name]), "found": np.stack([table(((0, 0, 1, 1), 1, answers.PERSON))])},
            )
            self.assertEqual(list(answers.read(folder)), ["street/0.jpg"])
            answers.ask(photos[:1], {}, folder, 1, lines.append)
            self.assertIn("0 photos to ask about, 1 known", lines[0])
