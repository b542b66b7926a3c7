"""Trains the object localizer, the detector of COCO's kinds or the network of features on what `prepare` made; run
again, it continues where it stopped.
"""

import argparse
import pathlib
from collections.abc import Sequence

from . import data
from .errors import TrainingError
from .log import Log
from .prepare import DEFAULT_WORK, answers_folder, packs_folder


def photos(arguments: argparse.Namespace) -> list[data.Photo]:
    """The photos of the localizer that the teachers were asked about."""
    from . import answers, fresh

    folder = data.data_folder(arguments.data)
    everyday = data.everyday_photos(arguments.photos) if arguments.photos else []
    known = fresh.known(
        data.known_photos(folder, "train") + everyday,
        answers.read(answers_folder(arguments.work)),
    )
    if not known:
        raise TrainingError(f"{answers_folder(arguments.work)} knows nothing about the photos: run prepare first.")
    return known


# How many views a step has, and the highest rate.
SIZES = {"localizer": 32, "detector": 256, "features": 64}
RATES = {"localizer": 1e-3, "detector": 2e-3, "features": 1.5e-3}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training train", description=__doc__)
    parser.add_argument("model", choices=["localizer", "detector", "features"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument(
        "--photos",
        type=pathlib.Path,
        help="localizer: the folder of everyday photos that prepare was given",
    )
    parser.add_argument(
        "--initial",
        type=pathlib.Path,
        help="weights or checkpoint to start from (.pt); the detector takes a localizer's too",
    )
    parser.add_argument(
        "--people",
        type=pathlib.Path,
        help="detector: a COCO-style folder with boxes by people to measure on; its photos must not be packed",
    )
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, help="length of the schedule; repeatable")
    length.add_argument("--minutes", type=float, help="length of the schedule by the clock; not exactly repeatable")
    parser.add_argument("--batch", type=int, help="views a step: 32, of the detector 256, of the features 64")
    parser.add_argument(
        "--rate", type=float, help="highest learning rate: 0.001, of the detector 0.002, of the features 0.0015"
    )
    parser.add_argument(
        "--freeze", action="store_true", help="keep the first layers of --initial as they are; nearly twice as fast"
    )
    parser.add_argument(
        "--settle",
        action="store_true",
        help="detector: keep the statistics of batch normalization of --initial, a detector; better with small batches",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--loaders",
        type=int,
        default=1,
        help="localizer: processes that make views; one for each core but two beside a GPU",
    )
    options = parser.parse_args(arguments)
    for name in ("steps", "minutes", "batch", "rate", "threads", "loaders"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise TrainingError(f"--{name} is {value}, but must be more than 0.")
    if options.freeze and not options.initial:
        raise TrainingError("--freeze keeps the first layers of --initial, which is not given.")
    if options.settle and not options.initial:
        raise TrainingError("--settle keeps the statistics of --initial, which is not given.")
    if options.model == "features" and not options.initial:
        raise TrainingError(
            "The network of features takes its first layers from --initial, a detector's, which is not given."
        )
    import torch

    torch.set_num_threads(options.threads)
    log = Log(options.work / f"train-{options.model}.log")
    common = {
        "initial": options.initial,
        "steps": options.steps,
        "minutes": options.minutes,
        "seed": options.seed,
        "size": options.batch or SIZES[options.model],
        "rate": options.rate or RATES[options.model],
        "freeze": options.freeze,
    }
    if options.model == "localizer":
        from . import train_localizer

        train_localizer.train(options.work, photos(options), log, loaders=options.loaders, **common)
    elif options.model == "features":
        from . import train_features

        del common["freeze"]
        labeled = data.coarse_photos(data.data_folder(options.data), "train")
        train_features.train(options.work, labeled, log, **common)
    else:
        from . import train_detector

        people = data.annotated(options.people) if options.people else []
        folder = packs_folder(options.work)
        train_detector.train(folder, options.work, log, settle=options.settle, people=people, **common)
