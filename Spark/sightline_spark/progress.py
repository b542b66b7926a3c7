"""A line on a terminal that says how far the job is."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator


def duration(seconds: float) -> str:
    """A duration for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def line(noun: str, done: int, total: int, failures: int, seconds: float, before: int = 0) -> str:
    """The text of the line.

    Args:
        noun: the counted things.
        done: the number of finished ones, including those of earlier runs.
        total: how many there are.
        failures: how many have failed.
        seconds: since this run began to work.
        before: how many earlier runs have done.
    """
    rate = (done - before) / seconds if seconds > 0 else 0.0
    parts = [f"{done:,} of {max(total, done):,} {noun}", f"{failures:,} failed", f"{rate:.0f}/s"]
    if rate > 0:
        parts.append(f"{duration(max(total - done, 0) / rate)} left")
    return ", ".join(parts)


class Line:
    """A line of standard error that is written over itself; nothing if that is not a terminal."""

    def __init__(self) -> None:
        self.is_shown = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Writes the text over the last one."""
        if self.is_shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Removes the text."""
        self.show("")

    @contextlib.contextmanager
    def following(self, text: Callable[[], str], every: float = 0.5) -> Iterator[None]:
        """Shows the text again and again."""
        if not self.is_shown:
            yield
            return
        over = threading.Event()

        def follow() -> None:
            while not over.wait(every):
                self.show(text())

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self.clear()


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return time.monotonic() - self._start
