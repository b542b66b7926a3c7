"""Chooses which names of a detector's boxes are shown: so many that F1 is best among those thresholds with which they
are right often enough on photos with people's boxes.

A box is shown as its likeliest kind from the threshold of that kind on; otherwise as the group of that kind, from
another threshold on; and otherwise as an object. The names of large boxes are shown from a little less on.
"""

import dataclasses
from typing import Any

import numpy as np

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

# How many of the shown kinds shall be right, and how many of all shown names, kinds and groups; on harder photos it is
# three points less. F1 would be best with .57 to .61.
WANTED, WANTED_OF_ALL = 0.73, 0.725

# How much less is asked of the names of boxes above LEAST_SHARE, since people miss these most. With .06, F1 is .005
# better, and .01 fewer of the large objects are named.
LOWERING = 0.1

# The group of each kind; -1 for a kind without one, such as a clock.
GROUP_OF = np.array(
    [
        next((number for number, kinds in enumerate(coco.GROUPS.values()) if len(kinds) > 1 and name in kinds), -1)
        for name in coco.NAMES
    ]
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
    """The confidence from which on each kind, and each group, is shown, and how much less is asked of large boxes."""

    kinds: np.ndarray
    groups: np.ndarray
    lowering: float = LOWERING

    @classmethod
    def of(cls, sidecar: dict[str, Any]) -> "Thresholds":
        kinds = [float(sidecar["labelThresholds"][name]) for name in coco.NAMES]
        groups = {group["name"]: float(group["threshold"]) for group in sidecar["groups"]}
        lowering = float(sidecar.get("largeObjects", {}).get("lowering", 0))
        return cls(np.array(kinds), np.array([groups.get(name, 1.1) for name in coco.GROUPS]), lowering)

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
            "largeObjects": {"share": LEAST_SHARE, "lowering": self.lowering},
        }

    def shown(self, boxes: Boxes) -> tuple[np.ndarray, np.ndarray]:
        """The kinds and the groups as which boxes are shown; -1 where none is."""
        group = GROUP_OF[boxes.kind]
        sure = boxes.confidence + self.lowering * large(boxes)
        kinds = np.where(sure >= self.kinds[boxes.kind], boxes.kind, -1)
        grouped = (kinds < 0) & (group >= 0) & (sure >= self.groups[group])
        return kinds, np.where(grouped, group, -1)


def large(boxes: Boxes) -> np.ndarray:
    """Which boxes cover so much that their names are shown from a little less on."""
    return areas(boxes.place) >= LEAST_SHARE


def truth(photo: Photo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boxes that people drew in a photo: places, kinds, and which of them go round crowds; no things of other
    names.
    """
    rows = [row for row, name in enumerate(photo.categories) if name in coco.NAMES]
    kinds = np.array([coco.NAMES.index(photo.categories[row]) for row in rows], np.int64)
    crowd = photo.crowd[rows] if len(photo.crowd) else np.zeros(len(rows), bool)
    return (photo.boxes / [*photo.size, *photo.size])[rows].reshape(-1, 4), kinds, crowd


def right(
    boxes: Boxes, photos: list[Photo], kinds: np.ndarray | None = None, groups: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether the kind of each box is right, and whether its group is; and whether the kind is that of an object above
    LEAST_SHARE. No two boxes are the same object, of which the surer is right.

    Without `kinds` and `groups`, each box is shown as its likeliest kind, and as the group of that.
    """
    kinds = boxes.kind if kinds is None else kinds
    groups = GROUP_OF[boxes.kind] if groups is None else groups
    of_kind, of_group, of_large = (np.zeros(len(boxes.kind)) for _ in range(3))
    for number, photo in enumerate(photos):
        mine, (objects, names, crowd) = np.flatnonzero(boxes.photo == number), truth(photo)
        if not len(objects):
            continue
        near, taken = iou(boxes.place[mine], objects), np.zeros(len(objects), bool)
        prominent = (areas(objects) >= LEAST_SHARE) & ~crowd
        for row in np.argsort(-boxes.confidence[mine], kind="stable"):
            box, same = mine[row], near[row] >= SAME
            of_group[box] = groups[box] >= 0 and (same & (GROUP_OF[names] == groups[box])).any()
            fits = np.flatnonzero(same & (names == kinds[box]) & ~taken)
            if len(fits):
                best = fits[near[row][fits].argmax()]
                taken[best] = not crowd[best]
                of_kind[box], of_large[box] = 1, prominent[best]
    return of_kind, of_group, of_large


def curve(confidence: np.ndarray, number: np.ndarray, hits: np.ndarray, count: int) -> tuple[float, np.ndarray]:
    """The dependence of the logit of the chance that a name is right on that of its confidence: a factor, and a
    summand for each of `count` names (by Newton's method).
    """
    rows, line = np.arange(len(number)), np.zeros(2 + count)
    x = np.zeros((len(number), 2 + count))
    x[:, 0], x[:, 1], x[rows, 2 + number] = confidence, 1, 1
    held = np.array([1e-6, 1e-6, *[2 * HOLD] * count])

    def wrong(line: np.ndarray) -> float:
        z = x @ line
        return float((np.logaddexp(0, z) - hits * z).sum() + (held * line**2).sum() / 2)

    for _ in range(50):
        chance = sigmoid(x @ line)
        step = np.linalg.solve(
            (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(held), x.T @ (chance - hits) + held * line
        )
        while wrong(line - step) > wrong(line) and np.abs(step).max() > 1e-6:
            step /= 2
        line = line - step
        if np.abs(step).max() < 1e-6:
            break
    return float(line[0]), line[1] + line[2:]


def logits(values: np.ndarray) -> np.ndarray:
    value = np.clip(values.astype(np.float64), 1e-6, 1 - 1e-6)
    return np.log(value) - np.log1p(-value)


def thresholds(
    confidence: np.ndarray,
    number: np.ndarray,
    hits: np.ndarray,
    count: int,
    wanted: float,
    before: tuple[float, int] = (0, 0),
    lowered: np.ndarray | float = 0.0,
) -> np.ndarray:
    """The confidence of each of `count` names from which on the shown names are right as often as wanted, together with
    names that are shown already (how many are right, and how many there are), if of some boxes less is asked.

    All names get the lowest chance to be right at which all that are shown together are right as often as wanted: none
    of the others would leave out fewer. It is chosen by chances that were learned from other boxes, since a curve fits
    too well the boxes that it was made of.
    """
    logit, raised = logits(confidence), logits(confidence + lowered)
    # Boxes of a photo follow one another, so they are in one part.
    part, chance = np.arange(len(logit)) * PARTS // len(logit), np.zeros(len(logit))
    for which in range(PARTS):
        mine, rest = part == which, part != which
        factor, summands = curve(logit[rest], number[rest], hits[rest], count)
        chance[mine] = factor * raised[mine] + summands[number[mine]]
    order = np.argsort(-chance)
    share = (before[0] + np.cumsum(hits[order])) / (before[1] + np.arange(1, len(order) + 1))
    enough = np.flatnonzero(share >= wanted)
    if not len(enough):
        raise TrainingError(f"No name is right in {wanted:.0%} of the boxes: train the detector longer.")
    factor, summands = curve(logit, number, hits, count)
    return sigmoid((chance[order][enough[-1]] - summands) / factor)


def chosen(boxes: Boxes, photos: list[Photo]) -> Thresholds:
    """The thresholds of kinds, and of groups for boxes without a shown kind."""
    kinds, groups, _ = right(boxes, photos)
    lowered = LOWERING * large(boxes)
    least = thresholds(boxes.confidence, boxes.kind, kinds, len(coco.NAMES), WANTED, lowered=lowered)
    shown = boxes.confidence + lowered >= least[boxes.kind]
    rest = ~shown & (GROUP_OF[boxes.kind] >= 0)
    before = kinds[shown].sum(), int(shown.sum())
    number = GROUP_OF[boxes.kind[rest]]
    of_groups = thresholds(
        boxes.confidence[rest], number, groups[rest], len(coco.GROUPS), WANTED_OF_ALL, before, lowered[rest]
    )
    return Thresholds(least, of_groups)


def report(boxes: Boxes, photos: list[Photo], least: Thresholds) -> dict[str, float]:
    """The figures of `counted` for the names that thresholds let a detector show."""
    return counted(boxes, photos, *least.shown(boxes))


def counted(boxes: Boxes, photos: list[Photo], kinds: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    """Counts how many boxes are shown as a kind, how many of these are right, how many of all objects and of those
    above LEAST_SHARE get their kind so, and F1 of both; and the same of kinds and groups together.
    """
    of_kind, of_group, of_large = right(boxes, photos, kinds, groups)
    drawn = [truth(photo) for photo in photos]
    wanted = sum(int((~crowd).sum()) for _, _, crowd in drawn)
    prominent = sum(int(((areas(objects) >= LEAST_SHARE) & ~crowd).sum()) for objects, _, crowd in drawn)
    sure, named, hits = kinds >= 0, (kinds >= 0) | (groups >= 0), of_kind.sum()
    return {
        "boxes": len(boxes.kind),
        "kinds shown": int(sure.sum()),
        "kinds right": share(hits, sure.sum()),
        "found": share(hits, wanted),
        f"named of those > {LEAST_SHARE:.0%}": share(of_large.sum(), prominent),
        "F1 of kinds": share(2 * hits, sure.sum() + wanted),
        "names shown": int(named.sum()),
        "names right": share(np.where(sure, of_kind, of_group)[named].sum(), named.sum()),
    }


def share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
