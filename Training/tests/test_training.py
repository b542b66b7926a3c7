import pathlib
import tempfile
import unittest
import unittest.mock

import numpy as np
from sightline_training import shards
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

    def known(self):
        """Sixteen pictures: four whole photos, the last two of them kept aside, and twelve objects."""
        from sightline_training import coco, learned, opinion, pictures, split, words

        rng = np.random.default_rng(0)
        kinds = np.array([pictures.WHOLE] * 4 + [pictures.UNNAMED] * 4 + [41] * 4 + [0] * 4, np.int8)
        names = [f"street/{number}.jpg" for number in range(60)]
        seen = [name for name in names if not split.is_held_out(name)][:14]
        aside = [name for name in names if split.is_held_out(name) and not split.is_for_measuring(name)][:2]
        folder = self.folder / "pictures"
        shards.write(
            folder / "shard-00000",
            {
                "x": rng.integers(0, 255, (16, pictures.SIDE, pictures.SIDE, 3), np.uint8),
                "scores": rng.integers(0, 255, (16, 9), np.uint8),
                "features": rng.integers(0, 255, (16, 12), np.uint8),
                "map14": rng.integers(0, 255, (16, 14, 14, 4), np.uint8),
                "map7": rng.integers(0, 255, (16, 7, 7, 5), np.uint8),
            },
        )
        truth = np.full((16, 3), words.UNKNOWN, np.int8)
        truth[:4] = rng.integers(0, 2, (4, 3))
        posteriors = rng.random((16, 6)).astype(np.float32)
        return learned.Known(
            ["Cup", "Dog", "Street"],
            [[1], [], []],
            shards.Shards(folder, ["x", "scores", "features", *opinion.MAPS]),
            np.array(seen[:2] + aside + seen[2:]),
            kinds,
            np.array([learned.NOTHING if coco.our_class(kind) is None else coco.our_class(kind) for kind in kinds]),
            posteriors / posteriors.sum(1, keepdims=True),
            truth,
        )

    def train(self, name, known, log=lambda line: None, steps=4):
        from sightline_training.train_backbone import train

        (self.folder / name).mkdir(exist_ok=True)
        train(self.folder / name, known, log, steps=steps, size=8, configuration="fmb_m")
        return self.folder / name

    def test_an_interrupted_run_ends_with_the_same_weights(self):
        from sightline_training import checkpoint

        lines, known = [], self.known()
        whole = self.train("whole", known)

        original, calls = checkpoint.Average.update, []

        def interrupting(average, model, step):
            original(average, model, step)
            calls.append(step)
            if len(calls) == 2:
                import os
                import signal

                os.kill(os.getpid(), signal.SIGTERM)

        checkpoint.Average.update = interrupting
        try:
            with self.assertRaisesRegex(TrainingError, "Stopped at step 2"):
                self.train("broken", known)
        finally:
            checkpoint.Average.update = original
        broken = self.train("broken", known, lines.append)
        self.assertTrue(any("goes on from" in line for line in lines))
        a, b = (checkpoint.load(work / "backbone.pt")["ema"] for work in (whole, broken))
        for name in a:
            self.assertTrue(torch.equal(a[name], b[name]), name)

    def test_a_checkpoint_of_other_settings_or_a_damaged_one_is_an_error(self):
        known = self.known()
        work = self.train("work", known, steps=1)
        with self.assertRaisesRegex(TrainingError, "other settings"):
            self.train("work", known, steps=2)
        (work / "backbone-run.pt").write_bytes(b"damaged")
        with self.assertRaisesRegex(TrainingError, "cannot be read"):
            self.train("work", known, steps=1)

    def test_weights_of_a_loss_that_is_no_number_are_not_kept(self):
        from sightline_training import checkpoint

        model, path = torch.nn.Linear(2, 1), self.folder / "run.pt"

        def loss(step, progress):
            value = model(torch.ones(1, 2)).sum() * (float("nan") if step == 1 else 1)
            return value, {"loss": value.detach()}

        run = checkpoint.Run(path, {"model": model}, 1e-3, 0.0, 0.9, lambda line: None, steps=4)
        with self.assertRaisesRegex(TrainingError, "no longer a number after step 4: begin anew with a lower --rate"):
            run.train(loss)
        self.assertFalse(path.exists())

    def test_objects_of_rare_classes_are_shown_twice_and_photos_kept_aside_never(self):
        from sightline_training import data
        from sightline_training.train_backbone import shown

        known = self.known()
        known.classes[9] = data.CLASSES.index("food")
        rows = shown(known).tolist()
        self.assertEqual([rows.count(row) for row in (0, 2, 3, 8, 9)], [1, 0, 0, 1, 2])

    def test_a_named_object_is_mostly_what_it_is_called_and_a_whole_photo_no_class(self):
        from sightline_training import data
        from sightline_training.lessons import class_targets

        wanted, weights = class_targets(self.known())
        np.testing.assert_allclose(wanted.sum(1), 1, atol=1e-5)
        self.assertTrue((wanted[8:12].argmax(1) == data.CLASSES.index("home good")).all())  # cups
        self.assertEqual((weights[:4] > 0).sum(), 0)
        self.assertTrue((weights[4:] > 0).all())

    def test_a_classifier_and_a_labeler_come_out_of_a_backbone(self):
        from sightline_training import export, fit_classifier, fit_labeler, words

        known, lines = self.known(), []
        backbone = self.train("work", known, steps=1) / "backbone.pt"
        known.truth[0:2], known.truth[2:4] = words.YES, [[words.YES] * 3, [words.NO] * 3]
        known.names[12:15] = known.names[3]  # a photo kept aside has people
        fit_classifier.fit(self.folder / "work", backbone, known, 1, lines.append)
        with unittest.mock.patch.multiple(fit_labeler, LEAST_PHOTOS=1, LEAST_TO_CHOOSE=1, LEAST_PRECISION=0.0):
            fit_labeler.fit(self.folder / "work", backbone, known, lines.append)
        with np.load(self.folder / "work" / "labeler.npz") as file:
            self.assertEqual(file["labels"].tolist(), ["Cup", "Dog", "Street"])
        with np.load(self.folder / "work" / "classifier.npz") as file:
            self.assertEqual(file["fc/bias"].shape, (6,))
        labeler, classifier = (
            export.read_weights(self.folder / "work" / f"{name}.npz") for name in ("labeler", "classifier")
        )
        both = export.with_classes(labeler, classifier)
        self.assertEqual([both["fc/bias"].shape, both["classes/bias"].shape], [(3,), (6,)])
        self.assertEqual(export.sample(self.folder / "work" / "classifier-val").shape[1:], (160, 160, 3))
        with self.assertRaisesRegex(TrainingError, "different backbones"):
            export.with_classes(labeler, classifier | {"stem/bias": classifier["stem/bias"] + 1})
        with self.assertRaisesRegex(TrainingError, "No label is learned"):
            fit_labeler.fit(self.folder / "work", backbone, known, lines.append)

    def test_outputs_that_are_known_begin_with_what_was_learned_of_them(self):
        from sightline_training import checkpoint, train_backbone
        from sightline_training.torch_network import Classifier

        earlier = checkpoint.load(self.train("work", self.known(), steps=1) / "backbone.pt")
        self.assertEqual(earlier["labels"][:3], ["Cup", "Dog", "Street"])
        model = Classifier(3, "fmb_m")
        train_backbone.keep_outputs(model, ["Tree", "class/food", "Dog"], earlier["ema"], earlier["labels"])
        row = earlier["labels"].index("class/food")
        bias, weight = earlier["ema"]["m.fc.bias"], earlier["ema"]["m.fc.weight"].float()
        torch.testing.assert_close(model.m["fc"].bias[1:], bias[[row, 1]])
        torch.testing.assert_close(model.m["fc"].weight[1:], weight[[row, 1]])

    def test_a_network_with_more_features_begins_with_the_answers_that_it_learned_with_fewer(self):
        from sightline_training import checkpoint, train_backbone
        from sightline_training.torch_network import Classifier, borrow

        earlier = checkpoint.load(self.train("work", self.known(), steps=1) / "backbone.pt")
        state = {name: value.float() for name, value in earlier["ema"].items()}
        small = Classifier(len(earlier["labels"]), "fmb_m")
        small.load_state_dict(state)
        with unittest.mock.patch.dict(small.configuration, {"head": 520}):
            large = Classifier(2, "fmb_m")
        borrow(large, state)
        train_backbone.keep_outputs(large, ["Dog", "class/food"], state, earlier["labels"])
        x = torch.randn(1, 3, 64, 64)
        wanted = small.eval()(x)[0][:, [1, earlier["labels"].index("class/food")]]
        torch.testing.assert_close(large.eval()(x)[0], wanted, atol=1e-4, rtol=1e-4)

    def test_a_halving_depthwise_layer_answers_like_one_with_strides(self):
        from sightline_training.torch_network import Convolution

        layer = Convolution(6, 6, 3, 2, True, False, True).eval()
        x = torch.randn(2, 6, 8, 8)
        padded = torch.nn.functional.pad(x, (0, 1, 0, 1))
        plain = layer.bn(torch.nn.functional.conv2d(padded, layer.c.weight, None, 2, groups=6))
        torch.testing.assert_close(layer(x), plain, atol=1e-5, rtol=1e-5)

    def test_maps_are_compared_where_the_view_shows_them(self):
        from sightline_training.imitation import Imitation
        from sightline_training.torch_network import Classifier

        known = self.known()
        imitation = Imitation(Classifier(3, "fmb_m"), known, np.arange(16))
        part = known.pictures.rows(np.arange(4), ["map14", "map7"])
        straight = torch.tensor([[1.0, 0, 0], [0, 1, 0]]).expand(4, 2, 3)
        seen = [
            ((torch.from_numpy(part[name]).float() - mean) / deviation).permute(0, 3, 1, 2)
            for name, mean, deviation in zip(("map14", "map7"), imitation.mean, imitation.deviation)
        ]
        self.assertLess(float(imitation.error(seen, part, straight)), 1e-6)
        mirrored = torch.tensor([[-1.0, 0, 0], [0, 1, 0]]).expand(4, 2, 3)
        self.assertGreater(float(imitation.error(seen, part, mirrored)), 0.5)
        self.assertLess(float(imitation.error([value.flip(3) for value in seen], part, mirrored)), 1e-6)

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
