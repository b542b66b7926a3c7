"""The costs of programs, and how they grow: processor time, which other programs hardly lengthen, and peak memory."""

import dataclasses
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

Word = str | pathlib.Path

# The largest exponents. Of work on everything: n log n has 1.18 from 100 to 1,000, and less beyond. Of one element
# among many: little.
MOST_OF_ALL = 1.2
MOST_OF_ONE = 0.3
# Of all pairs, where each may belong to each.
MOST_OF_PAIRS = 2.0

# The kernel counts the memory of a program's parent into its peak, so the parent is a small Python.
STOPWATCH = """
import os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as report:
    print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=report)
"""


@dataclasses.dataclass(frozen=True)
class Cost:
    """The cost of something at one size."""

    seconds: float  # of processor time
    megabytes: float | None = None  # the peak, of 10⁶ bytes
    most: float = MOST_OF_ALL  # the exponent that it may have

    def may(self, most: float) -> "Cost":
        """The same cost with another largest exponent."""
        return dataclasses.replace(self, most=most)

    def least(self, other: "Cost") -> "Cost":
        """The smaller cost: noise only adds."""
        memory = [value for value in (self.megabytes, other.megabytes) if value is not None]
        return dataclasses.replace(
            self, seconds=min(self.seconds, other.seconds), megabytes=min(memory) if memory else None
        )


def of_program(
    words: Sequence[Word],
    *,
    text: str | None = None,
    codes: Sequence[int] = (0,),
    variables: dict[str, str] | None = None,
    output: pathlib.Path | None = None,
) -> Cost:
    """The cost of a program that runs to its end. `text` is its standard input; its output is left out or in a file."""
    with tempfile.TemporaryDirectory() as folder, open(output or os.devnull, "wb") as stdout:
        report, errors = pathlib.Path(folder, "report"), pathlib.Path(folder, "errors")
        with open(errors, "wb") as stderr:
            subprocess.run(
                [sys.executable, "-I", "-S", "-c", STOPWATCH, report, *words],
                input=(text or "").encode(),
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, **(variables or {})},
                timeout=600,
                check=True,
            )
        code, seconds, kilobytes = report.read_text().split()
        if int(code) not in codes:
            last = errors.read_text(errors="replace")[-500:]
            sys.exit(f"{' '.join(map(str, words))[:300]} gave exit code {code}: {last}")
    return Cost(float(seconds), int(kilobytes) * 1024 / 1e6)


class RunningProgram:
    """The costs of a program that runs on."""

    def __init__(self, process: int) -> None:
        self.process = process

    def seconds(self) -> float:
        """The processor time so far, with that of the children that have ended."""
        # The clock of another process (clock_getcpuclockid) counts nanoseconds; /proc counts hundredths.
        own = time.clock_gettime((~self.process << 3) | 2)
        fields = pathlib.Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()
        return own + (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """The peak of its resident memory."""
        for line in pathlib.Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise SystemExit("the process has no VmHWM")


def exponents(sizes: Sequence[int], costs: Sequence[Cost]) -> list[float]:
    """The growth between successive sizes: 1 if ten times the size costs ten times as much."""
    return [
        math.log(after.seconds / before.seconds) / math.log(large / small)
        for small, large, before, after in zip(sizes, sizes[1:], costs, costs[1:])
    ]


def grows_too_fast(sizes: Sequence[int], costs: Sequence[Cost]) -> bool:
    """Whether the cost at the large end grows faster than it may."""
    return exponents(sizes, costs)[-1] > costs[-1].most


def times(costs: Sequence[Cost]) -> str:
    """The processor times, with one unit for all."""
    unit, factor, digits = ("s", 1.0, 2) if costs[-1].seconds >= 0.1 else ("ms", 1000.0, 2)
    shown = [f"{cost.seconds * factor:.{digits if cost.seconds * factor < 10 else 1}f}" for cost in costs]
    return " / ".join(shown) + f" {unit}"


def memory(costs: Sequence[Cost]) -> str:
    """The peaks of memory."""
    return " / ".join("–" if cost.megabytes is None else f"{cost.megabytes:.0f}" for cost in costs)
