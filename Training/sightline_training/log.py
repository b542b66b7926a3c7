"""Progress lines, on standard error and in a file."""

import pathlib
import sys
import time


class Log:
    def __init__(self, path: pathlib.Path) -> None:
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def __call__(self, text: str) -> None:
        line = f"{time.strftime('%H:%M:%S')} {text}"
        print(line, file=sys.stderr, flush=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
