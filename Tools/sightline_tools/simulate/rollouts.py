"""Simulates rollouts with the hub's own statistics and state machine, and prints how many of them were halted: of
versions without a difference, and of worse versions.

    Scripts/tools simulate rollouts --rollouts 10000 [--devices 20000 5000]

The sources are compiled with optimization and without the rest of the hub. 10,000 rollouts to 20,000 devices take about
half an hour of processor time. `Tests/ModelHubServerTests/Rollouts/RolloutSimulation.swift` describes the devices.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..places import ROOT, temporary_folder
from ..programs import Word

SOURCES = [
    "Sources/ModelHubServer/Rollouts/Statistics",
    "Sources/ModelHubServer/Rollouts/State",
    "Sources/ModelHubServer/Storage/Timestamp.swift",
    "Sources/SightlineImages/Pixels/RepeatableRandom.swift",
    "Tests/ModelHubServerTests/Rollouts/RolloutSimulation.swift",
    "Tests/RolloutProbe/main.swift",
]


def files() -> list[Path]:
    """The sources of the simulation."""
    paths = [ROOT / name for name in SOURCES]
    return [file for path in paths for file in (sorted(path.glob("*.swift")) if path.is_dir() else [path])]


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Compiles and runs the simulation."""
    parser.add_argument("--rollouts", type=int, default=1000, help="the number of rollouts for each effect (1000)")
    parser.add_argument("--devices", type=int, nargs="+", default=[20_000], help="the numbers of devices (20000)")
    arguments = parser.parse_args(words)
    with temporary_folder("rollouts") as folder:
        program = folder / "simulate"
        options = "-O -swift-version 6 -package-name sightline -o".split()
        command: list[Word] = ["swiftc", *options, program, *files()]
        subprocess.run(command, check=True)
        numbers = [str(number) for number in (arguments.rollouts, *arguments.devices)]
        sys.exit(subprocess.run([program, *numbers]).returncode)
