"""Averages the weights of two trainings that began with the same weights: the mean is often better than either of
them.
"""

import argparse
import pathlib

from . import checkpoint
from .errors import TrainingError, told
from .prepare import DEFAULT_WORK


def mean(first, second, share):
    """The weights of both files, those of the second one with this share."""
    one, other = checkpoint.load(first), checkpoint.load(second)
    shapes = [{name: value.shape for name, value in content["ema"].items()} for content in (one, other)]
    if one["cfg"] != other["cfg"] or shapes[0] != shapes[1]:
        raise TrainingError(f"{first} and {second} are weights of different networks: name two trainings of one model.")
    state = {}
    for name, value in one["ema"].items():
        # Counters of batch normalisation are whole numbers and no weights.
        state[name] = value.float().lerp(other["ema"][name].float(), share) if value.is_floating_point() else value
    return state, one["cfg"]


def main():
    parser = argparse.ArgumentParser(prog="mean", description=__doc__)
    parser.add_argument(
        "model", choices=["localizer", "classifier"], help="what the weights are, and what the mean is called"
    )
    parser.add_argument("first", type=pathlib.Path, help="weights (.pt)")
    parser.add_argument("second", type=pathlib.Path, help="other weights")
    parser.add_argument("--share", type=float, default=0.5, help="how much of the second ones is taken, 0 to 1")
    parser.add_argument(
        "--work", type=pathlib.Path, default=DEFAULT_WORK, help="where the mean is written for `export`"
    )
    arguments = parser.parse_args()
    if not 0 <= arguments.share <= 1:
        raise TrainingError(f"--share is {arguments.share}, but must lie in 0 to 1.")
    state, configuration = mean(arguments.first, arguments.second, arguments.share)
    arguments.work.mkdir(parents=True, exist_ok=True)
    checkpoint.finish(arguments.work, arguments.model, state, configuration)
    print(f"{arguments.work / arguments.model}.pt")


if __name__ == "__main__":
    told(main)
