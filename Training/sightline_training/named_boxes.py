"""The localizer's boxes with names: what people drew there, which names are told, and how many of these are right.

The confidence of a kind is the localizer's score of the box times the probability of the kind. Where that is too low,
the name of a group of kinds is told if their probabilities together are high enough, and otherwise none.
"""

import dataclasses
import json
import pathlib
from typing import Any

import numpy as np

from . import coco
from .data import Photo
from .errors import TrainingError
from .evaluate import Model
from .geometry import areas, iou

# Beside COCO's kinds: a box that holds no single object of them, and a box of which that is not clear.
NOTHING, UNCLEAR = len(coco.NAMES), -1

# A box holds the object of a person's box that it overlaps so much, and nothing if it overlaps none so much.
SAME, NEAR = 0.5, 0.3

# How many of the localizer's boxes of a photo are named, and the least score of these.
NAMED, LEAST_SCORE = 20, 0.05

# An object that covers less of the photo than this is not expected to be named.
LEAST_SHARE = 0.05

# Which kinds (rows) are in which groups (columns).
GROUP_OF = np.array([[name in kinds for kinds in coco.GROUPS.values()] for name in coco.NAMES])


@dataclasses.dataclass
class Boxes:
    """Boxes in photos: the number of the photo, the place in 0…1 of it, and the localizer's score."""

    photo: np.ndarray
    place: np.ndarray
    score: np.ndarray


@dataclasses.dataclass
class Names:
    """The best name of each box: its number, its confidence, and whether people drew a thing of that name there."""

    number: np.ndarray
    confidence: np.ndarray
    right: np.ndarray


@dataclasses.dataclass
class Thresholds:
    """The confidence from which on each kind, and each group, is told."""

    kinds: np.ndarray
    groups: np.ndarray

    def content(self) -> bytes:
        kinds = {name: round(float(value), 4) for name, value in zip(coco.NAMES, self.kinds)}
        groups = {
            name: {"threshold": round(float(value), 4), "kinds": members}
            for (name, members), value in zip(coco.GROUPS.items(), self.groups)
        }
        return (json.dumps({"kinds": kinds, "groups": groups}, indent=2) + "\n").encode("utf-8")

    @classmethod
    def read(cls, path: pathlib.Path) -> "Thresholds":
        try:
            table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            kinds = [float(table["kinds"][name]) for name in coco.NAMES]
            groups = [float(table["groups"][name]["threshold"]) for name in coco.GROUPS]
        except FileNotFoundError:
            raise TrainingError(f"The file {path} does not exist: `fit namer` writes it.") from None
        except (KeyError, TypeError, ValueError) as error:
            raise TrainingError(f"{path} lacks a threshold ({error}): run `fit namer` again.") from None
        return cls(np.array(kinds), np.array(groups))


def located(photo: Photo, localizer: Model, most: int = NAMED) -> tuple[np.ndarray, np.ndarray]:
    """The places and scores of the localizer's best boxes, best first."""
    outputs = localizer.run(photo.load())
    if len(outputs) != 4:
        raise TrainingError(
            f"{localizer.path} has {len(outputs)} outputs, not the four of TFLite_Detection_PostProcess: give another"
            " model."
        )
    boxes, _, scores, _ = outputs
    order = np.argsort(-scores, kind="stable")[:most]
    order = order[scores[order] >= LEAST_SCORE]
    return np.clip(boxes[order][:, [1, 0, 3, 2]], 0, 1).reshape(-1, 4).astype(np.float32), scores[order]


def region(place: np.ndarray, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The pixels of a place in a picture, at least one each way."""
    left, top = np.minimum(np.floor(place[:2] * size), np.array(size) - 1)
    right, bottom = np.clip(np.ceil(place[2:] * size), [left + 1, top + 1], size)
    return int(left), int(top), int(right), int(bottom)


def truth(photo: Photo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What people drew in a photo: places, kinds, and which of them go round crowds; no things of other names."""
    rows = [row for row, name in enumerate(photo.categories) if name in coco.NAMES]
    kinds = np.array([coco.NAMES.index(photo.categories[row]) for row in rows], np.int64)
    crowd = photo.crowd[rows] if len(photo.crowd) else np.zeros(len(rows), bool)
    return (photo.boxes / [*photo.size, *photo.size])[rows].reshape(-1, 4), kinds, crowd


def kinds_of(places: np.ndarray, photo: Photo) -> np.ndarray:
    """The kind of what each place holds, NOTHING or UNCLEAR."""
    objects, kinds, crowd = truth(photo)
    if not len(objects):
        return np.full(len(places), NOTHING, np.int64)
    overlap = iou(places, objects)
    single = np.where(crowd, 0, overlap)
    near = np.where(overlap.max(1) < NEAR, NOTHING, UNCLEAR)
    return np.where(single.max(1) >= SAME, kinds[single.argmax(1)], near)


def named(boxes: Boxes, photos: list[Photo], probabilities: np.ndarray, group: bool) -> Names:
    """The best kind or group of each box; `probabilities` has a column for each kind, and perhaps one for nothing."""
    each = probabilities[:, :NOTHING]
    if group:
        each = each @ GROUP_OF
    number, right = each.argmax(1), np.zeros(len(each))
    for _, mine, objects, kinds, _ in by_photo(boxes, photos):
        same = GROUP_OF[kinds][:, number[mine]].T if group else number[mine][:, None] == kinds
        right[mine] = ((iou(boxes.place[mine], objects) >= SAME) & same).any(1)
    return Names(number, boxes.score * each.max(1), right)


def by_photo(boxes: Boxes, photos: list[Photo]) -> list[tuple[Photo, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Photos with objects: the photo, the rows of its boxes, and its truth."""
    rows = [(photo, np.flatnonzero(boxes.photo == number), *truth(photo)) for number, photo in enumerate(photos)]
    return [row for row in rows if len(row[2])]


def report(boxes: Boxes, photos: list[Photo], kinds: Names, groups: Names, least: Thresholds) -> dict[str, float]:
    """How many of the told names are right, and how many of the objects above LEAST_SHARE get one that is: kinds alone,
    and with groups where the kind is unsure.
    """
    sure = kinds.confidence >= least.kinds[kinds.number]
    group = ~sure & (groups.confidence >= least.groups[groups.number])
    wanted, by_kind, by_either = 0, 0, 0
    for _, mine, objects, names, crowd in by_photo(boxes, photos):
        large = (areas(objects) >= LEAST_SHARE) & ~crowd
        near = iou(boxes.place[mine], objects) >= SAME
        as_kind = near & sure[mine][:, None] & (kinds.number[mine][:, None] == names)
        as_group = near & group[mine][:, None] & GROUP_OF[names][:, groups.number[mine]].T
        wanted += int(large.sum())
        by_kind += int((as_kind.any(0) & large).sum())
        by_either += int(((as_kind | as_group).any(0) & large).sum())
    told, right = sure | group, np.where(sure, kinds.right, groups.right)
    return {
        "photos": len(photos),
        "kinds": int(sure.sum()),
        "right": share(kinds.right[sure]),
        f"named of those > {LEAST_SHARE:.0%}": by_kind / max(1, wanted),
        "with groups": int(told.sum()),
        "right with groups": share(right[told]),
        f"named or grouped of those > {LEAST_SHARE:.0%}": by_either / max(1, wanted),
    }


def share(right: np.ndarray) -> float:
    return float(right.mean()) if len(right) else float("nan")
