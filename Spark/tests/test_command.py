"""The command without Spark: what it refuses, and what it says."""

import os
import unittest
from unittest import mock

from .support import FAKE, FolderTestCase, HubServer, command


class CommandTests(FolderTestCase):
    def fails(self, code, text, *words):
        result = command(*words)
        self.assertEqual(result[0], code, result)
        self.assertRegex(result[2], text)
        self.assertEqual(result[2].count("\n"), 1, result[2])
        self.assertTrue(result[2].startswith("error: "))

    def test_usage(self):
        out = self.folder / "out"
        self.fails(64, "arguments are required", "detect")
        self.fails(64, "invalid choice", "paint", "in", out)
        self.fails(64, "--chunk must be", "detect", "in", out, "--chunk", 0)
        self.fails(64, "--limit must be", "detect", "in", out, "--limit", 0)
        self.fails(64, "--conf must be", "detect", "in", out, "--conf", "x")

    def test_help_explains_exit_codes(self):
        code, output, _ = command("detect", "--help")
        self.assertEqual(code, 0)
        self.assertIn("Exit codes: 0", output)

    def test_missing_program_is_known_at_once(self):
        self.write("in/a.jpg")
        words = ["detect", self.folder / "in", self.folder / "out", "--program", "/no/such"]
        self.fails(2, "/no/such cannot be started .* --program", *words)

    def test_missing_input_and_empty_input(self):
        (self.folder / "in").mkdir()
        words = [self.folder / "out", "--program", FAKE]
        self.fails(2, "there is no file or folder", "detect", self.folder / "none", *words)
        self.fails(2, "has no pictures", "detect", self.folder / "in", *words)

    def test_missing_model(self):
        self.write("in/a.jpg")
        words = ["detect", self.folder / "in", self.folder / "out", "--program", FAKE, "--model", "/no/model.tflite"]
        self.fails(2, "there is no model /no/model.tflite on this machine", *words)

    def test_output_that_cannot_be_written(self):
        self.write("in/a.jpg")
        self.write("file")
        words = ["detect", self.folder / "in", self.folder / "file/out", "--program", FAKE]
        self.fails(2, "cannot be written", *words)

    def test_output_of_another_run(self):
        import fcntl

        self.write("in/a.jpg")
        with self.write("out/_sightline/lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            words = ["detect", self.folder / "in", self.folder / "out", "--program", FAKE]
            self.fails(2, "another run writes", *words)

    def test_hub_without_key(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("SIGHTLINE_HUB_KEY", None)
            words = ["detect", "in", self.folder / "out", "--model", "hub:plants", "--hub", "http://127.0.0.1:9"]
            self.fails(2, "needs --hub, --hub-project", *words)

    def test_hub_that_refuses(self):
        with HubServer(b"model") as hub, mock.patch.dict(os.environ, {"SIGHTLINE_HUB_KEY": "wrong"}):
            words = ["--model", "hub:plants", "--hub", hub.address, "--hub-project", "my-plants"]
            self.fails(2, "refuses the key", "detect", "in", self.folder / "out", *words)

    def test_two_endpoints(self):
        words = ["s3://a/in?endpoint=http://127.0.0.1:1", "s3://a/out?endpoint=http://127.0.0.1:2"]
        self.fails(2, "different endpoints", "detect", *words)


if __name__ == "__main__":
    unittest.main()
