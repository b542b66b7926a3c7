"""The parts that the process benchmarks share: starting a program, how long it takes, how much memory it takes.

These scripts import nothing outside the standard library: the kernel counts the parent's memory at the time of the
fork into a child's peak, so the parent stays smaller (14 MB) than anything that is measured.
"""

import argparse
import dataclasses
import os
import statistics
import subprocess
import sys
import time


def parser(description: str) -> argparse.ArgumentParser:
    """The options that every script has."""
    result = argparse.ArgumentParser(description=description.splitlines()[0])
    result.add_argument("--sightline", required=True, help="the sightline program, built for release")
    result.add_argument("--model", required=True)
    return result


@dataclasses.dataclass
class Run:
    """The cost of one run of a program."""

    first_output: float  # milliseconds from its start
    finished: float  # milliseconds from its start to its exit
    processor: float  # milliseconds of processor time, which other programs hardly lengthen
    peak_memory: int  # bytes


def timed_run(command: list[str], line: str | None = None) -> Run:
    """Runs a program to its end.

    `line` is what the program reads from standard input. Fails where the exit code is not 0 or nothing was printed.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
    )
    if line is not None:
        process.stdin.write(line.encode() + b"\n")
    process.stdin.close()
    first = process.stdout.read(1)
    first_output = (time.perf_counter() - start) * 1000
    while process.stdout.read(65536):
        pass
    _, status, usage = os.wait4(process.pid, 0)
    finished = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not first:
        sys.exit(f"{' '.join(command)} gave exit code {process.returncode}")
    return Run(first_output, finished, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss * 1024)


def summary(values: list[float]) -> str:
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) * 95 // 100, len(ordered) - 1)]
    return f"median {statistics.median(ordered):8.1f}  best {ordered[0]:8.1f}  p95 {p95:8.1f}"
