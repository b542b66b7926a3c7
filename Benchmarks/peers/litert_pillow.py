"""Peer: LiteRT's Interpreter and Pillow, as most Python programs do it."""

from collections.abc import Iterator
from typing import Any

import numpy
import peer
from PIL import Image, ImageOps

last: Any = None


def open_upright(path: str) -> Image.Image:
    return ImageOps.exif_transpose(Image.open(path)).convert("RGB")


def read(path: str, width: int, height: int) -> numpy.ndarray:
    global last
    last = open_upright(path)
    return numpy.asarray(last.resize((width, height), Image.Resampling.BILINEAR))


def crops(
    path: str, rectangles: list[tuple[float, float, float, float]], width: int, height: int
) -> Iterator[numpy.ndarray]:
    """Crops of the picture that `read` has just decoded."""
    for left, top, right, bottom in rectangles:
        box = (
            max(left, 0) * last.width,
            max(top, 0) * last.height,
            min(right, 1) * last.width,
            min(bottom, 1) * last.height,
        )
        yield numpy.asarray(last.resize((width, height), Image.Resampling.BILINEAR, box=box))


if __name__ == "__main__":
    peer.main(read, crops)
