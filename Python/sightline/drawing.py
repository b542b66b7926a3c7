"""Draws findings on pictures, by `sightline draw`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import PictureError, ProgramError, last_line
from .images import Image
from .program import find_program

if TYPE_CHECKING:
    from .pictures import PictureInput

# The seconds that a drawing may take.
LIMIT = 120
# The exit code of sightline for a wrong command line.
USAGE_ERROR = 64


def drawn(fields: Mapping[str, Any], given: PictureInput, size: tuple[int, int], marks: Sequence[str]) -> Image:
    """A picture with findings on it.

    Args:
        fields: the findings as sightline writes them.
        given: the picture.
        size: the size of the picture in which they were found.
        marks: the names of what to draw.

    Raises:
        PictureError: the picture cannot be read.
        ProgramError: the program is missing, or lacks a library for drawing.
        TypeError, ValueError: it is not a picture, or has another size.
    """
    from .pictures import picture

    if isinstance(marks, str):
        raise TypeError(f"marks is a list of texts, not a text: marks=[{marks!r}].")
    source = picture(given)
    if source.error is not None:
        raise PictureError(source.name, source.error)
    if source.address is not None:
        raise ValueError(f"{source.name} is an address; read the picture, and give its bytes.")
    command = [find_program(), "draw", f"--draw={','.join(marks)}"]
    line = json.dumps(fields, ensure_ascii=False).encode(errors="replace")
    try:
        done = subprocess.run(
            command, input=b"\n".join((line, source.content)), capture_output=True, timeout=LIMIT, check=False
        )
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise ProgramError(f"{command[0]} cannot be started ({reason}); check the path of the program.") from None
    except subprocess.TimeoutExpired:
        raise PictureError(source.name, f"sightline gave no answer for {LIMIT} s on this picture.") from None
    if done.returncode != 0:
        reason = last_line(done.stderr.decode(errors="replace"))
        if done.returncode == USAGE_ERROR:
            raise ValueError(reason)
        raise PictureError(source.name, reason or f"sightline ended with the code {done.returncode}.")
    # The format PPM: the second line contains the size.
    _, width_and_height, _, pixels = done.stdout.split(b"\n", 3)
    width, height = map(int, width_and_height.split())
    if (width, height) != size:
        raise ValueError(
            f"the picture has {width} × {height} pixels, but the objects were found in one of {size[0]} × {size[1]}; "
            "give that one."
        )
    return Image(width, height, pixels)
