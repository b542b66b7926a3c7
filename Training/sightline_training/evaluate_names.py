"""Counts the names that a program shows for its boxes, on photos with people's boxes."""

import json
import pathlib

import numpy as np

from . import coco
from .data import Photo
from .errors import TrainingError
from .shown_names import Boxes, counted


def boxes_of(path: pathlib.Path, photos: list[Photo]) -> tuple[Boxes, np.ndarray, np.ndarray]:
    """The boxes in a file that `sightline detect --format jsonl` wrote, and the kinds and groups that they are shown
    as; -1 where none is.
    """
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            found[pathlib.PurePath(row["image"]).name] = row["objects"]
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingError(
                f"Line {number} of {path} is not an answer about a picture ({error}): write it with sightline detect"
                " --format jsonl."
            ) from None
    numbers, places, kinds, groups, confidences = [], [], [], [], []
    for number, photo in enumerate(photos):
        if photo.path.name not in found:
            raise TrainingError(f"{path} has no answer about {photo.path.name}: look at all pictures of the folder.")
        for box in found[photo.path.name]:
            frame, name = box["frame"], box["labels"][0]["text"] if box["labels"] else ""
            left, top = frame["x"], frame["y"]
            numbers.append(number)
            places.append(np.array([left, top, left + frame["width"], top + frame["height"]]) / [*photo.size * 2])
            kinds.append(coco.NAMES.index(name) if name in coco.NAMES else -1)
            groups.append(list(coco.GROUPS).index(name) if name in coco.GROUPS and name not in coco.NAMES else -1)
            confidences.append(box["confidence"])
    boxes = Boxes(np.array(numbers, int), np.array(places).reshape(-1, 4), np.array(kinds, int), np.array(confidences))
    return boxes, boxes.kind, np.array(groups, int)


def row(path: pathlib.Path, photos: list[Photo]) -> dict[str, float]:
    boxes, kinds, groups = boxes_of(path, photos)
    return counted(boxes, photos, kinds, groups)
