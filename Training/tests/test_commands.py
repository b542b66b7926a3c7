"""The launcher: `python -m sightline_training COMMAND`."""

import importlib.util
import pathlib
import subprocess
import sys
import unittest

from sightline_training.__main__ import COMMANDS

TRAINING = pathlib.Path(__file__).resolve().parents[1]


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "sightline_training", *arguments], cwd=TRAINING, capture_output=True, text=True
    )


class CommandsTests(unittest.TestCase):
    def test_help_lists_every_command(self):
        found = run("--help")
        self.assertEqual(found.returncode, 0, found.stderr)
        for name in COMMANDS:
            self.assertIn(name, found.stdout)

    def test_a_command_has_help_of_its_own(self):
        found = run("train", "localizer", "--help")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("usage: python -m sightline_training train", found.stdout)

    def test_an_unknown_command_is_refused(self):
        self.assertEqual(run("fly").returncode, 2)

    def test_a_failure_is_one_sentence(self):
        found = run("train", "localizer", "--steps", "0")
        self.assertEqual((found.returncode, found.stderr), (1, "error: --steps is 0, but must be more than 0.\n"))

    def test_the_detector_needs_photos(self):
        found = run("prepare", "detector")
        self.assertEqual(found.returncode, 1)
        self.assertIn("name their folder with --photos", found.stderr)

    @unittest.skipUnless(
        all(importlib.util.find_spec(name) for name in ("flatbuffers", "ai_edge_litert")),
        "FlatBuffers or LiteRT's Python package is not installed",
    )
    def test_the_detector_is_exported_from_a_work_folder(self):
        found = run("export", "detector", "a.tflite", "--weights", "detector.npz")
        self.assertEqual(found.returncode, 2)
        self.assertIn("name their folder with --work", found.stderr)
