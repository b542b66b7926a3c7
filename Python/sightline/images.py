"""Pictures that sightline gives: drawn results, and the frames of videos."""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    import PIL.Image
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Image:
    """An upright picture in memory.

    NumPy takes it as an array: `numpy.asarray(image)`. Detectors and labelers take it as a picture.

    Attributes:
        width: the width in pixels.
        height: the height in pixels.
        pixels: red, green and blue of each pixel, a byte each; rows from the top without gaps.
    """

    width: int
    height: int
    pixels: bytes

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1 or len(self.pixels) != 3 * self.width * self.height:
            raise ValueError(
                f"an image of {self.width} × {self.height} pixels cannot have {len(self.pixels)} bytes; give three for "
                "each pixel."
            )

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The pixels as NumPy's protocol describes them: height × width × 3, RGB."""
        return {"shape": (self.height, self.width, 3), "typestr": "|u1", "data": self.pixels, "version": 3}

    def to_numpy(self) -> NDArray[numpy.uint8]:
        """The pixels as an array of height × width × 3, RGB, which shares the memory and cannot be written.

        OpenCV wants BGR: `image.to_numpy()[..., ::-1].copy()`.

        Raises:
            ImportError: NumPy is not installed.
        """
        import numpy

        return numpy.frombuffer(self.pixels, numpy.uint8).reshape(self.height, self.width, 3)

    def to_pillow(self) -> PIL.Image.Image:
        """The picture as an image of Pillow.

        Raises:
            ImportError: Pillow is not installed.
        """
        import PIL.Image

        return PIL.Image.frombytes("RGB", (self.width, self.height), self.pixels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a .png file, or with Pillow to a file of another format that Pillow knows.

        Raises:
            ImportError: the file is not a .png file, and Pillow is not installed.
            OSError: the file cannot be written.
        """
        name = os.fsdecode(path)
        if not name.lower().endswith(".png"):
            self.to_pillow().save(name)
            return
        with open(name, "wb") as file:
            file.write(self._repr_png_())

    def _repr_png_(self) -> bytes:
        """The picture as a PNG file, which notebooks show."""
        # PNG, third edition, sections 5 and 11.2.1: eight bits a sample, no palette, rows without a filter.
        row = 3 * self.width
        rows = b"".join(b"\0" + self.pixels[start : start + row] for start in range(0, len(self.pixels), row))
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        parts = (b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b"")
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in parts
        )

    def __repr__(self) -> str:
        return f"Image({self.width} × {self.height})"
