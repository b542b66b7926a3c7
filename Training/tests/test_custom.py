import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

import numpy as np
from sightline_training import boxes, custom, folders, network
from sightline_training.errors import TrainingError

from . import support


class FolderTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.lines = []

    def label(self, name, count=folders.FEWEST):
        for number in range(count):
            support.picture(self.folder / name / f"{number}.jpg", seed=number)

    def test_labels_are_the_sorted_subfolders(self):
        for name in ("tulip", "daisy", ".hidden"):
            self.label(name)
        (self.folder / "daisy" / "notes.txt").write_text("no picture")
        labels, paths = folders.labeled(self.folder)
        self.assertEqual(labels, ["daisy", "tulip"])
        self.assertEqual([len(mine) for mine in paths], [folders.FEWEST] * 2)

    def test_a_folder_that_cannot_be_learnt_from_is_told_in_one_sentence(self):
        with self.assertRaisesRegex(TrainingError, "does not exist"):
            folders.labeled(self.folder / "nowhere")
        with self.assertRaisesRegex(TrainingError, "has no subfolders"):
            folders.labeled(self.folder)
        self.label("daisy")
        with self.assertRaisesRegex(TrainingError, "only the label 'daisy'"):
            folders.labeled(self.folder)
        self.label("tulip", 3)
        with self.assertRaisesRegex(TrainingError, "'tulip' has 3 readable pictures in .*tulip, but needs 8"):
            folders.labeled(self.folder)
        self.label("two\nlines")
        with self.assertRaisesRegex(TrainingError, "cannot be a label"):
            folders.labeled(self.folder)

    def test_corrupt_pictures_are_named_skipped_and_counted(self):
        self.label("daisy", folders.FEWEST + 2)
        self.label("tulip")
        (self.folder / "daisy" / "0.jpg").write_bytes(b"no picture")
        cut = self.folder / "daisy" / "1.jpg"
        cut.write_bytes(cut.read_bytes()[:300])
        labels, paths = folders.labeled(self.folder)
        pixels, kept, numbers = folders.squares(self.folder, labels, paths, 32, self.lines.append)
        self.assertEqual(pixels.shape, (2 * folders.FEWEST, 32, 32, 3))
        self.assertEqual((len(kept), numbers.tolist()), (16, [0] * 8 + [1] * 8))
        self.assertIn("daisy/0.jpg", self.lines[0])
        self.assertIn("daisy/1.jpg", self.lines[1])
        self.assertEqual(self.lines[2], "2 corrupt pictures skipped")

    def test_too_few_pictures_that_can_be_read_are_an_error(self):
        self.label("daisy")
        self.label("tulip")
        (self.folder / "tulip" / "0.jpg").write_bytes(b"no picture")
        with self.assertRaisesRegex(TrainingError, "'tulip' has 7 readable pictures"):
            folders.squares(self.folder, *folders.labeled(self.folder), 32, self.lines.append)

    def test_every_label_has_its_share_held_out_whatever_the_order(self):
        names, numbers = [f"{number}.jpg" for number in range(50)], np.array([0] * 40 + [1] * 10)
        aside = folders.held_out(names, numbers, 0.2, seed=1)
        self.assertEqual([int(aside[numbers == label].sum()) for label in (0, 1)], [8, 2])
        np.testing.assert_array_equal(folders.held_out(names[::-1], numbers[::-1], 0.2, seed=1), aside[::-1])
        self.assertFalse(np.array_equal(folders.held_out(names, numbers, 0.2, seed=2), aside))

    def test_the_confusion_table_counts_answers(self):
        accuracy, lines = folders.confusion([0, 0, 1, 1], [0, 1, 1, 1], ["daisy", "tulip"])
        self.assertEqual(accuracy, 0.75)
        self.assertEqual(
            [line.split() for line in lines],
            [["1", "2", "right"], ["1", "daisy", "1", "1", "50.0%"], ["2", "tulip", "0", "2", "100.0%"]],
        )


class BoxTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_labels_are_the_categories_that_have_boxes(self):
        support.annotations(self.folder, [[8, 4, 16, 20]] * boxes.FEWEST)
        labels, (photo,) = boxes.annotated(self.folder / "annotations.json", self.folder / "images")
        self.assertEqual((labels, photo.numbers.tolist()), (["thing"], [0] * boxes.FEWEST))

    def test_too_few_boxes_none_or_an_unknown_category_are_errors(self):
        path = self.folder / "annotations.json"
        for drawn, words in (([], "has no boxes"), ([[8, 4, 16, 20]], "'thing' has 1 boxes")):
            support.annotations(self.folder, drawn)
            with self.assertRaisesRegex(TrainingError, words):
                boxes.annotated(path, self.folder / "images")
        path.write_text(path.read_text().replace('"category_id": 1', '"category_id": 7'))
        with self.assertRaisesRegex(TrainingError, "is no label"):
            boxes.annotated(path, self.folder / "images")

    def test_a_picture_of_another_size_than_annotated_is_skipped(self):
        support.annotations(self.folder, [[8, 4, 16, 20]] * boxes.FEWEST)
        support.picture(self.folder / "images" / "a.jpg", (30, 30))
        _, photos = boxes.annotated(self.folder / "annotations.json", self.folder / "images")
        lines = []
        with self.assertRaisesRegex(TrainingError, "Only 0 pictures can be read"):
            boxes.readable(photos, 32, lines.append)
        self.assertIn("it is 30x30, but its annotations say 64x48", lines[0])

    def test_boxes_follow_the_part_that_is_seen(self):
        unit = np.array([[0.5, 0.5, 0.75, 0.75], [0, 0, 0.55, 0.55]])
        seen, enough = boxes.cut(unit, 0.5, 0.5, 0.5, 0.5, mirrored=True)
        np.testing.assert_allclose(seen, [[0.5, 0, 1, 0.5], [0.9, 0, 1, 0.1]])
        self.assertEqual(enough.tolist(), [True, False])

    def test_an_anchor_on_an_object_learns_it_and_a_far_one_learns_that_nothing_is_there(self):
        anchors = network.anchors(network.CONFIGURATIONS["fmb_m"])
        self.assertEqual(anchors.shape, (738, 4))
        box = np.array([[0.2, 0.2, 0.6, 0.6]])
        codes, scores, positive, learning = boxes.targets(box, np.array([1]), np.array([True]), anchors, 3)
        self.assertGreater(positive.sum(), 0)
        np.testing.assert_array_equal(scores[positive], [[0, 1, 0]] * positive.sum())
        self.assertEqual(scores[~positive].sum(), 0)
        from sightline_training.geometry import decoded

        np.testing.assert_allclose(
            decoded(codes[positive], anchors[positive]), box.repeat(positive.sum(), 0), atol=1e-5
        )
        self.assertTrue(learning[0])
        _, scores, positive, learning = boxes.targets(box, np.array([1]), np.array([False]), anchors, 3)
        self.assertEqual((scores.sum(), positive.sum()), (0, 0))
        self.assertFalse(learning.all())


class CommandTests(unittest.TestCase):
    def test_what_is_missing_is_told_before_training_begins(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            weights = folder / "weights.pt"
            weights.write_bytes(b"")
            usual = [
                "labels",
                str(folder),
                str(folder / "out"),
                "--initial",
                str(weights),
                "--export-python",
                sys.executable,
            ]
            for more, words in (
                (["--epochs", "0"], "--epochs is 0"),
                (["--held-out", "0.9"], "--held-out is 0.9"),
                (["--initial", str(folder / "none.pt")], "none.pt are not there"),
                (["--export-python", str(folder / "none")], "Python with TensorFlow"),
            ):
                with self.assertRaisesRegex(TrainingError, words):
                    custom.main(usual + more)

    def test_an_export_that_fails_tells_why(self):
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder) / "python"
            python.write_text("#!/bin/sh\necho chatter >&2; echo 'error: The disk is full.' >&2; exit 1\n")
            python.chmod(0o755)
            with self.assertRaisesRegex(TrainingError, r"w.npz could not be exported \(error: The disk is full.\)"):
                custom.exported(pathlib.Path(folder) / "out", "w.npz", folder, python)

    def test_an_export_is_the_folder_that_automl_writes(self):
        try:
            from sightline_training.export import automl_export
        except ImportError:
            self.skipTest("flatbuffers is not installed")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder) / "new" / "model"
            automl_export(folder, b"bytes", ["rote Blüte", "tulip"])
            self.assertEqual(
                sorted(path.name for path in folder.iterdir()), ["dict.txt", "manifest.json", "model.tflite"]
            )
            self.assertEqual((folder / "dict.txt").read_text(encoding="utf-8"), "rote Blüte\ntulip\n")
            self.assertEqual(
                json.loads((folder / "manifest.json").read_text()),
                {"modelType": "IMAGE_LABELING", "modelFile": "model.tflite", "labelsFile": "dict.txt"},
            )
            automl_export(folder, b"bytes", ["tulip"], side=192)
            sizes = json.loads((folder / "tflite_metadata.json").read_text())
            self.assertEqual((sizes["imageWidth"], sizes["imageHeight"], sizes["maxDetections"]), (192, 192, 40))
            self.assertEqual(json.loads((folder / "manifest.json").read_text())["modelType"], "OBJECT_DETECTION")


@unittest.skipIf(importlib.util.find_spec("torch") is None, "Torch is not installed")
class DetectorTests(unittest.TestCase):
    def test_a_new_detector_scores_every_label_as_the_localizer_scores_an_object(self):
        import torch
        from sightline_training.custom_boxes import spread
        from sightline_training.torch_network import Localizer

        torch.manual_seed(0)
        before, after = Localizer(), Localizer(classes=3)
        after.load_state_dict(spread(before.state_dict(), 3))
        before.eval(), after.eval()
        with torch.no_grad():
            x = torch.rand(1, 3, 256, 256)
            codes, logits = before(x)
            same_codes, same = after(x)
        torch.testing.assert_close(same_codes, codes)
        torch.testing.assert_close(same, logits[..., None].repeat(1, 1, 3))

    def test_boxes_move_with_the_pixels_of_a_view(self):
        from sightline_training import data
        from sightline_training.custom_boxes import Examples
        from sightline_training.geometry import decoded

        pixels = np.zeros((1, 240, 240, 3), np.uint8)
        pixels[0, 96:168, 60:144] = 255
        photo = data.Photo(
            pathlib.Path("a"), "", (480, 240), np.array([[120, 96, 288, 168]], np.float32), crowd=np.array([False])
        )
        photo.numbers = np.array([1])
        examples, met = Examples(pixels, [photo], 2, network.CONFIGURATIONS["fmb_m"]), 0
        for seed in range(12):
            x, codes, _, positive, _ = (
                part[0].numpy() for part in examples.batch(np.array([0]), np.random.default_rng(seed))
            )
            if not positive.any():
                continue
            rows, columns = np.where(x[0] > 0)
            seen = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]) / 192
            first = np.flatnonzero(positive)[:1]
            np.testing.assert_allclose(decoded(codes[first], examples.anchors[first])[0], seen, atol=0.012)
            met += 1
        self.assertGreater(met, 6)
