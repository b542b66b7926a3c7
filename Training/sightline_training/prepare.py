"""Finds people's boxes for photos of COCO, packs the photos of the detector, asks the teachers about the photos of the
localizer, makes the pictures of the labeler and the classifier with what their teacher says about them, or the views of
the network of features.
"""

import argparse
import pathlib
import random
import shutil
from collections.abc import Sequence

from . import data, network, shards
from .errors import TrainingError
from .log import Log
from .processes import alone

SEED = 21

# How many photos set the ranges of the exported detector.
CALIBRATION = 400

DEFAULT_WORK = pathlib.Path(__file__).resolve().parents[1] / "work"


def teacher_paths(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    models = folder / "models"
    return {
        "localizer": models / "object_localizer" / "mobile_object_localizer_v1.tflite",
        "detector": models / "yolox" / "yolox_nano.tflite",
        "ssd": models / "coco_ssd" / "detect.tflite",
        "labeler": models / "classifiers" / "object_labeler.tflite",
        "features": models / "classifiers" / "mobilenet_v2_1.0_224_quant.tflite",
        "dense": models / "teachers" / "nanodet_plus_m_1.5x_416_int8.tflite",
    }


def answers_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "localizer-answers"


def packs_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "packs"


def pictures_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "pictures"


def find_boxes(
    folder: pathlib.Path,
    photos: pathlib.Path,
    annotations: pathlib.Path,
    people: pathlib.Path,
    workers: int,
    log: Log,
) -> None:
    """Writes people's boxes into the manifest of everyday photos that are COCO's, but lack their number."""
    from . import lost_boxes

    lost_boxes.find(photos, annotations, data.annotated(people), teacher_paths(folder)["dense"], workers, log)


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


def pack(folder: pathlib.Path, photos: pathlib.Path, work: pathlib.Path, workers: int, log: Log) -> None:
    """Packs everyday photos and the teacher for the machine that trains the detector, and keeps some photos for the
    export, which sets the ranges of the activations by them.
    """
    from . import dense_teacher, packs

    packed = packs.prepare(data.everyday_photos(photos), packs_folder(work), workers, log)
    dense_teacher.save(dense_teacher.converted(teacher_paths(folder)["dense"]), packs_folder(work) / "teacher.npz")
    random.Random(SEED).shuffle(packed)
    shutil.rmtree(work / "detector-val", ignore_errors=True)
    x = data.squares(packed[:CALIBRATION], network.DETECTOR_SIDE)
    shards.write(work / "detector-val" / "shard-0000", {"x": x})


def make_pictures(
    folder: pathlib.Path, photos: pathlib.Path | None, work: pathlib.Path, workers: int, log: Log
) -> None:
    """Makes the pictures of the labeler and the classifier: whole photos, and objects where the teachers were asked."""
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
    parser.add_argument("model", choices=["boxes", "localizer", "detector", "labeler", "features"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument("--photos", type=pathlib.Path, help="a folder of everyday photos with a manifest.csv")
    parser.add_argument(
        "--annotations", type=pathlib.Path, help="boxes: a folder of XML files with people's boxes, named by numbers"
    )
    parser.add_argument(
        "--people",
        type=pathlib.Path,
        help="boxes: a COCO-style folder with the photos to measure by, which are left out of --photos",
    )
    parser.add_argument("--most", type=int, help="localizer: ask about so many photos only")
    parser.add_argument(
        "--initial", type=pathlib.Path, help="features: a detector's weights (.pt), whose first layers see"
    )
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.model == "features" and not (options.photos and options.initial):
        raise TrainingError("The features are learned from --photos, with the first layers of --initial: name both.")
    if options.model == "detector" and not options.photos:
        raise TrainingError("The detector learns from everyday photos: name their folder with --photos.")
    if options.model == "boxes" and not (options.photos and options.annotations and options.people):
        raise TrainingError("People's boxes are found for --photos in --annotations, without --people: name all three.")
    folder = data.data_folder(options.data)
    log = Log(options.work / "prepare.log")
    with alone(options.work):
        if options.model == "boxes":
            find_boxes(folder, options.photos, options.annotations, options.people, options.workers, log)
        elif options.model == "localizer":
            ask(folder, options.photos, options.work, options.most, options.workers, log)
        elif options.model == "features":
            from . import prepare_features

            everyday, teacher = data.everyday_photos(options.photos), teacher_paths(folder)["features"]
            prepare_features.prepare(everyday, teacher, options.initial, options.work, options.workers, log)
        elif options.model == "detector":
            pack(folder, options.photos, options.work, options.workers, log)
        else:
            make_pictures(folder, options.photos, options.work, options.workers, log)
