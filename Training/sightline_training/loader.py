"""Makes batches of fresh views ahead of the steps that need them, in processes of their own."""

import collections
import concurrent.futures
import multiprocessing
import signal

import numpy as np

from . import checkpoint
from .errors import TrainingError
from .fresh import FreshViews
from .teachers import Localizer as Teacher

# What a process needs, set up once in each.
worker = {}


def start(folder, teacher_path, most, seed, size):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the training, which then ends these.
    worker.update(views=FreshViews(folder, Teacher(teacher_path), most), seed=seed, size=size)


def make(step):
    """The batch of a step, whichever process makes it."""
    epoch, seed = worker["views"].epoch, worker["seed"]
    rows = epoch[checkpoint.batch_rows(seed, step, min(worker["size"], len(epoch)), len(epoch))]
    return worker["views"].batch(rows, np.random.default_rng([seed, 1, step]))


class Loader:
    """Batches by step. Steps must follow one another from the first one on."""

    def __init__(self, processes, first, *arguments):
        context = multiprocessing.get_context("spawn")
        self.pool = concurrent.futures.ProcessPoolExecutor(processes, context, start, arguments)
        self.next = first
        self.pending = collections.deque()
        for _ in range(processes + 1):
            self.submit()

    def submit(self):
        self.pending.append(self.pool.submit(make, self.next))
        self.next += 1

    def batch(self):
        self.submit()
        try:
            return self.pending.popleft().result()
        except concurrent.futures.process.BrokenProcessPool:
            # One that cannot start says why on its own standard error.
            raise TrainingError("A process that makes views was killed: the same command goes on from the checkpoint.") from None

    def close(self):
        self.pool.shutdown(cancel_futures=True)
