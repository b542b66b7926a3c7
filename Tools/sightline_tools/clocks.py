"""The clock of a program, which tools set."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """The clock of the programs that start with its variables. Only the time of day changes, as when an administrator
    sets it.

    libfaketime is of no use here: under it, timers of Swift that follow the clock of the machine never end.
    """

    def __init__(self, folder: Path) -> None:
        """Makes the library and its file in a folder. Other users may read both: PostgreSQL runs as another user."""
        library, self.file = folder / "clock.so", folder / "clock"
        words = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", str(library), str(SOURCE)]
        try:
            done = subprocess.run(words, capture_output=True, text=True)
        except FileNotFoundError:
            sys.exit("error: there is no C compiler; install one with `apt-get install gcc`.")
        if done.returncode:
            sys.exit(f"error: {SOURCE.name} does not compile:\n{done.stderr}")
        self.file.write_bytes(bytes(8))
        self.variables = {"LD_PRELOAD": str(library), "SIGHTLINE_CLOCK": str(self.file)}

    def set(self, seconds: int) -> None:
        """Sets the clock that many seconds ahead of that of this machine; behind it with a negative number."""
        # In place, because programs have mapped the file.
        with self.file.open("r+b") as file:
            os.pwrite(file.fileno(), seconds.to_bytes(8, sys.byteorder, signed=True), 0)
