"""Lets a call fail, or a program end, at each of the calls by which a command changes files, maps memory and talks to
others. After each fault, what is on disk must be the earlier state or the new one, the message must say what failed,
and the next run must work and leave no file behind.

    Scripts/tools fault [FLOW …] [--mode once] [--most 100] [--seed 1] [--bin .build/debug]

A flow is a command with small inputs. First it runs undisturbed, and its calls are counted. Then it runs again for each
call k, or a sample of --most of them: call k fails (once), all calls that need room on a disk fail from k on (full), or
the process ends in call k, a write after half of its bytes (kill). With --mode memory, allocations above 4 kB fail.
Needs a C compiler. Prints a line for each flow and mode, and each problem; the exit code is 1 if there is one.
"""

import argparse
import collections
import difflib
import random
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..places import ROOT, temporary_folder
from . import cameras, datasets, hub, models, pictures, serving, train
from .flow import Flow, TornError
from .library import Fault, Injector, Run

FLOWS: dict[str, type[Flow]] = {
    "hub-create": hub.Create,
    "hub-publish": hub.Publish,
    "hub-promote": hub.Promote,
    "hub-alias": hub.Alias,
    "hub-rollout": hub.Rollout,
    "hub-rollout-finish": hub.FinishRollout,
    "hub-rollout-abort": hub.AbortRollout,
    "hub-sign": hub.Sign,
    "hub-replace-key": hub.ReplaceKey,
    "hub-photos": datasets.AddPhotos,
    "hub-archive": datasets.AddArchive,
    "hub-train": datasets.TrainInHub,
    "hub-upgrade": hub.Upgrade,
    "hub-webhook": serving.Webhook,
    "hub-config": hub.Configure,
    "hub-key": hub.Key,
    "hub-evaluate": hub.Evaluate,
    "hub-delete": hub.Delete,
    "hub-backup": hub.Backup,
    "hub-restore": hub.Restore,
    "hub-migrate": hub.Migrate,
    "install": models.Install,
    "use": models.Use,
    "download": models.Download,
    "follow": models.Follow,
    "serve": serving.Switch,
    "watch": cameras.Watch,
    "detect": pictures.Detect,
    "crop": pictures.Crop,
    "track": pictures.Annotate,
    "count": pictures.Count,
    "optimize": pictures.Optimize,
    "train": train.Train,
}
MODES = ["once", "full", "kill"]


class Subject:
    """A flow with what it left undisturbed."""

    def __init__(self, name: str, flow: Flow, injector: Injector, folder: Path) -> None:
        self.name, self.flow, self.injector = name, flow, injector
        self.folder, self.before = folder / "run", folder / "before"
        flow.begin(self.before)
        # The folder has the same path in each run, since files contain paths.
        self.reset()
        self.old = flow.state(self.folder)
        done = self.execute(Fault(0, "once"))
        if done.status:
            sys.exit(f"error: {name} fails undisturbed with {done.status}: {done.errors}")
        self.new = flow.state(self.folder)
        self.expected = flow.files(self.folder) | flow.files(self.before)

    def reset(self) -> None:
        """Puts what was there before into the folder of the run."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.before, self.folder, symlinks=True)

    def execute(self, fault: Fault) -> Run:
        """Runs the command with a fault."""
        with self.flow.companions(self.folder):
            return self.injector.run(
                self.flow.words(),
                self.folder,
                self.flow.environment(self.folder),
                fault,
                lambda running: self.flow.accompany(running, self.folder),
            )

    def problems(self, fault: Fault) -> Iterator[str]:
        """Runs the command with a fault and again without one, and yields what is wrong. Ends with the state's name."""
        self.reset()
        run = self.execute(fault)
        self.call, self.seen = run.call, "not reached"
        if not run.has_fired:
            return
        try:
            state = self.flow.state(self.folder)
        except TornError as error:
            self.seen = "torn"
            yield f"torn: {error}"
            return
        self.seen = "new" if state == self.new else "old" if state == self.old else "between"
        if self.seen == "between" and not self.flow.is_between(state, self.old, self.new):
            yield f"neither the old nor the new state: {difference(self.old, state)}; {difference(state, self.new)}"
        yield from self.problems_of_ending(run, fault)
        again = self.execute(Fault(0, "once"))
        try:
            state = self.flow.state(self.folder)
        except TornError as error:
            yield f"torn after the next run: {error}"
            return
        if again.status and not (self.seen == "new" and again.status == 2):
            yield f"the next run fails with {again.status}: {again.errors.strip()[-300:]}"
        elif state != self.new and self.seen != "new":
            yield f"the next run does not lead to the new state: {difference(state, self.new)}"
        yield from self.flow.contradictions(self.folder, run)
        if left := sorted(self.flow.kept_files(self.folder) - self.expected):
            yield f"the next run leaves {', '.join(left[:5])}"

    def problems_of_ending(self, run: Run, fault: Fault) -> Iterator[str]:
        """The faults of the exit code and the message of a run with a fault."""
        # Swift, and libraries while they are loaded, end a process that has no memory.
        may_end = fault.mode == "kill" or fault.kind == "memory"
        if run.status < 0 or run.status > 128:
            if not may_end:
                yield f"a signal ended it: {run.status}: {run.errors.strip()[-300:]}"
        elif run.status == 124:
            yield run.errors
        elif run.status == 1 and re.search(r"\d problems?$", run.output.strip()):
            # A look at a hub's files prints what it finds.
            return
        elif run.status and not may_end and not re.search("^sightline: .{12}", run.errors, re.M):
            yield f"exit code {run.status} without a message: {run.errors.strip()[-300:]}"
        elif not run.status and self.seen != "new" and not self.flow.is_forgiving:
            yield "exit code 0, but the state is not the new one"


def difference(first: str, second: str) -> str:
    """The lines that two states do not share, for a message."""
    lines = difflib.ndiff(first.splitlines(), second.splitlines())
    return " ".join(re.sub(r"\s+", " ", line) for line in lines if line[0] in "+-")[:300]


def numbers(count: int, most: int, seed: int) -> list[int]:
    """The calls to disturb: all, or a sample that keeps the first and the last."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1, count, *random.Random(seed).sample(range(1, count + 1), most - 2)})


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("flows", nargs="*", metavar="FLOW", help=f"one of: {', '.join(FLOWS)}; all of them by default")
    parser.add_argument(
        "--mode", action="append", choices=[*MODES, "memory"], help="once, full, kill (default), memory"
    )
    parser.add_argument("--most", type=int, default=100, help="at most so many calls for each flow and mode (100)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample (1)")
    parser.add_argument("--bin", type=Path, default=ROOT / ".build/debug", help="the folder of the programs")
    arguments = parser.parse_args(words)
    if unknown := set(arguments.flows) - set(FLOWS):
        parser.error(f"unknown flows: {', '.join(sorted(unknown))}")
    found = 0
    with temporary_folder("fault") as folder:
        injector = Injector(folder)
        for name in arguments.flows or FLOWS:
            subject = Subject(name, FLOWS[name](arguments.bin.resolve()), injector, folder / name)
            for mode in arguments.mode or MODES:
                found += check(subject, mode, arguments.most, arguments.seed)
            shutil.rmtree(folder / name)
    if found:
        sys.exit(f"error: {found} faults show a problem.")


def check(subject: Subject, mode: str, most: int, seed: int) -> int:
    """Disturbs the calls of a flow, prints what was seen, and returns the number of faults with a problem."""
    kind, how = ("memory", "once") if mode == "memory" else ("calls", mode)
    subject.reset()
    count = subject.execute(Fault(0, how, kind)).calls
    seen: collections.Counter[str] = collections.Counter()
    bad = 0
    for number in numbers(count, most, seed):
        if problems := list(subject.problems(Fault(number, how, kind))):
            bad += 1
            for problem in problems:
                print(f"  {subject.name}, {mode} {number} ({subject.call}): {problem}", flush=True)
        seen[subject.seen] += 1
    states = ", ".join(f"{state} {seen[state]}" for state in sorted(seen))
    print(
        f"{subject.name}, {mode}: {count} calls, {sum(seen.values())} disturbed: {states}; {bad} problems", flush=True
    )
    return bad
