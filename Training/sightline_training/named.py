"""Measures detectors that name what they find: average precision of each kind, and the best F1 over all of them."""

import dataclasses

import numpy as np

from . import coco
from .data import Photo
from .geometry import iou

# The columns of what is known of an object: left, top, right and bottom, how sure it is that the box holds an object,
# how sure it is that the object is of the kind, and the number of COCO's kind.
BOX, OBJECT, CERTAIN, KIND = slice(0, 4), 4, 5, 6
COLUMNS = 7

# What overlaps a better box of its kind so much says the same.
SAME = 0.5

# The least score of a box that counts, how many boxes of a picture are compared, and how many of them count at most:
# 100, as in COCO's own measure.
LEAST, COMPARED, MOST = 0.01, 1200, 100


@dataclasses.dataclass
class Named:
    """The objects of a picture and the findings of a detector there, in 0…1 of the picture."""

    truth: np.ndarray
    kinds: np.ndarray
    ignored: np.ndarray
    """Which of the truth count neither way: crowds, and things that nobody is sure of."""
    boxes: np.ndarray
    scores: np.ndarray
    names: np.ndarray
    """The kind that the detector gives each box."""


def outcomes(results: list[Named], kind: int, least: float = 0.5) -> tuple[np.ndarray, np.ndarray, int]:
    """Scores and rightness (1 right, 0 wrong) of the boxes of a kind, best first, and how many objects there are."""
    scores, right, wanted = [], [], 0
    for result in results:
        mine, answers = result.kinds == kind, result.names == kind
        ignored = result.ignored[mine]
        wanted += int((~ignored).sum())
        if not answers.any():
            continue
        order = np.argsort(-result.scores[answers], kind="stable")
        overlap = iou(result.boxes[answers][order], result.truth[mine])
        used = np.zeros(len(ignored), bool)
        for row, score in zip(overlap, result.scores[answers][order]):
            fits = np.flatnonzero((row >= least) & ~used & ~ignored)
            if len(fits):
                used[fits[row[fits].argmax()]] = True
            elif (row[ignored] >= least).any():
                continue
            scores.append(float(score))
            right.append(bool(len(fits)))
    order = np.argsort(-np.array(scores, np.float32), kind="stable")
    return np.array(scores, np.float32)[order], np.array(right, bool)[order], wanted


def precision_of(right: np.ndarray, wanted: int) -> float:
    """AP over 101 recalls of answers, best first."""
    if not wanted or not len(right):
        return 0.0
    hits = np.cumsum(right)
    recall, precision = hits / wanted, hits / np.arange(1, len(hits) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    where = np.searchsorted(recall, np.linspace(0, 1, 101), side="left")
    return float(np.where(where < len(precision), precision[np.minimum(where, len(precision) - 1)], 0).mean())


def measured(results: list[Named], kinds: int) -> dict[str, float]:
    """The mean AP at IoU 0.5 of the kinds that occur, the best F1 of one threshold for all, and that threshold."""
    values, scores, right, wanted = [], [], [], 0
    for kind in range(kinds):
        mine, hits, count = outcomes(results, kind)
        if count:
            values.append(precision_of(hits, count))
        scores.append(mine)
        right.append(hits)
        wanted += count
    every = np.concatenate(scores)
    order = np.argsort(-every, kind="stable")
    hits = np.cumsum(np.concatenate(right)[order])
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + max(1, wanted))
    best = int(f1.argmax()) if len(f1) else 0
    return {
        "AP50": float(np.mean(values)) if values else 0.0,
        "F1": float(f1[best]) if len(f1) else 0.0,
        "at": float(every[order][best]) if len(f1) else 0.0,
    }


def drawn(photo: Photo) -> np.ndarray:
    """The boxes that people drew in a photo as rows of COLUMNS, in 0…1; nothing is sure of a crowd."""
    rows = np.zeros((len(photo.boxes), COLUMNS), np.float32)
    rows[:, BOX] = photo.boxes / [*photo.size, *photo.size]
    rows[:, [OBJECT, CERTAIN]] = np.where(photo.crowd, 0, 1)[:, None]
    rows[:, KIND] = [coco.NAMES.index(name) for name in photo.categories]
    return rows


def found(logits: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes, scores and kinds of a picture's cells, of each kind without overlaps, the best first."""
    scores = 1 / (1 + np.exp(-logits))
    cells, kinds = np.nonzero(scores >= LEAST)
    values = scores[cells, kinds]
    order = np.argsort(-values, kind="stable")[:COMPARED]
    cells, kinds, values, keep = cells[order], kinds[order], values[order], []
    mine = boxes[cells]
    near = (iou(mine, mine) > SAME) & (kinds[:, None] == kinds[None])
    gone = np.zeros(len(mine), bool)
    for index in range(len(mine)):
        if not gone[index]:
            keep.append(index)
            gone |= near[index]
    keep = keep[:MOST]
    return mine[keep], values[keep], kinds[keep]
