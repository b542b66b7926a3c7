import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training import coco, data, network
from sightline_training.fusion import BOX, CERTAIN, COLUMNS, KIND, OBJECT

from . import support

try:
    import torch
except ImportError:
    torch = None

CAT, DOG = coco.NAMES.index("cat"), coco.NAMES.index("dog")


class GridTests(unittest.TestCase):
    def test_the_cells_of_all_grids_follow_one_another(self):
        cells = network.grid(64)
        self.assertEqual(len(cells), 64 + 16 + 4 + 1)
        np.testing.assert_array_equal(
            cells[[0, 1, 8, 64, 84]], [[0, 0, 8], [8, 0, 8], [0, 8, 8], [0, 0, 16], [0, 0, 64]]
        )


@unittest.skipIf(torch is None, "Torch is not installed")
class DetectorTests(unittest.TestCase):
    def objects(self, *rows):
        objects = torch.zeros(1, 3, COLUMNS)
        for index, (box, kind) in enumerate(rows):
            objects[0, index, BOX] = torch.tensor(box, dtype=torch.float)
            objects[0, index, OBJECT] = objects[0, index, CERTAIN] = 0.9
            objects[0, index, KIND] = kind
        return objects

    def test_an_answer_has_a_row_for_every_cell(self):
        from sightline_training.torch_network import Detector

        model = Detector(5, "fmb_m").eval()
        for side in (64, 128):
            logits, distances = model(torch.zeros(2, 3, side, side))
            self.assertEqual(logits.shape, (2, len(network.grid(side)), 5))
            self.assertEqual(distances.shape, (2, len(network.grid(side)), 4))

    def test_statistics_that_are_settled_stay_while_all_else_is_learned(self):
        from sightline_training.torch_network import Detector

        torch.manual_seed(0)
        model, x = Detector(3, "fmb_m", settled=True), torch.rand(2, 3, 64, 64)
        layer = model.m["n16mp"]
        before = layer.bn.running_mean.clone()
        logits, _ = model.train()(x)
        logits.sum().backward()
        self.assertTrue(torch.equal(layer.bn.running_mean, before))
        self.assertGreater(float(layer.bn.weight.grad.abs().sum()), 0)
        model.settled = False
        torch.testing.assert_close(logits, model.eval()(x)[0], atol=1e-4, rtol=1e-4)

    def test_exported_weights_answer_as_the_trained_ones_do(self):
        from sightline_training.torch_network import Builder, Detector, folded

        torch.manual_seed(0)
        model = Detector(3, "fmb_m").eval()
        x = torch.rand(1, 3, 64, 64)
        with torch.no_grad():
            logits, distances = model(x)
            own, exported = folded(model.state_dict()), network.separated(folded(model.state_dict()))
            for stride in network.STRIDES:
                for layer in (f"g{stride}c", f"g{stride}e"):
                    convolution = model.m[layer].c
                    np.testing.assert_allclose(own[f"{layer}/bias"], convolution.bias.numpy())
                    weight = exported[f"{layer}/weight"].transpose(3, 2, 0, 1)
                    convolution.weight.copy_(torch.from_numpy(np.ascontiguousarray(weight)))
                    convolution.bias.copy_(torch.from_numpy(exported[f"{layer}/bias"]))
            answers = network.detector(Builder(model.m), x, model.configuration, 3)
        for part, wanted in zip(zip(*answers), (logits, distances * torch.from_numpy(network.grid(64))[:, 2:])):
            flat = torch.cat([values.permute(0, 2, 3, 1).flatten(1, 2) for values in part], 1)
            np.testing.assert_allclose(flat.numpy(), wanted.numpy(), atol=1e-3)

    def test_cells_in_an_object_learn_its_kind_and_box(self):
        from sightline_training.train_detector import KINDS, SCORES, assigned

        cells = torch.from_numpy(network.grid(128))
        objects = self.objects(((16, 16, 72, 88), CAT), ((80, 24, 120, 100), DOG))
        # Every cell answers with a box of 48 pixels around it.
        boxes = torch.cat([cells[:, :2] - 24, cells[:, :2] + 24], 1)[None]
        wanted, box, weight = assigned(boxes, torch.full((1, len(cells), SCORES), -3.0), objects, cells)
        for number, kind in ((0, CAT), (1, DOG)):
            learned = wanted[0, :, kind] > 0
            self.assertTrue(5 <= learned.sum() <= 40)
            self.assertTrue(torch.equal(box[0, learned], objects[0, number, BOX].expand(int(learned.sum()), 4)))
            inside = objects[0, number, :2] <= cells[learned, :2]
            self.assertTrue(inside.all())
        self.assertTrue(torch.equal(wanted[..., KINDS], weight))
        self.assertLessEqual(float(wanted.max()), 0.9)
        self.assertEqual(float(wanted[0, :, [kind for kind in range(KINDS) if kind not in (CAT, DOG)]].max()), 0)

    def test_an_object_smaller_than_a_cell_is_learned_too(self):
        from sightline_training.train_detector import SCORES, assigned

        cells = torch.from_numpy(network.grid(128))
        boxes = torch.cat([cells[:, :2] - 3, cells[:, :2] + 3], 1)[None]
        wanted, *_ = assigned(
            boxes, torch.full((1, len(cells), SCORES), -3.0), self.objects(((33, 33, 39, 39), CAT)), cells
        )
        self.assertGreater(float(wanted[..., CAT].max()), 0)

    def test_a_run_writes_weights_and_goes_on(self):
        from sightline_training import checkpoint
        from sightline_training.train_detector import train

        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            paths = [support.picture(folder / f"{index}.jpg", seed=index) for index in range(6)]
            photos = [
                data.Photo(path, "street", (64, 48), np.zeros((0, 4), np.float32), everyday=True) for path in paths
            ]
            rows = [np.array([[0.1, 0.1, 0.9, 0.9, 1, 1, CAT]], np.float32) for _ in photos]
            people = data.Photo(paths[0], "people", (64, 48), np.array([[6, 5, 57, 43]], np.float32))
            people.categories, people.crowd = ["cat"], np.zeros(1, bool)
            lines = []
            for _ in range(2):
                train(folder, photos, rows, lines.append, steps=2, size=2, configuration="fmb_m", people=[people])
            self.assertTrue(any("goes on from" in line for line in lines))
            self.assertTrue(any("AP50" in line for line in lines))
            self.assertEqual(checkpoint.load(folder / "detector.pt")["cfg"], "fmb_m")
