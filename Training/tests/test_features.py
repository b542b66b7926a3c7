import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training import features_basis, network

try:
    import torch
except ImportError:
    torch = None


class BasisTests(unittest.TestCase):
    def basis(self):
        rng = np.random.default_rng(0)
        features = rng.normal(size=(500, 400)) * np.linspace(3, 0.1, 400) + 1
        return features_basis.Basis.of(features, rng.normal(size=(4, 3, 3, 5))), features

    def test_components_are_uncorrelated_and_later_ones_count_less(self):
        basis, features = self.basis()
        wanted = basis.wanted(features)
        self.assertEqual(wanted.shape, (500, network.FEATURES))
        self.assertLess(abs(wanted.mean(0)).max(), 1e-3)
        correlations = np.corrcoef(wanted[:, :20].T) - np.eye(20)
        self.assertLess(abs(correlations).max(), 1e-2)
        self.assertTrue((np.diff(wanted.var(0)) < 1e-4).all())
        self.assertAlmostEqual(wanted.var(0).sum() / basis.total, 1, places=2)

    def test_a_basis_is_the_same_after_it_was_written(self):
        basis, features = self.basis()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / features_basis.NAME
            basis.write(path)
            again = features_basis.Basis.read(path)
        np.testing.assert_array_equal(basis.wanted(features), again.wanted(features))
        self.assertEqual(basis.share, again.share)

    def test_cells_keep_the_mean_of_the_picture(self):
        basis, _ = self.basis()
        grids = np.random.default_rng(1).normal(size=(2, 7, 7, 400)).astype(np.float32) + 1
        cells = basis.packed_cells(grids) * basis.cell_step
        self.assertEqual(cells.shape[:3], (2, 6, 6))
        expected = basis.wanted(grids.mean((1, 2)))[:, : network.CELL_FEATURES]
        self.assertLess(abs(cells.mean((1, 2)) - expected).max(), 0.05)

    def test_a_cell_is_shared_by_those_that_it_lies_in(self):
        np.testing.assert_allclose(features_basis.mixing(3, 2), [[2 / 3, 1 / 3, 0], [0, 1 / 3, 2 / 3]], atol=1e-6)
        np.testing.assert_allclose(features_basis.mixing(4, 4), np.eye(4))


@unittest.skipIf(torch is None, "Torch is not installed")
class MuonTests(unittest.TestCase):
    def test_a_step_has_directions_of_equal_size(self):
        from sightline_training import muon

        torch.manual_seed(0)
        values = torch.linalg.svdvals(muon.orthogonal(torch.randn(24, 8)))
        self.assertGreater(values.min(), 0.6)
        self.assertLess(values.max(), 1.3)

    def test_it_learns_a_linear_map(self):
        from sightline_training import muon

        torch.manual_seed(0)
        model, wanted = torch.nn.Linear(16, 12), torch.nn.Linear(16, 12)
        optimizer = muon.Muon(model, 2e-3)
        for _ in range(300):
            x = torch.randn(64, 16)
            loss = (model(x) - wanted(x)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        self.assertLess(loss.item(), 0.01)


@unittest.skipIf(torch is None, "Torch is not installed")
class NetworkTests(unittest.TestCase):
    def test_the_layers_before_and_after_stride_eight_are_the_backbone(self):
        from sightline_training.torch_network import Builder, Features

        model = Features().eval()
        x = torch.randn(1, 3, 64, 64)
        with torch.no_grad():
            builder = Builder(model.m)
            whole = network.backbone(builder, x, model.configuration)
            features, cells = model(model.early(x))
            parts = network.late_layers(builder, model.early(x), model.configuration)
        self.assertTrue(torch.equal(whole[32], parts[32]))
        self.assertEqual(features.shape, (1, network.FEATURES))
        # The features are those of the cells, on average.
        mean = cells.mean((1, 2))
        self.assertTrue(torch.allclose(mean, features[:, : network.CELL_FEATURES], atol=1e-4))
