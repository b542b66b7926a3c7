"""Attacks a hub on loopback, and checks that each attack fails. The folder parts beside this file holds the attacks.

    Scripts/tools attack hub [PART …] [--executable .build/debug/sightline-hub] [--list]

Each attack gets its own hub in a temporary folder. The exit code is 1 if an attack succeeded.
"""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence

from ..places import add_executable
from . import attacked
from . import parts as folder


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parts = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of: {', '.join(parts)}; all of them by default")
    add_executable(parser, "sightline-hub")
    parser.add_argument("--list", action="store_true", help="list the attacks and end")
    arguments = parser.parse_args(words)
    unknown = set(arguments.parts) - set(parts)
    if unknown:
        parser.error(f"there is no part named {', '.join(sorted(unknown))}; the parts are {', '.join(parts)}")
    for part in arguments.parts or parts:
        importlib.import_module(f"{folder.__name__}.{part}")
    succeeded = 0
    for function, options in attacked.ATTACKS:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        if arguments.list:
            print(f"{name}: {(function.__doc__ or '').strip().splitlines()[0]}")
            continue
        with attacked.serving(arguments.executable, options) as hub:
            try:
                detail = function(hub)
                assert hub.is_alive, f"the hub ended with status {hub.process.returncode}"
                print(f"failed     {name}" + (f": {detail}" if detail else ""), flush=True)
            except AssertionError as error:
                succeeded += 1
                print(f"SUCCEEDED  {name}: {error}", flush=True)
    if not arguments.list:
        print(f"{len(attacked.ATTACKS) - succeeded} attacks failed, {succeeded} succeeded")
    sys.exit(1 if succeeded else 0)
