"""Peer: LiteRT's Interpreter and Pillow, as most Python programs do it."""

import numpy
import peer
from PIL import Image, ImageOps

last = None


def open_upright(path):
    return ImageOps.exif_transpose(Image.open(path)).convert("RGB")


def read(path, width, height):
    global last
    last = open_upright(path)
    return numpy.asarray(last.resize((width, height), Image.Resampling.BILINEAR))


def crops(path, rectangles, width, height):
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
