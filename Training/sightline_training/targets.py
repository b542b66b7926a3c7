"""What the localizer shall answer: the teacher's anchors, corrected by what a detector and people found."""

import numpy as np

from .geometry import areas, corners, encoded, iou

# Detections as rows of left, top, right, bottom, score, finder.
DETECTOR, PERSON = 1, 2
MOST = 24
PERSON_SCORE = 0.9
LEAST_SCORE = 0.3
LEAST_AREA = 0.008

# How much of the teacher's score counts where the detector does not see the object too. The teacher sees more than people
# would name: on training's COCO photos with people's boxes, AP50 of these targets is .74 so, and .71 with all of it.
ALONE = 0.6

# An anchor takes over a detection fully from this overlap, not at all below the lower one.
FULL, NONE = 0.65, 0.40


def gathered(boxes, scores, people):
    """The detector's boxes and the people's of one view, padded with rows of zeros to [MOST, 6]."""
    rows = [[*box, score, DETECTOR] for box, score in zip(boxes.tolist(), scores.tolist()) if score >= LEAST_SCORE]
    rows += [[*box, PERSON_SCORE, PERSON] for box in people.tolist()]
    # A box under a percent of the view is no object worth pointing at.
    rows = [row for row in rows if (row[2] - row[0]) * (row[3] - row[1]) >= LEAST_AREA]
    rows = sorted(rows, key=lambda row: -row[4])[:MOST]
    table = np.zeros((MOST, 6), np.float32)
    if rows:
        table[: len(rows)] = rows
    return table


def merged(table):
    """Detections of the same object by different finders as one: mean box, and the chance that not all are wrong."""
    rows = table[table[:, 4] > 0]
    used = np.zeros(len(rows), bool)
    overlap = iou(rows[:, :4], rows[:, :4])
    boxes, scores = [], []
    for index in range(len(rows)):
        if used[index]:
            continue
        same = (overlap[index] >= 0.6) & ~used
        same &= (rows[:, 5] != rows[index, 5]) | (np.arange(len(rows)) == index)
        group = rows[same]
        used |= same
        people = group[group[:, 5] == PERSON]
        weight = group[:, 4:5]
        boxes.append(people[0, :4] if len(people) else (group[:, :4] * weight).sum(0) / weight.sum())
        scores.append(min(0.95, 1 - np.prod(1 - 0.95 * group[:, 4])))
    return np.array(boxes, np.float32).reshape(-1, 4), np.array(scores, np.float32)


def fused(codes, scores, table, anchors):
    """The teacher's codes [738, 4] and a part of its scores [738], raised where detections say more.

    Every detection claims the anchors that overlap it well, and its best one in any case; an anchor whose claim is higher
    than what counts of the teacher's score takes the detection's box and score.
    """
    boxes, chances = merged(table)
    scores = scores * ALONE
    if not len(boxes):
        return codes, scores
    overlap = iou(corners(anchors), boxes)
    claim = np.clip((overlap - NONE) / (FULL - NONE), 0, 1)
    best = overlap.max(0)
    claim[(overlap >= best - 1e-6) & (best > 0.2)] = 1
    claim *= chances
    which = claim.argmax(1)
    strength = claim[np.arange(len(claim)), which]
    take = (strength > scores) & (areas(boxes)[which] > 0)
    codes = codes.copy()
    codes[take] = encoded(boxes[which[take]], anchors[take])
    scores[take] = strength[take]
    return codes, scores
