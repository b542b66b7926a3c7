"""Asks the teachers about the photos of the localizer, or makes the crops of the classifier with what its teacher says
of them.
"""

import argparse
import concurrent.futures
import multiprocessing
import pathlib
import random
import shutil
import time
from collections.abc import Sequence

import numpy as np
from PIL import Image

from . import data, shards, views
from .errors import TrainingError
from .log import Log

SEED = 21

# The share of crops that show an object of a photo whose class is named; of the others half are of labeled pictures.
NAMED = 0.15

DEFAULT_WORK = pathlib.Path(__file__).resolve().parents[1] / "work"

# Everything that a worker process needs, set up once in each.
worker = {}


def teacher_paths(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    models = folder / "models"
    return {
        "localizer": models / "object_localizer" / "mobile_object_localizer_v1.tflite",
        "detector": models / "yolox" / "yolox_nano.tflite",
        "ssd": models / "coco_ssd" / "detect.tflite",
        "labeler": models / "classifiers" / "object_labeler.tflite",
    }


def answers_folder(work: pathlib.Path) -> pathlib.Path:
    return work / "localizer-answers"


def ask(
    folder: pathlib.Path, photos: pathlib.Path | None, work: pathlib.Path, most: int | None, workers: int, log: Log
) -> None:
    """Asks the teachers about the photos that the localizer learns from, those of people's own data first."""
    from . import answers

    known = data.localizer_photos(folder, "train") + data.coarse_photos(folder, "train")
    for photo in known:
        if photo.label >= 0:  # the boxes of labeled pictures come from a model: only the pictures are used
            photo.boxes = photo.boxes[:0]
    everyday = data.everyday_photos(photos) if photos else []
    random.Random(SEED).shuffle(everyday)
    answers.ask((known + everyday)[:most], teacher_paths(folder), answers_folder(work), workers, log)


def start_classifier(folder: pathlib.Path, work: pathlib.Path, split: str, seed: int) -> None:
    from . import teachers

    labeled = [photo.keep() for photo in data.coarse_photos(folder, split)]
    worker["labeled"] = [[photo for photo in labeled if photo.label == index] for index in range(len(data.CLASSES))]
    keep = {"foda": 0.15, "chess": 0.4, "cpfood": 0.5}
    chance = random.Random(f"{seed}/photos")
    photos = data.localizer_photos(folder, split)
    by_class = [[] for _ in data.CLASSES]
    for name, rows in data.read_json(objects_file(work, split)).items():
        for box, label in rows:
            by_class[label].append((name, box, label))
    worker["named"] = [objects for objects in by_class if objects]
    worker["photos"] = {photo.path.name: photo for photo in photos}
    worker["scenes"] = [photo.keep() for photo in photos if chance.random() < keep.get(photo.source, 1)]
    worker["weights"] = np.cumsum([views.SOURCE_WEIGHTS.get(photo.source, 1.0) for photo in worker["scenes"]]).tolist()
    worker["seed"] = f"{seed}/{split}"
    worker["labeler"] = teachers.Labeler(teacher_paths(folder)["labeler"])
    worker["localizer"] = teachers.Localizer(teacher_paths(folder)["localizer"])


def crop(number: int) -> tuple[Image.Image, int]:
    """A crop as a detector would hand it over, its size 224, and the class a person gave it (-1: none)."""
    rng = random.Random(f"{worker['seed']}/crop/{number}")
    chance = rng.random()
    if chance < NAMED:
        name, box, label = rng.choice(rng.choice(worker["named"]))
        image, boxes, pick = worker["photos"][name].load(), [box], True
    elif chance < (1 + NAMED) / 2:
        photo = rng.choice(rng.choice(worker["labeled"]))
        image, label = photo.load(), photo.label
        boxes, pick = photo.boxes, rng.random() < 0.5
        # Boxes found by a model may hold a part of what the label names.
        boxes = boxes[[data_share(box, photo.size) > 0.15 for box in boxes]] if len(boxes) else boxes
    else:
        photo = rng.choices(worker["scenes"], cum_weights=worker["weights"])[0]
        image, label = photo.load(), -1
        boxes, pick = photo.boxes, rng.random() < 0.3
        if not pick:
            boxes, pick = boxes_found(image), rng.random() < 0.7
    if pick and len(boxes):
        x0, y0, x1, y1 = boxes[rng.randrange(len(boxes))]
        w, h = x1 - x0, y1 - y0
        region = (
            x0 - rng.uniform(-0.08, 0.15) * w,
            y0 - rng.uniform(-0.08, 0.15) * h,
            x1 + rng.uniform(-0.08, 0.15) * w,
            y1 + rng.uniform(-0.08, 0.15) * h,
        )
        region = (max(0, region[0]), max(0, region[1]), min(image.width, region[2]), min(image.height, region[3]))
        if min(region[2] - region[0], region[3] - region[1]) < 12:
            region = (0, 0, *image.size)
    else:
        region = views.region(image, rng, 0.5 if label >= 0 else 0.04)
    image = image.resize((224, 224), Image.Resampling.BILINEAR, box=region)
    if rng.random() < 0.5:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if rng.random() < 0.12:
        image = views.turned(image, rng.uniform(-20, 20)).resize((224, 224), Image.Resampling.BILINEAR)
    return views.recolored(image, rng), label


def data_share(box: np.ndarray, size: tuple[int, int]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1]) / (size[0] * size[1])


def boxes_found(image: Image.Image) -> np.ndarray:
    """What the localizing teacher finds in a picture, in its pixels."""
    boxes, _ = worker["localizer"].found(image, least=0.25, most=6)
    return boxes * np.array([image.width, image.height] * 2, np.float32)


def classifier_shard(task: tuple[pathlib.Path, int, int]) -> int:
    folder, number, rows = task
    out: dict[str, np.ndarray] = {
        "x": np.empty((rows, 128, 128, 3), np.uint8),
        "label": np.empty(rows, np.int8),
        "posterior": np.empty((rows, 6), np.float32),
        "scores": np.empty((rows, 631), np.uint8),
    }
    for row in range(rows):
        image, out["label"][row] = crop(number * shards.ROWS + row)
        out["scores"][row] = worker["labeler"].scores(image)
        out["posterior"][row] = worker["labeler"].posterior(out["scores"][row])
        out["x"][row] = np.asarray(image.resize((128, 128), Image.Resampling.BILINEAR))
    shards.write(folder / f"shard-{number:04d}", out)
    return rows


def objects_file(work: pathlib.Path, split: str) -> pathlib.Path:
    return work / f"objects-{split}.json"


def name_objects(folder: pathlib.Path, work: pathlib.Path, log: Log) -> None:
    from . import named, teachers

    detector = teachers.YOLOX(teacher_paths(folder)["detector"])
    for split in ("val", "train"):
        named.find(data.localizer_photos(folder, split), detector, objects_file(work, split), log)


def held_out(folder: pathlib.Path, work: pathlib.Path) -> None:
    """The labeled pictures that training never sees, whole: what the classifier's confidence is fitted to."""
    target = work / "classifier-held" / "shard-0000"
    if not target.exists():
        photos = data.coarse_photos(folder, "val")
        shards.write(
            target,
            {
                "x": np.stack(
                    [np.asarray(photo.load().resize((128, 128), Image.Resampling.BILINEAR)) for photo in photos]
                ),
                "label": np.array([photo.label for photo in photos], np.int8),
            },
        )


CROP_BYTES = 50_000


def prepare(
    folder: pathlib.Path, work: pathlib.Path, split: str, count: int, seed: int, workers: int, log: Log
) -> None:
    """Makes the crops of the classifier that are missing."""
    target = work / f"classifier-{split}"
    target.mkdir(parents=True, exist_ok=True)
    shards.settle(target, {"model": "classifier", "split": split, "seed": seed})
    tasks = [
        (target, number, min(shards.ROWS, count - number * shards.ROWS)) for number in range(-(-count // shards.ROWS))
    ]
    tasks = [task for task in tasks if not (task[0] / f"shard-{task[1]:04d}").exists()]
    need, free = sum(task[2] for task in tasks) * CROP_BYTES, shutil.disk_usage(target).free
    if need > free:
        raise TrainingError(
            f"The crops need {need / 1e9:.1f} GB and {target} has {free / 1e9:.1f} GB left: free some space, or ask for"
            " fewer views."
        )
    began, done, total = time.monotonic(), 0, sum(task[2] for task in tasks)
    log(f"classifier {split}: {total} of {count} crops to make with {workers} processes, {need / 1e9:.1f} GB")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(
        workers, context, start_classifier, (folder, work, split, seed)
    ) as pool:
        pending = [pool.submit(classifier_shard, task) for task in tasks]
        try:
            for future in concurrent.futures.as_completed(pending):
                done += future.result()
                log(f"{done}/{total} crops, {done / (time.monotonic() - began):.0f} a second")
        except concurrent.futures.process.BrokenProcessPool:
            # A worker that cannot start says why on its own standard error.
            start_classifier(folder, work, split, seed)
            raise TrainingError(
                "A worker process was killed: run the same command again with fewer --workers."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training prepare", description=__doc__)
    parser.add_argument("model", choices=["localizer", "classifier"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument(
        "--photos", type=pathlib.Path, help="localizer: a folder of everyday photos with a manifest.csv"
    )
    parser.add_argument("--most", type=int, help="localizer: ask about so many photos only")
    parser.add_argument("--views", type=int, default=40_000, help="classifier: training crops")
    parser.add_argument("--validation", type=int, default=600, help="classifier: validation crops")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    folder = data.data_folder(options.data)
    log = Log(options.work / "prepare.log")
    options.work.mkdir(parents=True, exist_ok=True)
    if options.model == "localizer":
        ask(folder, options.photos, options.work, options.most, options.workers, log)
        return
    name_objects(folder, options.work, log)
    start_classifier(folder, options.work, "val", options.seed)
    prepare(folder, options.work, "val", options.validation, options.seed, 1, log)
    held_out(folder, options.work)
    prepare(folder, options.work, "train", options.views, options.seed, options.workers, log)
