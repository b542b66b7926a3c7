import pathlib
import tempfile
import unittest

import numpy as np
from sightline_training.errors import TrainingError

from . import support

try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "Torch is not installed")
class TrainingTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        torch.set_num_threads(1)

    def test_a_checkpoint_of_other_settings_or_a_damaged_one_is_an_error(self):
        from sightline_training import checkpoint

        def run(rate):
            settings, path = {"rate": rate}, self.folder / "run.pt"
            modules = {"model": torch.nn.Linear(2, 1)}
            return checkpoint.Run(path, modules, rate, 0.0, 0.9, lambda line: None, steps=1, settings=settings)

        run(1e-3).save()
        run(1e-3).resume()
        with self.assertRaisesRegex(TrainingError, "other settings"):
            run(2e-3).resume()
        (self.folder / "run.pt").write_bytes(b"damaged")
        with self.assertRaisesRegex(TrainingError, "cannot be read"):
            run(1e-3).resume()

    def test_weights_of_a_loss_that_is_no_number_are_not_kept(self):
        from sightline_training import checkpoint

        model, path = torch.nn.Linear(2, 1), self.folder / "run.pt"

        def loss(step, progress):
            value = model(torch.ones(1, 2)).sum() * (float("nan") if step == 1 else 1)
            return value, {"loss": value.detach()}

        run = checkpoint.Run(path, {"model": model}, 1e-3, 0.0, 0.9, lambda line: None, steps=4)
        with self.assertRaisesRegex(TrainingError, "no longer a number after step 4: start over with a lower --rate"):
            run.train(loss)
        self.assertFalse(path.exists())

    def test_a_halving_depthwise_layer_answers_like_one_with_strides(self):
        from sightline_training.torch_network import Convolution

        layer = Convolution(6, 6, 3, 2, True, False, True).eval()
        x = torch.randn(2, 6, 8, 8)
        padded = torch.nn.functional.pad(x, (0, 1, 0, 1))
        plain = layer.bn(torch.nn.functional.conv2d(padded, layer.c.weight, None, 2, groups=6))
        torch.testing.assert_close(layer(x), plain, atol=1e-5, rtol=1e-5)

    def test_batches_of_an_epoch_are_disjoint_and_follow_from_the_seed(self):
        from sightline_training.checkpoint import batch_rows

        rows = np.concatenate([batch_rows(3, step, 4, 16) for step in range(4)])
        self.assertEqual(sorted(rows.tolist()), list(range(16)))
        np.testing.assert_array_equal(batch_rows(3, 2, 4, 16), batch_rows(3, 2, 4, 16))
        self.assertFalse(np.array_equal(batch_rows(3, 0, 4, 16), batch_rows(3, 4, 4, 16)))

    def test_folding_keeps_the_answers(self):
        from sightline_training.torch_network import Convolution, folded

        layer = Convolution(3, 5, 3, 2, False, False, True).eval()
        torch.nn.init.normal_(layer.bn.running_mean)
        torch.nn.init.uniform_(layer.bn.running_var, 0.5, 2)
        arrays = folded({f"m.a.{name}": value for name, value in layer.state_dict().items()})
        plain = torch.nn.Conv2d(3, 5, 3, 2)
        plain.weight.data = torch.from_numpy(arrays["a/weight"].transpose(3, 2, 0, 1).copy())
        plain.bias.data = torch.from_numpy(arrays["a/bias"])
        x = torch.randn(1, 3, 8, 8)
        padded = torch.nn.functional.pad(x, (0, 1, 0, 1))
        torch.testing.assert_close(plain(padded), layer(x), atol=1e-4, rtol=1e-4)

    def test_a_frozen_layer_answers_like_the_layer_and_does_not_learn(self):
        from sightline_training.torch_network import Convolution

        for kernel, stride, act in ((3, 2, True), (3, 1, False), (1, 1, True)):
            layer = Convolution(3, 5, kernel, stride, False, act, True).eval()
            torch.nn.init.normal_(layer.bn.running_mean)
            torch.nn.init.uniform_(layer.bn.running_var, 0.5, 2)
            x = torch.randn(2, 3, 9, 9)
            frozen = layer.frozen(x)
            torch.testing.assert_close(frozen, layer(x), atol=1e-4, rtol=1e-4)
            self.assertFalse(frozen.requires_grad)

    def test_sharpening_changes_edges_not_areas(self):
        from sightline_training.torch_network import sharpened

        x = torch.full((1, 3, 12, 12), 0.2)
        x[:, :, :, 6:] = 0.6
        results = [sharpened(x, np.random.default_rng(seed)) for seed in range(40)]
        for result in results:
            torch.testing.assert_close(result[:, :, :, :4], x[:, :, :, :4])
            torch.testing.assert_close(result[:, :, :, 8:], x[:, :, :, 8:])
        edges = [float(result[0, 0, 5, 6]) for result in results]
        self.assertTrue(min(edges) < 0.59 and max(edges) > 0.61, edges)


@unittest.skipIf(torch is None, "Torch is not installed")
class LocalizerTests(unittest.TestCase):
    def setUp(self):
        from sightline_training import network

        self.anchors = torch.from_numpy(network.anchors(network.CONFIGURATIONS["fmb_l"], 192))

    def objects(self, *rows):
        table = torch.zeros(1, 4, 5)
        table[0, : len(rows)] = torch.tensor(rows).reshape(-1, 5)
        return table

    def answers(self):
        return torch.zeros(1, len(self.anchors), 4), torch.full((1, len(self.anchors)), -2.0)

    def test_codes_of_nothing_are_the_anchors(self):
        from sightline_training.geometry import corners
        from sightline_training.train_localizer import boxes_of

        codes, _ = self.answers()
        np.testing.assert_allclose(boxes_of(codes, self.anchors)[0].numpy(), corners(self.anchors.numpy()), atol=1e-5)

    def test_an_object_is_learnt_by_few_anchors_inside_of_it_and_best_by_the_best(self):
        from sightline_training.train_localizer import LEARNERS, assigned, boxes_of, overlaps

        codes, logits = self.answers()
        boxes, wanted = boxes_of(codes, self.anchors), (0.2, 0.3, 0.6, 0.7)
        learnt, scores = assigned(boxes, logits, self.objects((*wanted, 0.8)), self.anchors)
        rows = scores[0] > 0
        self.assertTrue(0 < int(rows.sum()) <= LEARNERS)
        torch.testing.assert_close(learnt[0, rows], torch.tensor([wanted]).expand(int(rows.sum()), 4))
        overlap, _ = overlaps(boxes[0], torch.tensor(wanted))
        self.assertAlmostEqual(float(scores.max()), 0.8 * float(overlap[rows].max()), places=5)
        self.assertEqual(int(scores[0].argmax()), int(torch.where(rows, overlap, 0).argmax()))

    def test_where_nothing_is_nothing_is_wanted(self):
        from sightline_training.train_localizer import assigned, boxes_of, losses

        codes, logits = self.answers()
        _, scores = assigned(boxes_of(codes, self.anchors), logits, self.objects(), self.anchors)
        self.assertEqual(float(scores.sum()), 0)
        self.assertTrue(all(torch.isfinite(loss) for loss in losses(codes, logits, self.objects(), self.anchors)))

    def test_an_anchor_that_two_objects_want_learns_one(self):
        from sightline_training.train_localizer import assigned, boxes_of

        codes, logits = self.answers()
        objects = self.objects((0.2, 0.2, 0.6, 0.6, 0.9), (0.22, 0.2, 0.64, 0.6, 0.3))
        _, scores = assigned(boxes_of(codes, self.anchors), logits, objects, self.anchors)
        self.assertTrue((scores[0] > 0.3).any() and (scores <= 0.9).all())

    def test_a_training_leaves_weights_and_what_export_needs(self):
        from sightline_training import checkpoint, data, network
        from sightline_training.train_localizer import train

        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory() as folder:
            folder, lines = pathlib.Path(folder), []
            photos = []
            for index in range(2):
                path = support.picture(folder / f"{index}.jpg", seed=index)
                photos.append(
                    data.Photo(
                        path,
                        "street",
                        (64, 48),
                        np.array([[8, 8, 40, 40]], np.float32),
                        scores=np.array([0.8], np.float32),
                    )
                )
            train(folder / "work", photos, lines.append, steps=2, size=2)
            self.assertEqual(checkpoint.load(folder / "work" / "localizer.pt")["cfg"], "fmb_l")
            side = network.CONFIGURATIONS["fmb_l"]["side"]
            self.assertEqual(
                np.load(folder / "work" / "localizer-val" / "shard-0000" / "x.npy").shape, (2, side, side, 3)
            )
            self.assertIn("h0c/weight", np.load(folder / "work" / "localizer.npz").files)
            self.assertIn("done after 2 steps", lines[-1])

    def test_a_step_towards_the_objects_lowers_the_losses(self):
        from sightline_training.train_localizer import losses

        codes, logits = (values.requires_grad_() for values in self.answers())
        objects = self.objects((0.2, 0.3, 0.6, 0.7, 0.8), (0.6, 0.1, 0.9, 0.35, 0.6))
        optimizer, before = torch.optim.Adam([codes, logits], 0.2), None
        for _ in range(30):
            score_loss, box_loss = losses(codes, logits, objects, self.anchors)
            before = before or (float(score_loss.detach()), float(box_loss.detach()))
            optimizer.zero_grad()
            (score_loss + box_loss).backward()
            optimizer.step()
        self.assertLess(float(score_loss.detach()), before[0])
        self.assertLess(float(box_loss.detach()), before[1] / 2)
