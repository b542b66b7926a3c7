"""A run of mutants through a child process, and its report."""

import argparse
import collections
import random
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..children import LimitedChild, ProgramForEachFile
from ..places import FIXTURES, ROOT, debug_program, temporary_folder
from .damage import Damage, File, Mutant, mutant


@dataclass(frozen=True)
class Subject:
    """A kind of file that is damaged, and the program that reads it."""

    noun: str
    # The option that names files, and the folder of the fixtures.
    name: str
    probe: str
    suffixes: tuple[str, ...]
    # The ways to damage it, with their weights.
    kinds: Mapping[str, tuple[Damage, int]]
    # How people get files.
    hint: str
    # Lines that the probe prints for a file.
    lines: int = 1
    repair: Callable[[random.Random, bytearray], None] | None = None
    # Files that are made rather than kept among the fixtures.
    made: Sequence[File] = ()
    # Makes the child of a program and a limit in megabytes, where it is not one that answers file after file.
    child: Callable[[Path, int], ProgramForEachFile] | None = None

    def mutant(self, seed: str, index: int, files: Sequence[File]) -> Mutant:
        """The mutant with an index."""
        return mutant(seed, index, files, self.kinds, self.repair)

    def files(self, paths: Sequence[Path] | None, folder: Path) -> list[File]:
        """The files of some paths and folders, otherwise of a folder, with those that are made."""
        found: list[Path] = []
        for path in paths or ([folder] if folder.is_dir() else []):
            inside = path.rglob("*") if path.is_dir() else []
            found += sorted(each for each in inside if each.suffix in self.suffixes) if path.is_dir() else [path]
        made = [] if paths else list(self.made)
        if not found and not made:
            sys.exit(f"error: there are no {self.noun}s: {self.hint}.")
        return [File(path.name, path.read_bytes()) for path in found] + made


def verdict(answer: str) -> str:
    """The first word of a success, the first two words of an error, or the end of the child."""
    words = answer.split()
    return answer if not words or words[0] not in ("ok", "error") else " ".join(words[: 1 if words[0] == "ok" else 2])


def is_offender(result: str) -> bool:
    """Whether a result is more than a file that was read or refused."""
    return result.split()[:1] not in (["ok"], ["error"]) or result == "error RewrittenModelFails"


def fuzz(
    subject: Subject, parser: argparse.ArgumentParser, words: Sequence[str], count: int, seconds: float, megabytes: int
) -> None:
    """Runs a command that damages files."""
    name = subject.name
    folder, keep = FIXTURES / name, ROOT / "out" / f"fuzz-{name}"
    add = parser.add_argument
    usual = f"Tests/Fixtures/{name}" if folder.is_dir() else "made ones"
    add(f"--{name}", action="append", type=Path, dest="paths", help=f"files or folders ({usual})")
    add("--count", type=int, default=count, help=f"mutants to try ({count})")
    add("--start", type=int, default=0, help="index of the first (0)")
    add("--seed", default="1", help="the seed of all randomness (1)")
    add("--seconds", type=float, default=seconds, help=f"time that a {subject.noun} may take ({seconds})")
    text = f"address space that the child may use ({megabytes}; 0: no limit)"
    add("--megabytes", type=int, default=megabytes, help=text)
    add("--probe", type=Path, default=debug_program(subject.probe), help=f"the program {subject.probe}")
    add("--keep", type=Path, default=keep, help="folder for offenders")
    add("--replay", nargs=2, metavar=("INDEX", "FILE"), help="write one mutant and stop")
    options = parser.parse_args(words)
    files = subject.files(options.paths, folder)
    if options.replay:
        made = subject.mutant(options.seed, int(options.replay[0]), files)
        Path(options.replay[1]).write_bytes(made.data)
        print(f"{made.kind} of {made.name}")
        return
    if not options.probe.exists():
        sys.exit(f"error: {options.probe} is missing; run `swift build --product {subject.probe}`.")
    command = [options.probe, "--optimize"] if getattr(options, "optimize", False) else [options.probe]
    child = (
        subject.child(options.probe, options.megabytes)
        if subject.child
        else LimitedChild(command, options.megabytes, subject.lines)
    )
    report = Report(options.keep)
    with temporary_folder(f"fuzz-{name}") as scratch:
        for index in range(options.start, options.start + options.count):
            made = subject.mutant(options.seed, index, files)
            path = scratch / f"mutant{Path(made.name).suffix}"
            # A new file each time: the child may still have the last one mapped.
            path.unlink(missing_ok=True)
            path.write_bytes(made.data)
            asked = time.monotonic()
            result = verdict(child.ask(path, options.seconds))
            report.add(made, index, result, time.monotonic() - asked, child.peak())
            if is_offender(result):
                report.offend(made, index, result, path, f"{options.seed}-{index}-{made.name}")
    status = child.stop()
    spent = time.monotonic() - report.began
    print(f"seed {options.seed}, {options.count} mutants of {len(files)} {subject.noun}s, {spent:.0f} s")
    report.write()
    if status:
        print(f"the child ended with status {status}")
    if report.offenders or status:
        sys.exit(1)


class Report:
    """The results of mutants."""

    def __init__(self, keep: Path) -> None:
        self.keep, self.began = keep, time.monotonic()
        self.counts: collections.Counter[str] = collections.Counter()
        self.offenders: collections.Counter[str] = collections.Counter()
        self.slowest, self.peak = (0.0, 0), 0

    def add(self, made: Mutant, index: int, result: str, seconds: float, peak: int) -> None:
        """Counts a result."""
        self.counts[f"{Path(made.name).suffix[1:]} {result}"] += 1
        self.slowest, self.peak = max(self.slowest, (seconds, index)), max(self.peak, peak)

    def offend(self, made: Mutant, index: int, result: str, path: Path, name: str) -> None:
        """Keeps a mutant that does harm."""
        self.offenders[f"{result}, {made.kind}"] += 1
        self.keep.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, self.keep / name)
        print(f"{index}: {made.kind} of {made.name}: {result}", flush=True)

    def write(self) -> None:
        """Prints the counts."""
        for result, count in sorted(self.counts.items()):
            print(f"{count:7} {result}")
        print(f"slowest: {self.slowest[0]:.2f} s (mutant {self.slowest[1]}); peak memory of the child: {self.peak} MB")
        print(f"offenders: {self.offenders.total()}")
        for text, count in self.offenders.most_common():
            print(f"{count:7} {text}")
        if self.offenders:
            print(f"kept in {self.keep}")
