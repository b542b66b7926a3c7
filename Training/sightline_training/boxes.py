"""Boxes of labeled objects for a detector of your own: read from COCO-style annotations, cut and measured. Without
Torch.
"""

import pathlib

import numpy as np
from PIL import Image, ImageOps

from . import data
from .data import Photo
from .errors import TrainingError
from .geometry import areas, corners, encoded, iou
from .log import Log

# Of fewer boxes of a label nothing can be learnt and measured.
FEWEST = 8

# An anchor learns an object from the first overlap, learns nothing from the second.
SAME, NEAR = 0.5, 0.4


def annotated(annotations: pathlib.Path, images: pathlib.Path) -> tuple[list[str], list[Photo]]:
    """The labels (categories that have boxes, sorted) and the photos."""
    photos = data.annotated(annotations.parent, annotations.name, images=images)
    counts = {}
    for photo in photos:
        for name in photo.categories:
            if not name or not name.isprintable() or name != name.strip():
                raise TrainingError(
                    f"A box of {photo.path} has the category {name!r}, which is no label: give it a category of"
                    f" {annotations} with a name of one line."
                )
            counts[name] = counts.get(name, 0) + 1
    if not counts:
        raise TrainingError(f"{annotations} has no boxes: draw some first.")
    for name, count in sorted(counts.items()):
        if count < FEWEST:
            raise TrainingError(
                f"The label {name!r} has {count} boxes in {annotations}, but needs {FEWEST}: draw more, or remove its"
                " category."
            )
    labels = sorted(counts)
    for photo in photos:
        photo.numbers = np.array([labels.index(name) for name in photo.categories], int)
    return labels, photos


def squeezed(photo: Photo, side: int) -> np.ndarray:
    """The picture squeezed into a square, RGB [side, side, 3], in the orientation that its boxes were drawn in."""
    with Image.open(photo.path) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
        if upright.size != photo.size and image.size == photo.size:
            upright = image.convert("RGB")
    if upright.size != photo.size:
        raise ValueError(
            f"it is {upright.width}x{upright.height}, but its annotations say {photo.size[0]}x{photo.size[1]}"
        )
    return np.asarray(upright.resize((side, side), Image.Resampling.BILINEAR))


def readable(photos: list[Photo], side: int, log: Log) -> tuple[np.ndarray, list[Photo]]:
    """The photos that can be read and their pixels; others are named and skipped."""
    pixels, kept = [], []
    for photo in photos:
        try:
            pixels.append(squeezed(photo, side))
            kept.append(photo)
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            log(f"skips {photo.path}: {error}")
    skipped = len(photos) - len(kept)
    if skipped:
        log(f"{skipped} missing or corrupt {'picture' if skipped == 1 else 'pictures'} skipped")
    if len(kept) < FEWEST:
        raise TrainingError(
            f"Only {len(kept)} pictures can be read, but {FEWEST} are needed: check the folder of the pictures."
        )
    return np.stack(pixels), kept


def cut(
    boxes: np.ndarray, left: float, top: float, width: float, height: float, mirrored: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes in 0…1 of a picture as seen in a part of it, and which of them are still seen well enough to be learnt."""
    shifted = (boxes - [left, top, left, top]) / [width, height, width, height]
    if mirrored:
        shifted = shifted[:, [2, 1, 0, 3]] * [-1, 1, -1, 1] + [1, 0, 1, 0]
    clipped = np.clip(shifted, 0, 1)
    return clipped, areas(clipped) >= 0.4 * np.maximum(areas(shifted), 1e-9)


def targets(
    boxes: np.ndarray, numbers: np.ndarray, certain: np.ndarray, anchors: np.ndarray, classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each anchor its codes, its wanted score of each class, whether it learns a box, and whether it learns scores.

    Anchors near a box that is not `certain` (a crowd, or cut off) learn nothing.
    """
    codes, scores = np.zeros((len(anchors), 4), np.float32), np.zeros((len(anchors), classes), np.float32)
    positive, learning = np.zeros(len(anchors), bool), np.ones(len(anchors), bool)
    if not len(boxes):
        return codes, scores, positive, learning
    overlap = iou(corners(anchors), boxes)
    learning = overlap.max(1) < NEAR
    sure = np.where(certain, overlap, 0)
    which = sure.argmax(1)
    positive = sure.max(1) >= SAME
    for box in np.flatnonzero(certain):
        best = overlap[:, box].argmax()
        if overlap[best, box] > 0.1:
            which[best], positive[best] = box, True
    learning |= positive
    codes[positive] = encoded(boxes[which[positive]], anchors[positive])
    scores[positive, numbers[which[positive]]] = 1
    return codes, scores, positive, learning
