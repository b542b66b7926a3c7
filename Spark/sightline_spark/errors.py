"""Errors whose text is one sentence: what failed, where, and the next step."""


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


def last_line(text: str) -> str:
    """The last line that a program wrote to standard error, without the name of the program; empty if there is none."""
    lines = text.strip().splitlines()
    line = lines[-1] if lines else ""
    for prefix in ("error: ", "Error: ", "sightline: "):
        line = line.removeprefix(prefix)
    return line


def sentence(error: BaseException) -> str:
    """The first line of an error, for a row or for standard error."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, SightlineSparkError):
        return f"{error.strerror.lower()}."
    text = str(error).strip().splitlines()
    return text[0] if text and text[0] else type(error).__name__
