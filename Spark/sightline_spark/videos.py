"""Runs `sightline track` on one video."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import IO

from .errors import EngineError, last_line

# A video that ends the program this often is given up.
MAXIMUM_RUNS = 2
# The exit code of sightline for a wrong command line.
USAGE_ERROR = 64


def lines_of_video(command: list[str], limit: float) -> Iterator[bytes | str]:
    """A line of JSON for each frame; then the reason, as text, if the video could not be read to its end.

    A run that a signal ended is done again, from the frame after the last one that came.

    Args:
        command: the program and its arguments.
        limit: the seconds without a new frame.

    Raises:
        EngineError: the program cannot be started.
    """
    given = 0
    for number in range(1, MAXIMUM_RUNS + 1):
        reason: str | None = None
        for index, line in enumerate(_run(command, limit)):
            if isinstance(line, str):
                reason = line
            elif index >= given:
                given += 1
                yield line
        if reason is None:
            return
        if not reason.startswith("sightline ") or number == MAXIMUM_RUNS:
            yield reason
            return


def _run(command: list[str], limit: float) -> Iterator[bytes | str]:
    with tempfile.TemporaryFile() as errors, selectors.DefaultSelector() as selector:
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise EngineError(f"{command[0]} cannot be started ({reason}); name the program with --program.") from None
        try:
            assert child.stdout
            selector.register(child.stdout, selectors.EVENT_READ)
            part, lines = b"", _lines(child.stdout, selector, limit)
            for line in lines:
                if line is None:
                    yield f"sightline gave no frame for {limit:g} s on this video."
                    return
                if not line.endswith(b"\n"):
                    part = line
                    break
                yield line[:-1]
            code = child.wait()
            if code < 0:
                yield f"sightline was ended by signal {-code} on this video."
            elif code > 0 or part:
                errors.seek(max(errors.seek(0, os.SEEK_END) - 4096, 0))
                text = last_line(errors.read().decode(errors="replace"))
                if code == USAGE_ERROR:
                    raise EngineError(text or "sightline does not know these options.")
                yield text or f"The video failed with the exit code {code}."
        finally:
            child.kill()
            child.wait()
            with contextlib.suppress(OSError):
                if child.stdout:
                    child.stdout.close()


def _lines(pipe: IO[bytes], selector: selectors.BaseSelector, limit: float) -> Iterator[bytes | None]:
    """Lines with their line feeds; the last may have none; None if nothing came in time."""
    part = b""
    while True:
        end = time.monotonic() + limit
        if not selector.select(max(end - time.monotonic(), 0)):
            yield None
            return
        data = os.read(pipe.fileno(), 1 << 18)
        if not data:
            if part:
                yield part
            return
        *lines, part = (part + data).split(b"\n")
        for line in lines:
            yield line + b"\n"
