"""Errors that a command prints as one sentence."""

import contextlib
import errno
import sys
from collections.abc import Iterator


class TrainingError(Exception):
    """The failure, its place and the next step, in one sentence."""


@contextlib.contextmanager
def exit_on_failure() -> Iterator[None]:
    """Ends the program with one sentence and exit status 1 where an expected failure leaves the block."""
    try:
        yield
    except TrainingError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            where = f" while writing {error.filename}" if error.filename else ""
            sys.exit(f"error: The disk is full{where}: free some space and run the same command again; it resumes.")
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("error: Stopped; the same command resumes from the last checkpoint.")
