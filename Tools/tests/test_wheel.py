"""Tests of the wheel of the Python package, made of a bundle without a real program."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from sightline_tools.check import wheel as check
from sightline_tools.make import wheel as maker


class WheelTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bundle = self.folder / "bundle"
        (self.bundle / "bin").mkdir(parents=True)
        # A program that needs glibc, and says where it is.
        shutil.copy(shutil.which("true") or "/bin/true", self.bundle / "true")
        program = self.bundle / "bin/sightline"
        program.write_text('#!/bin/sh\necho "$0" "$@"\n')
        program.chmod(0o755)

    def make(self, name: str, **environment: str) -> Path:
        with mock.patch.dict(os.environ, environment):
            return maker.make(self.bundle, self.folder / name)

    def test_equal_files_make_equal_wheels(self) -> None:
        first, second = self.make("first"), self.make("second")
        self.assertEqual((first.name, first.read_bytes()), (second.name, second.read_bytes()))

    def test_the_time_is_that_of_the_variable(self) -> None:
        with zipfile.ZipFile(self.make("first", SOURCE_DATE_EPOCH="1000000000")) as archive:
            self.assertEqual({file.date_time for file in archive.infolist()}, {(2001, 9, 9, 1, 46, 40)})
        with zipfile.ZipFile(self.make("second", SOURCE_DATE_EPOCH="0")) as archive:
            self.assertEqual({file.date_time[0] for file in archive.infolist()}, {1980})

    def test_record_has_all_files(self) -> None:
        wheel = self.make("wheel")
        self.assertEqual(check.record_problems(wheel), [])
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("sightline/more.py", "")
        self.assertEqual(check.record_problems(wheel), ["sightline/more.py is not in RECORD"])

    def test_the_platform_is_that_of_the_symbols(self) -> None:
        self.assertRegex(self.make("wheel").name, r"^sightline-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$")
        (self.bundle / "true").unlink()
        with self.assertRaisesRegex(SystemExit, "no file of the bundle needs glibc"):
            self.make("wheel")

    def test_a_bundle_with_links_is_refused(self) -> None:
        (self.bundle / "link").symlink_to("true")
        with self.assertRaisesRegex(SystemExit, "is a link"):
            self.make("wheel")

    def test_the_installed_command_is_the_program(self) -> None:
        environment = self.folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        python = environment / "bin/python"
        words = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
        subprocess.run([*words, str(self.make("wheel"))], check=True)
        command = environment / "bin/sightline"
        done = subprocess.run([command, "a b", "--c"], capture_output=True, text=True, check=True)
        path, *arguments = done.stdout.split()
        self.assertEqual(arguments, ["a", "b", "--c"])
        found = subprocess.run(
            [python, "-c", "import sightline; print(sightline.find_program())"],
            env={"PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(found.stdout.strip(), path)


if __name__ == "__main__":
    unittest.main()
