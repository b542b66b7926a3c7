"""Errors whose text is one sentence: what failed, where, and the next step.

The job cannot continue after any `SightlineError`, such as `ProgramError` of the package sightline. A single picture
never raises one: it becomes a row with an error.
"""

from sightline.errors import SightlineError


class SightlineSparkError(SightlineError):
    """The job cannot continue."""


class InputError(SightlineSparkError):
    """The input cannot be listed."""


class OutputError(SightlineSparkError):
    """The output cannot be written, or belongs to another job."""


class ModelError(SightlineSparkError):
    """The model cannot be found, downloaded or verified."""


def sentence(error: BaseException) -> str:
    """The first line of an error, for a row or for standard error."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, SightlineError):
        return f"{error.strerror.lower()}."
    text = str(error).strip().splitlines()
    return text[0] if text and text[0] else type(error).__name__
