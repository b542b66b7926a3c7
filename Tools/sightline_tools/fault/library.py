"""Runs a program in which one call fails, or that ends at one call."""

import os
import re
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..programs import Word
from ..waiting import until

SOURCE = Path(__file__).with_name("calls.c")
# struct record of calls.c.
RECORD = struct.Struct("qq256s")
# No run on the small inputs takes longer, also on a busy machine.
SECONDS = 300


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
    output: str
    errors: str
    # The calls that were counted, and whether one of them failed.
    calls: int
    has_fired: bool
    # The first call that failed.
    call: str


class Running:
    """A program that runs. What it prints is read all the time, so that it never waits for a reader."""

    def __init__(self, words: Sequence[Word], folder: Path, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        self.deadline = time.monotonic() + SECONDS
        self.output = self.errors = b""
        self.readers = [threading.Thread(target=reader) for reader in (self.read_errors, self.read_output)]
        for reader in self.readers:
            reader.start()

    def read_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors += line

    def read_output(self) -> None:
        assert self.process.stdout
        self.output = self.process.stdout.read()

    def found(self, pattern: str, seconds: float = 30) -> "re.Match[str] | None":
        """The first match of a pattern in the error output, once there is one; None if the program ends before."""
        found: list[re.Match[str]] = []

        def is_found() -> bool:
            found.extend(re.finditer(pattern, self.errors.decode(errors="replace")))
            return bool(found)

        self.until(is_found, seconds)
        return found[0] if found else None

    def until(self, condition: Callable[[], bool], seconds: float = 30) -> bool:
        """Waits until a condition holds or the program ends; returns whether it holds."""
        seconds = min(seconds, self.deadline - time.monotonic())
        until(lambda: condition() or self.process.poll() is not None, seconds)
        return condition()

    def ends(self, seconds: float) -> bool:
        """Whether the program ends in time."""
        return until(lambda: self.process.poll() is not None, seconds)

    def end(self) -> int:
        """Waits for the end, and returns the exit code."""
        try:
            status = self.process.wait(max(self.deadline - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status, self.errors = 124, f"it does not end within {SECONDS} s: ".encode() + self.errors[-300:]
        for reader in self.readers:
            # A child of a killed program may hold the pipe for a moment.
            reader.join(10)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        return status


class Injector:
    """The library, compiled into a folder."""

    def __init__(self, folder: Path) -> None:
        self.library, self.record = folder / "fault.so", folder / "record"
        words: list[Word] = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", self.library, SOURCE]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: {SOURCE.name} does not compile:\n{done.stderr}")

    def run(
        self,
        words: Sequence[Word],
        folder: Path,
        environment: Mapping[str, str],
        fault: Fault,
        accompany: Callable[[Running], None],
    ) -> Run:
        """Runs a program to its end, while a function uses it. A fault at 0 only counts."""
        self.record.write_bytes(bytes(RECORD.size))
        variables = {
            **os.environ,
            **environment,
            "LD_PRELOAD": str(self.library),
            "FAULT_RECORD": str(self.record),
            "FAULT_AT": str(fault.at),
            "FAULT_MODE": fault.mode,
            "FAULT_KIND": fault.kind,
            # Swift's own backtraces of a program that has no memory take seconds.
            "SWIFT_BACKTRACE": "enable=no",
        }
        running = Running(words, folder, variables)
        try:
            accompany(running)
        except BaseException:
            running.process.kill()
            raise
        finally:
            status = running.end()
        calls, fired, name = RECORD.unpack(self.record.read_bytes())
        output, errors = (text.decode(errors="replace") for text in (running.output, running.errors))
        return Run(status, output, errors, calls, fired > 0, name.split(b"\0")[0].decode(errors="replace").strip())
