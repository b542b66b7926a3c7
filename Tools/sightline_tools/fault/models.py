"""Commands that bring models to this machine."""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

from ..hubs import Place
from ..places import FIXTURES, ROOT
from ..programs import Word
from .flow import Flow, TornError
from .receiver import PORT, receiving

MODEL = FIXTURES / "models/ssd_metadata.tflite"
SHA256 = hashlib.sha256(MODEL.read_bytes()).hexdigest()
# The version of a hub's model that follows.
NEXT = FIXTURES / "models/ssd.tflite"
NEXT_SHA256 = hashlib.sha256(NEXT.read_bytes()).hexdigest()


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


class Download(Install):
    """A download that was cut is resumed, and becomes an installed model."""

    address: ClassVar[str] = f"http://127.0.0.1:{PORT}/mine.tflite"

    def prepare(self, folder: Path) -> None:
        with receiving(folder, {"/mine.tflite": MODEL.read_bytes()}, cut=3000):
            self.process(folder, "sightline", *self.words()[1:])
        if not any((folder / ".data").rglob("*.part*")):
            raise TornError("the download that was cut left nothing")

    def companions(self, folder: Path) -> AbstractContextManager[None]:
        return receiving(folder, {"/mine.tflite": MODEL.read_bytes()})

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--from", self.address, "--sha256", SHA256]
        return [self.programs / "sightline", "models", "install", "mine", *options]


class Follow(Flow):
    """A client that has a model of a hub gets the next version, and answers with it."""

    # A client that cannot get the next version answers with the one that it has.
    is_forgiving: ClassVar[bool] = True

    def prepare(self, folder: Path) -> None:
        place = self.place(folder)
        place.run("project", "create", "my-ponds")
        key = place.run("key", "create", "--api-key", "app").strip()
        place.run("publish", "things", MODEL)
        shutil.copy(ROOT / "Documentation/Pictures/scene.png", folder / "a.png")
        address = {"hub": f"http://127.0.0.1:{PORT}", "projectID": "my-ponds", "apiKey": key}
        (folder / "hub.json").write_text(json.dumps(address))
        with self.companions(folder):
            self.run(folder, "sightline", *Follow.words(self)[1:])
        place.run("publish", "things", NEXT)

    def place(self, folder: Path) -> Place:
        """The hub."""
        return Place(self.programs / "sightline-hub", ["--data", folder / "hub"])

    @contextlib.contextmanager
    def companions(self, folder: Path) -> Iterator[None]:
        # A client keeps the models of each address apart.
        hub = self.place(folder).serve("--port", str(PORT))
        try:
            yield
        finally:
            hub.stop()

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--model", "hub:things", "--hub", "hub.json", "--format", "json", "--no-times"]
        return [self.programs / "sightline", "detect", "a.png", *options]

    def state(self, folder: Path) -> str:
        """The version that the client has, by the hash of its file."""
        pointers = [path for path in folder.rglob("models/*.json") if "hub" not in path.relative_to(folder).parts[:1]]
        if len(pointers) != 1:
            raise TornError(f"the model has {len(pointers)} pointers: {pointers}")
        sha256 = str(json.loads(pointers[0].read_text())["hash"])
        file = pointers[0].parent.parent / f"files/{sha256}.tflite"
        if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise TornError(f"the file of version {sha256} is absent or has other bytes")
        return sha256

    def files(self, folder: Path) -> set[str]:
        return {name for name in super().files(folder) if not name.startswith("hub/")}
