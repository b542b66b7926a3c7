"""Asks the teachers about the photos of the localizer or of the detector, or makes the pictures of the backbone with
what its teacher says of them.
"""

import argparse
import pathlib
import random
from collections.abc import Sequence

from . import data
from .errors import TrainingError
from .log import Log
from .processes import alone

SEED = 21

DEFAULT_WORK = pathlib.Path(__file__).resolve().parents[1] / "work"

# The models that Sightline ships.
RESOURCES = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "Sightline" / "Resources"


def teacher_paths(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    models = folder / "models"
    return {
        "localizer": models / "object_localizer" / "mobile_object_localizer_v1.tflite",
        "detector": models / "yolox" / "yolox_nano.tflite",
        "ssd": models / "coco_ssd" / "detect.tflite",
        "labeler": models / "classifiers" / "object_labeler.tflite",
        "embedder": models / "classifiers" / "mobilenet_v2_1.0_224_quant.tflite",
    }


def answers_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "localizer-answers"


def named_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "detector-answers"


def pictures_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "pictures"


def ask(
    folder: pathlib.Path, photos: pathlib.Path | None, work: pathlib.Path, most: int | None, workers: int, log: Log
) -> None:
    """Asks the teachers about the photos that the localizer learns from, those of people's own data first."""
    from . import answers

    known = data.known_photos(folder, "train")
    for photo in known:
        if photo.label >= 0:  # the boxes of labeled pictures come from a model: only the pictures are used
            photo.boxes = photo.boxes[:0]
    everyday = data.everyday_photos(photos) if photos else []
    random.Random(SEED).shuffle(everyday)
    answers.ask((known + everyday)[:most], teacher_paths(folder), answers_folder(work), workers, log)


def ask_names(
    folder: pathlib.Path, photos: pathlib.Path, work: pathlib.Path, most: int | None, workers: int, log: Log
) -> None:
    """Asks the detectors of COCO's kinds about everyday photos."""
    from . import answers, named_answers

    everyday = data.everyday_photos(photos)
    random.Random(SEED).shuffle(everyday)
    answers.ask(
        everyday[:most],
        named_answers.paths(folder),
        named_folder(work),
        workers,
        log,
        start=named_answers.start,
        about=named_answers.answers_about,
        most=named_answers.MOST,
    )


def make_pictures(
    folder: pathlib.Path, photos: pathlib.Path | None, work: pathlib.Path, workers: int, log: Log
) -> None:
    """Makes the pictures of the backbone: whole photos, and objects where the teachers were asked."""
    from . import answers, pictures

    everyday = data.everyday_photos(photos) if photos else []
    pictures.prepare(
        data.known_photos(folder, "train") + everyday,
        answers.read(answers_folder(work)),
        teacher_paths(folder),
        pictures_folder(work),
        workers,
        log,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training prepare", description=__doc__)
    parser.add_argument("model", choices=["localizer", "detector", "backbone"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument("--photos", type=pathlib.Path, help="a folder of everyday photos with a manifest.csv")
    parser.add_argument("--most", type=int, help="localizer, detector: ask about so many photos only")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.model == "detector" and not options.photos:
        raise TrainingError("The detector learns from everyday photos: name their folder with --photos.")
    folder = data.data_folder(options.data)
    log = Log(options.work / "prepare.log")
    with alone(options.work):
        if options.model == "localizer":
            ask(folder, options.photos, options.work, options.most, options.workers, log)
        elif options.model == "detector":
            ask_names(folder, options.photos, options.work, options.most, options.workers, log)
        else:
            make_pictures(folder, options.photos, options.work, options.workers, log)
