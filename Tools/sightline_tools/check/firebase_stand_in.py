"""The stand-ins for Google in the commands of a page: a project of Firebase, and Google's client for Python."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ..hubs import Place
from ..places import ROOT
from .sample_files import CLASSIFIER, EMPTY_MODEL

# What `Tests/Compatibility/requirements.txt` lists, once for all pages.
REQUIREMENTS = ROOT / "Tests/Compatibility/requirements.txt"
PACKAGES = ROOT / ".build/google-tools"


def google_packages() -> Path:
    """The folder of Google's client for Python, firebase_admin, as PyPI has it."""
    installed = PACKAGES / "requirements.txt"
    if not installed.exists() or installed.read_bytes() != REQUIREMENTS.read_bytes():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pip += ["--root-user-action=ignore", "--upgrade", "--target", str(PACKAGES)]
        subprocess.run([*pip, "--requirement", str(REQUIREMENTS)], check=True)
        installed.write_bytes(REQUIREMENTS.read_bytes())
    return PACKAGES


class FirebaseStandIn:
    """A hub in the place of a Firebase project, whose API it has: `plants` is published there, and `draft` is not."""

    def __init__(self, folder: Path, program: Path, environment: Mapping[str, str]) -> None:
        folder.mkdir()
        self.hub = Place(program, ["--data", folder / "hub"], environment)
        self.hub.run("project", "create", "my-plants")
        files = {"plants": CLASSIFIER, "draft": EMPTY_MODEL}
        for name, file in files.items():
            self.hub.run("publish", name, file)
        self.hub.run("unpublish", "draft")
        self.serving = self.hub.serve()

    def make_key_file(self, path: Path) -> None:
        """Writes the key file of a service account."""
        path.write_text(self.hub.run("key", "create", "--key-file", "firebase", "--address", self.serving.address))

    @property
    def options(self) -> str:
        """The options of `hub import` that name it in the place of Google's servers."""
        return f"--model-endpoint {self.serving.address} --storage-endpoint {self.serving.address}"

    def stop(self) -> None:
        """Ends the hub."""
        self.serving.stop()
