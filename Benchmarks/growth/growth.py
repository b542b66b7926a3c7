#!/usr/bin/env python3
"""Measures how the cost of the programs grows with what they are given, and finds what grows too fast.

    python3 growth/growth.py --bin ../.build/release [--only ROW ...] [--quick]

Each row has a few sizes, and for each of them the processor time and the peak of resident memory. An exponent of 1
between two sizes means that ten times as much costs ten times as much. At the large end, work on everything may grow
like n log n, so with 1.2; work on one element among many may hardly grow, with 0.3; and a search among all pairs, each
of which may be what is searched for, with 2. What grows faster is measured again at the two largest sizes, up to three
times, and the smallest costs count, because noise only adds. The exit code is 1 if it grows too fast then, too.

Needs the LiteRT library, and Python alone. Hubs listen on loopback. The whole takes six minutes on two cores.
"""

import argparse
import pathlib
import sys
import tempfile
import time

import hubs
import pictures
import streams
from bench import Bench, Row
from costs import Cost, exponents, grows_too_fast, memory, times

ROWS: list[Row] = [*pictures.ROWS, *streams.ROWS, *hubs.ROWS]
ROUNDS = 3


def measured(programs: pathlib.Path, row: Row, size: int) -> dict[str, Cost]:
    with tempfile.TemporaryDirectory(prefix="sightline-growth-") as folder:
        return row.measure(Bench(programs, pathlib.Path(folder)), size)


def measure(programs: pathlib.Path, row: Row, sizes: tuple[int, ...], rounds: int) -> dict[str, list[Cost]]:
    """The costs at all sizes, by what was measured. What grows too fast is measured again in some rounds."""
    found = [measured(programs, row, size) for size in sizes]
    costs = {name: [at_size[name] for at_size in found] for name in found[0]}
    for _ in range(rounds):
        if not any(grows_too_fast(sizes, each) for each in costs.values()):
            break
        for place in (-2, -1):
            again = measured(programs, row, sizes[place])
            for name, each in costs.items():
                each[place] = each[place].least(again[name])
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of the programs, built for release")
    parser.add_argument("--only", nargs="+", choices=[row.name for row in ROWS], metavar="ROW", help="some rows")
    parser.add_argument("--quick", action="store_true", help="small sizes, which show only that everything runs")
    options = parser.parse_args()
    start, fast = time.monotonic(), []
    print("| what grows | sizes | what runs | processor time | exponents | memory, MB |")
    print("|---|--:|---|--:|--:|--:|", flush=True)
    for row in ROWS:
        if options.only and row.name not in options.only:
            continue
        sizes = row.quick if options.quick else row.sizes
        for name, costs in measure(options.bin.resolve(), row, sizes, 0 if options.quick else ROUNDS).items():
            shown = ", ".join(f"{value:.2f}" for value in exponents(sizes, costs))
            if not options.quick and grows_too_fast(sizes, costs):
                shown = f"**{shown}**"
                fast.append(f"{row.name}, {name}")
            numbers = " / ".join(f"{size:,}" for size in sizes)
            print(f"| {row.of} | {numbers} | {name} | {times(costs)} | {shown} | {memory(costs)} |", flush=True)
    print(f"\n{time.monotonic() - start:.0f} s")
    if fast:
        sys.exit("Grows too fast: " + "; ".join(fast))


if __name__ == "__main__":
    main()
