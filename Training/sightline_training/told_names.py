"""Which names of a detector's boxes are told: those that are right often enough on photos with people's boxes.

A box is told as its likeliest kind from the threshold of that kind on; otherwise as the group of that kind, from a
lower threshold on; and otherwise as an object.
"""

import dataclasses
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from . import coco
from .calibration import sigmoid
from .data import Photo
from .errors import TrainingError
from .geometry import areas, iou

# A name is right if people drew a thing of that name at a place that the box overlaps so much.
SAME = 0.5

# An object that covers less of the photo than this is not expected to be named.
LEAST_SHARE = 0.05

# In how many parts the photos are cut to choose thresholds by, and how strongly the shift of a name is held at 0.
PARTS, HOLD = 5, 2.0

# How many of the told kinds, and of all told names, shall be right: on other photos it is up to two points less.
WANTED_KINDS, WANTED = 0.88, 0.87

# The group of each kind; -1 for a kind without one, such as a clock.
GROUP_OF = np.array(
    [next((number for number, kinds in enumerate(coco.GROUPS.values()) if name in kinds), -1) for name in coco.NAMES]
)


@dataclasses.dataclass
class Boxes:
    """Boxes in photos with people's boxes: the number of the photo, the place in 0…1 of it, the likeliest kind and its
    confidence.
    """

    photo: np.ndarray
    place: np.ndarray
    kind: np.ndarray
    confidence: np.ndarray


@dataclasses.dataclass
class Thresholds:
    """The confidence from which on each kind, and each group, is told."""

    kinds: np.ndarray
    groups: np.ndarray

    @classmethod
    def of(cls, sidecar: dict[str, Any]) -> "Thresholds":
        kinds = [float(sidecar["labelThresholds"][name]) for name in coco.NAMES]
        groups = {group["name"]: float(group["threshold"]) for group in sidecar["groups"]}
        return cls(np.array(kinds), np.array([groups.get(name, 1.1) for name in coco.GROUPS]))

    def content(self) -> dict[str, Any]:
        """The fields of a sidecar, `ModelSidecar` in Sightline."""
        groups = [
            {"name": name, "threshold": round(float(value), 3), "labels": kinds}
            for (name, kinds), value in zip(coco.GROUPS.items(), self.groups)
            if len(kinds) > 1
        ]
        return {
            "labelThresholds": {name: round(float(value), 3) for name, value in zip(coco.NAMES, self.kinds)},
            "groups": groups,
        }


def truth(photo: Photo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What people drew in a photo: places, kinds, and which of them go round crowds; no things of other names."""
    rows = [row for row, name in enumerate(photo.categories) if name in coco.NAMES]
    kinds = np.array([coco.NAMES.index(photo.categories[row]) for row in rows], np.int64)
    crowd = photo.crowd[rows] if len(photo.crowd) else np.zeros(len(rows), bool)
    return (photo.boxes / [*photo.size, *photo.size])[rows].reshape(-1, 4), kinds, crowd


def right(boxes: Boxes, photos: list[Photo]) -> tuple[np.ndarray, np.ndarray]:
    """Whether the kind of each box is right, and whether its group is."""
    kinds, groups = (np.zeros(len(boxes.kind)) for _ in range(2))
    for number, photo in enumerate(photos):
        mine, (objects, names, _) = np.flatnonzero(boxes.photo == number), truth(photo)
        if not len(objects):
            continue
        near, kind = iou(boxes.place[mine], objects) >= SAME, boxes.kind[mine][:, None]
        kinds[mine] = (near & (kind == names)).any(1)
        groups[mine] = (near & (GROUP_OF[kind] == GROUP_OF[names]) & (GROUP_OF[kind] >= 0)).any(1)
    return kinds, groups


def curve(confidence: np.ndarray, number: np.ndarray, hits: np.ndarray, count: int) -> tuple[float, np.ndarray]:
    """How the logit of the chance that a name is right follows that of its confidence: a factor, and a summand for
    each of `count` names.
    """
    x, y, which = (torch.from_numpy(part) for part in (confidence, hits, number))
    line = torch.zeros(2, dtype=torch.double, requires_grad=True)
    shift = torch.zeros(count, dtype=torch.double, requires_grad=True)
    optimizer = torch.optim.LBFGS([line, shift], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        chance = line[0] * x + line[1] + shift[which]
        loss = functional.binary_cross_entropy_with_logits(chance, y, reduction="sum") + HOLD * shift.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return line[0].item(), (line[1] + shift).detach().numpy()


def thresholds(
    confidence: np.ndarray,
    number: np.ndarray,
    hits: np.ndarray,
    count: int,
    wanted: float,
    before: tuple[float, int] = (0, 0),
) -> np.ndarray:
    """The confidence of each of `count` names from which on the told names are right as often as wanted, together with
    names that are told already (how many are right, and how many there are).

    All names get the lowest chance to be right at which all that are told together are right as often as wanted. It is
    chosen by chances that were learned from other boxes, since a curve fits too well the boxes that it was made of.
    """
    value = np.clip(confidence.astype(np.float64), 1e-6, 1 - 1e-6)
    logit = np.log(value) - np.log1p(-value)
    # Boxes of a photo follow one another, so they are in one part.
    part, chance = np.arange(len(value)) * PARTS // len(value), np.zeros(len(value))
    for which in range(PARTS):
        mine, rest = part == which, part != which
        factor, summands = curve(logit[rest], number[rest], hits[rest], count)
        chance[mine] = factor * logit[mine] + summands[number[mine]]
    order = np.argsort(-chance)
    share = (before[0] + np.cumsum(hits[order])) / (before[1] + np.arange(1, len(order) + 1))
    enough = np.flatnonzero(share >= wanted)
    if not len(enough):
        raise TrainingError(f"No name is right in {wanted:.0%} of the boxes: train the detector longer.")
    factor, summands = curve(logit, number, hits, count)
    return sigmoid((chance[order][enough[-1]] - summands) / factor)


def chosen(boxes: Boxes, photos: list[Photo]) -> Thresholds:
    """The thresholds of kinds, and of groups for what no kind is told of."""
    kinds, groups = right(boxes, photos)
    least = thresholds(boxes.confidence, boxes.kind, kinds, len(coco.NAMES), WANTED_KINDS)
    told = boxes.confidence >= least[boxes.kind]
    rest = ~told & (GROUP_OF[boxes.kind] >= 0)
    before = kinds[told].sum(), int(told.sum())
    number = GROUP_OF[boxes.kind[rest]]
    return Thresholds(least, thresholds(boxes.confidence[rest], number, groups[rest], len(coco.GROUPS), WANTED, before))


def report(boxes: Boxes, photos: list[Photo], least: Thresholds) -> dict[str, float]:
    """How many of the told names are right, and how many of the objects above LEAST_SHARE get one that is: kinds alone,
    and with groups where the kind is unsure.
    """
    kinds, groups = right(boxes, photos)
    sure = boxes.confidence >= least.kinds[boxes.kind]
    grouped = ~sure & (GROUP_OF[boxes.kind] >= 0) & (boxes.confidence >= least.groups[GROUP_OF[boxes.kind]])
    wanted, by_kind, by_either = 0, 0, 0
    for number, photo in enumerate(photos):
        mine, (objects, names, crowd) = np.flatnonzero(boxes.photo == number), truth(photo)
        if not len(objects):
            continue
        large = (areas(objects) >= LEAST_SHARE) & ~crowd
        near, kind = iou(boxes.place[mine], objects) >= SAME, boxes.kind[mine][:, None]
        as_kind = near & sure[mine][:, None] & (kind == names)
        as_group = near & grouped[mine][:, None] & (GROUP_OF[kind] == GROUP_OF[names])
        wanted += int(large.sum())
        by_kind += int((as_kind.any(0) & large).sum())
        by_either += int(((as_kind | as_group).any(0) & large).sum())
    told = sure | grouped
    return {
        "kinds told": int(sure.sum()),
        "kinds right": float(kinds[sure].mean()) if sure.any() else float("nan"),
        f"named of those > {LEAST_SHARE:.0%}": by_kind / max(1, wanted),
        "names told": int(told.sum()),
        "names right": float(np.where(sure, kinds, groups)[told].mean()) if told.any() else float("nan"),
        f"named or grouped of those > {LEAST_SHARE:.0%}": by_either / max(1, wanted),
    }
