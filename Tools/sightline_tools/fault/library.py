"""Runs a program in which one call fails, or that ends at one call."""

import os
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..programs import Word

SOURCE = Path(__file__).with_name("calls.c")
# struct record of calls.c.
RECORD = struct.Struct("qq256s")
# No run on the small inputs takes longer, also on a busy machine.
SECONDS = 120


@dataclass(frozen=True)
class Fault:
    """A call, by its number from 1 on, and what happens there: `once`, `full` or `kill`, as calls.c describes them."""

    at: int
    mode: str
    # "calls", or "memory" for allocations.
    kind: str = "calls"


@dataclass(frozen=True)
class Run:
    """A run that has ended."""

    # Negative: the signal that ended it.
    status: int
    errors: str
    # The calls that were counted, and whether one of them failed.
    calls: int
    has_fired: bool
    # The first call that failed.
    call: str


class Injector:
    """The library, compiled into a folder."""

    def __init__(self, folder: Path) -> None:
        self.library, self.record = folder / "fault.so", folder / "record"
        words: list[Word] = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", self.library, SOURCE]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: {SOURCE.name} does not compile:\n{done.stderr}")

    def run(self, words: Sequence[Word], folder: Path, environment: Mapping[str, str], fault: Fault) -> Run:
        """Runs a program to its end. A fault at 0 only counts."""
        self.record.write_bytes(bytes(RECORD.size))
        variables = {
            **os.environ,
            **environment,
            "LD_PRELOAD": str(self.library),
            "FAULT_RECORD": str(self.record),
            "FAULT_AT": str(fault.at),
            "FAULT_MODE": fault.mode,
            "FAULT_KIND": fault.kind,
        }
        try:
            done = subprocess.run(
                words, cwd=folder, env=variables, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL
            )
            status, errors = done.returncode, done.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            status, errors = 124, f"it does not end within {SECONDS} s"
        calls, fired, name = RECORD.unpack(self.record.read_bytes())
        return Run(status, errors, calls, fired > 0, name.split(b"\0")[0].decode(errors="replace").strip())
