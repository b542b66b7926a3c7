"""Finds the program sightline."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .errors import ProgramError

# The environment variable that names a program.
VARIABLE = "SIGHTLINE"
# Where a wheel has the program with its models and libraries.
BUNDLE = Path(__file__).parent / "bundle"


def find_program() -> str:
    """The path of the program: that of the environment variable SIGHTLINE, or of this package, or of the PATH.

    Raises:
        ProgramError: there is none.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise ProgramError(f"{VARIABLE} is {chosen}, which is not a program; correct or unset the variable.")
        return found
    bundled = BUNDLE / "bin/sightline"
    if bundled.is_file():
        return str(bundled)
    found = shutil.which("sightline")
    if found is None:
        raise ProgramError(
            "the program sightline is not installed; install the wheel that has it, put it in the PATH, or name it in "
            f"the environment variable {VARIABLE}."
        )
    return found
