"""Makes batches of fresh views ahead of the steps that need them, in processes of their own."""

import collections
import concurrent.futures
import multiprocessing
import signal
from collections.abc import Callable
from typing import Any

import numpy as np

from .data import Photo
from .errors import TrainingError
from .fresh import FreshViews

# What a process needs, set up once in each.
worker = {}


def start(photos: list[Photo], seed: int, size: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the training, which then ends these.
    worker.update(views=FreshViews(photos), seed=seed, size=size)


def make(step: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The batch of a step, whichever process makes it."""
    return worker["views"].batch(worker["size"], side, f"{worker['seed']}/{step}")


class Loader:
    """Batches by step, of the size and with the side that `side` answers for a step. Steps must follow one another."""

    def __init__(self, processes: int, first: int, side: Callable[[int], int], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.pool = concurrent.futures.ProcessPoolExecutor(processes, context, start, arguments)
        self.next, self.side = first, side
        self.pending = collections.deque()
        for _ in range(processes + 1):
            self.submit()

    def submit(self) -> None:
        self.pending.append(self.pool.submit(make, self.next, self.side(self.next)))
        self.next += 1

    def batch(self) -> tuple[np.ndarray, np.ndarray]:
        self.submit()
        try:
            return self.pending.popleft().result()
        except concurrent.futures.process.BrokenProcessPool:
            # One that cannot start says why on its own standard error.
            raise TrainingError(
                "A process that makes views was killed: the same command goes on from the checkpoint."
            ) from None

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)
