"""Trains the object localizer or the coarse classifier on what `prepare` made; run again, it goes on where it stopped."""

import argparse
import pathlib

from . import data
from .errors import TrainingError, told
from .log import Log
from .prepare import DEFAULT_WORK, teacher_paths


def main():
    parser = argparse.ArgumentParser(prog="train", description=__doc__)
    parser.add_argument("model", choices=["localizer", "classifier"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument("--initial", type=pathlib.Path, help="weights or checkpoint to start from (.pt); the classifier takes a localizer's backbone too")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, help="length of the schedule; repeatable")
    length.add_argument("--minutes", type=float, help="length of the schedule by the clock; not exactly repeatable")
    parser.add_argument("--views", type=int, help="use only so many of the prepared views")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1e-3, help="highest learning rate")
    parser.add_argument("--freeze", action="store_true", help="keep the first layers of --initial as they are; nearly twice as fast")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--loaders", type=int, default=1, help="localizer: processes that make views; one for each core but two beside a GPU")
    arguments = parser.parse_args()
    for name in ("steps", "minutes", "views", "batch", "rate", "threads", "loaders"):
        value = getattr(arguments, name)
        if value is not None and value <= 0:
            raise TrainingError(f"--{name} is {value}, but must be more than 0.")
    if arguments.freeze and not arguments.initial:
        raise TrainingError("--freeze keeps the first layers of --initial, which is not given.")
    import torch

    torch.set_num_threads(arguments.threads)
    log = Log(arguments.work / f"train-{arguments.model}.log")
    common = {
        "initial": arguments.initial, "steps": arguments.steps, "minutes": arguments.minutes, "seed": arguments.seed,
        "size": arguments.batch, "rate": arguments.rate, "count": arguments.views, "freeze": arguments.freeze,
    }
    if arguments.model == "localizer":
        from .train_localizer import train

        train(arguments.work, teacher_paths(data.data_folder(arguments.data))["localizer"], log, loaders=arguments.loaders, **common)
    else:
        from .train_classifier import train

        train(arguments.work, log, **common)


if __name__ == "__main__":
    told(main)
