import pathlib
import tempfile
import unittest

import numpy as np

from . import support
from sightline_training import views
from sightline_training.data import Photo


class ViewTests(unittest.TestCase):
    def maker(self, seed):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        photos = []
        for index in range(4):
            path = support.picture(pathlib.Path(temporary.name) / f"{index}.jpg", seed=index)
            photos.append(Photo(path, "books", (64, 48), np.array([[8, 8, 40, 40]], np.float32)).keep())
        return views.ViewMaker(photos, seed)

    def test_the_same_seed_and_number_give_the_same_view(self):
        first, again = self.maker("1"), self.maker("1")
        for number in (3, 0, 7):
            a, b = first.make(number), again.make(number)
            np.testing.assert_array_equal(a.pixels, b.pixels)
            np.testing.assert_array_equal(a.boxes, b.boxes)

    def test_another_seed_gives_another_view(self):
        self.assertFalse(np.array_equal(self.maker("1").make(0).pixels, self.maker("2").make(0).pixels))

    def test_boxes_stay_inside_and_every_kind_is_made(self):
        maker, kinds = self.maker("1"), set()
        for number in range(80):
            view = maker.make(number)
            kinds.add(view.kind)
            self.assertEqual(view.pixels.shape, (views.SIDE, views.SIDE, 3))
            self.assertTrue((view.boxes >= 0).all() and (view.boxes <= 1).all())
            self.assertTrue((view.boxes[:, 2:] > view.boxes[:, :2]).all())
        self.assertEqual(kinds, set(views.KINDS))

    def test_the_kind_of_a_view_is_known_without_making_it(self):
        maker = self.maker("1/train")
        for number in range(12):
            self.assertEqual(views.chance("1/train", number)[0], maker.make(number).kind)

    def test_what_is_placed_later_hides_earlier_boxes(self):
        canvas = views.Canvas()
        image = views.Image.new("RGB", (100, 100))
        canvas.place(image, [(10, 10, 50, 50)], (0, 0, 100, 100), (0, 0, views.SIDE, views.SIDE))
        self.assertEqual(len(canvas.boxes), 1)
        canvas.place(image, [], (0, 0, 100, 100), (0, 0, 200, 200))
        self.assertEqual(canvas.boxes, [])

    def test_a_box_that_is_mostly_cut_off_goes(self):
        canvas = views.Canvas()
        canvas.place(views.Image.new("RGB", (100, 100)), [(0, 0, 40, 40), (50, 50, 90, 90)], (30, 30, 100, 100), (0, 0, 70, 70))
        self.assertEqual(len(canvas.boxes), 1)
