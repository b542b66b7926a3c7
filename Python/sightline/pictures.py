"""Turns the pictures that callers give into pictures for the engine."""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from .frames import NAMELESS, Picture
from .images import Image

if TYPE_CHECKING:
    import numpy
    import PIL.Image
    from numpy.typing import NDArray

    PictureInput = (
        str | os.PathLike[str] | bytes | bytearray | memoryview | NDArray[numpy.uint8] | PIL.Image.Image | Image
    )
else:
    PictureInput = Any

# The protocol's limit for an address, in bytes.
MAXIMUM_ADDRESS = 4096
# Of TIFF 6.0, section 8, and of Exif, which takes it from there.
_ORIENTATION = 274


def picture(given: PictureInput) -> Picture:
    """The picture for the engine. A file that cannot be read becomes a picture with an error.

    Args:
        given: a path; or an http or https address; or the bytes of a file; or an array of bytes, height × width gray or
            height × width × 3 RGB; or an image of Pillow, or of this package.

    Raises:
        TypeError: it is something else.
        ValueError: it is an array of another shape or type, or a view that is not of bytes.
    """
    if isinstance(given, str) and _is_address(given):
        return _web(given)
    if isinstance(given, (str, os.PathLike)):
        return _file(os.fsdecode(given))
    if isinstance(given, bytes):
        return Picture(NAMELESS, given)
    if isinstance(given, bytearray):
        # The caller may fill it with the next picture before this one is sent.
        return Picture(NAMELESS, bytes(given))
    if isinstance(given, Image):
        return Picture(NAMELESS, tiff(given.pixels, width=given.width, height=given.height, channels=3))
    pillow = sys.modules.get("PIL.Image")
    if pillow is not None and isinstance(given, pillow.Image):
        return Picture(NAMELESS, _of_pillow(given))
    try:
        view = memoryview(cast(Any, given))
    except (TypeError, BufferError, ValueError):
        if isinstance(given, memoryview):
            raise ValueError("the memoryview of a picture is released; give it before that.") from None
        raise TypeError(
            f"a picture is a path, bytes, an array of NumPy or an image of Pillow, not {_type_name(given)}."
        ) from None
    if isinstance(given, memoryview) and view.ndim == 1:
        return Picture(NAMELESS, _of_view(view))
    return Picture(NAMELESS, _of_array(given, view))


def _is_address(text: str) -> bool:
    return text.lower().startswith(("http://", "https://")) and not os.path.exists(text)


def _web(address: str) -> Picture:
    """A picture that sightline reads from the web."""
    try:
        parts = urlsplit(address)
        # Names in results and messages may be stored and shown.
        name = address.replace(f":{parts.password}@", ":…@", 1) if parts.password else address
        size = len(address.encode())
    except ValueError:
        name, size = NAMELESS, 0
    if not 0 < size <= MAXIMUM_ADDRESS or any(character <= " " or character == "\x7f" for character in address):
        return Picture(name, error=f"{name} is not an address; check it, and write %20 for a space.")
    return Picture(name, address=address)


def _of_view(view: memoryview) -> bytes | memoryview:
    """The bytes of a file from a view, copied unless they are immutable."""
    if view.itemsize != 1:
        raise ValueError(
            f"a memoryview of the format {view.format} is not the bytes of a file; give one of bytes, for example cast "
            "to the format B."
        )
    return view if type(view.obj) is bytes and view.c_contiguous else view.tobytes()


def _file(path: str) -> Picture:
    try:
        with open(path, "rb", buffering=0) as file:
            return Picture(path, file.read() or b"")
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        return Picture(path, error=f"{path} cannot be read ({reason}); check its path.", is_unreachable=True)


def _of_array(array: Any, view: memoryview) -> bytes:
    is_color = view.ndim == 3 and view.shape is not None and view.shape[2] == 3
    if view.format != "B" or view.ndim not in (2, 3) or (view.ndim == 3 and not is_color):
        kind = getattr(array, "dtype", view.format)
        raise ValueError(
            f"an array of shape {view.shape} and type {kind} is not a picture; give uint8 values of 0 to 255 as height "
            "× width gray, or height × width × 3 RGB."
        )
    assert view.shape is not None
    # NumPy copies rows with gaps, or backward, faster than a view does.
    pixels = view if view.c_contiguous else (array if hasattr(array, "tobytes") else view).tobytes()
    return tiff(pixels, width=view.shape[1], height=view.shape[0], channels=3 if is_color else 1)


def _of_pillow(image: Any) -> bytes:
    if image.mode.startswith(("I", "F")):
        raise ValueError(
            f"an image of Pillow's mode {image.mode} has no fixed white; scale its values to 0 to 255, and convert it "
            "to the mode L or RGB."
        )
    if "A" in image.getbands() or "transparency" in image.info:
        # Over white, as sightline shows transparent parts of files.
        image_with_alpha = image.convert("RGBA")
        white = sys.modules["PIL.Image"].new("RGBA", image.size, "white")
        white.alpha_composite(image_with_alpha)
        flat = white.convert("RGB")
    else:
        flat = image if image.mode in ("L", "RGB") else image.convert("L" if image.mode == "1" else "RGB")
    channels = 1 if flat.mode == "L" else 3
    orientation = image.getexif().get(_ORIENTATION, 1)
    return tiff(
        flat.tobytes(),
        width=flat.width,
        height=flat.height,
        channels=channels,
        orientation=orientation if orientation in range(1, 9) else 1,
    )


def tiff(pixels: bytes | memoryview, *, width: int, height: int, channels: int, orientation: int = 1) -> bytes:
    """A TIFF file of uncompressed pixels, which costs only a copy of them.

    Args:
        pixels: rows without gaps, from the top.
        width: the width in pixels.
        height: the height in pixels.
        channels: 1 for gray or 3 for RGB.
        orientation: how the picture is to be turned, as Exif numbers it: 1 is upright.

    Raises:
        ValueError: the picture has no pixels, or more than the format can have.
    """
    count = width * height * channels
    if not 0 < count < 1 << 31:
        raise ValueError(f"a picture of {width} × {height} pixels has no pixels or too many; give a smaller one.")
    short, long = 3, 4
    # TIFF 6.0, sections 2, 4 and 6: one strip, which follows the directory and the bits of each channel.
    fields = 10
    bits_at = 8 + 2 + 12 * fields + 4
    pixels_at = bits_at + 2 * channels
    entries = [
        (256, long, 1, width),
        (257, long, 1, height),
        (258, short, channels, 8 if channels == 1 else bits_at),
        (259, short, 1, 1),
        (262, short, 1, 1 if channels == 1 else 2),
        (273, long, 1, pixels_at),
        (_ORIENTATION, short, 1, orientation),
        (277, short, 1, channels),
        (278, long, 1, height),
        (279, long, 1, count),
    ]
    header = struct.pack("<2sHIH", b"II", 42, 8, fields)
    header += b"".join(struct.pack("<HHII", *entry) for entry in entries) + struct.pack("<I", 0)
    header += struct.pack("<H", 8) * channels
    return b"".join((header, pixels))


def _type_name(given: object) -> str:
    kind = type(given)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
