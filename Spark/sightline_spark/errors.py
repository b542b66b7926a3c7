"""Errors whose text is one sentence: what failed, where, and the next step."""

MARK = "sightline-spark: "


class SightlineSparkError(Exception):
    """The job cannot go on. A single picture never raises this: it becomes a row with an error."""


class EngineError(SightlineSparkError):
    """The program sightline cannot run here: it is missing, its model is missing, or it is too old."""


class InputError(SightlineSparkError):
    """The input cannot be listed."""


class OutputError(SightlineSparkError):
    """The output cannot be written, or belongs to another job."""


class ModelError(SightlineSparkError):
    """The model cannot be found, downloaded or verified."""


def sentence(error: BaseException) -> str:
    """The first line of an error, for a row or for standard error."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, SightlineSparkError):
        return f"{error.strerror.lower()}."
    text = str(error).strip().splitlines()
    return text[0] if text and text[0] else type(error).__name__
