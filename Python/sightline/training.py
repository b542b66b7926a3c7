"""Trains models from your own photos."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .arguments import PathInput
from .errors import TrainingError
from .program import find_program
from .videos import lines_of_program


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStep:
    """The progress of a training.

    Attributes:
        stage: `reading` while pictures are read, then `fitting`.
        done: the number of pictures that were read, or of layers that were fitted.
        total: the number of all pictures, or of all layers.
        skipped: the number of pictures that cannot be used, so far.
    """

    stage: str
    done: int
    total: int
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedLabels:
    """A labeler that `train_labels` made.

    Attributes:
        path: the folder with the model, which `Labeler` and the option `classifier` of `Detector` take.
        accuracy: the share of pictures whose most confident label is right, 0 to 1, of pictures from which the measured
            models did not learn.
        interval: the range in which this share lies for other pictures like these, with a probability of 95 %.
        labels: the number of pictures of each label, in the order of the model's outputs.
        warnings: possible problems of the pictures, in sentences.
        threshold: the confidence below which the model gives no label; None if no answer was right.
        skipped: the number of files that cannot be used.
        start: the name of the model whose network was used.
        notes: other messages of the program, such as why files were skipped.
        card: all that `card.json` in the folder says.
    """

    path: Path
    accuracy: float
    interval: tuple[float, float]
    labels: dict[str, int]
    warnings: tuple[str, ...]
    threshold: float | None
    skipped: int
    start: str
    notes: tuple[str, ...] = ()
    card: dict[str, Any] = field(default_factory=dict, repr=False)


def train_labels(
    photos: PathInput,
    *,
    output: PathInput,
    start: PathInput | None = None,
    images: PathInput | None = None,
    nothing: PathInput | None = None,
    several: bool = False,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[TrainingStep], object] | None = None,
) -> TrainedLabels:
    """Makes a labeler from pictures with labels, and measures it, as `sightline train labels` does.

    It takes some seconds for hundreds of pictures. An exception, such as `KeyboardInterrupt`, ends the training; then
    nothing is written, and a second training continues where this one was.

    Args:
        photos: a folder with a folder of pictures for each label, a CSV file, COCO annotations, or a zip archive.
        output: the folder for the model; an earlier model there is replaced.
        start: the classifier whose network is used: a model of the catalog, an installed model or a file.
        images: the folder of the pictures that a CSV file or annotations name.
        nothing: a folder of pictures that show none of the labels.
        several: whether a picture can have several labels, or none.
        seed: another number measures with another division of the pictures.
        workers: how many pictures are read at the same time; None for one per core.
        progress: called with each step, at most about ten times in a second.

    Raises:
        TrainingError: the pictures cannot be learned from, or the folder cannot be written.
        ProgramError: the program is missing, or does not know an option.

    >>> from sightline import Labeler
    >>> trained = train_labels("photos", output="plants", start="start.tflite")
    >>> trained.labels, trained.accuracy > trained.interval[0]
    ({'fern': 6, 'moss': 6}, True)
    >>> with Labeler(trained.path) as labeler:
    ...     labeler.label("photos/fern/1.png")[0].text
    'fern'
    """
    words = [f"--output={os.fsdecode(output)}", f"--seed={seed}"]
    for option, value in (("start", start), ("images", images), ("nothing", nothing)):
        if value is not None:
            words.append(f"--{option}={os.fsdecode(value)}")
    if several:
        words.append("--several")
    if workers is not None:
        words.append(f"--workers={workers}")
    command = [find_program(), "train", "labels", "--format", "jsonl", *words, "--", os.fsdecode(photos)]
    notes: list[str] = []
    card: dict[str, Any] | None = None
    # A callback that raises ends the program at once.
    # The exit code is 1 if pictures were skipped; a note says so.
    ran = lines_of_program(command, "these pictures", receive=notes.append, successes=(0, 1))
    with contextlib.closing(ran) as lines:
        for line in lines:
            if isinstance(line, str):
                raise TrainingError(line)
            fields = json.loads(line)
            card = fields.get("card", card)
            if progress is not None and "stage" in fields:
                progress(TrainingStep(**fields))
    if card is None:
        raise TrainingError("sightline ended without a model; report this.")
    return _trained(Path(os.fsdecode(output)), card, tuple(notes))


def _trained(path: Path, card: dict[str, Any], notes: tuple[str, ...]) -> TrainedLabels:
    interval = card["rightInterval"]
    return TrainedLabels(
        path=path,
        accuracy=card["rightShare"],
        interval=(interval["lower"], interval["upper"]),
        labels={label["name"]: label["pictures"] for label in card["labels"]},
        warnings=tuple(card["warnings"]),
        threshold=card.get("confidenceThreshold"),
        skipped=card["skippedCount"],
        start=card["start"]["name"],
        notes=notes,
        card=card,
    )
