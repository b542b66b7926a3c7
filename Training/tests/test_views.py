import pathlib
import random
import tempfile
import unittest

import numpy as np
from sightline_training import views
from sightline_training.data import Photo

from . import support

SIDE = 96


class ViewTests(unittest.TestCase):
    def maker(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        photos = []
        for index in range(4):
            path = support.picture(pathlib.Path(temporary.name) / f"{index}.jpg", seed=index)
            photo = Photo(
                path, "books", (64, 48), np.array([[8, 8, 40, 40]], np.float32), scores=np.array([0.8], np.float32)
            )
            photos.append(photo.keep())
        return views.ViewMaker(photos)

    def test_the_same_chance_gives_the_same_view(self):
        first, again = (self.maker().make(SIDE, random.Random(3)) for _ in range(2))
        np.testing.assert_array_equal(first.pixels, again.pixels)
        np.testing.assert_array_equal(first.objects, again.objects)
        self.assertFalse(np.array_equal(first.pixels, self.maker().make(SIDE, random.Random(4)).pixels))

    def test_objects_stay_inside_and_every_kind_is_made(self):
        maker, kinds = self.maker(), set()
        for number in range(80):
            view = maker.make(SIDE, random.Random(number))
            kinds.add(view.kind)
            self.assertEqual(view.pixels.shape, (SIDE, SIDE, 3))
            self.assertTrue((view.objects >= 0).all() and (view.objects <= 1).all())
            self.assertTrue((view.objects[:, 2:4] > view.objects[:, :2]).all())
        self.assertEqual(kinds, set(views.KINDS))

    def test_what_is_placed_later_hides_earlier_objects(self):
        canvas = views.Canvas(SIDE)
        image = views.Image.new("RGB", (100, 100))
        canvas.place(image, [(10, 10, 50, 50, 1)], (0, 0, 100, 100), (0, 0, SIDE, SIDE))
        self.assertEqual(len(canvas.objects), 1)
        canvas.place(image, [], (0, 0, 100, 100), (0, 0, 60, 60))
        self.assertEqual(canvas.objects, [])

    def test_the_less_of_an_object_is_seen_the_less_it_is_wanted(self):
        image, scores = views.Image.new("RGB", (100, 100)), []
        for left in (10, 30, 40, 48):
            canvas = views.Canvas(SIDE)
            canvas.place(image, [(10, 20, 50, 80, 0.8)], (left, 0, 100, 100), (0, 0, SIDE, SIDE))
            scores.append(float(canvas.objects[0][4]) if canvas.objects else 0.0)
        self.assertAlmostEqual(scores[0], 0.8, places=5)
        self.assertTrue(scores[0] > scores[1] > 0, scores)
        self.assertEqual(scores[2:], [0.0, 0.0])
