"""Keeps a sightline process busy with pictures, and goes on when a picture ends the process.

This module knows nothing of Spark, and needs nothing but Python.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .errors import EngineError, last_line

# The protocol's limit for the name of a picture, in bytes.
MAXIMUM_NAME = 4096
# Pictures that were sent and have no answer yet. The pipe holds a megabyte of them, the rest waits in this process.
WINDOW_PICTURES, WINDOW_BYTES = 64, 16 << 20
# How much of standard error is kept for messages.
ERROR_TAIL = 4096
# A picture is given up when it has ended this many processes; the last of them had no other picture.
MAXIMUM_DEATHS = 2
# A start that a signal ended may have been an accident, for example a lack of memory.
MAXIMUM_STARTS = 3
HANDSHAKE = "handshake"


@dataclass(frozen=True)
class Picture:
    """A picture to analyze: a name for its answer, and its bytes or the reason why there are none."""

    name: str
    content: bytes | memoryview = b""
    error: str | None = None
    # Whether the file could not be opened, which may be the fault of the machine.
    is_unreachable: bool = False


@dataclass
class _Entry:
    """A picture without an answer that was given to the caller."""

    name: str
    frame_name: str
    content: bytes | memoryview
    size: int
    answer: bytes | None = None
    deaths: int = 0
    is_sent: bool = False


class Engine:
    """A sightline process that is started when the first picture comes, and again after a picture ended it.

    A picture that ends or hangs the process twice gets an answer with an error. Nothing is lost: the pictures that were
    under way are sent again. An engine serves one thread at a time.
    """

    def __init__(self, command: Sequence[str], limit: float = 120.0, start_limit: float = 300.0) -> None:
        """Creates an engine; no process is started yet.

        Args:
            command: the program and its arguments, which make it read frames and write lines of JSON.
            limit: the seconds that one picture may take.
            start_limit: the seconds that the process may take until it has loaded its models.
        """
        self.command = list(command)
        self.limit = limit
        self.start_limit = start_limit
        self.starts = 0
        self._process: _Process | None = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """The number of the running process, for tests."""
        return self._process.child.pid if self._process else None

    def answers(self, pictures: Iterable[Picture]) -> Iterator[bytes]:
        """A line of JSON for each picture, in order, without the line feed.

        Pictures are taken a few at a time, so that any number of them fits into memory.

        Raises:
            EngineError: the process cannot be started, or says something else than answers.
        """
        source = iter(pictures)
        window: deque[_Entry] = deque()
        is_finished = is_careful = False
        clock = time.monotonic()
        try:
            while True:
                while window and (answer := window[0].answer) is not None:
                    window.popleft()
                    yield answer
                if not is_finished and _has_room(window):
                    before = time.monotonic()
                    picture = next(source, None)
                    now = time.monotonic()
                    # The source's time is not the picture's.
                    clock = now if not window else clock + now - before
                    if picture is None:
                        is_finished = True
                    else:
                        window.append(_entry(picture))
                if not window:
                    if is_finished:
                        return
                    continue
                waiting = window[0]
                if waiting.answer is not None:
                    continue
                if self._process is None:
                    self._start()
                    # A start has a limit of its own.
                    clock = time.monotonic()
                process = self._process
                assert process
                for entry in [waiting] if is_careful else window:
                    if not entry.is_sent and entry.answer is None:
                        entry.is_sent = True
                        process.send(entry.frame_name, entry.content)
                may_wait = is_finished or not _has_room(window)
                rest = clock + self.limit - time.monotonic()
                lines = process.exchange(max(rest, 0) if may_wait else 0)
                for line in lines:
                    self._take(line, window)
                    is_careful = False
                if lines:
                    clock = time.monotonic()
                elif process.has_ended or (may_wait and time.monotonic() - clock >= self.limit):
                    # Answers come in order, so the first picture without one is the reason.
                    reason = process.end_reason() or f"gave no answer for {self.limit:g} s"
                    self._stop()
                    waiting.deaths += 1
                    if waiting.deaths >= MAXIMUM_DEATHS:
                        waiting.answer = error_line(waiting.name, f"sightline {reason} on this picture.")
                        is_careful = False
                    else:
                        # Alone, a picture answers only for itself.
                        is_careful = True
                    for entry in window:
                        entry.is_sent = False
                    clock = time.monotonic()
        finally:
            if any(entry.is_sent and entry.answer is None for entry in window):
                # It would answer later what nobody waits for any more.
                self._stop()

    def close(self) -> None:
        """Ends the process, and leaves nothing behind. The engine may be used again."""
        if self._process:
            self._process.close()
            self._process = None

    def _stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process = None

    def _take(self, line: bytes, window: deque[_Entry]) -> None:
        """Gives a line to the first picture that waits for one."""
        entry = next((entry for entry in window if entry.is_sent and entry.answer is None), None)
        if entry is None or not _belongs(line, entry.frame_name):
            self._stop()
            shown = line[:80].decode(errors="replace")
            raise EngineError(f"{self.command[0]} gave an answer that belongs to no picture ({shown}); report this.")
        entry.answer = line

    def _start(self) -> None:
        """Starts a process, and waits until it has shown that it can answer."""
        for number in range(MAXIMUM_STARTS):
            self.starts += 1
            process = _Process(self.command)
            process.send(HANDSHAKE, b"")
            end = time.monotonic() + self.start_limit
            lines: list[bytes] = []
            while not lines and not process.has_ended and time.monotonic() < end:
                lines = process.exchange(end - time.monotonic())
            if len(lines) == 1 and _belongs(lines[0], HANDSHAKE):
                self._process = process
                return
            reason = process.end_reason() or f"was not ready after {self.start_limit:g} s"
            said, was_ended = process.error_text, process.was_ended_by_signal
            process.kill()
            if not was_ended or number + 1 == MAXIMUM_STARTS:
                raise EngineError(f"{' '.join(self.command[:2])} {reason}{': ' + said if said else '.'}")


class _Process:
    """A running process, its pipes, and what is still to be written."""

    def __init__(self, command: list[str]) -> None:
        try:
            self.child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                # Ctrl-C is for the job, which ends the process.
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or "unknown error"
            raise EngineError(
                f"{command[0]} cannot be started ({reason.lower()}); name the program with --program."
            ) from None
        assert self.child.stdin and self.child.stdout and self.child.stderr
        self.stdin, self.stdout, self.stderr = self.child.stdin, self.child.stdout, self.child.stderr
        self.has_ended = False
        self._errors = b""
        self._part = b""
        self._to_write: deque[memoryview] = deque()
        self._selector = selectors.DefaultSelector()
        self._writes = False
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)
        # A larger pipe holds several pictures, so that the process does not wait for this one. A user has a limited
        # number of large pipes; small ones work too.
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.stdin.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)
        self._selector.register(self.stdout, selectors.EVENT_READ)
        self._selector.register(self.stderr, selectors.EVENT_READ)

    def send(self, name: str, content: bytes | memoryview) -> None:
        """Puts a frame at the end of what is to be written."""
        view = memoryview(content)
        self._to_write.append(memoryview(b"%d %s\n" % (view.nbytes, name.encode())))
        if view.nbytes:
            self._to_write.append(view.cast("B") if view.format != "B" or view.ndim != 1 else view)

    def exchange(self, timeout: float) -> list[bytes]:
        """Writes and reads what is possible, and waits at most `timeout` seconds until a line has come."""
        end = time.monotonic() + timeout
        while True:
            self._write()
            for key, _ in self._selector.select(max(end - time.monotonic(), 0)):
                if key.fileobj is self.stdout:
                    if lines := self._read():
                        return lines
                elif key.fileobj is self.stderr:
                    self._read_errors()
            if self.has_ended or time.monotonic() >= end:
                return []

    def _write(self) -> None:
        try:
            while self._to_write:
                count = os.writev(self.stdin.fileno(), [*self._first_views()])
                while count and self._to_write:
                    view = self._to_write.popleft()
                    if count < view.nbytes:
                        self._to_write.appendleft(view[count:])
                    count -= min(count, view.nbytes)
        except BlockingIOError:
            pass
        except (BrokenPipeError, ConnectionResetError):
            # The end of standard output says when the process has ended; it may have answers to give before.
            self._to_write.clear()
        writes = bool(self._to_write)
        if writes != self._writes:
            self._writes = writes
            if writes:
                self._selector.register(self.stdin, selectors.EVENT_WRITE)
            else:
                self._selector.unregister(self.stdin)

    def _first_views(self) -> Iterator[memoryview]:
        for number, view in enumerate(self._to_write):
            if number == 16:
                return
            yield view

    def _read(self) -> list[bytes]:
        try:
            data = os.read(self.stdout.fileno(), 1 << 18)
        except BlockingIOError:
            return []
        if not data:
            self.has_ended = True
            return []
        *lines, self._part = (self._part + data).split(b"\n") if self._part else data.split(b"\n")
        return lines

    def _read_errors(self) -> None:
        try:
            data = os.read(self.stderr.fileno(), 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(self.stderr)
        self._errors = (self._errors + data)[-ERROR_TAIL:]

    @property
    def error_text(self) -> str:
        """The last line of standard error."""
        return last_line(self._errors.decode(errors="replace"))

    def end_reason(self) -> str | None:
        """How the process ended; None if it runs."""
        if not self.has_ended:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.child.wait(2)
            with contextlib.suppress(OSError, ValueError):
                while data := os.read(self.stderr.fileno(), 1 << 16):
                    self._errors = (self._errors + data)[-ERROR_TAIL:]
            return f"was ended by signal {-code}" if code < 0 else f"ended with the exit code {code}"
        return "closed its output"

    @property
    def was_ended_by_signal(self) -> bool:
        """Whether the process is over, and not by itself."""
        return (self.child.poll() or 0) < 0

    def close(self) -> None:
        """Lets the process end at the end of its input; a process that does not is killed."""
        with contextlib.suppress(OSError):
            self.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(2)
        self.kill()

    def kill(self) -> None:
        """Kills the process, if it runs, and closes the pipes."""
        self.child.kill()
        self.child.wait()
        self._selector.close()
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


def error_line(name: str, reason: str) -> bytes:
    """The answer for a picture that sightline could not give itself."""
    return json.dumps({"image": name, "error": reason}, ensure_ascii=False, separators=(",", ":")).encode()


def _entry(picture: Picture) -> _Entry:
    name = picture.name
    try:
        usable = "\n" not in name and "\0" not in name and 0 < len(name.encode()) <= MAXIMUM_NAME
    except UnicodeEncodeError:
        usable = False
    entry = _Entry(name, name if usable else "picture", picture.content, memoryview(picture.content).nbytes)
    if picture.error is not None:
        entry.answer = error_line(name if usable else "picture", picture.error)
    return entry


def _has_room(window: deque[_Entry]) -> bool:
    return len(window) < WINDOW_PICTURES and sum(entry.size for entry in window) < WINDOW_BYTES


def _belongs(line: bytes, name: str) -> bool:
    """Whether a line is the answer for a name."""
    if line.startswith(b'{"image":' + json.dumps(name, ensure_ascii=False).encode()):
        return True
    try:
        answer = json.loads(line)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("image") == name
