"""Programs that run to their end, and facts about running ones."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .places import ROOT

Word = str | os.PathLike[str]


def output(command: Sequence[Word], folder: Path = ROOT) -> str:
    """The output of a program. A program that fails ends this one, with all that it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        start = " ".join(words[:8]) + (" …" if len(words) > 8 else "")
        sys.exit(f"error: {start} failed.\n{done.stdout}{done.stderr}")
    return done.stdout


def peak_megabytes(process: int) -> int:
    """The most resident memory that a process has had, 0 if it has ended."""
    return _status(process, "VmHWM") // 1024


def resident_megabytes(process: int) -> float:
    """The resident memory of a process, 0 if it has ended."""
    return _status(process, "VmRSS") / 1024


def anonymous_megabytes(process: int) -> float:
    """The resident memory of a process that belongs to no file, 0 if it has ended."""
    return _status(process, "RssAnon") / 1024


def thread_count(process: int) -> int:
    """The number of threads of a process, 0 if it has ended."""
    return _status(process, "Threads")


def descriptor_count(process: int) -> int:
    """The number of open files and connections of a process, 0 if it has ended."""
    try:
        return len(list(Path(f"/proc/{process}/fd").iterdir()))
    except OSError:
        return 0


def _status(process: int, field: str) -> int:
    """A field of the kernel's description of a process: a number, or kilobytes."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


def processor_seconds(process: int) -> float:
    """Seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
