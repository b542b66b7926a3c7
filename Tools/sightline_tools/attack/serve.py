"""Attacks a server of answers on loopback, and checks that each attack fails. `answers.py` and `strangers.py` have
the attacks.

    Scripts/tools attack serve [ATTACK …] [--executable .build/debug/sightline-serve] [--list]

Each attack gets its own server with the built-in models. The exit code is 1 if an attack succeeded.
"""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence

from ..answers import AnswerServer
from ..places import add_executable, temporary_folder
from .answers import ATTACKS, HUB_FILE, TOKEN, TOKEN_FILE

importlib.import_module(f"{__package__}.strangers")


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="names of attacks; all of them by default")
    add_executable(parser, "sightline-serve")
    parser.add_argument("--list", action="store_true", help="list the attacks and end")
    arguments = parser.parse_args(words)
    names = [function.__name__ for function, _ in ATTACKS]
    if unknown := set(arguments.attacks) - set(names):
        parser.error(f"there is no attack named {', '.join(sorted(unknown))}; the attacks are {', '.join(names)}")
    succeeded = failed = 0
    for function, options in ATTACKS:
        if arguments.attacks and function.__name__ not in arguments.attacks:
            continue
        if arguments.list:
            print(f"{function.__name__}: {(function.__doc__ or '').strip().splitlines()[0]}")
            continue
        with temporary_folder("attack") as folder:
            (folder / "token").write_text(TOKEN + "\n")
            hub = {"hub": "http://127.0.0.1:1", "projectID": "nothing", "apiKey": "nothing"}
            (folder / "hub.json").write_text(json.dumps(hub))
            files = {TOKEN_FILE: folder / "token", HUB_FILE: folder / "hub.json"}
            given = [files.get(str(word), word) for word in options]
            server = AnswerServer(arguments.executable, *given)
            try:
                detail = function(server)
                assert server.is_running, f"the server ended with status {server.process.returncode}"
                failed += 1
                print(f"failed     {function.__name__}" + (f": {detail}" if detail else ""), flush=True)
            except AssertionError as error:
                succeeded += 1
                print(f"SUCCEEDED  {function.__name__}: {error}", flush=True)
            finally:
                server.stop()
    if not arguments.list:
        print(f"{failed} attacks failed, {succeeded} succeeded")
    sys.exit(1 if succeeded else 0)
