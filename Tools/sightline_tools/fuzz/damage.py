"""Ways to damage the bytes of a file. The same random numbers make the same damage."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A whole file that mutants are made from."""

    name: str
    data: bytes


# Changes the bytes of a file; the files are all that mutants are made from.
Damage = Callable[[random.Random, bytearray, Sequence[File]], None]


def flip_bits(counts: Sequence[int]) -> Damage:
    """Flips single bits, as many as one of the counts says."""

    def damage(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
        for _number in range(rng.choice(counts)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)

    return damage


def change_byte(rng: random.Random, data: bytearray, at: int, kind: int, interesting: Sequence[int]) -> None:
    """Sets a byte to one of some values (kind 0), to a value nearby (1), or to any value (2)."""
    if kind == 0:
        data[at] = rng.choice(interesting)
    elif kind == 1:
        data[at] = (data[at] + rng.choice([-8, -2, -1, 1, 2, 8])) & 255
    else:
        data[at] = rng.randrange(256)


def truncate(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
    """Cuts the end off."""
    del data[rng.randrange(len(data)) :]


def splice(lengths: Sequence[int]) -> Damage:
    """Overwrites bytes with those of a file."""

    def damage(rng: random.Random, data: bytearray, files: Sequence[File]) -> None:
        other = rng.choice(files).data
        count = rng.choice(lengths)
        start = rng.randrange(max(1, len(other) - count))
        at = rng.randrange(max(1, len(data) - count))
        data[at : at + count] = other[start : start + count]

    return damage


def remove(lengths: Sequence[int]) -> Damage:
    """Takes bytes out."""

    def damage(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
        at = rng.randrange(len(data))
        del data[at : at + rng.choice(lengths)]

    return damage


def repeat(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
    """Inserts bytes again, up to 50 times."""
    at = rng.randrange(len(data))
    count = rng.choice([1, 4, 16, 64, 256])
    data[at:at] = data[at : at + count] * rng.choice([1, 2, 50])


@dataclass(frozen=True)
class Mutant:
    """A damaged file, and how it came to be."""

    data: bytes
    name: str
    kind: str


def mutant(
    seed: str,
    index: int,
    files: Sequence[File],
    kinds: Mapping[str, tuple[Damage, int]],
    repair: Callable[[random.Random, bytearray], None] | None = None,
) -> Mutant:
    """The mutant with an index. Each kind of damage has a weight; `repair` fixes checksums that would hide the
    damage.
    """
    rng = random.Random(f"{seed}:{index}")
    file = files[rng.randrange(len(files))]
    data = bytearray(file.data)
    kind = rng.choices(list(kinds), [weight for _, weight in kinds.values()])[0]
    kinds[kind][0](rng, data, files)
    if repair:
        repair(rng, data)
    return Mutant(bytes(data), file.name, kind)
