"""Errors whose text is one sentence: what failed, where, and the next step."""

import re

# Half a character of UTF-16, which is not a character of a text. From U+DC80 on, it stands for a byte.
_SURROGATES = re.compile("[\ud800-\udfff]")


class SightlineError(Exception):
    """The base of all errors of this package."""

    def __init__(self, *texts: str) -> None:
        """Creates an error with texts that can be printed and written to files."""
        super().__init__(*map(printed, texts))


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
        self.picture, self.reason = printed(picture), printed(reason)

    def __str__(self) -> str:
        has_name = self.reason.startswith((f"{self.picture} ", f"The file {self.picture} "))
        return self.reason if has_name else f"{self.picture}: {self.reason}"


class TrainingError(SightlineError):
    """Pictures from which no model can be made, or a folder into which it cannot be written."""


class VideoError(SightlineError):
    """A video or stream cannot be read to its end."""


def printed(text: str) -> str:
    """The text with bytes of a file name that are not UTF-8 as sightline prints them, for example \\xE9.

    Python has surrogates in their place, which no file and no terminal takes.
    """
    return text if text.isascii() else _SURROGATES.sub(_printed, text)


def _printed(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code - 0xDC00:02X}" if 0xDC80 <= code <= 0xDCFF else "\N{REPLACEMENT CHARACTER}"


def last_line(text: str) -> str:
    """The last line that a program wrote to standard error, without the name of the program; empty if there is none."""
    lines = text.strip().splitlines()
    line = lines[-1] if lines else ""
    for prefix in ("error: ", "Error: ", "sightline: "):
        line = line.removeprefix(prefix)
    return line


def said(text: str) -> str:
    """The last line of standard error with an error; empty if there is none.

    LiteRT also writes lines about its kernels there.
    """
    lines = [line for line in text.splitlines() if line.lower().startswith("error: ") or "Fatal error: " in line]
    return last_line(lines[-1]) if lines else ""
