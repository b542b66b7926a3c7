"""Writes the public declarations of each module that apps import into Documentation/API, from the built modules.

    Scripts/tools make api

A reviewer sees there what a change does to the modules' users, and `Scripts/tools check api` compares it with the last
release.
"""

import argparse
import subprocess
from collections.abc import Sequence

from .. import interfaces
from ..places import ROOT


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--built", action="store_true", help="the modules are built already")
    options = parser.parse_args(words)
    if not options.built:
        build()
    folder = ROOT / interfaces.LISTINGS
    folder.mkdir(exist_ok=True)
    current = interfaces.current(interfaces.modules())
    for path in folder.glob("*.txt"):
        path.unlink()
    for module, rows in current.items():
        if rows:
            (folder / f"{module}.txt").write_text(interfaces.text(module, rows))
    print(f"{sum(map(len, current.values()))} declarations of {len(current)} modules, in {folder}")


def build() -> None:
    """Builds the modules of both packages."""
    for package in (".", "Firebase"):
        subprocess.run(["Scripts/swift-in", package, "build"], cwd=ROOT, check=True)
