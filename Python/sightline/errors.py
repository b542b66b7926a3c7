"""Errors whose text is one sentence: what failed, where, and the next step."""


class SightlineError(Exception):
    """The base of all errors of this package."""


class ProgramError(SightlineError):
    """The program sightline cannot run here: it is missing, or cannot load its model, or does not know an option."""


class PictureError(SightlineError):
    """A picture has no result: it cannot be read, is damaged or too large, or ended the program twice."""

    def __init__(self, picture: str, reason: str) -> None:
        """Creates an error.

        Args:
            picture: the path of the picture; `picture` if it has none.
            reason: a sentence, which may begin with the picture.
        """
        super().__init__(picture, reason)
        self.picture = picture
        self.reason = reason

    def __str__(self) -> str:
        has_name = self.reason.startswith((f"{self.picture} ", f"The file {self.picture} "))
        return self.reason if has_name else f"{self.picture}: {self.reason}"


class VideoError(SightlineError):
    """A video or stream cannot be read to its end."""


def last_line(text: str) -> str:
    """The last line that a program wrote to standard error, without the name of the program; empty if there is none."""
    lines = text.strip().splitlines()
    line = lines[-1] if lines else ""
    for prefix in ("error: ", "Error: ", "sightline: "):
        line = line.removeprefix(prefix)
    return line


def said(text: str) -> str:
    """The last line of standard error that is about an error; empty if there is none.

    LiteRT writes lines about its kernels there, too.
    """
    lines = [line for line in text.splitlines() if line.lower().startswith("error: ") or "Fatal error: " in line]
    return last_line(lines[-1]) if lines else ""
