"""The program that stands for sightline, and the command that runs it."""

import sys
from pathlib import Path

FAKE = str(Path(__file__).resolve().parent / "fake_sightline.py")
COMMAND = [sys.executable, FAKE, "detect", "--stdin", "--stdin-format", "frames"]
