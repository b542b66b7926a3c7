"""The boxes that the localizer shall find in a photo: the teachers' answers and people's boxes, as one list."""

import numpy as np

from . import answers
from .answers import DETECTOR, PERSON
from .geometry import areas, iou

# The score of people's boxes; of those that go round outlines less, if no teacher sees the object too.
PERSON_SCORE = 0.9
LEAST_SCORE = 0.1

# Boxes under this share of a view are not worth pointing at.
LEAST_AREA = 0.008

# The weight of an object that YOLOX-Nano does not see: the other teachers see more than people would name. Half agreed
# best with people's boxes on photos of COCO's training set.
UNSEEN = 0.5

# Boxes by different finders that overlap so much are of the same object.
SAME = 0.6


def merged(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Boxes and scores: answers about the same object as one, with their mean box and the chance that not all are
    wrong.
    """
    rows = answers.seen(table).astype(np.float32)
    rows = rows[np.argsort(-rows[:, 4], kind="stable")]
    used, overlap = np.zeros(len(rows), bool), iou(rows[:, :4], rows[:, :4])
    means, chances = [], []
    for index in range(len(rows)):
        if used[index]:
            continue
        same = (overlap[index] >= SAME) & ~used & (rows[:, 5] != rows[index, 5])
        same[index] = True
        group = rows[same]
        used |= same
        people, weight = group[group[:, 5] == PERSON], group[:, 4:5]
        means.append(people[0, :4] if len(people) else (group[:, :4] * weight).sum(0) / weight.sum())
        if len(people):
            chances.append(PERSON_SCORE * (1 if len(group) > len(people) else people[0, 4]))
        else:
            seen = 1 if (group[:, 5] == DETECTOR).any() else UNSEEN
            chances.append(seen * (1 - np.prod(1 - 0.95 * group[:, 4])))
    boxes, scores = np.array(means, np.float32).reshape(-1, 4), np.array(chances, np.float32)
    keep = (scores >= LEAST_SCORE) & (areas(boxes) > 0)
    return boxes[keep], scores[keep]
