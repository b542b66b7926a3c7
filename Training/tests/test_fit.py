import unittest

import numpy as np

try:
    import torch
    from sightline_training import fit_classifier
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
