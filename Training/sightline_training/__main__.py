"""Runs the commands: `python -m sightline_training COMMAND …`."""

import argparse
import importlib
import sys

from .errors import exit_on_failure

COMMANDS = {
    "prepare": "pack the detector's photos, collect the teachers' answers, or make the labeler's pictures",
    "train": "train the localizer, the detector or the network of features; run again, it resumes from its checkpoint",
    "fit": "make the classifier or the labeler of the detector; choose which names the detector shows",
    "average": "average the weights of two trainings",
    "export": "write trained weights as an int8 .tflite file",
    "evaluate": "measure .tflite files on photos that training never sees",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m sightline_training",
        description="Trains, exports and measures the models that Sightline ships.",
        epilog="Each command has a --help of its own.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, description in COMMANDS.items():
        commands.add_parser(name, help=description, add_help=False)
    options = parser.parse_args(sys.argv[1:2])
    # A command's libraries are loaded only when it runs: Torch and TensorFlow are rarely installed together.
    command = importlib.import_module(f".{options.command}", __package__)
    with exit_on_failure():
        command.main(sys.argv[2:])


if __name__ == "__main__":
    main()
