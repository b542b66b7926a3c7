"""Damages video files in many ways and checks that reading them never crashes, hangs or swallows memory.

    swift build --product VideoProbe
    Scripts/tools fuzz videos                                    # 3,000 mutants of the fixtures
    Scripts/tools fuzz videos --count 1000 --videos path/to/videos --seed 7
    Scripts/tools fuzz videos --seed 7 --replay 123 out.mp4      # writes one mutant again

Every mutant follows from the seed and its index. A child process (VideoProbe) reads one mutant after the other within
limits of time and memory and is started again when it dies. Offenders are kept in the folder that --keep names. The
exit status is 1 when there were any.

FFmpeg does the reading, so a finding may be FFmpeg's own; a version with its distribution's security updates
is what users have.
"""

import argparse
import random
import struct
from collections.abc import Iterator, Sequence

from .damage import Damage, File, change_byte, flip_bits, remove, repeat, splice, truncate
from .session import Subject, fuzz

# The position and the length of bytes that say how others are read.
Span = tuple[int, int]

# --- Where a video file's fields lie ---------------------------------------------------------------------------------

CONTAINERS = {
    b"moov",
    b"trak",
    b"mdia",
    b"minf",
    b"stbl",
    b"edts",
    b"moof",
    b"traf",
    b"mvex",
    b"dinf",
    b"udta",
    b"LIST",
}


def boxes(data: bytes, start: int, end: int) -> Iterator[Span]:
    """(position, length) of what is worth changing in MP4 boxes: heads, and the beginning of what they hold."""
    at = start
    while at + 8 <= end:
        length, kind = struct.unpack_from(">I4s", data, at)
        length = length if length >= 8 else end - at
        if kind in CONTAINERS:
            yield at, 8
            yield from boxes(data, at + 8, min(at + length, end))
        else:
            yield at, min(length, 16 if kind == b"mdat" else 400)
        at += length


def chunks(data: bytes, start: int, end: int) -> Iterator[Span]:
    """The same of RIFF chunks."""
    at = start
    while at + 8 <= end:
        kind, length = struct.unpack_from("<4sI", data, at)
        if kind in (b"RIFF", b"LIST"):
            yield at, 12
            yield from chunks(data, at + 12, min(at + 8 + length, end))
        else:
            yield at, min(length + 8, 120)
        at += 8 + length + length % 2


def places(data: bytes) -> list[int]:
    """Positions of the bytes that say how the rest is to be read."""
    if data[4:8] == b"ftyp":
        spans = list(boxes(data, 0, len(data)))
    elif data.startswith(b"RIFF"):
        spans = list(chunks(data, 0, len(data)))
    else:
        # Matroska keeps what matters at the beginning, and the heads of clusters and blocks everywhere.
        spans = [(0, min(len(data), 1200))]
        at = data.find(b"\x1f\x43\xb6\x75")
        while at >= 0:
            spans.append((at, 40))
            at = data.find(b"\x1f\x43\xb6\x75", at + 4)
    return [position for at, length in spans for position in range(at, at + length) if position < len(data)]


# --- Damage ----------------------------------------------------------------------------------------------------------

INTERESTING = [0, 1, 2, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 192, 254, 255]


BITS = flip_bits([1, 1, 4, 16, 64, 256])


def change_field(rng: random.Random, data: bytearray, files: Sequence[File]) -> None:
    found = places(bytes(data))
    if not found:
        BITS(rng, data, files)
        return
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.choice(found)
        kind = rng.randrange(4)
        if kind < 3:
            change_byte(rng, data, at, kind, INTERESTING)
        else:
            word = rng.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF0, rng.getrandbits(32)])
            data[at : at + 4] = struct.pack(">I", word)[: len(data) - at]


KINDS: dict[str, tuple[Damage, int]] = {
    "field": (change_field, 10),
    "bits": (BITS, 5),
    "splice": (splice([4, 16, 64, 256, 1024]), 3),
    "repeat": (repeat, 2),
    "truncate": (truncate, 1),
    "remove": (remove([1, 4, 16, 64, 512]), 2),
}
SUBJECT = Subject(
    noun="video",
    name="videos",
    probe="VideoProbe",
    suffixes=(".mp4", ".mkv", ".webm", ".avi", ".mjpeg", ".m4a", ".mov", ".ts"),
    kinds=KINDS,
    hint="run Training/fixtures/videos.py or name some with --videos",
)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    fuzz(SUBJECT, parser, words, count=3000, seconds=20, megabytes=4096)
