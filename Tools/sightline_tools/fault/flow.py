"""A command that changes something on disk, and how its states are told apart."""

import os
import re
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import ClassVar

from ..programs import Word
from .library import Run, Running


class TornError(Exception):
    """The files on disk are neither the earlier state nor the new one."""


class Flow(ABC):
    """A command. It runs in a folder of its own, in which `prepare` has made what is there before."""

    # Whether the command succeeds without the new state: a server that continues, or a client that falls back.
    is_forgiving: ClassVar[bool] = False

    def __init__(self, programs: Path) -> None:
        self.programs = programs

    def companions(self, folder: Path) -> AbstractContextManager[None]:
        """The servers that the command talks to. No call of theirs fails."""
        return nullcontext()

    def accompany(self, running: Running, folder: Path) -> None:
        """Does what lets the command end: a server is used and asked to end. Other commands end by themselves."""
        return None

    @abstractmethod
    def prepare(self, folder: Path) -> None:
        """Makes what is there before the command."""

    @abstractmethod
    def words(self) -> Sequence[Word]:
        """The command."""

    @abstractmethod
    def state(self, folder: Path) -> str:
        """The state, as text that is equal for equal states. Raises `TornError` if the files contradict each other."""

    def is_between(self, state: str, old: str, new: str) -> bool:
        """Whether a run that ended early may leave this state, which is neither the old nor the new one."""
        return False

    def contradictions(self, folder: Path, run: Run) -> Iterator[str]:
        """Yields what is wrong after a run with a fault and the next one without, besides the state."""
        yield from ()

    def kept_files(self, folder: Path) -> set[str]:
        """The files that are there after the program has removed those that it removes after a time."""
        return self.files(folder)

    def environment(self, folder: Path) -> dict[str, str]:
        """Variables of the program; its folders of the user lie in the flow's folder."""
        return {
            "XDG_DATA_HOME": str(folder / ".data"),
            "XDG_CACHE_HOME": str(folder / ".cache"),
            "SIGHTLINE_HUB_DATA": str(folder / "hub"),
            "TMPDIR": str(folder / ".tmp"),
        }

    def files(self, folder: Path) -> set[str]:
        """The files that are there, without what differs from run to run in their names."""
        names = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        return {re.sub(r"[0-9a-fA-F]{8,}(-[0-9a-fA-F]{4,})*|\d+", "#", name) for name in names}

    def begin(self, folder: Path) -> None:
        """Makes the folder, and what is there before the command."""
        (folder / ".tmp").mkdir(parents=True)
        # The libraries that run models are those of the user.
        runtimes = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "sightline")
        (folder / ".data/sightline").mkdir(parents=True)
        for library in [*runtimes.glob("litert-*"), *runtimes.glob("onnxruntime-*")]:
            (folder / ".data/sightline" / library.name).symlink_to(library)
        self.prepare(folder)

    def run(self, folder: Path, *words: Word) -> str:
        """Runs a program of the folder of programs without a fault, and returns its output."""
        done = self.process(folder, *words)
        if done.returncode:
            sys.exit(f"error: {' '.join(map(str, words))} failed with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def process(self, folder: Path, *words: Word) -> "subprocess.CompletedProcess[str]":
        """Runs a program of the folder of programs without a fault."""
        variables = {**os.environ, **self.environment(folder)}
        command = [self.programs / words[0], *words[1:]]
        return subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
        )
