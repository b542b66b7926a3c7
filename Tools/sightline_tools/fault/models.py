"""Commands that bring models to this machine."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ..places import FIXTURES
from ..programs import Word
from .flow import Flow, TornError

MODEL = FIXTURES / "models/ssd_metadata.tflite"
SHA256 = hashlib.sha256(MODEL.read_bytes()).hexdigest()


class Install(Flow):
    """A file becomes an installed model, in the place of an earlier one."""

    def prepare(self, folder: Path) -> None:
        model = FIXTURES / "models/ssd.tflite"
        sha256 = hashlib.sha256(model.read_bytes()).hexdigest()
        self.run(folder, "sightline", "models", "install", "mine", "--from", model, "--sha256", sha256)

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--from", MODEL, "--sha256", SHA256]
        return [self.programs / "sightline", "models", "install", "mine", *options]

    def state(self, folder: Path) -> str:
        shown = self.process(folder, "sightline", "models", "path", "mine")
        if shown.returncode:
            return "absent"
        model = Path(shown.stdout.strip())
        if not model.exists():
            raise TornError("the path of the model leads nowhere")
        return hashlib.sha256(model.read_bytes()).hexdigest()


class Use(Flow):
    """A model becomes the one that commands use."""

    def prepare(self, folder: Path) -> None:
        self.run(folder, "sightline", "models", "install", "mine", "--from", MODEL, "--sha256", SHA256)

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline", "models", "use", "mine"]

    def state(self, folder: Path) -> str:
        return self.run(folder, "sightline", "models", "list")
