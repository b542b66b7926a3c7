"""What several detectors of COCO's kinds find in a photo, as one list: boxes of the same thing become their mean."""

from collections.abc import Collection

import numpy as np

from .geometry import areas, iou

# The columns of what is known of an object: left, top, right and bottom in 0…1 of the photo, how sure it is that the
# box holds an object, how sure it is that the object is of the kind, and the number of COCO's kind.
BOX, OBJECT, CERTAIN, KIND = slice(0, 4), 4, 5, 6
COLUMNS = 7

# Boxes of one kind by different detectors that overlap so much are of the same thing, boxes of different kinds that
# overlap so much are different names for it.
SAME, NAMES = 0.55, 0.7

# How often a box is right by the mean score of all detectors, 0 where one does not find it; and how often where people
# said that there is such a thing in the photo. Measured on 385 photos of COCO's training set with people's boxes.
MEAN = (0.05, 0.1, 0.15, 0.19, 0.23, 0.27, 0.32, 0.37, 0.42, 0.47, 0.55, 0.65, 0.75, 0.85)
RIGHT = (0, 0.03, 0.05, 0.09, 0.12, 0.17, 0.28, 0.38, 0.54, 0.67, 0.76, 0.79, 0.85, 0.92)
RIGHT_IF_SAID = (0.01, 0.05, 0.08, 0.14, 0.17, 0.24, 0.4, 0.5, 0.64, 0.78, 0.89, 0.93, 0.97, 0.98)
LEAST = 0.07


def fused(
    boxes: np.ndarray,
    scores: np.ndarray,
    kinds: np.ndarray,
    finders: np.ndarray,
    count: int,
    said: Collection[int] = (),
    denied: Collection[int] = (),
) -> np.ndarray:
    """Rows of COLUMNS of the boxes that `count` detectors found, the surest first; people said that things of some
    kinds are in the photo, and that things of others are not.
    """
    rows, used = [], np.zeros(len(boxes), bool)
    order = np.argsort(-scores, kind="stable")
    boxes, scores, kinds, finders = boxes[order], scores[order], kinds[order], finders[order]
    near = (iou(boxes, boxes) >= SAME) & (kinds[:, None] == kinds[None])
    for index in range(len(boxes)):
        if used[index]:
            continue
        group = [index]
        for other in np.flatnonzero(near[index] & ~used):
            if finders[other] not in finders[group]:  # the best of each detector
                group.append(int(other))
        used[group] = True
        weight = scores[group][:, None]
        kind = int(kinds[index])
        sure = float(np.interp(scores[group].sum() / count, MEAN, RIGHT_IF_SAID if kind in said else RIGHT))
        if sure >= LEAST and kind not in denied:
            rows.append([*(boxes[group] * weight).sum(0) / weight.sum(), 0, sure, kind])
    return with_objects(np.array(rows, np.float32).reshape(-1, COLUMNS))


def with_objects(rows: np.ndarray) -> np.ndarray:
    """The rows with the certainty that there is an object: the chance that not all names for it are wrong."""
    names = iou(rows[:, BOX], rows[:, BOX]) >= NAMES
    rows[:, OBJECT] = 1 - np.where(names, 1 - rows[:, CERTAIN], 1).prod(1)
    rows = rows[areas(rows[:, BOX]) > 0]
    return rows[np.argsort(-rows[:, CERTAIN], kind="stable")]
