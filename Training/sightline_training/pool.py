"""Makes shards in worker processes."""

import concurrent.futures
import multiprocessing
import time
from collections.abc import Callable
from typing import Any

from .errors import TrainingError
from .log import Log
from .processes import end_with_parent


def run(
    make: Callable[[Any], int],
    tasks: list[Any],
    total: int,
    workers: int,
    start: Callable[..., None],
    arguments: tuple[Any, ...],
    log: Log,
) -> None:
    """Calls `make` for each task in one of the processes, each of which begins with `start`, and reports how many of
    the `total` photos are done; `make` says how many each task has.
    """
    began, done = time.monotonic(), 0
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, context, begin, (start, arguments)) as pool:
        pending = [pool.submit(make, task) for task in tasks]
        try:
            for future in concurrent.futures.as_completed(pending):
                done += future.result()
                log(f"{done}/{total} photos, {done / (time.monotonic() - began):.0f} a second")
        except concurrent.futures.process.BrokenProcessPool:
            # A process that cannot start says why on its own standard error.
            raise TrainingError(
                "A worker process was killed: run the same command again with fewer --workers."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def begin(start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Begins a worker process."""
    end_with_parent()
    start(*arguments)
