"""Reads a folder of labeled pictures, one subfolder a label, and holds some of them out. Without Torch."""

import hashlib
import pathlib

import numpy as np
from PIL import Image, ImageOps

from .errors import TrainingError
from .log import Log

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}

# Of fewer pictures of a label nothing can be learnt and measured.
FEWEST = 8


def labeled(folder: pathlib.Path) -> tuple[list[str], list[list[pathlib.Path]]]:
    """The labels (the names of the subfolders, sorted) and the paths of the pictures of each."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise TrainingError(
            f"The folder {folder} does not exist: give one with a subfolder of pictures for each label."
        )
    labels = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    if not labels:
        raise TrainingError(
            f"The folder {folder} has no subfolders: make one for each label, named like it, and put its pictures"
            " there."
        )
    if len(labels) == 1:
        raise TrainingError(
            f"The folder {folder} has only the label {labels[0]!r}: add a subfolder for at least one other, for example"
            " with pictures of anything else."
        )
    for label in labels:
        if not label.isprintable() or label != label.strip():
            raise TrainingError(
                f"The subfolder {label!r} of {folder} cannot be a label, which is one line of text: rename it."
            )
    paths = [
        sorted(
            path
            for path in (folder / label).iterdir()
            if path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()
        )
        for label in labels
    ]
    for label, mine in zip(labels, paths):
        require_enough(label, len(mine), folder)
    return labels, paths


def require_enough(label: str, count: int, folder: pathlib.Path) -> None:
    if count < FEWEST:
        raise TrainingError(
            f"The label {label!r} has {count} readable pictures in {pathlib.Path(folder) / label}, but needs {FEWEST}:"
            " add some, or remove the subfolder."
        )


def square(path: pathlib.Path, side: int) -> np.ndarray:
    """The largest centered square of the upright picture, RGB [side, side, 3]: the part that a labeler is shown."""
    with Image.open(path) as image:
        image.draft("RGB", (side, side))
        image = ImageOps.exif_transpose(image).convert("RGB")
    return np.asarray(ImageOps.fit(image, (side, side), Image.Resampling.BILINEAR))


def squares(
    folder: pathlib.Path, labels: list[str], paths: list[list[pathlib.Path]], side: int, log: Log
) -> tuple[np.ndarray, list[pathlib.Path], np.ndarray]:
    """The pictures that can be read, as squares [n, side, side, 3], their paths and label numbers; others are named and
    skipped.
    """
    pixels, kept, numbers, skipped = [], [], [], 0
    for number, mine in enumerate(paths):
        before = len(kept)
        for path in mine:
            try:
                pixels.append(square(path, side))
            except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
                log(f"skips {path}: {error}")
                skipped += 1
                continue
            kept.append(path)
            numbers.append(number)
        require_enough(labels[number], len(kept) - before, folder)
    if skipped:
        log(f"{skipped} corrupt {'picture' if skipped == 1 else 'pictures'} skipped")
    return np.stack(pixels), kept, np.array(numbers)


def held_out(names: list[str], numbers: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Which pictures are kept for measuring: of each label the same share, at least one, by a hash of seed and name."""
    numbers = np.asarray(numbers)
    order = [hashlib.sha256(f"{seed}/{name}".encode("utf-8", "surrogateescape")).digest() for name in names]
    aside = np.zeros(len(numbers), bool)
    for number in np.unique(numbers):
        mine = sorted(np.flatnonzero(numbers == number), key=lambda row: order[row])
        aside[mine[: max(1, round(len(mine) * share))]] = True
    return aside


def confusion(right: np.ndarray, answered: np.ndarray, labels: list[str]) -> tuple[float, list[str]]:
    """Accuracy and a table of lines: a row for each label, a column for each answer."""
    right, answered = np.asarray(right), np.asarray(answered)
    counts = np.zeros((len(labels), len(labels)), int)
    np.add.at(counts, (right, answered), 1)
    width = max(len(label) for label in labels)
    columns = [max(4, len(str(index + 1)) + 1) for index in range(len(labels))]
    lines = [" " * (width + 4) + "".join(f"{index + 1:>{columns[index]}}" for index in range(len(labels))) + "  right"]
    for index, label in enumerate(labels):
        row = "".join(f"{count:>{columns[column]}}" for column, count in enumerate(counts[index]))
        lines.append(f"{index + 1:>3} {label:<{width}}{row}{counts[index, index] / max(1, counts[index].sum()):7.1%}")
    return float((right == answered).mean()), lines
