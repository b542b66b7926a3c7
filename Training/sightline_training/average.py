"""Averages the weights of two trainings that began with the same weights; the average is often better than both."""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import checkpoint
from .errors import TrainingError
from .prepare import DEFAULT_WORK

if TYPE_CHECKING:
    import torch


def average(
    first: pathlib.Path, second: pathlib.Path, share: float
) -> tuple[dict[str, torch.Tensor], str, list[str] | None]:
    """Returns the mean of the weights of both files, their configuration and the names of their outputs; `share` is the
    weight of the second file.
    """
    one, other = checkpoint.load(first), checkpoint.load(second)
    shapes = [{name: value.shape for name, value in content["ema"].items()} for content in (one, other)]
    same = one["cfg"] == other["cfg"] and one.get("labels") == other.get("labels")
    if not same or shapes[0] != shapes[1]:
        raise TrainingError(f"{first} and {second} are weights of different networks: name two trainings of one model.")
    state = {}
    for name, value in one["ema"].items():
        # Counters of batch normalization are whole numbers and no weights.
        state[name] = value.float().lerp(other["ema"][name].float(), share) if value.is_floating_point() else value
    return state, one["cfg"], one.get("labels")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training average", description=__doc__)
    parser.add_argument(
        "model",
        choices=["localizer", "detector"],
        help="the model that the weights belong to; it names the output",
    )
    parser.add_argument("first", type=pathlib.Path, help="weights (.pt)")
    parser.add_argument("second", type=pathlib.Path, help="other weights")
    parser.add_argument("--share", type=float, default=0.5, help="the share of the second file, 0 to 1")
    parser.add_argument(
        "--work", type=pathlib.Path, default=DEFAULT_WORK, help="the folder that the average is written to"
    )
    options = parser.parse_args(arguments)
    if not 0 <= options.share <= 1:
        raise TrainingError(f"--share is {options.share}, but must lie in 0 to 1.")
    state, configuration, labels = average(options.first, options.second, options.share)
    options.work.mkdir(parents=True, exist_ok=True)
    checkpoint.finish(options.work, options.model, state, configuration, labels)
    print(f"{options.work / options.model}.pt")
