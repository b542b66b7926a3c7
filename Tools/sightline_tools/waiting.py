"""Waiting for what another process does."""

import time
from collections.abc import Callable


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether a condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
