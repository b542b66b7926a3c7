"""Peer: LiteRT's Interpreter and OpenCV (which applies EXIF orientation by itself)."""

from collections.abc import Iterator
from typing import Any

import cv2
import numpy
import peer

cv2.setNumThreads(1)
last: Any = None


def read(path: str, width: int, height: int) -> numpy.ndarray:
    global last
    last = cv2.cvtColor(cv2.imread(path, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return cv2.resize(last, (width, height), interpolation=cv2.INTER_LINEAR)


def crops(
    path: str, rectangles: list[tuple[float, float, float, float]], width: int, height: int
) -> Iterator[numpy.ndarray]:
    """Crops of the picture that `read` has just decoded."""
    rows, columns, _ = last.shape
    for left, top, right, bottom in rectangles:
        x, y = int(max(left, 0) * columns), int(max(top, 0) * rows)
        crop = last[y : max(int(min(bottom, 1) * rows), y + 1), x : max(int(min(right, 1) * columns), x + 1)]
        yield cv2.resize(crop, (width, height), interpolation=cv2.INTER_LINEAR)


if __name__ == "__main__":
    peer.main(read, crops)
