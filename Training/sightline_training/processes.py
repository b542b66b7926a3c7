"""One run of prepare in a folder, and worker processes that end with the process that started them."""

import contextlib
import fcntl
import multiprocessing
import os
import pathlib
import threading
from collections.abc import Iterator

from .errors import TrainingError


@contextlib.contextmanager
def alone(folder: pathlib.Path) -> Iterator[None]:
    """Keeps other runs of prepare out of a folder; the system lets go of it when this process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "prepare.lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TrainingError(
                f"Another run of prepare is working in {folder}: wait until it has ended, or choose another folder with"
                " --work."
            ) from None
        yield


def end_with_parent() -> None:
    """Ends this worker process when the process that started it is gone; in a process of its own it does nothing.

    A pool ends its workers when it is closed, but not when its process is killed.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="watch of the parent", daemon=True).start()
