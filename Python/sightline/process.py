"""A running sightline that reads pictures in frames and answers each by a line of JSON."""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from time import monotonic

from .errors import ProgramError, last_line, said

# How much of standard error is kept for messages.
ERROR_TAIL = 4096
# The largest size that an unprivileged user may set by default.
PIPE_BYTES = 1 << 20
# The largest number of parts that one system call writes here.
PARTS = 16


class FrameProcess:
    """A running process, its pipes, and its unwritten frames. It serves a single thread at a time, but for `wake`."""

    def __init__(self, command: Sequence[str]) -> None:
        """Starts the program.

        Raises:
            ProgramError: it cannot be started.
        """
        try:
            self.child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                # Ctrl-C is for this program, which ends the process.
                start_new_session=True,
            )
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise ProgramError(f"{command[0]} cannot be started ({reason}); check the path of the program.") from None
        assert self.child.stdin and self.child.stdout and self.child.stderr
        self.stdin, self.stdout, self.stderr = self.child.stdin, self.child.stdout, self.child.stderr
        self.has_ended = False
        self._errors = b""
        self._part = b""
        self._to_write: deque[memoryview] = deque()
        self._writes = False
        # Another thread writes a byte here when it has a picture for a thread that waits in `exchange`.
        self._woken, self._waker = os.pipe()
        for pipe in (self.stdin.fileno(), self.stdout.fileno(), self.stderr.fileno(), self._woken, self._waker):
            os.set_blocking(pipe, False)
        # A larger pipe holds several pictures, so that the process does not wait for this one. A user has a limited
        # number of large pipes; small ones work too. Only Linux can do that.
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with contextlib.suppress(OSError):
                fcntl.fcntl(self.stdin.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._selector = selectors.DefaultSelector()
        for source in (self.stdout, self.stderr, self._woken):
            self._selector.register(source, selectors.EVENT_READ)

    def send(self, header: bytes, content: memoryview | None = None) -> None:
        """Puts a frame behind the unwritten ones: its first line, and its bytes as a view without gaps."""
        self._to_write.append(memoryview(header))
        if content:
            self._to_write.append(content)

    def exchange(self, timeout: float) -> list[bytes]:
        """Writes and reads as much as possible, and waits until a line has come, for `timeout` seconds or `wake`."""
        end = monotonic() + timeout
        while True:
            self._write()
            is_woken = False
            for key, _ in self._selector.select(max(end - monotonic(), 0)):
                if key.fileobj is self.stdout:
                    if lines := self._read():
                        return lines
                elif key.fileobj is self.stderr:
                    self._read_errors()
                elif key.fileobj == self._woken:
                    is_woken = True
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._woken, 1 << 12)
            if self.has_ended or is_woken or monotonic() >= end:
                return []

    def wake(self) -> None:
        """Ends the wait of the thread that is in `exchange`, or its next one."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"!")

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
            if number == PARTS:
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

    @property
    def said(self) -> str:
        """The last line of standard error about an error; empty if there is none."""
        return said(self._errors.decode(errors="replace"))

    def end_reason(self) -> str | None:
        """The end of the process; None if it runs."""
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
        """Whether the process was ended from outside."""
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
        self._close_pipes()

    def leave(self) -> None:
        """Closes the pipes in a forked process, whose parent continues the program."""
        # Otherwise the object would wait for the program, and warn.
        self.child.returncode = 0
        self._close_pipes()

    def _close_pipes(self) -> None:
        self._selector.close()
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        for descriptor in (self._woken, self._waker):
            with contextlib.suppress(OSError):
                os.close(descriptor)
