"""Disturbs what hubs depend on while clients work, and checks that nothing is lost or torn, that every answer is the
right one or 503 with Retry-After, and that the hubs recover without a hand.

    Scripts/tools disturb hub [SCENARIO ...] [--executable .build/debug/sightline-hub] [--nanio PROGRAM]

The scenarios, all by default:

    network    the networks to PostgreSQL and to the storage are cut, and stall
    storage    the storage answers 500 or 503, or very slowly
    disk       the disk of a cache, and that of a single hub, are full (as root: they are small disks in memory)
    files      a hub may open few files
    clock      the clock of a hub jumps an hour ahead and behind, in a fleet and alone (needs a C compiler)
    years      the clock of a single hub is a year ahead and behind, and passes the end of 32-bit time in 2038
    upgrade    a hub of a later version changes the tables while others serve

Needs PostgreSQL, nanio (from PyPI) and the LiteRT library. Prints a line for each disturbance.
"""

import argparse
import sys
from collections.abc import Sequence

from ..places import add_executable
from . import clock, faults, years

SCENARIOS = {
    "network": [faults.network],
    "storage": [faults.storage],
    "disk": [faults.disk],
    "files": [faults.files],
    "clock": [clock.fleet, clock.single, clock.rate_limit],
    "years": [years.years],
    "upgrade": [faults.upgrade],
}


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="the scenarios; all by default")
    parser.add_argument("--seed", type=int, default=1)
    add_executable(parser, "sightline-hub")
    parser.add_argument("--nanio", default="nanio", help="the program nanio")
    arguments = parser.parse_args(words)
    unknown = set(arguments.scenarios) - set(SCENARIOS)
    if unknown:
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}; choose of {', '.join(SCENARIOS)}")
    failed = False
    for name in arguments.scenarios or SCENARIOS:
        for scenario in SCENARIOS[name]:
            failed |= not scenario(arguments)
    sys.exit(1 if failed else 0)
