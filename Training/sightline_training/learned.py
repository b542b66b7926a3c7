"""The truth about the pictures of `prepare labeler`: the classes of objects, and the labels of whole photos."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import answers, coco, data, pictures, shards, split, words
from .prepare import answers_folder, pictures_folder, teacher_paths

if TYPE_CHECKING:
    from .teachers import Labeler

NOTHING = -1
"""The class of a picture that nobody and no detector named."""


@dataclasses.dataclass
class Known:
    """Rows of pictures, and what is known of each."""

    labels: list[str]
    pictures: shards.Shards
    names: np.ndarray
    """The names of their photos."""
    kinds: np.ndarray
    """The number in coco.KINDS, or pictures.WHOLE or UNNAMED."""
    classes: np.ndarray
    """The number of our class, or NOTHING."""
    posteriors: np.ndarray
    """The teacher's probabilities of our classes, [n, 6]."""
    truth: np.ndarray
    """YES, NO or UNKNOWN for each label, [n, labels]; UNKNOWN for objects."""
    photos: dict[str, data.Photo]
    """The photos by their names."""

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def aside(self) -> np.ndarray:
        """Which rows are of photos that training never learns from."""
        return np.array([split.is_held_out(name) for name in self.names])

    @property
    def measuring(self) -> np.ndarray:
        """Which of them nothing is chosen by."""
        return np.array([split.is_for_measuring(name) for name in self.names])


def of(folder: pathlib.Path, photos: pathlib.Path, work: pathlib.Path) -> Known:
    """The pictures of a work folder with what is known of them."""
    from . import teachers

    return read(
        pictures_folder(work),
        words.read_labels(),
        data.known_photos(folder, "train") + data.everyday_photos(photos),
        words.said(photos),
        answers.read(answers_folder(work)),
        teachers.Labeler(teacher_paths(folder)["labeler"]),
    )


def posteriors(labeler: Labeler, scores: np.ndarray) -> np.ndarray:
    return np.stack([labeler.posterior(row) for row in scores]).astype(np.float32)


def read(
    folder: pathlib.Path,
    labels: dict[str, dict[str, Any]],
    photos: list[data.Photo],
    people: dict[str, words.Said],
    tables: dict[str, np.ndarray],
    labeler: Labeler,
) -> Known:
    """Reads the pictures in a folder, and decides what is known of them; `people` is what `words.said` reads."""
    rows = shards.Shards(folder, ["x", "scores", "kind", "names"])
    names = np.concatenate([np.asarray(part["names"]) for part in rows.parts])
    kinds = np.concatenate([np.asarray(part["kind"]) for part in rows.parts]).astype(np.int64)
    scores = np.concatenate([np.asarray(part["scores"]) for part in rows.parts])
    classes = np.array([NOTHING if ours is None else ours for ours in map(coco.our_class, kinds)])
    by_name = {photo.name: photo for photo in photos}
    said = {pathlib.PurePath(file).name: entry for file, entry in people.items()}
    truth = np.full((len(kinds), len(labels)), words.UNKNOWN, np.int8)
    judge = words.Truth(labels, labeler.names)
    for row in np.flatnonzero(kinds == pictures.WHOLE):
        photo = by_name[names[row]]
        if photo.label >= 0:  # a labeled picture of one object
            classes[row] = photo.label
        truth[row] = judge.of(
            words.with_boxes(said.get(photo.path.name, words.Said(photo.called)), photo),
            tables.get(names[row]),
            scores[row].astype(np.float32) / 256,
        )
    return Known(list(labels), rows, names, kinds, classes, posteriors(labeler, scores), truth, by_name)
