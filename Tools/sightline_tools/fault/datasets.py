"""Data sets of a hub: photos are added, and a model is trained on them."""

import json
import random
import signal
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from ..kill.train import COLORS, squares
from ..programs import Word
from .hub import HubFlow
from .library import Run, Running


class DataSetFlow(HubFlow):
    """A command on a hub with an empty data set, beside an archive of photos in a folder for each label."""

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.hub(folder, "dataset", "create", "ponds")
        source = random.Random(1)
        for number in range(4):
            (folder / f"{number}.png").write_bytes(squares(source, COLORS["pond"]))
        with zipfile.ZipFile(folder / "photos.zip", "w") as archive:
            for label, color in COLORS.items():
                for number in range(8):
                    archive.writestr(f"{label}/{number}.png", squares(source, color))

    def details(self, folder: Path) -> str:
        photos = json.loads(self.hub(folder, "dataset", "photos", "ponds", "--format", "json"))
        return "\n".join(["", *sorted(f"{photo['photoId']} {photo.get('label')}" for photo in photos)])

    def log(self, folder: Path) -> str:
        # A run that ended early and the next one add photos twice.
        super().log(folder)
        return ""


class AddPhotos(DataSetFlow):
    """Photos are added to a data set."""

    command: ClassVar[Sequence[Word]] = ["dataset", "add", "ponds", *(f"{number}.png" for number in range(4))]

    def is_between(self, state: str, old: str, new: str) -> bool:
        # Each photo is added by itself.
        return set(state.splitlines()) < set(new.splitlines())


class AddArchive(DataSetFlow):
    """An archive of photos is added to a data set, whole or not at all."""

    command: ClassVar[Sequence[Word]] = ["dataset", "add", "ponds", "photos.zip"]


class TrainInHub(DataSetFlow):
    """A hub that serves trains a model on a data set. A training that failed says why, and may be started again."""

    is_forgiving: ClassVar[bool] = True

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.hub(folder, *AddArchive.command)

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline-hub", "serve", "--port", "0"]

    def accompany(self, running: Running, folder: Path) -> None:
        if running.found(r'"address":'):
            if not self.trainings(folder, "WAITING", "RUNNING", "DONE"):
                self.hub(folder, "train", "ponds", "--no-wait")
            running.until(lambda: not self.trainings(folder, "WAITING", "RUNNING"), 240)
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGTERM)

    def trainings(self, folder: Path, *states: str) -> list[dict[str, Any]]:
        """The trainings in one of the states."""
        trainings = json.loads(self.hub(folder, "train", "--list", "--json"))
        return [each for each in trainings if each["state"] in states]

    def details(self, folder: Path) -> str:
        """The versions that the model has, and the trainings that made one."""
        versions = 0
        if '"ponds"' in self.hub(folder, "list", "--format", "json"):
            versions = len(json.loads(self.hub(folder, "show", "ponds", "--format", "json"))["versions"])
        return f"{versions} versions, {len(self.trainings(folder, 'DONE'))} trainings"

    def is_between(self, state: str, old: str, new: str) -> bool:
        # The version comes before the end of the training, which the next run finds; it makes no second version.
        return state == old or state.endswith("1 versions, 0 trainings")

    def contradictions(self, folder: Path, run: Run) -> Iterator[str]:
        for training in self.trainings(folder, "FAILED"):
            if len(training.get("message", "")) < 12:
                yield f"a training failed without a reason: {training}"
