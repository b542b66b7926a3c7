"""Peer: LiteRT's Interpreter, libjpeg-turbo's scaled decoding through simplejpeg, OpenCV's resize.

The fastest combination of Python packages that we know for JPEG files. It reads no EXIF orientation, and a crop is
taken from the picture decoded in full.
"""

from collections.abc import Iterator

import cv2
import numpy
import peer
import simplejpeg

cv2.setNumThreads(1)


def read(path: str, width: int, height: int) -> numpy.ndarray:
    with open(path, "rb") as file:
        data = file.read()
    picture = simplejpeg.decode_jpeg(data, "RGB", fastdct=True, fastupsample=True, min_width=width, min_height=height)
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_LINEAR)


def crops(
    path: str, rectangles: list[tuple[float, float, float, float]], width: int, height: int
) -> Iterator[numpy.ndarray]:
    if not rectangles:
        return
    with open(path, "rb") as file:
        picture = simplejpeg.decode_jpeg(file.read(), "RGB", fastdct=True, fastupsample=True)
    rows, columns, _ = picture.shape
    for left, top, right, bottom in rectangles:
        x, y = int(max(left, 0) * columns), int(max(top, 0) * rows)
        crop = picture[y : max(int(min(bottom, 1) * rows), y + 1), x : max(int(min(right, 1) * columns), x + 1)]
        yield cv2.resize(crop, (width, height), interpolation=cv2.INTER_LINEAR)


if __name__ == "__main__":
    peer.main(read, crops)
