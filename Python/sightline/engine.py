"""Keeps a sightline process busy with pictures, and continues when a picture ends the process.

Threads share an engine. Each puts its pictures at the end of one queue. One of the threads that wait leads: it writes,
reads, and gives the answers to all. When it has its own answer, the next one leads. So the engine
needs no thread, and leaves none behind.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from .errors import ProgramError
from .frames import Entry, Picture, belongs, entry_of, error_line, has_room, header
from .process import FrameProcess

# A picture is given up when it has ended this many processes; the last of them had no other picture.
MAXIMUM_DEATHS = 2
# A start that a signal ended may have been an accident, for example a lack of memory.
MAXIMUM_STARTS = 3
HANDSHAKE = "handshake"


@dataclass
class _Slot:
    """The running process, apart from the engine, so that it can be ended when the engine is gone."""

    process: FrameProcess | None = None

    def take(self) -> FrameProcess | None:
        process, self.process = self.process, None
        return process

    def kill(self) -> None:
        if process := self.take():
            process.kill()


class Engine:
    """A sightline process that is started when the first picture comes, and again after a picture ended it.

    A picture that ends or hangs the process twice gets an answer with an error. Nothing is lost: the pictures that were
    under way are sent again. Any number of threads may use an engine. A process that is forked starts a program of its
    own when it uses the engine.
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
        # Guards the following values. The process belongs to the thread that leads. Another thread may wake it, so
        # it is also taken away under the guard, before its pipes close.
        self._changed = threading.Condition()
        self._is_led = False
        # Pictures without an answer, in the order in which they were given. Those that were sent come first.
        self._queue: deque[Entry] = deque()
        # Whether the first picture is sent alone, because it may be the one that ended a process.
        self._is_careful = False
        # The seconds for which a thread has waited for the first picture's answer.
        self._silence = 0.0
        self._slot = _Slot()
        weakref.finalize(self, self._slot.kill)
        _engines.add(self)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """The number of the running process, for tests."""
        process = self._slot.process
        return process.child.pid if process else None

    def start(self) -> None:
        """Starts the process, unless it runs.

        Raises:
            ProgramError: it cannot be started, or cannot load its models.
        """
        with self._leading():
            if not self._slot.process:
                self._start()

    def answer(self, picture: Picture) -> bytes:
        """A line of JSON for a picture, without the line feed.

        Raises:
            ProgramError: the process cannot be started, or says something else than answers.
        """
        entry = self._give(picture)
        try:
            return self._wait(entry)
        finally:
            self._abandon([entry])

    def answers(self, pictures: Iterable[Picture]) -> Iterator[bytes]:
        """A line of JSON for each picture, in order, without the line feed.

        Pictures are taken a few at a time, so that any number of them fits into memory. An error of their source comes
        after the answers for the pictures before it.

        Raises:
            ProgramError: the process cannot be started, or says something else than answers.
        """
        source = iter(pictures)
        window: deque[Entry] = deque()
        is_finished = False
        failure: Exception | None = None
        try:
            while True:
                while window and (answer := window[0].answer) is not None:
                    window.popleft()
                    yield answer
                if not is_finished and has_room(window):
                    try:
                        if (picture := next(source, None)) is not None:
                            window.append(self._give(picture))
                    except Exception as error:
                        picture, failure = None, error
                    if picture is None:
                        is_finished = True
                    else:
                        self._write_ahead()
                elif window:
                    self._wait(window[0])
                elif failure:
                    raise failure
                else:
                    return
        finally:
            self._abandon(window)

    def close(self) -> None:
        """Ends the process after the pictures that other threads wait for. The engine may be used again."""
        with self._leading():
            if process := self._take_process():
                process.close()
            self._stop()

    def _give(self, picture: Picture) -> Entry:
        """Puts a picture at the end of the queue, unless its answer is known."""
        entry = entry_of(picture)
        if entry.answer is None:
            with self._changed:
                if not self._queue:
                    self._silence = 0
                self._queue.append(entry)
                process = self._slot.process
                if self._is_led and process:
                    process.wake()
        return entry

    def _wait(self, entry: Entry) -> bytes:
        """The answer to a picture. The calling thread leads while no other does."""
        while entry.answer is None:
            with self._leading(unless=lambda: entry.answer is not None) as leads:
                while leads and entry.answer is None:
                    self._step(may_wait=True)
        return entry.answer

    def _write_ahead(self) -> None:
        """Writes and reads as much as possible without waiting, unless another thread leads."""
        with self._leading(unless=lambda: self._is_led) as leads:
            if leads:
                self._step(may_wait=False)

    @contextlib.contextmanager
    def _leading(self, unless: Callable[[], bool] = lambda: False) -> Iterator[bool]:
        """Waits until the calling thread leads, or until something is so that it need not. Says whether it leads."""
        with self._changed:
            while self._is_led and not unless():
                self._changed.wait()
            leads = not unless()
            self._is_led = self._is_led or leads
        if not leads:
            yield False
            return
        try:
            yield True
        except BaseException:
            # The next line of the process may not be the expected one.
            self._stop()
            raise
        finally:
            self._end_leading()

    def _end_leading(self) -> None:
        with self._changed:
            self._is_led = False
            self._changed.notify_all()

    def _step(self, may_wait: bool) -> None:
        """Sends new pictures and takes the answers that arrive; the calling thread leads."""
        if self._is_useless():
            self._stop()
        if not self._queue:
            return
        process = self._slot.process or self._start()
        with self._changed:
            first = self._queue[0]
            new = [entry for entry in ([first] if self._is_careful else self._queue) if not entry.is_sent]
            for entry in new:
                entry.is_sent = True
        for entry in new:
            process.send(entry.header, entry.content)
        before = monotonic()
        lines = process.exchange(max(self.limit - self._silence, 0) if may_wait else 0)
        # Only time in which a thread waited counts: that of a slow source, or of a slow user, is not the picture's.
        self._silence += monotonic() - before
        if lines:
            for line in lines:
                self._take(line)
        elif process.has_ended or (may_wait and self._silence >= self.limit):
            self._blame(process, first)

    def _take(self, line: bytes) -> None:
        """Gives a line to the first picture, since answers come in order."""
        with self._changed:
            entry = self._queue[0] if self._queue else None
            if entry is None or not entry.is_sent or not belongs(line, entry.frame_name):
                shown = line[:80].decode(errors="replace")
                raise ProgramError(
                    f"{self.command[0]} gave an answer that belongs to no picture ({shown}); report this."
                )
            self._finish(entry, line)

    def _finish(self, entry: Entry, answer: bytes) -> None:
        entry.answer = answer
        self._queue.popleft()
        self._is_careful = False
        self._silence = 0
        self._changed.notify_all()

    def _blame(self, process: FrameProcess, first: Entry) -> None:
        """Ends a process that has ended or hangs. The first picture without an answer is the reason."""
        reason = process.end_reason() or f"gave no answer for {self.limit:g} s"
        text = process.said
        self._stop()
        with self._changed:
            if first.is_abandoned:
                return
            first.deaths += 1
            if first.deaths >= MAXIMUM_DEATHS:
                end = f"on this picture: {text}" if text else "on this picture."
                self._finish(first, error_line(first.name, f"sightline {reason} {end}"))
            else:
                # Alone, a picture answers only for itself.
                self._is_careful = True

    def _abandon(self, entries: Iterable[Entry]) -> None:
        """Forgets pictures for whose answers no thread waits."""
        with self._changed:
            for entry in entries:
                if entry.answer is None:
                    entry.is_abandoned = True
                    if not entry.is_sent:
                        with contextlib.suppress(ValueError):
                            self._queue.remove(entry)
            leads = not self._is_led and self._is_useless()
            self._is_led = self._is_led or leads
        if leads:
            try:
                self._stop()
            finally:
                self._end_leading()

    def _is_useless(self) -> bool:
        """Whether no thread waits for any picture in the process, so that a new picture would wait in vain."""
        sent = [entry for entry in self._queue if entry.is_sent]
        return bool(sent) and all(entry.is_abandoned for entry in sent)

    def _stop(self) -> None:
        """Kills the process; pictures that were sent are sent again to the next one. The calling thread leads."""
        if process := self._take_process():
            process.kill()
        with self._changed:
            self._silence = 0
            kept = [entry for entry in self._queue if not entry.is_abandoned]
            self._queue.clear()
            self._queue.extend(kept)
            for entry in kept:
                entry.is_sent = False

    def _take_process(self) -> FrameProcess | None:
        """Takes the process from the threads that may wake it. Otherwise they would write to a pipe that is closed."""
        with self._changed:
            return self._slot.take()

    def _start(self) -> FrameProcess:
        """Starts a process, and waits until it has shown that it can answer."""
        for _ in range(MAXIMUM_STARTS):
            self.starts += 1
            process = FrameProcess(self.command)
            try:
                process.send(header(HANDSHAKE, 0))
                end = monotonic() + self.start_limit
                lines: list[bytes] = []
                while not lines and not process.has_ended and monotonic() < end:
                    lines = process.exchange(end - monotonic())
                if len(lines) == 1 and belongs(lines[0], HANDSHAKE):
                    self._slot.process = process
                    # A start has its own limit.
                    self._silence = 0
                    return process
                reason = process.end_reason() or f"was not ready after {self.start_limit:g} s"
                text, said, was_ended = process.error_text, process.said, process.was_ended_by_signal
            finally:
                if self._slot.process is not process:
                    process.kill()
            if not was_ended:
                break
        if said and not was_ended:
            raise ProgramError(said)
        raise ProgramError(f"{' '.join(self.command[:2])} {reason}{': ' + text if text else '.'}")

    def _forget(self) -> None:
        """Leaves the process to the parent, in a process that was forked. Pictures without an answer begin again."""
        if process := self._slot.take():
            process.leave()
        self._changed = threading.Condition()
        self._is_led = self._is_careful = False
        self._stop()


# A parent's locks may be held forever in its child, and a pipe that the child holds open would keep the program from
# seeing its end.
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


def _forget_all() -> None:
    for engine in list(_engines):
        engine._forget()


os.register_at_fork(after_in_child=_forget_all)
