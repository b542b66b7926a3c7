"""Which everyday photos training never learns from."""

import hashlib

# One photo in so many is kept aside: half of those to choose by, the others to measure on.
HELD_OUT = 5


def number(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % (2 * HELD_OUT)


def is_held_out(name: str) -> bool:
    return number(name) % HELD_OUT == 0


def is_for_measuring(name: str) -> bool:
    """Of the photos kept aside those that nothing is chosen by."""
    return number(name) == HELD_OUT
