"""Boxes as left, top, right, bottom."""

import numpy as np

# A box lies inside another if so much of it does.
INSIDE = 0.85


def common(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The area that every box of a [n, 4] shares with every box of b [m, 4]: [n, m]."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    return np.clip(high - low, 0, None).prod(-1)


def iou(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Intersection over union of every box of a [n, 4] with every box of b [m, 4]: [n, m]."""
    shared = common(a, b)
    return shared / np.maximum(areas(a)[:, None] + areas(b)[None] - shared, 1e-9)


def areas(boxes: np.ndarray) -> np.ndarray:
    return np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(-1)


def suppressed(
    boxes: np.ndarray,
    scores: np.ndarray,
    overlap: float,
    most: int,
    kinds: np.ndarray | None = None,
    looks: np.ndarray | None = None,
) -> list[int]:
    """The indices that stay, best first, when of two boxes that overlap more than `overlap` the worse one goes; with
    `kinds` and `looks` also of two boxes of one kind from different looks, one of which lies inside the other.
    """
    order = np.argsort(-scores, kind="stable")
    keep = []
    while len(order) and len(keep) < most:
        first, order = order[0], order[1:]
        keep.append(int(first))
        mine, others = boxes[first : first + 1], boxes[order]
        stays = iou(mine, others)[0] <= overlap
        if kinds is not None and looks is not None:
            smaller = np.maximum(np.minimum(areas(mine), areas(others)), 1e-9)
            apart = (kinds[order] != kinds[first]) | (looks[order] == looks[first])
            stays &= (common(mine, others)[0] / smaller < INSIDE) | apart
        order = order[stays]
    return keep


def decoded(encoded: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Boxes of SSD codes [n, 4] (dy, dx, log h, log w; scales 10, 10, 5, 5) over anchors (center y, x, height,
    width).
    """
    center = encoded[:, :2] / 10 * anchors[:, 2:] + anchors[:, :2]
    size = np.exp(np.clip(encoded[:, 2:] / 5, -8, 4)) * anchors[:, 2:]
    corners = np.concatenate([center - size / 2, center + size / 2], 1)
    return corners[:, [1, 0, 3, 2]]


def encoded(boxes: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """The inverse of `decoded`, for boxes [n, 4] each over its anchor."""
    low, high = boxes[:, [1, 0]], boxes[:, [3, 2]]
    size = np.maximum(high - low, 0.005)
    return np.concatenate(
        [((low + high) / 2 - anchors[:, :2]) / anchors[:, 2:] * 10, np.log(size / anchors[:, 2:]) * 5], 1
    )


def corners(anchors: np.ndarray) -> np.ndarray:
    """Anchors (center y, x, height, width) as boxes."""
    low, high = anchors[:, :2] - anchors[:, 2:] / 2, anchors[:, :2] + anchors[:, 2:] / 2
    return np.concatenate([low[:, ::-1], high[:, ::-1]], 1)
