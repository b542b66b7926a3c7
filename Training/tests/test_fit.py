import pathlib
import tempfile
import unittest
import unittest.mock

import numpy as np
from sightline_training import coco, data, learned, network, pictures, shards, split, words
from sightline_training.errors import TrainingError

from . import support

try:
    import torch
    from sightline_training import fit_classifier, fit_labeler, last_layer
except ImportError:
    torch = None


# How many numbers the summary of a picture has: of the four grids, of the backbone's three maps, and the scores.
NUMBERS = 4 * 128 + 48 + 96 + 144 + 81


@unittest.skipIf(torch is None, "Torch is not installed")
class LastLayerTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_the_last_layer_learns_rare_classes_too(self):
        rng = np.random.default_rng(0)
        labels = np.array([0] * 20 + [1] * 400)
        features = rng.normal(0, 0.3, (len(labels), 8)).astype(np.float32)
        features[np.arange(len(labels)), labels] += 1
        targets = np.eye(2, dtype=np.float32)[labels]
        with unittest.mock.patch.multiple(fit_classifier, EPOCHS=60, BATCH=64, WIDTH=16):
            layers = fit_classifier.fitted(features, targets, np.ones(len(labels)), seed=0)
        right = fit_classifier.answers(layers, features).argmax(1) == labels
        self.assertGreater(right[labels == 0].mean(), 0.9)
        self.assertGreater(right[labels == 1].mean(), 0.9)

    def test_photos_of_the_largest_source_count_for_less(self):
        names = np.array(["coco/1.jpg", "street/1.jpg", "coco/2.jpg", "coco/3.jpg", "shop/1.jpg"])
        third = fit_labeler.LARGEST_SHARE
        np.testing.assert_allclose(fit_labeler.shares(names), [third, 1, third, third, 1], rtol=1e-6)

    def test_a_label_follows_the_rows_that_count(self):
        features = np.array([[1.0], [1.0]], np.float32)
        truth = np.array([[1], [0]], np.int8)
        for share, above in (([1.0, 0.1], True), ([0.1, 1.0], False)):
            weight, bias = fit_labeler.fitted(features, truth, np.array(share, np.float32))
            self.assertEqual(bool(weight[0, 0] + bias[0] > 0), above)

    def test_weights_for_scaled_features_answer_the_same_about_features_as_they_are(self):
        rng = np.random.default_rng(0)
        features = rng.normal([3, -1, 0], [0.1, 5, 1], (50, 3)).astype(np.float32)
        weight, bias = rng.normal(size=(2, 3)).astype(np.float32), np.array([1, -2], np.float32)
        scale = last_layer.Scale(features)
        scaled, (own_weight, own_bias) = scale(features), scale.folded(weight, bias)
        np.testing.assert_allclose(scaled.std(0), 1, atol=0.02)
        np.testing.assert_allclose(features @ own_weight.T + own_bias, scaled @ weight.T + bias, atol=1e-3)

    def test_a_detector_sums_up_any_size_of_picture(self):
        model = self.detector()
        with torch.no_grad():
            for side in (128, 224):
                summary = model.summary(torch.rand(2, 3, side, side) * 2 - 1)
                self.assertEqual(summary.shape, (2, NUMBERS))
                means = network.DETECTOR_WIDTH * len(network.STRIDES)
                self.assertTrue((summary[:, :means] >= 0).all())  # means of what ReLU leaves

    def test_weights_of_another_model_are_an_error(self):
        with self.assertRaisesRegex(TrainingError, "localizer.pt does not hold the weights of a detector"):
            last_layer.opened(pathlib.Path(__file__).parents[1] / "checkpoints" / "localizer.pt")

    def detector(self):
        from sightline_training.torch_network import Detector

        torch.set_num_threads(1)
        torch.manual_seed(0)
        return Detector(81, "fmb_m").eval()

    def known(self):
        """Sixteen pictures: four whole photos, the last two of them kept aside, and twelve objects."""
        rng = np.random.default_rng(0)
        kinds = np.array([pictures.WHOLE] * 4 + [pictures.UNNAMED] * 4 + [41] * 4 + [0] * 4, np.int8)
        names = [f"street/{number}.jpg" for number in range(60)]
        seen = [name for name in names if not split.is_held_out(name)][:14]
        aside = [name for name in names if split.is_held_out(name) and not split.is_for_measuring(name)][:2]
        names = np.array(seen[:2] + aside + seen[2:])
        names[12:15] = names[3]  # a photo kept aside has people
        folder = self.folder / "pictures"
        shards.write(
            folder / "shard-00000",
            {"x": rng.integers(0, 255, (16, pictures.SIDE, pictures.SIDE, 3), np.uint8)},
        )
        truth = np.full((16, 3), words.UNKNOWN, np.int8)
        truth[0:2], truth[2:4] = words.YES, [[words.YES] * 3, [words.NO] * 3]
        classes = np.array(
            [learned.NOTHING if coco.our_class(kind) is None else coco.our_class(kind) for kind in kinds]
        )
        classes[0] = data.CLASSES.index("plant")  # a labeled picture
        posteriors = rng.random((16, 6)).astype(np.float32)
        paths = {name: support.picture(self.folder / name) for name in names[:4]}
        return learned.Known(
            ["Cup", "Dog", "Street"],
            shards.Shards(folder, ["x"]),
            names,
            kinds,
            classes,
            posteriors / posteriors.sum(1, keepdims=True),
            truth,
            {name: data.Photo(path, "street", (64, 48), np.zeros((0, 4), np.float32)) for name, path in paths.items()},
        )

    def test_a_classifier_and_a_labeler_come_out_of_a_detector(self):
        from sightline_training import checkpoint, export

        known, lines, work = self.known(), [], self.folder / "work"
        work.mkdir()
        checkpoint.finish(work, "detector", self.detector().state_dict(), "fmb_m")
        detector = work / "detector.pt"
        fit_classifier.fit(work, detector, known, 1, lines.append)
        with unittest.mock.patch.multiple(fit_labeler, LEAST_PHOTOS=1, LEAST_TO_CHOOSE=1, LEAST_PRECISION=0.0):
            fit_labeler.fit(work, detector, known, lines.append)
        labeler, classifier = (export.read_weights(work / f"{name}.npz") for name in ("labeler", "classifier"))
        self.assertEqual(labeler["labels"].tolist(), ["Cup", "Dog", "Street"])
        both = export.with_last_layers(labeler, classifier)
        shapes = [both[f"{name}/weight"].shape for name in ("labels", "hidden", "classes")]
        self.assertEqual(shapes, [(NUMBERS, 3), (NUMBERS, fit_classifier.WIDTH), (fit_classifier.WIDTH, 6)])
        with self.assertRaisesRegex(TrainingError, "different detectors"):
            export.with_last_layers(labeler, classifier | {"stem/bias": classifier["stem/bias"] + 1})
        with self.assertRaisesRegex(TrainingError, "No label is found"):
            fit_labeler.fit(work, detector, known, lines.append)
