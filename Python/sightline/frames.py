"""Pictures on their way through sightline, and the answers that belong to them."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass

# The protocol's limit for the name of a picture, in bytes.
MAXIMUM_NAME = 4096
# Pictures of an iteration that were sent and have no answer yet. The pipe holds a megabyte of them, the rest waits in
# this process.
WINDOW_PICTURES, WINDOW_BYTES = 64, 16 << 20


@dataclass(frozen=True)
class Picture:
    """A picture to analyze: a name for its answer, and its bytes or the reason why there are none."""

    name: str
    content: bytes | memoryview = b""
    error: str | None = None
    # Whether the file could not be opened, which may be the fault of the machine.
    is_unreachable: bool = False


@dataclass(eq=False)
class Entry:
    """A picture that was given to the engine."""

    name: str
    frame_name: str
    content: bytes | memoryview
    size: int
    answer: bytes | None = None
    deaths: int = 0
    is_sent: bool = False
    # Whether no thread waits for the answer any more.
    is_abandoned: bool = False


def error_line(name: str, reason: str) -> bytes:
    """The answer for a picture that sightline could not give itself."""
    return json.dumps({"image": name, "error": reason}, ensure_ascii=False, separators=(",", ":")).encode()


def entry_of(picture: Picture) -> Entry:
    """A picture for the queue of an engine, whose answer is known if it could not be read."""
    name = picture.name
    try:
        usable = "\n" not in name and "\0" not in name and 0 < len(name.encode()) <= MAXIMUM_NAME
    except UnicodeEncodeError:
        usable = False
    made = Entry(name, name if usable else "picture", picture.content, memoryview(picture.content).nbytes)
    if picture.error is not None:
        made.answer = error_line(name if usable else "picture", picture.error)
    return made


def has_room(window: deque[Entry]) -> bool:
    """Whether another picture may be sent before the answers to these."""
    return len(window) < WINDOW_PICTURES and sum(waiting.size for waiting in window) < WINDOW_BYTES


def belongs(line: bytes, name: str) -> bool:
    """Whether a line is the answer for a name."""
    if line.startswith(b'{"image":' + json.dumps(name, ensure_ascii=False).encode()):
        return True
    try:
        answer = json.loads(line)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("image") == name
