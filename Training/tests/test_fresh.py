import random
import unittest

import numpy as np
from PIL import Image

from . import support  # noqa: F401
from sightline_training.targets import MOST

try:
    from sightline_training import fresh
except ImportError:  # the teachers' runtime
    fresh = None


def table(*boxes):
    rows = np.zeros((MOST, 6), np.float32)
    for index, box in enumerate(boxes):
        rows[index] = [*box, 0.9, 1]
    return rows


@unittest.skipIf(fresh is None, "The runtime of the teachers is not installed")
class FreshViewTests(unittest.TestCase):
    def test_boxes_follow_the_region(self):
        moved = fresh.moved(table((0.25, 0.25, 0.5, 0.75)), np.array([0, 0, 0.5, 1], np.float32), (0, 0, 1, 1))
        np.testing.assert_allclose(moved[0], [0.5, 0.25, 1, 0.75, 0.9, 1], atol=1e-6)
        self.assertFalse(moved[1:].any())

    def test_a_box_that_is_mostly_cut_off_or_tiny_goes(self):
        boxes = table((0, 0, 0.6, 0.2), (0.6, 0.6, 0.9, 0.9), (0.7, 0.1, 0.75, 0.15))
        moved = fresh.moved(boxes, np.array([0.5, 0, 1, 1], np.float32), (0, 0, 1, 1))
        self.assertEqual(int((moved[:, 4] > 0).sum()), 1)
        np.testing.assert_allclose(moved[0, :4], [0.2, 0.6, 0.8, 0.9], atol=1e-6)

    def test_cuts_keep_the_box_on_the_object(self):
        pixels = np.zeros((192, 192, 3), np.uint8)
        pixels[60:120, 70:130] = 255
        for seed in range(60):
            image, found = fresh.cut(pixels, table((70 / 192, 60 / 192, 130 / 192, 120 / 192)), random.Random(seed))
            if found[0, 4] == 0:
                continue
            bright = np.argwhere(np.asarray(image)[:, :, 0] > 127)
            low, high = bright.min(0)[::-1] / 192, (bright.max(0)[::-1] + 1) / 192
            np.testing.assert_allclose(found[0, :4], [*low, *high], atol=0.02, err_msg=str(seed))

    def test_a_mixture_has_the_boxes_of_what_still_shows(self):
        black, white = Image.new("RGB", (192, 192)), Image.new("RGB", (192, 192), (255, 255, 255))
        whole = table((0, 0, 1, 1))
        for seed in range(60):
            image, found = fresh.mixed(black, table((0.4, 0.4, 0.6, 0.6)), white, whole, random.Random(seed))
            shown = np.asarray(image)[:, :, 0]
            if 0 < shown.max() < 255:  # a blend: what it shows is for the teacher to say
                self.assertFalse(found.any())
                continue
            bright = np.argwhere(shown == 255)
            low, high = bright.min(0)[::-1] / 192, (bright.max(0)[::-1] + 1) / 192
            laid = found[(found[:, 4] > 0) & (np.abs(found[:, :2] - low).sum(1) < 1e-3)]
            np.testing.assert_allclose(laid[0, :4], [*low, *high], atol=1e-3)
            hidden = np.clip(np.minimum(0.6, high) - np.maximum(0.4, low), 0, None).prod() / 0.04
            self.assertEqual(int((found[:, 4] > 0).sum()), 1 if hidden >= 0.4 else 2, (seed, hidden))

    def test_other_hues_leave_grey_as_it_is(self):
        grey, red = Image.new("RGB", (2, 2), (90, 90, 90)), Image.new("RGB", (2, 2), (240, 0, 0))
        self.assertEqual({fresh.swapped(grey, random.Random(seed)).getpixel((0, 0)) for seed in range(20)}, {(90, 90, 90)})
        hues = {fresh.swapped(red, random.Random(seed)).getpixel((0, 0)) for seed in range(20)}
        self.assertTrue(len(hues) > 5 and all(abs(sum(hue) - 240) <= 3 for hue in hues), hues)
