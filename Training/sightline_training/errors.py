"""Errors that are told to the person at the keyboard in one sentence."""

import errno
import sys


class TrainingError(Exception):
    """What failed, where, and what to do next, in one sentence."""


def told(main):
    """Runs a command's main function; a failure that can be foreseen becomes one sentence and exit status 1."""
    try:
        main()
    except TrainingError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            where = f" while writing {error.filename}" if error.filename else ""
            sys.exit(
                f"error: The disk is full{where}: free some space, then run the same command again; it goes on where it"
                " stopped."
            )
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("error: Stopped; the same command goes on from the last checkpoint.")
