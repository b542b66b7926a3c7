"""The program that stands for sightline where pictures must crash and hang it, and the real one."""

import functools
import importlib.util
import os
import shutil
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from unittest import mock

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent
FAKE = str(Path(__file__).resolve().parent / "fake_sightline.py")
COMMAND = [sys.executable, FAKE, "detect", "--stdin", "--stdin-format", "frames"]
SCENE = ROOT / "Documentation/Pictures/scene.png"


@functools.cache
def why_no_program():
    """Why tests of the real program are skipped; None if they are not."""
    name = os.environ.get("SIGHTLINE")
    if not name:
        return "SIGHTLINE names no program: swift build --product sightline"
    return None if shutil.which(name) else f"SIGHTLINE is {name}, which is not a program"


def needs_program(test):
    """Skips a test or a class without the real program."""
    return unittest.skipIf(why_no_program() is not None, why_no_program() or "")(test)


def needs_package(*names):
    """Skips a test without packages from PyPI."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(bool(missing), f"not installed: {', '.join(missing)}; Scripts/test-python installs them")


def with_fake(test):
    """Runs a test with the program that stands for sightline."""
    return mock.patch.dict(os.environ, {"SIGHTLINE": FAKE})(test)


class FolderTestCase(unittest.TestCase):
    """A test with an empty folder."""

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="sightline-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content=b"x"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


def png(width, height, gray=128):
    """A gray picture as the bytes of a PNG file."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([gray]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
