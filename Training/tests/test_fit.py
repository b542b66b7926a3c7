import unittest

import numpy as np

try:
    import torch
    from sightline_training import fit_classifier, fit_labeler
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "Torch is not installed")
class LastLayerTests(unittest.TestCase):
    def test_the_last_layer_learns_rare_classes_too(self):
        rng = np.random.default_rng(0)
        labels = np.array([0] * 20 + [1] * 400)
        features = rng.normal(0, 0.3, (len(labels), 8)).astype(np.float32)
        features[np.arange(len(labels)), labels] += 1
        weight, bias = fit_classifier.fitted(
            features,
            np.eye(2, dtype=np.float32)[labels],
            np.ones(len(labels)),
            np.zeros((2, 8), np.float32),
            np.zeros(2, np.float32),
        )
        right = (features @ weight.T + bias).argmax(1) == labels
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
            _, bias = fit_labeler.fitted(
                features, truth, np.zeros((1, 1), np.float32), np.zeros(1, np.float32), np.array(share, np.float32)
            )
            self.assertEqual(bool(bias[0] > 0), above)
