import pathlib
import signal
import tempfile
import unittest
import unittest.mock

import numpy as np
from sightline_training import coco, data, network, packs
from sightline_training.named import BOX, CERTAIN, COLUMNS, KIND, OBJECT

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
            builder = Builder(model.m)
            maps = network.backbone(builder, x, model.configuration)
            answers = network.heads(builder, network.neck(builder, maps), 3)
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

    def test_what_the_teacher_answers_is_no_error(self):
        from sightline_training.train_detector import KINDS, teacher_losses

        scores = torch.full((1, 4, KINDS), 0.01)
        scores[0, 0, CAT] = 0.9
        logits = torch.logit(torch.cat([scores, scores.amax(-1, keepdim=True)], -1))
        boxes = torch.tensor([[8.0, 8, 40, 40]]).expand(1, 4, 4)
        for loss in teacher_losses(logits, boxes, scores, boxes):
            self.assertAlmostEqual(float(loss), 0, places=5)
        for loss in teacher_losses(-logits, boxes + 8, scores, boxes):
            self.assertGreater(float(loss), 0.1)

    def packed(self, folder):
        """Six packed photos, four of them with a box, and a teacher that answers zeros in every cell."""
        from sightline_training import dense_teacher

        paths = [support.picture(folder / f"{index}.jpg", seed=index) for index in range(6)]
        photos = [data.Photo(path, "street", (64, 48), np.zeros((0, 4), np.float32)) for path in paths]
        boxes = [np.array([[0.1, 0.1, 0.9, 0.9, CAT]], np.float32)] * 4 + [None] * 2
        (folder / "packs").mkdir()
        packs.write(folder / "packs" / "pack001.npz", [path.read_bytes() for path in paths], boxes)
        outputs, steps, constants, shapes = [], [], {}, [[1, 416, 416, 3]]
        for stride in network.STRIDES:
            for channels in (len(coco.NAMES), 4):
                # A filter of one pixel whose weights are zeros, in the coarser grids after slices of every second cell.
                number, weight, bias = len(shapes), len(shapes) + 1, len(shapes) + 2
                begin, end, steps_of_slice, sliced, doubled = range(len(shapes) + 3, len(shapes) + 8)
                shapes += [[1, 416 // stride, 416 // stride, channels]] * 6 + [[1, 416 // stride, 416 // stride, 3]] * 2
                constants |= {weight: np.zeros((channels, 1, 1, 3), np.float32), bias: np.zeros(channels, np.float32)}
                constants |= {begin: np.zeros(4, np.int32), end: np.zeros(4, np.int32)}
                constants[steps_of_slice] = np.array([1, stride, stride, 1], np.int32)
                slices = {"beginMask": 15, "endMask": 15}
                steps.append(("STRIDED_SLICE", [0, begin, end, steps_of_slice], [sliced], slices))
                steps.append(("ADD", [sliced, sliced], [doubled], {}))
                steps.append(("CONV_2D", [doubled, weight, bias], [number], {"padding": 1, "strideW": 1}))
                outputs.append((number, shapes[number]))
        content = {"constants": constants, "steps": steps, "input": 0, "outputs": outputs, "shapes": shapes}
        dense_teacher.save(content, folder / "packs" / "teacher.npz")
        return photos[0]

    def test_a_stopped_run_ends_with_the_same_weights(self):
        from sightline_training import checkpoint
        from sightline_training.errors import TrainingError
        from sightline_training.train_detector import train

        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory() as folder:
            folder, lines = pathlib.Path(folder), []
            people = self.packed(folder)
            people.boxes, people.categories = np.array([[6, 5, 57, 43]], np.float32), ["cat"]
            people.crowd = np.zeros(1, bool)

            def run(work):
                train(
                    folder / "packs",
                    folder / work,
                    lines.append,
                    steps=3,
                    size=4,
                    configuration="fmb_m",
                    people=[people],
                )

            run("whole")
            original = checkpoint.Average.update

            def stopping(average, model, step):
                original(average, model, step)
                if step == 2:
                    signal.raise_signal(signal.SIGTERM)

            with (
                unittest.mock.patch.object(checkpoint.Average, "update", stopping),
                self.assertRaisesRegex(TrainingError, "Stopped at step 2"),
            ):
                run("stopped")
            run("stopped")
            self.assertTrue(any("continues from" in line for line in lines))
            self.assertTrue(any("AP50" in line for line in lines))
            self.assertTrue(any("6 photos, 4 of them" in line for line in lines))
            self.assertIn("imitation", checkpoint.load(folder / "whole" / "detector-run.pt")["modules"])
            one, other = (checkpoint.load(folder / work / "detector.pt") for work in ("whole", "stopped"))
            self.assertEqual(one["cfg"], "fmb_m")
            for name, value in one["ema"].items():
                self.assertTrue(torch.equal(value, other["ema"][name]), name)

    def test_a_run_without_packs_names_the_step_that_is_missing(self):
        from sightline_training.errors import TrainingError
        from sightline_training.train_detector import train

        with (
            tempfile.TemporaryDirectory() as folder,
            self.assertRaisesRegex(TrainingError, "run prepare detector first"),
        ):
            train(pathlib.Path(folder), pathlib.Path(folder), print, steps=1)
