"""Writes files that are complete or not there."""

import os
import pathlib


def write(path: pathlib.Path, content: bytes) -> None:
    """Writes bytes aside, then gives them their name, so that a killed run leaves what was there before."""
    aside = path.with_name(path.name + ".part")
    try:
        with open(aside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise
