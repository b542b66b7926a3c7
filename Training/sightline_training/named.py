"""What people, or else YOLOX-Nano, call the objects in photos, as our classes."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

from . import coco, data, files
from .data import Photo
from .geometry import iou
from .log import Log

if TYPE_CHECKING:
    from .teachers import YOLOX

LEAST_SCORE, LEAST_SHARE = 0.45, 0.01


def find(photos: list[Photo], detector: YOLOX, path: pathlib.Path, log: Log) -> None:
    """Writes, by the photo's file name, its objects' boxes, in its pixels, and classes, unless the file is there.

    The classifier's labeled pictures show single objects on calm grounds; these show them where they are used.
    """
    if path.exists():
        return
    found = {}
    for number, photo in enumerate(photos):
        if number % 500 == 0:
            log(f"names the objects of photos: {number} of {len(photos)}")
        found[photo.path.name] = named_objects(photo, detector)
    files.write(path, json.dumps({name: rows for name, rows in found.items() if rows}).encode())


def named_objects(photo: Photo, detector: YOLOX) -> list[list[Any]]:
    """Rows of a box and a class; where a person has named a box, the detector's name for it is not asked."""
    named = []
    for box, name in zip(photo.boxes, photo.categories):
        label = data.CLASSES.index("food") if photo.source == "cpfood" else coco.OURS.get(name.lower())
        if label is not None:
            named.append((box, label))
    image = photo.load()
    boxes, scores, kinds = detector(image)
    for box, score, kind in zip(boxes * ([image.width, image.height] * 2), scores, kinds):
        label = coco.OURS.get(coco.NAMES[kind])
        known = len(photo.boxes) and iou(box[None], photo.boxes).max() > 0.5
        if label is not None and score >= LEAST_SCORE and not known:
            named.append((box, label))
    least = LEAST_SHARE * image.width * image.height
    return [
        [[float(value) for value in box], label]
        for box, label in named
        if (box[2] - box[0]) * (box[3] - box[1]) >= least
    ]
