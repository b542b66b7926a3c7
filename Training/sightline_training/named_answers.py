"""What three detectors of COCO's kinds find in every photo, asked once and kept; and what it tells, with people's words
and boxes, about what is in a photo.
"""

import pathlib

import numpy as np

from . import coco, fusion
from .data import Photo
from .fusion import BOX, CERTAIN, COLUMNS, KIND
from .geometry import iou
from .words import Said

# Rows of left, top, right, bottom in 0…1 of the photo, score, finder, and COCO's kind.
MOST = 120
FILES = {
    "NanoDet": "nanodet_plus_m_1.5x_416_int8.tflite",
    "PicoDet": "picodet_s_416_2021_fp16.tflite",
    "DEIM": "deimv2_femto_416_fp16.tflite",
}

# What the detectors alone see of a kind that people drew in the photo is seldom one more of it.
BESIDE_DRAWN = 0.3
SAME = 0.6

worker = {}


def paths(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    return {name: folder / "models" / "teachers" / file for name, file in FILES.items()}


def start(files: dict[str, pathlib.Path]) -> None:
    from . import named_teachers

    worker["teachers"] = [getattr(named_teachers, name)(files[name]) for name in FILES]


def answers_about(photo: Photo) -> np.ndarray:
    """The table [MOST, 7] of a photo."""
    image, rows = photo.load(), []
    for finder, teacher in enumerate(worker["teachers"]):
        boxes, scores, kinds = teacher(image)
        rows += [[*box, score, finder, kind] for box, score, kind in zip(boxes, scores, kinds)]
    table = np.zeros((MOST, 7), np.float16)
    if rows:
        table[: len(rows)] = rows
    return table


def known(photo: Photo, table: np.ndarray, said: Said) -> np.ndarray:
    """Rows of `fusion.COLUMNS` of a photo: what people drew, and what the detectors see beside that."""
    rows = table[table[:, 4] > 0].astype(np.float32)
    says, denies = (
        {coco.NAMES.index(name) for name in names if name in coco.NAMES} for names in (said.says, said.denies)
    )
    seen = fusion.fused(rows[:, :4], rows[:, 4], rows[:, 6].astype(int), rows[:, 5], len(FILES), says, denies)
    outlined = photo.outlined if len(photo.outlined) else np.zeros(len(photo.boxes), bool)
    drawn = [
        [*box, 0, 1, coco.NAMES.index(name)]
        for box, name, around in zip(photo.boxes / [*photo.size, *photo.size], photo.categories, outlined)
        if name in coco.NAMES and not around
    ]
    if not drawn:
        return seen
    people = np.array(drawn, np.float32).reshape(-1, COLUMNS)
    same = seen[:, KIND, None] == people[None, :, KIND]
    seen[same.any(1), CERTAIN] *= BESIDE_DRAWN
    seen = seen[~(same & (iou(seen[:, BOX], people[:, BOX]) >= SAME)).any(1)]
    return fusion.with_objects(np.concatenate([people, seen[seen[:, CERTAIN] >= fusion.LEAST]]))
