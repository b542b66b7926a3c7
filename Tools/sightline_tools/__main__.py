"""Runs the tools: `Scripts/tools GROUP COMMAND …`."""

import argparse
import importlib
import sys
from collections.abc import Sequence

PROGRAM = "Scripts/tools"
GROUPS = {
    "fuzz": "damage files, and check that reading them never crashes, hangs or swallows memory",
    "kill": "kill programs at random moments, and check that nothing is lost",
    "disturb": "disturb what a program depends on, and check that nothing is lost",
    "fault": "let each call of a command fail, and check that its files are the earlier or the new ones",
    "attack": "attack a program, and check that each attack fails",
    "check": "compare sources, pages and programs with each other and with Google's",
    "simulate": "simulate what takes days or thousands of devices",
    "make": "write pages, pictures and packages from the code",
    "release": "make everything that a release needs",
    "serve": "serve what tests need",
}
# A command is the function `main` of the module with its name in the folder of its group. A group without commands is
# one itself.
COMMANDS = {
    "fuzz": {
        "broker": "a broker of MQTT that lies to a program which sends events",
        "coverage": "readers of bytes from outside, with libFuzzer",
        "images": "picture files",
        "models": "model files",
        "videos": "video files",
        "watch": "files of sightline watch",
    },
    "kill": {
        "hub": "kill a hub, or a fleet and its servers, while clients work",
        "broker": "kill a broker of MQTT and the program that sends it events",
        "dataset": "kill hubs that add photos to data sets and train on them",
        "download": "kill a client that downloads models",
        "train": "kill commands that train models and compare pictures",
        "watch": "kill cameras, a broker and the program that watches cameras",
    },
    "disturb": {
        "hub": "cut networks, fill disks, turn clocks and change tables under hubs",
        "watch": "fill the disk and turn the clock of a program that watches cameras",
    },
    "attack": {"hub": "attack a hub on loopback", "serve": "attack a server of answers on loopback"},
    "check": {
        "api": "the public declarations are listed, and none that was released is gone or changed",
        "apple": "an app needs no library beyond Apple's SDKs, and its modules compile against stand-ins",
        "console": "a stranger finds the way from photos to a rollout in a browser, with accessible pages",
        "commands": "the commands of the documentation print what its pages show",
        "dialects": "clients of other servers work with a server of answers",
        "english": "comments, messages, pages and commit subjects are plain English",
        "firebase-admin": "Google's firebase_admin SDK works with a hub",
        "layers": "folders and modules use only those below them",
        "links": "the links of all pages lead to files and headings",
        "objective-c": "Objective-C sees the names of ML Kit and Firebase that the documentation lists",
        "old-kernel": "the sandbox of the hub on a kernel without Landlock",
        "openid": "people and commands sign in at a hub with a real OpenID Connect provider",
        "readme": "the Swift of the documentation compiles",
        "spark": "jobs of sightline-spark survive the end of each kind of process",
        "symbol-table": "a table of the documentation lists the symbols of its modules",
        "transfers": "downloads over URLSession work on Linux",
        "upgrade": "this version continues what an earlier release left, which refuses later data",
        "wheel": "the wheel of the Python package can be installed and used",
    },
    "simulate": {
        "devices": "devices that get a version of a model step by step",
        "month": "a month of each program, and what would be full first",
        "rollouts": "the statistics of rollouts",
    },
    "make": {
        "api": "the list of public declarations, by module",
        "manual": "the manual pages of a program",
        "pictures": "the pictures of README.md",
        "way": "the pictures of the pages about the way from photos to a rollout, and about the state of a thing",
        "reference": "the reference of commands, results and the HTTP API",
        "wheel": "the wheel of the Python package",
    },
    "fault": {},
    "release": {},
    "serve": {"storage": "S3-compatible storage on loopback"},
}


def main(words: Sequence[str]) -> None:
    """Runs the command that the first two words name with the other words."""
    group = chosen(PROGRAM, "Fuzzes, kills, attacks, checks and makes.", "GROUP", GROUPS, words[:1])
    path, rest = [group], words[1:]
    if COMMANDS[group]:
        help_text = f"Commands that {GROUPS[group]}."
        path.append(chosen(f"{PROGRAM} {group}", help_text, "COMMAND", COMMANDS[group], words[1:2]))
        rest = words[2:]
    # The libraries of a command are loaded only when it runs.
    command = importlib.import_module("." + ".".join(path).replace("-", "_"), __package__)
    parser = argparse.ArgumentParser(
        prog=" ".join([PROGRAM, *path]),
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.main(parser, rest)


def chosen(program: str, description: str, kind: str, choices: dict[str, str], words: Sequence[str]) -> str:
    """The choice that a word names; the help lists all of them."""
    parser = argparse.ArgumentParser(
        prog=program, description=description, epilog="Each command has a --help of its own."
    )
    commands = parser.add_subparsers(dest="choice", metavar=kind, required=True)
    for name, text in choices.items():
        commands.add_parser(name, help=text, add_help=False)
    return str(parser.parse_args(words).choice)


if __name__ == "__main__":
    main(sys.argv[1:])
