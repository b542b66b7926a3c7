"""The growth of what a program uses, and the time until it is full."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..programs import anonymous_megabytes, descriptor_count, resident_megabytes, thread_count

MEBIBYTE = 1 << 20


def size(path: Path) -> int:
    """The bytes of a file or of all files in a folder, 0 if it is absent."""
    if path.is_dir():
        return sum(size(inner) for inner in path.iterdir())
    try:
        return path.stat().st_size
    except OSError:
        return 0


@dataclass
class Moment:
    """The use of memory, descriptors, threads and disk at a moment."""

    resident: float
    anonymous: float
    descriptors: int
    threads: int
    disk: int

    @classmethod
    def of(cls, process: int, folder: Path) -> "Moment":
        """The present use of a process, and of the folder in which it writes."""
        return cls(
            resident_megabytes(process),
            anonymous_megabytes(process),
            descriptor_count(process),
            thread_count(process),
            size(folder),
        )


@dataclass
class Course:
    """The use of a process over time, by the part of the work that is done."""

    process: int
    folder: Path
    begin: float = field(default_factory=time.monotonic)
    moments: list[tuple[float, Moment]] = field(default_factory=list)

    def note(self, part: float) -> None:
        """Notes the present use; `part` goes from 0 to 1."""
        self.moments.append((part, Moment.of(self.process, self.folder)))

    def at(self, part: float) -> Moment:
        """The first moment at which a part of the work was done, or else the last one."""
        return next((moment for done, moment in self.moments if done >= part), self.moments[-1][1])

    def rows(self) -> list[list[str]]:
        """The rows of a table, with the use at the start, at quarters and at the end."""
        moments = [self.at(part) for part in (0, 0.25, 0.5, 0.75, 1)]

        def row(name: str, value: Callable[[Moment], str]) -> list[str]:
            return [name, *(value(moment) for moment in moments)]

        return [
            row("resident memory, MB", lambda one: f"{one.resident:.0f}"),
            row("of it anonymous, MB", lambda one: f"{one.anonymous:.0f}"),
            row("descriptors", lambda one: str(one.descriptors)),
            row("threads", lambda one: str(one.threads)),
            row("disk, MB", lambda one: f"{one.disk / MEBIBYTE:.1f}"),
        ]


@dataclass
class Thing:
    """Something that grows: its bytes in a month, and its bound, if it has one."""

    name: str
    bytes_in_month: float
    bound: str = ""
    bound_bytes: float | None = None

    def row(self, disk: float) -> list[str]:
        """The row of a table: what a month adds, the bound, and the time until the bound or the disk is full."""
        months = (self.bound_bytes if self.bound_bytes is not None else disk) / max(self.bytes_in_month, 1e-9)
        full = "bounded" if self.bound and self.bound_bytes is None else duration(months)
        return [self.name, amount(self.bytes_in_month), self.bound or "none: the disk", full]


def amount(count: float) -> str:
    """Bytes as text with two digits that matter, such as `61 kB`."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.2g} {unit}" if count < 10 else f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def duration(months: float) -> str:
    """A number of months as text."""
    if months < 2:
        return f"{months * 30:.0f} days"
    if months < 24:
        return f"{months:.0f} months"
    return f"{months / 12:.0f} years" if months < 12_000 else "never"


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown, with numbers at the right."""
    marks = ["---"] + ["--:"] * (len(heading) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [heading, marks, *rows])
