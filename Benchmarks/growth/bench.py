"""A row of the table of growth, and what its measurement needs."""

import dataclasses
import pathlib
from collections.abc import Callable

from costs import Cost

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = PACKAGE / "Tests/Fixtures"
BLOCK_DETECTOR = PACKAGE / "Sources/SightlineTesting/Resources/block_detector.tflite"


@dataclasses.dataclass(frozen=True)
class Bench:
    """The programs, and an empty folder for one measurement."""

    programs: pathlib.Path
    folder: pathlib.Path

    @property
    def sightline(self) -> pathlib.Path:
        return self.programs / "sightline"

    @property
    def hub(self) -> pathlib.Path:
        return self.programs / "sightline-hub"


@dataclasses.dataclass(frozen=True)
class Row:
    """Something that grows."""

    name: str
    of: str
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    # The costs at a size, by what is measured.
    measure: Callable[[Bench, int], dict[str, Cost]]
