"""Places of the repository, and on this machine, that the tools share."""

import argparse
import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests/Fixtures"


def debug_program(name: str) -> Path:
    """The path of a program as `swift build` builds it."""
    return ROOT / ".build/debug" / name


def add_executable(parser: argparse.ArgumentParser, name: str) -> None:
    """Adds the option --executable: the path of a program, from wherever it will start."""
    default = debug_program(name)
    text = f"the program {name} ({default.relative_to(ROOT)})"
    parser.add_argument("--executable", type=os.path.abspath, default=str(default), help=text)


def built_programs(folder: Path | None) -> Path:
    """The folder of both programs; without one they are built."""
    if folder is None:
        built = subprocess.run(["Scripts/build-programs"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        folder = Path(built.stdout.strip())
    return folder.resolve()


def free_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def temporary_folder(name: str, is_shared: bool = False) -> Iterator[Path]:
    """A folder that goes with its scope. Other users may enter a shared folder: PostgreSQL runs as another user."""
    with tempfile.TemporaryDirectory(prefix=f"sightline-{name}-") as folder:
        if is_shared:
            os.chmod(folder, 0o711)
        yield Path(folder).resolve()
