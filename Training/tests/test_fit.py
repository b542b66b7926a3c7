import pathlib
import random
import tempfile
import unittest
import unittest.mock

import numpy as np
from sightline_training import answers, coco, data, fit

from . import support

try:
    import torch
except ImportError:
    torch = None


def table(*rows):
    """Rows of a box, a score, a finder and a name as the teachers' answers about a photo."""
    found = np.zeros((answers.MOST, 7), np.float16)
    for index, (box, score, finder, name) in enumerate(rows):
        found[index] = [*box, score, finder, coco.NAMES.index(name) if name else -1]
    return found


class NamedCropTests(unittest.TestCase):
    def photos(self, count):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        paths = [support.picture(pathlib.Path(temporary.name) / f"{index}.jpg", seed=index) for index in range(count)]
        return [data.Photo(path, "street", (64, 48), np.zeros((0, 4), np.float32)) for path in paths]

    def test_only_sure_and_large_objects_that_the_detector_names_are_taken(self):
        (photo,) = self.photos(1)
        box = (0.25, 0.25, 0.75, 0.75)
        crops = fit.named(
            [photo],
            {
                photo.name: table(
                    (box, 0.8, answers.DETECTOR, "cup"),
                    (box, 0.3, answers.DETECTOR, "cup"),
                    ((0, 0, 0.05, 0.05), 0.9, answers.DETECTOR, "cup"),
                    (box, 0.9, answers.LOCALIZER, None),
                    (box, 0.9, answers.DETECTOR, "bench"),
                )
            },
            seed=1,
        )
        self.assertEqual((crops.labels, crops.names), ([data.CLASSES.index("home good")], ["cup"]))
        self.assertEqual(crops.pixels[0].shape, (fit.SIDE, fit.SIDE, 3))

    def test_no_class_has_more_crops_than_its_share(self):
        photos = self.photos(1)
        box = (0.25, 0.25, 0.75, 0.75)
        rows = [(box, 0.8, answers.DETECTOR, "cup")] * 3 + [(box, 0.8, answers.DETECTOR, "bus")] * 2
        with unittest.mock.patch.dict(fit.MOST, {"home good": 2, "unknown": 1}):
            crops = fit.named(photos, {photos[0].name: table(*rows)}, seed=1)
        self.assertEqual(sorted(crops.names), ["bus", "cup", "cup"])

    def test_photos_are_held_out_by_their_names(self):
        photos = self.photos(60)
        tables = {photo.name: table(((0.2, 0.2, 0.8, 0.8), 0.8, answers.DETECTOR, "dog")) for photo in photos}
        first, again = (fit.named(photos, tables, seed) for seed in (1, 2))
        self.assertEqual(sum(first.held_out), sum(again.held_out))
        self.assertTrue(0 < sum(first.held_out) < 30)

    def test_a_varied_box_stays_in_the_picture_and_round_the_object(self):
        box, chance = np.array([0.5, 0.5, 1.0, 0.9]), random.Random(0)
        for _ in range(50):
            x0, y0, x1, y1 = fit.region(box, (100, 50), chance)
            self.assertTrue(40 <= x0 <= 54 and 20 <= y0 <= 27 and x1 <= 100 and y1 <= 50)
        self.assertEqual(tuple(round(value, 2) for value in fit.region(box, (100, 50), None)), (47.5, 24.0, 100, 46.0))


@unittest.skipIf(torch is None, "Torch is not installed")
class LastLayerTests(unittest.TestCase):
    def test_the_last_layer_learns_rare_classes_too(self):
        rng = np.random.default_rng(0)
        labels = np.array([0] * 20 + [1] * 400)
        features = rng.normal(0, 0.3, (len(labels), 8)).astype(np.float32)
        features[np.arange(len(labels)), labels] += 1
        weight, bias = fit.fitted(
            features, labels, np.array(["cup"] * len(labels)), np.zeros((2, 8), np.float32), np.zeros(2, np.float32)
        )
        right = (features @ weight.T + bias).argmax(1) == labels
        self.assertGreater(right[labels == 0].mean(), 0.9)
        self.assertGreater(right[labels == 1].mean(), 0.9)
