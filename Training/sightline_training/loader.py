"""Makes batches of fresh views ahead of the steps that need them, in processes of their own."""

import collections
import concurrent.futures
import multiprocessing
import signal
from typing import Any

import numpy as np

from .data import Photo
from .errors import TrainingError
from .fresh import FreshViews
from .processes import end_with_parent

# What a process needs, set up once in each.
worker = {}


def start(photos: list[Photo], seed: int, size: int, side: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the training, which then ends these.
    end_with_parent()
    worker.update(views=FreshViews(photos), seed=seed, size=size, side=side)


def make(step: int) -> tuple[np.ndarray, np.ndarray]:
    """The batch of a step, whichever process makes it."""
    return worker["views"].batch(worker["size"], worker["side"], f"{worker['seed']}/{step}")


class Loader:
    """Batches by step, made of photos, a seed, the number of views and their side. Steps must follow one another."""

    def __init__(self, processes: int, first: int, *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.pool = concurrent.futures.ProcessPoolExecutor(processes, context, start, arguments)
        self.next = first
        self.pending = collections.deque()
        for _ in range(processes + 1):
            self.submit()

    def submit(self) -> None:
        self.pending.append(self.pool.submit(make, self.next))
        self.next += 1

    def batch(self) -> tuple[np.ndarray, np.ndarray]:
        self.submit()
        try:
            return self.pending.popleft().result()
        except concurrent.futures.process.BrokenProcessPool:
            # One that cannot start says why on its own standard error.
            raise TrainingError(
                "A process that makes views was killed: the same command continues from the checkpoint."
            ) from None

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)
