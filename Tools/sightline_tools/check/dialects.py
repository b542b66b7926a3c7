"""Runs clients of other servers against a server of answers: Triton's client, and clients of DeepStack and
CodeProject.AI. With --label-studio, also Label Studio itself, which needs some 700 MB and some minutes to install.

    Scripts/tools check dialects [--executable .build/debug/sightline-serve] [--label-studio]

The clients are installed from PyPI into a folder that goes with the check; where PyPI cannot be reached, the check is
skipped. The models are those of the module SightlineTesting; with SIGHTLINE_TEST_DATA, clients also find the cats and
dogs of a photo.
"""

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from ..answers import AnswerServer
from ..places import ROOT, add_executable, temporary_folder
from ..programs import Word

PROGRAMS = ROOT / "Tests/Compatibility"
MODELS = ROOT / "Sources/SightlineTesting/Resources"
TOKEN = "a-token-of-dialects"
# The words of pip if it finds nothing of a package, which it also prints for a registry that does not answer.
UNREACHABLE = "(from versions: none)"


def clients(folder: Path, requirements: Path) -> Path | None:
    """A Python with the packages of a list, installed in a folder; nothing where PyPI cannot be reached."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    pip: list[Word] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
        requirements,
    ]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode == 0:
        return python
    if UNREACHABLE in done.stderr:
        print(f"Skipped: the clients of {requirements.relative_to(ROOT)} cannot be installed:\n{done.stderr}")
        return None
    sys.exit(f"error: pip failed.\n{done.stdout}{done.stderr}")


def photo() -> Path | None:
    """A photo with cats and dogs, if there is real data."""
    place = Path(os.environ.get("SIGHTLINE_TEST_DATA", ROOT.parent / "shared/data")) / "images/cats_and_dogs.jpg"
    return place if place.exists() else None


def server(executable: Path, *options: Word) -> AnswerServer:
    """A server with the models that the programs expect."""
    models = [MODELS / "block_detector.tflite", MODELS / "color_classifier.tflite"]
    if found := photo():
        models.append(found.parents[1] / "models/coco_ssd/detect_with_metadata.tflite")
    words: list[Word] = [word for model in models for word in ("--model", model)]
    return AnswerServer(executable, *words, *options)


def run(python: Path, name: str, serving: AnswerServer, *words: Word) -> int:
    """Runs a program with a client; returns its exit status."""
    print(f"== {name}", flush=True)
    command: list[Word] = [python, PROGRAMS / name, "--address", f"127.0.0.1:{serving.port}", *words]
    if found := photo():
        command += ["--photo", found]
    return subprocess.run(command).returncode


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    add_executable(parser, "sightline-serve")
    parser.add_argument("--label-studio", action="store_true", help="also run Label Studio against the server")
    options = parser.parse_args(words)
    failed = 0
    with temporary_folder("dialects") as folder:
        if python := clients(folder / "clients", PROGRAMS / "dialect-requirements.txt"):
            serving = server(options.executable)
            failed |= run(python, "open_inference_check.py", serving)
            serving.stop()
            token = folder / "token"
            token.write_text(f"{TOKEN}\n")
            serving = server(options.executable, "--token-file", token)
            failed |= run(python, "deepstack_check.py", serving, "--token", TOKEN)
            serving.stop()
        if options.label_studio:
            requirements = PROGRAMS / "label-studio-requirements.txt"
            if python := clients(folder / "label-studio", requirements):
                serving = server(options.executable, "--allow-url-host", "127.0.0.1")
                failed |= run(python, "label_studio_check.py", serving, "--folder", folder / "data")
                serving.stop()
    sys.exit(failed)
