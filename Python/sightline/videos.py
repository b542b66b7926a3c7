"""Runs `sightline track` on one video, and other commands that write lines."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from typing import IO

from .errors import ProgramError, last_line
from .process import ERROR_TAIL

# The exit code of sightline for a wrong command line.
USAGE_ERROR = 64
# The seconds in which a program ends that was asked to. It may have to finish a video.
END = 10


def lines_of_video(
    command: Sequence[str], limit: float | None, runs: int = 1, tail: Callable[[bytes], int] | None = None
) -> Iterator[bytes | str]:
    """A line of JSON for each frame; then the reason, as text, if the video could not be read to its end.

    The program ends with the iterator.

    Args:
        command: the program and its arguments.
        limit: the seconds without a new frame; None if frames may come at any time.
        runs: how often a run is begun that a signal ends. The next run continues after the last frame that came, so the
            video must be one that can be read again.
        tail: the number of bytes behind a line, which are given with it, after its line feed.

    Raises:
        ProgramError: the program cannot be started, or does not know an option.
    """
    given = 0
    for number in range(1, runs + 1):
        reason: str | None = None
        for index, line in enumerate(lines_of_program(command, "this video", limit, tail)):
            if isinstance(line, str):
                reason = line
            elif index >= given:
                given += 1
                yield line
        if reason is None:
            return
        if not reason.startswith("sightline ") or number == runs:
            yield reason
            return


def lines_of_program(
    command: Sequence[str],
    subject: str,
    limit: float | None = None,
    tail: Callable[[bytes], int] | None = None,
    receive: Callable[[str], object] = lambda line: None,
    successes: Collection[int] = (0,),
) -> Generator[bytes | str, None, None]:
    """The lines of a program; then the reason, as text, if it failed.

    The program ends with the iterator.

    Args:
        command: the program and its arguments.
        subject: the input of the program, for the reason.
        limit: the seconds without a new line; None if lines may come at any time.
        tail: the number of bytes behind a line, which are given with it, after its line feed.
        receive: called with each line of standard error, at the end of a program that succeeded.
        successes: the exit codes of a program that succeeded.

    Raises:
        ProgramError: the program cannot be started, or does not know an option.
    """
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
            raise ProgramError(f"{command[0]} cannot be started ({reason}); check the path of the program.") from None
        hangs = False
        try:
            assert child.stdout
            selector.register(child.stdout, selectors.EVENT_READ)
            reader = _Reader(child.stdout, selector, limit)
            try:
                while (line := reader.line()) is not None:
                    yield line if tail is None else line + b"\n" + reader.exactly(tail(line))
            except TimeoutError:
                hangs = True
                yield f"sightline gave no frame for {limit:g} s on {subject}."
                return
            except EOFError:
                pass
            code = child.wait()
            if code < 0:
                yield f"sightline was ended by signal {-code} on {subject}."
                return
            errors.seek(max(errors.seek(0, os.SEEK_END) - ERROR_TAIL, 0))
            said = errors.read().decode(errors="replace")
            if code not in successes or reader.has_part:
                text = last_line(said)
                if code == USAGE_ERROR:
                    raise ProgramError(text or "sightline does not know these options.")
                yield text or f"sightline ended with the exit code {code} on {subject}."
                return
            for text in said.splitlines():
                receive(last_line(text))
        finally:
            _end(child, hangs)


def _end(child: subprocess.Popen[bytes], hangs: bool) -> None:
    """Ends a program as Ctrl-C does, so that the files it writes are complete; one that does not end is killed."""
    if child.stdout:
        # A program that waits for a reader sees that there is none.
        with contextlib.suppress(OSError):
            child.stdout.close()
    if not hangs and child.poll() is None:
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(END)
    child.kill()
    child.wait()


class _Reader:
    """Lines, and bytes between them, from a pipe."""

    def __init__(self, pipe: IO[bytes], selector: selectors.BaseSelector, limit: float | None) -> None:
        self._pipe, self._selector, self._limit = pipe, selector, limit
        self._buffer = bytearray()

    @property
    def has_part(self) -> bool:
        """Whether the input ended within a line, or within the bytes behind it."""
        return bool(self._buffer)

    def line(self) -> bytes | None:
        """The next line without its line feed; None at the end, of which a part of a line may remain.

        Raises:
            TimeoutError: nothing came in time.
        """
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if not self._fill():
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def exactly(self, count: int) -> bytes:
        """This many bytes.

        Raises:
            TimeoutError: nothing came in time.
            EOFError: the input ended before.
        """
        while len(self._buffer) < count:
            if not self._fill():
                # A part is left behind, also if it is empty.
                self._buffer += b"."
                raise EOFError
        content = bytes(self._buffer[:count])
        del self._buffer[:count]
        return content

    def _fill(self) -> bool:
        if not self._selector.select(self._limit):
            raise TimeoutError
        data = os.read(self._pipe.fileno(), 1 << 18)
        self._buffer += data
        return bool(data)
