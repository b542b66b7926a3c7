"""Damages picture files in many ways and checks that reading them never crashes, hangs or swallows memory.

    swift build --product ImageProbe
    Scripts/tools fuzz images                                    # 6,000 mutants of the fixtures
    Scripts/tools fuzz images --count 1000 --images path/to/photos --seed 7
    Scripts/tools fuzz images --seed 7 --replay 123 out.jpg      # writes one mutant again

Every mutant follows from the seed and its index. A child process (ImageProbe) handles one mutant after the other within
limits of time and memory, and is started again when it dies. Offenders are kept in the folder that --keep names. The
exit status is 1 if there are any.

To count stray reads and writes as crashes too, build the probe with
`swift build --product ImageProbe --sanitize=address --scratch-path out/asan` and add the arguments
`--probe out/asan/debug/ImageProbe --megabytes 0`. The child then ends with status 1 if memory leaked.
"""

import argparse
import random
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence

from .damage import Damage, File, change_byte, flip_bits, remove, repeat, splice, truncate
from .session import Subject, fuzz

# The position and the length of bytes that say how others are read.
Span = tuple[int, int]

PNG = b"\x89PNG\r\n\x1a\n"

# --- Where a picture file's fields lie -------------------------------------------------------------------------------


def png_chunks(data: bytes) -> Iterator[Span]:
    """(position, length) of the data of each chunk."""
    at = 8
    while at + 12 <= len(data):
        length = struct.unpack_from(">I", data, at)[0]
        yield at + 8, min(length, max(0, len(data) - at - 12))
        at += 12 + length


def jpeg_segments(data: bytes) -> Iterator[Span]:
    """(position, length) of each marker segment before and between the scans, without its two marker bytes."""
    at = 2
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 4 > len(data):
            return
        marker = data[at + 1]
        if marker in (0x00, 0xFF) or 0xD0 <= marker <= 0xD9:
            at += 1 if marker == 0xFF else 2
            continue
        length = struct.unpack_from(">H", data, at + 2)[0]
        yield at + 1, min(1 + length, len(data) - at - 1)
        at += 2 + max(length, 2)


def riff_chunks(data: bytes) -> Iterator[Span]:
    at = 12
    while at + 8 <= len(data):
        length = struct.unpack_from("<I", data, at + 4)[0]
        yield at, min(8 + length, 40, len(data) - at)
        at += 8 + length + length % 2


def gif_blocks(data: bytes) -> Iterator[Span]:
    """The descriptors of frames, and the lengths of blocks."""
    at = 13 + (3 << (data[10] & 7) + 1 if data[10:11] and data[10] & 0x80 else 0)
    while at + 10 < len(data) and data[at] in (0x21, 0x2C):
        if data[at] == 0x2C:
            flags = data[at + 9]
            yield at, 11
            at += 11 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
        else:
            yield at, 8
            at += 2
        while at < len(data) and data[at]:
            yield at, 1
            at += 1 + data[at]
        at += 1


def tiff_entries(data: bytes) -> Iterator[Span]:
    """The entries of the first directory, and the values that they point to."""
    order = "<" if data.startswith(b"II") else ">"
    if len(data) < 8:
        return
    directory = struct.unpack_from(order + "I", data, 4)[0]
    if directory + 2 > len(data):
        return
    for index in range(struct.unpack_from(order + "H", data, directory)[0]):
        entry = directory + 2 + index * 12
        if entry + 12 > len(data):
            return
        yield entry, 12
        kind, count, place = struct.unpack_from(order + "HII", data, entry + 2)
        if kind in (3, 4) and count * kind > 4 and place < len(data):
            yield place, min(count * kind, 64)


def places(data: bytes) -> list[int]:
    """Positions of the bytes that say how the rest is to be read."""
    spans: Iterable[Span]
    if data.startswith(PNG):
        spans = [(at - 8, min(length, 64) + 8) for at, length in png_chunks(data)]
    elif data.startswith(b"\xff\xd8"):
        spans = jpeg_segments(data)
    elif data.startswith(b"GIF8"):
        spans = [(0, 13), *gif_blocks(data)]
    elif data.startswith(b"BM"):
        spans = [(0, 138)]
    elif data[:4] in (b"II*\0", b"MM\0*"):
        spans = [(0, 8), *tiff_entries(data)]
    elif data[4:8] == b"ftyp":
        # The boxes before the compressed pixels.
        spans = [(0, max(data.find(b"mdat"), 64))]
    else:
        spans = [(0, 12), *riff_chunks(data)]
    return [position for at, length in spans for position in range(at, at + length) if position < len(data)]


def repair(rng: random.Random, data: bytearray) -> None:
    """Repairs most PNGs, so that damage passes the check of their sums."""
    if rng.random() < 0.8:
        with_checksums(data)


def with_checksums(data: bytearray) -> None:
    """Makes the checksums of a PNG's chunks right again."""
    if not data.startswith(PNG):
        return
    for at, length in list(png_chunks(bytes(data))):
        if at + length + 4 <= len(data):
            data[at + length : at + length + 4] = struct.pack(">I", zlib.crc32(data[at - 4 : at + length]))


# --- Damage ----------------------------------------------------------------------------------------------------------

INTERESTING = [0, 1, 2, 3, 4, 7, 8, 11, 16, 17, 22, 33, 44, 63, 64, 127, 128, 192, 218, 254, 255]


BITS = flip_bits([1, 1, 2, 4, 16])


def change_field(rng: random.Random, data: bytearray, files: Sequence[File]) -> None:
    found = places(bytes(data))
    if not found:
        BITS(rng, data, files)
        return
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.choice(found)
        change_byte(rng, data, at, rng.randrange(3), INTERESTING)


KINDS: dict[str, tuple[Damage, int]] = {
    "field": (change_field, 8),
    "bits": (BITS, 5),
    "splice": (splice([2, 4, 16, 64, 256]), 3),
    "repeat": (repeat, 2),
    "truncate": (truncate, 1),
    "remove": (remove([1, 2, 4, 16, 64]), 2),
}
SUBJECT = Subject(
    noun="picture",
    name="images",
    probe="ImageProbe",
    suffixes=(".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".heic", ".avif"),
    kinds=KINDS,
    repair=repair,
    hint="run Training/fixtures/images.py or name some with --images",
)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    fuzz(SUBJECT, parser, words, count=6000, seconds=10, megabytes=1024)
