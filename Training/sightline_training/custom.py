"""Trains a labeler or a detector from your pictures, and writes the folder that AutoML Vision Edge would write."""

import argparse
import os
import pathlib
import subprocess
from collections.abc import Sequence

from .errors import TrainingError
from .log import Log
from .prepare import DEFAULT_WORK

TRAINING = pathlib.Path(__file__).resolve().parents[1]


def exported(output: pathlib.Path, weights: pathlib.Path, work: pathlib.Path, python: pathlib.Path) -> None:
    """Runs the command export, which needs TensorFlow, with a Python that has it."""
    command = [
        str(python),
        "-m",
        "sightline_training",
        "export",
        "custom",
        str(output),
        "--weights",
        str(weights),
        "--work",
        str(work),
    ]
    environment = {**os.environ, "PYTHONPATH": str(TRAINING)}
    finished = subprocess.run(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    if finished.returncode:
        # TensorFlow says much; the last line says what went wrong.
        reason = (finished.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise TrainingError(
            f"The trained weights {weights} could not be exported ({reason}): the same command tries again."
        )


def checked(arguments: argparse.Namespace) -> None:
    for name in ("epochs", "threads"):
        if getattr(arguments, name) < 1:
            raise TrainingError(f"--{name} is {getattr(arguments, name)}, but must be 1 or more.")
    if not 0 < arguments.held_out <= 0.5:
        raise TrainingError(f"--held-out is {arguments.held_out:g}, but must be more than 0 and at most 0.5.")
    if not arguments.export_python.is_file():
        raise TrainingError(
            f"The Python with TensorFlow, {arguments.export_python}, is not there: set it up as Training/README.md"
            " says, or name it with --export-python."
        )
    if not arguments.initial.is_file():
        raise TrainingError(f"The weights {arguments.initial} are not there: name others with --initial.")
    if arguments.output.exists() and not arguments.output.is_dir():
        raise TrainingError(f"{arguments.output} is a file: name a folder for the model.")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training custom", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    labels = kinds.add_parser("labels", help="a labeler, from a folder with a subfolder of pictures for each label")
    labels.add_argument("folder", type=pathlib.Path, help="a folder with a subfolder of pictures for each label")
    labels.set_defaults(initial=TRAINING / "checkpoints" / "custom.pt", epochs=30)
    boxes = kinds.add_parser("boxes", help="a detector, from pictures with COCO-style boxes")
    boxes.add_argument("annotations", type=pathlib.Path, help="a COCO-style file of boxes (.json)")
    boxes.add_argument("images", type=pathlib.Path, help="the folder of the pictures that it names")
    boxes.set_defaults(initial=TRAINING / "checkpoints" / "custom.pt", epochs=15)
    for kind in (labels, boxes):
        kind.add_argument("output", type=pathlib.Path, help="the folder to write the model to")
        kind.add_argument("--initial", type=pathlib.Path, help="the weights to start from (.pt)")
        kind.add_argument("--epochs", type=int, help="how often each picture is seen in fine-tuning")
        kind.add_argument(
            "--held-out", type=float, default=0.15, help="the share of pictures that is kept for measuring"
        )
        kind.add_argument("--seed", type=int, default=0)
        kind.add_argument("--threads", type=int, default=2)
        kind.add_argument(
            "--work", type=pathlib.Path, default=DEFAULT_WORK / "custom", help="the folder for checkpoints and the log"
        )
        kind.add_argument(
            "--export-python",
            type=pathlib.Path,
            default=DEFAULT_WORK / "export" / "bin" / "python",
            help="the Python that has TensorFlow",
        )
    options = parser.parse_args(arguments)
    checked(options)
    import torch

    torch.set_num_threads(options.threads)
    log = Log(options.work / f"custom-{options.kind}.log")
    common = (
        options.output,
        options.work,
        log,
        options.initial,
        options.epochs,
        options.held_out,
        options.seed,
    )

    def export(weights: pathlib.Path, work: pathlib.Path) -> None:
        exported(options.output, weights, work, options.export_python)

    if options.kind == "labels":
        from . import custom_labels

        lines = custom_labels.train(options.folder, *common, export=export)
    else:
        from . import custom_boxes

        lines = custom_boxes.train(options.annotations, options.images, *common, export=export)
    with log.path.open("a", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    print("\n".join(lines))
