"""Damages model files in many ways and checks that loading and running them never crashes, hangs or swallows memory.

    swift build --product ModelProbe
    Scripts/tools fuzz models                                   # 5,000 mutants of the fixtures and of ONNX models
    Scripts/tools fuzz models --count 1000 --models path/to/real/models --seed 7
    Scripts/tools fuzz models --optimize                        # rewrites them with ModelOptimizer before they run
    Scripts/tools fuzz models --seed 7 --replay 123 out.tflite  # writes one mutant again

Every mutant follows from the seed and its index. A child process (ModelProbe) handles one mutant after the other within
limits of time and memory and is started again when it dies. Offenders are kept in the folder that --keep names. The
exit status is 1 when there were any.
"""

import argparse
import functools
import random
import struct
from collections.abc import Sequence

from . import onnx
from .damage import Damage, File, flip_bits, remove, splice, truncate
from .session import Subject, fuzz

# --- Where a model file's fields lie ---------------------------------------------------------------------------------
# Tables of the TensorFlow Lite schema: slot -> kind. A kind is a size in bytes, "s" (string), "v1"/"v4"/"v8" (vector of
# scalars), a table's name, or "[name]" (vector of tables).

SCHEMA: dict[str, dict[int, int | str]] = {
    "model": {0: 4, 1: "[code]", 2: "[subgraph]", 3: "s", 4: "[buffer]", 5: "v4", 6: "[metadata]", 7: "[signature]"},
    "code": {0: 1, 1: "s", 2: 4, 3: 4},
    "subgraph": {0: "[tensor]", 1: "v4", 2: "v4", 3: "[operator]", 4: "s"},
    "tensor": {0: "v4", 1: 1, 2: 4, 3: "s", 4: "quantization", 5: 1, 7: "v4", 8: 1},
    "quantization": {0: "v4", 1: "v4", 2: "v4", 3: "v8", 4: 1, 6: 4},
    "operator": {0: 4, 1: "v4", 2: "v4", 3: 1, 4: "options", 5: "v1", 6: 1, 11: 1, 12: "options"},
    "buffer": {0: "v1", 1: 8, 2: 8},
    "metadata": {0: "s", 1: 4},
    "signature": {0: "[map]", 1: "[map]", 2: "s", 4: 4},
    "map": {0: "s", 1: 4},
    "options": dict.fromkeys(range(12), 4),
}


@functools.cache
def fields(data: bytes) -> list[tuple[int, int]]:
    """Positions and sizes of the numbers that a model consists of: offsets, lengths, scalars, elements."""
    if data[4:8] != b"TFL3":
        return list(onnx.fields(data))
    found = []

    def number(position: int, size: int) -> None:
        if 0 <= position <= len(data) - size:
            found.append((position, size))

    def u32(position: int) -> int:
        return int(struct.unpack_from("<I", data, position)[0])

    def vector(position: int, stride: int, inner: str | None = None) -> None:
        count = u32(position)
        number(position, 4)
        for index in range(min(count, 16 if stride < 8 else 4)):
            at = position + 4 + index * stride
            number(at, stride)
            if inner:
                table(at + u32(at), inner)

    def table(position: int, name: str) -> None:
        back = struct.unpack_from("<i", data, position)[0]
        slots = position - back
        number(position, 4)
        size = struct.unpack_from("<H", data, slots)[0]
        number(slots, 2)
        number(slots + 2, 2)
        for slot, kind in SCHEMA[name].items():
            entry = slots + 4 + 2 * slot
            if 4 + 2 * slot + 2 > size:
                continue
            offset = struct.unpack_from("<H", data, entry)[0]
            if offset == 0:
                continue
            number(entry, 2)
            at = position + offset
            if isinstance(kind, int):
                number(at, kind)
                continue
            number(at, 4)
            target = at + u32(at)
            if kind == "s":
                vector(target, 1)
            elif kind[0] == "v":
                vector(target, int(kind[1:]))
            elif kind[0] == "[":
                vector(target, 4, kind[1:-1])
            else:
                table(target, kind)

    try:
        number(0, 4)
        table(u32(0), "model")
    except (struct.error, RecursionError):
        pass
    return found


# --- Damage ----------------------------------------------------------------------------------------------------------

INTERESTING = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    16,
    127,
    128,
    255,
    256,
    1000,
    32767,
    65535,
    2**20,
    2**24,
    2**30,
    2**31 - 1,
    2**31,
    2**32 - 1,
]


BITS = flip_bits([1, 1, 2, 4, 16])


def change_field(rng: random.Random, data: bytearray, files: Sequence[File]) -> None:
    places = fields(bytes(data))
    if not places:
        BITS(rng, data, files)
        return
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        position, size = rng.choice(places)
        mask = (1 << (8 * size)) - 1
        value = int.from_bytes(data[position : position + size], "little")
        kind = rng.randrange(4)
        if kind == 0:
            value = rng.choice(INTERESTING)
        elif kind == 1:
            value += rng.choice([-8, -4, -2, -1, 1, 2, 4, 8])
        elif kind == 2:
            other, other_size = rng.choice(places)
            value = int.from_bytes(data[other : other + other_size], "little")
        else:
            value = rng.randrange(mask + 1)
        data[position : position + size] = (value & mask).to_bytes(size, "little")


KINDS: dict[str, tuple[Damage, int]] = {
    "field": (change_field, 10),
    "bits": (BITS, 4),
    "splice": (splice([4, 16, 64, 256]), 3),
    "truncate": (truncate, 1),
    "remove": (remove([1, 2, 4, 16, 64]), 2),
}
SUBJECT = Subject(
    noun="model",
    name="models",
    probe="ModelProbe",
    suffixes=(".tflite", ".onnx"),
    kinds=KINDS,
    made=onnx.SEEDS,
    # It prints a line before and after each model.
    lines=2,
    hint="run 'python -m fixtures.models' in Training, or name some with --models",
)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--optimize", action="store_true", help="rewrite each model with ModelOptimizer, run both")
    fuzz(SUBJECT, parser, words, count=5000, seconds=10, megabytes=4096)
