"""Pictures on their way through sightline, and the answers that belong to them."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass

from .errors import printed

# The protocol's limit for the name of a picture, in bytes.
MAXIMUM_NAME = 4096
# The name of a picture that has no path, or none that a line can hold.
NAMELESS = "picture"
# Pictures of an iteration that were sent and have no answer yet. The pipe holds a megabyte of them, the rest waits in
# this process.
WINDOW_PICTURES, WINDOW_BYTES = 64, 16 << 20


@dataclass(frozen=True)
class Picture:
    """A picture to analyze: a name for its answer, and its bytes, or its address, or the reason why there are none."""

    name: str
    content: bytes | memoryview = b""
    error: str | None = None
    # Whether the file could not be opened, which may be the fault of the machine.
    is_unreachable: bool = False
    # Where sightline reads the bytes.
    address: str | None = None


@dataclass(eq=False)
class Entry:
    """A picture that was given to the engine."""

    name: str
    frame_name: str
    # The line before the bytes.
    header: bytes
    content: memoryview
    answer: bytes | None = None
    deaths: int = 0
    is_sent: bool = False
    # Whether no thread waits for the answer.
    is_abandoned: bool = False


def error_line(name: str, reason: str) -> bytes:
    """The answer for a picture that sightline could not give itself."""
    fields = {"image": printed(name), "error": printed(reason)}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def header(name: str, size: int, address: str | None = None) -> bytes:
    """The line before the bytes of a picture."""
    return f"@{address} {name}\n".encode() if address else f"{size} {name}\n".encode()


def entry_of(picture: Picture) -> Entry:
    """A picture for the queue of an engine, whose answer is known if it could not be read.

    What can fail with a picture fails here, in the thread that gives it. The engine's other threads may send it.

    Raises:
        ValueError: the content is a view with gaps, or is released.
    """
    name = printed(picture.name)
    is_usable = "\n" not in name and "\0" not in name and 0 < len(name.encode()) <= MAXIMUM_NAME
    frame_name = name if is_usable else NAMELESS
    content = flat(picture.content)
    made = Entry(name, frame_name, header(frame_name, content.nbytes, picture.address), content)
    if picture.error is not None:
        made.answer = error_line(frame_name, picture.error)
    return made


def flat(content: bytes | memoryview) -> memoryview:
    """The bytes as a view that a system call takes.

    Raises:
        ValueError: the content is a view with gaps, or is released.
    """
    view = memoryview(content)
    if not view.c_contiguous:
        raise ValueError("a picture's bytes have gaps; copy them with bytes().")
    if view.nbytes == 0:
        return memoryview(b"")
    return view if view.format == "B" and view.ndim == 1 else view.cast("B")


def has_room(window: deque[Entry]) -> bool:
    """Whether another picture may be sent before the answers to these."""
    return len(window) < WINDOW_PICTURES and sum(waiting.content.nbytes for waiting in window) < WINDOW_BYTES


def belongs(line: bytes, name: str) -> bool:
    """Whether a line is the answer for a name."""
    if line.startswith(b'{"image":' + json.dumps(name, ensure_ascii=False).encode()):
        return True
    try:
        answer = json.loads(line)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("image") == name
