"""Commands that train models."""

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from ..kill.train import COLORS, START, squares
from ..programs import Word
from .flow import Flow, TornError


class Train(Flow):
    """A model of labels is trained in the place of an earlier one."""

    def prepare(self, folder: Path) -> None:
        source = random.Random(1)
        for label, color in COLORS.items():
            (folder / "photos" / label).mkdir(parents=True)
            for number in range(8):
                (folder / "photos" / label / f"{number}.png").write_bytes(squares(source, color))
        self.run(folder, *self.command)
        (folder / "photos/pond/8.png").write_bytes(squares(source, COLORS["pond"]))

    @property
    def command(self) -> list[Word]:
        return ["sightline", "train", "labels", "photos", "--output", "made", "--start", START, "--workers", "1"]

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline", *self.command[1:]]

    def state(self, folder: Path) -> str:
        model = folder / "made"
        if not model.exists():
            return "absent"
        card = json.loads((model / "card.json").read_text())
        if card["sha256"] != hashlib.sha256((model / "model.tflite").read_bytes()).hexdigest():
            raise TornError("the card is not that of the model")
        return str(card["sha256"])

    def is_between(self, state: str, old: str, new: str) -> bool:
        # A photo that cannot be read is skipped, which the exit code says.
        return state != "absent"
