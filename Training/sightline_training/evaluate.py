"""Measures localizers, detectors, classifiers and labelers on data/detection, classifiers on held-out coarse
pictures too, and classifiers and labelers on everyday photos kept from training; one thread.

"names" counts the names that `sightline detect` has shown, with any model of COCO's kinds.
A localizer is any .tflite file with TFLite_Detection_PostProcess outputs. The first output [1, n] of a labeler are the
probabilities of its labels, the last output of a classifier those of our classes; the built-in detector is both.
"""

import argparse
import copy
import pathlib
import time
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from . import coco, data, words
from .data import Photo
from .errors import TrainingError
from .geometry import areas, iou
from .network import (
    CLASSIFIER_SIDE,
    CLASSIFIER_THRESHOLD,
    DETECTOR_THRESHOLD,
    LABELER_SIDE,
    LABELER_THRESHOLD,
    LOCALIZER_THRESHOLD,
    PICTURE_LABELS,
)
from .prepare import DEFAULT_WORK

# The average precision of a label that fewer photos have says little.
LEAST_TO_MEASURE = 5


class Model:
    """A .tflite picture model on one thread; its input may be uint8, int8, or float in -1…1, and gets a `side` if its
    size is open.
    """

    def __init__(self, path: pathlib.Path, side: int | None = None) -> None:
        from .teachers import interpreter

        self.path = pathlib.Path(path)
        self.model = interpreter(path)
        self.input = self.model.get_input_details()[0]
        if side and -1 in self.input["shape_signature"]:
            self.model.resize_tensor_input(self.input["index"], [1, side, side, 3])
            self.model.allocate_tensors()
            self.input = self.model.get_input_details()[0]
        self.outputs = self.model.get_output_details()
        height, width = (int(side) for side in self.input["shape"][1:3])
        self.size = (height, width)

    def run(self, image: Image.Image) -> list[np.ndarray]:
        pixels = np.asarray(image.resize((self.size[1], self.size[0]), Image.Resampling.BILINEAR))[None]
        kind = self.input["dtype"]
        if kind == np.int8:
            pixels = (pixels.astype(np.int16) - 128).astype(np.int8)
        elif kind == np.float32:
            pixels = pixels.astype(np.float32) / 127.5 - 1
        self.model.set_tensor(self.input["index"], pixels)
        self.model.invoke()
        return [self.value(output) for output in self.outputs]

    def value(self, output: dict[str, Any]) -> np.ndarray:
        value = self.model.get_tensor(output["index"])
        if value.dtype in (np.int8, np.uint8):
            scale, zero = output["quantization"]
            value = (value.astype(np.float32) - zero) * scale
        return value[0]

    def milliseconds(self, runs: int = 60) -> float:
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            self.model.invoke()
            times.append(time.perf_counter() - start)
        return float(np.median(times) * 1e3)


class Detections:
    """The objects of a picture and the findings of a model there, in 0…1 of the picture, best first."""

    def __init__(self, photo: Photo, boxes: np.ndarray, scores: np.ndarray) -> None:
        scale = np.array([*photo.size, *photo.size], np.float32)
        self.truth = photo.boxes / scale
        self.crowd = photo.crowd
        order = np.argsort(-scores, kind="stable")
        self.boxes, self.scores = np.clip(boxes[order], 0, 1), scores[order]


def detect(model: Model, photos: list[Photo]) -> list[Detections]:
    results = []
    for photo in photos:
        outputs = model.run(photo.load())
        if len(outputs) != 4:
            raise TrainingError(
                f"{model.path} has {len(outputs)} outputs, not the four of TFLite_Detection_PostProcess: give another"
                " model."
            )
        boxes, _, scores, _ = outputs
        results.append(Detections(photo, boxes[:, [1, 0, 3, 2]], scores))
    return results


def average_precision(results: list[Detections], least: float, most: int = 10) -> float:
    """AP at IoU 0.5 over objects of more than the share `least` of the picture; smaller ones and crowds count neither
    way.
    """
    found, wanted = [], 0
    for result in results:
        boxes, scores = result.boxes[:most], result.scores[:most]
        ignored = result.crowd | (areas(result.truth) < least)
        wanted += int((~ignored).sum())
        overlap, used = iou(boxes, result.truth), np.zeros(len(result.truth), bool)
        for row in range(len(boxes)):
            fits = np.where((overlap[row] >= 0.5) & ~used & ~ignored)[0]
            if len(fits):
                used[fits[overlap[row][fits].argmax()]] = True
                found.append((scores[row], True))
            elif not ((overlap[row] >= 0.5) & ignored).any() and areas(boxes[row : row + 1])[0] >= least:
                found.append((scores[row], False))
    found.sort(key=lambda pair: -pair[0])
    hits = np.cumsum([hit for _, hit in found])
    if not len(hits) or not wanted:
        return 0.0
    recall, precision = hits / wanted, hits / np.arange(1, len(hits) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.mean([precision[recall >= level].max(initial=0) for level in np.linspace(0, 1, 101)]))


def average_recall(results: list[Detections], least: float, most: int = 5) -> float:
    """The share of objects larger than `least` that are among the best `most` boxes (IoU 0.5)."""
    hits = wanted = 0
    for result in results:
        truth = result.truth[~result.crowd & (areas(result.truth) > least)]
        wanted += len(truth)
        overlap, used = iou(result.boxes[:most], truth), set()
        for row in overlap:
            fits = [index for index in np.argsort(-row) if row[index] >= 0.5 and index not in used]
            used.update(fits[:1])
        hits += len(used)
    return hits / max(1, wanted)


def prominence(
    boxes: np.ndarray, confidence: np.ndarray, extent: float = 0.5, corner: float = 0.5, power: float = 1.0
) -> np.ndarray:
    """As in Sources/Sightline/Detection/Prominence.swift: confidence, root of the covered share, and centrality."""
    offset = (boxes[:, :2] + boxes[:, 2:]) / 2 - 0.5
    return confidence**power * areas(boxes) ** extent * (1 - corner * np.sqrt((offset**2).sum(1) * 2))


def main_objects(
    results: list[Detections], extent: float = 0.5, corner: float = 0.5, power: float = 1.0
) -> tuple[float, float]:
    """The shares of pictures in which the most prominent box, and the best-scored box, overlaps the main object: the
    largest and most central.
    """
    prominent = best = pictures = 0
    for result in results:
        truth = result.truth[~result.crowd]
        if not len(truth):
            continue
        pictures += 1
        main = truth[prominence(truth, np.ones(len(truth))).argmax()][None]
        if len(result.boxes):
            chosen = prominence(result.boxes, result.scores, extent, corner, power).argmax()
            prominent += iou(result.boxes[chosen : chosen + 1], main)[0, 0] >= 0.5
            best += iou(result.boxes[:1], main)[0, 0] >= 0.5
    return prominent / max(1, pictures), best / max(1, pictures)


def reported(results: list[Detections], threshold: float) -> list[Detections]:
    """The detections that a program would report: those of at least the threshold."""
    kept = []
    for result in results:
        result, sure = copy.copy(result), result.scores >= threshold
        result.boxes, result.scores = result.boxes[sure], result.scores[sure]
        kept.append(result)
    return kept


def localizer_row(
    path: pathlib.Path, photos: list[Photo], threshold: float
) -> tuple[dict[str, float], list[Detections]]:
    model = Model(path)
    results = detect(model, photos)
    prominent, best = main_objects(reported(results, threshold))
    return {
        "AP50 >1%": average_precision(results, 0.01),
        "AP50 >5%": average_precision(results, 0.05),
        "AR@5 >5%": average_recall(results, 0.05),
        "main object": prominent,
        "main, best score": best,
        "MB": model.path.stat().st_size / 1e6,
        "ms": model.milliseconds(),
    }, reported(results, threshold)


def sweep(results: list[Detections]) -> None:
    """Other exponents of prominence, to see whether the ones in use are good ones."""
    for power in (0.5, 1.0, 2.0, 3.0):
        for extent in (0.25, 0.5, 0.75, 1.0):
            row = [main_objects(results, extent, corner, power)[0] for corner in (0.0, 0.25, 0.5, 0.75, 1.0)]
            print(
                f"confidence^{power:<4} area^{extent:<5} corner 0, .25, .5, .75, 1: "
                + "  ".join(f"{value:.3f}" for value in row)
            )


def coco_crops(photos: list[Photo]) -> list[tuple[Image.Image, int]]:
    """Crops of the annotated objects of at least 2 % of the picture, a twentieth wider on each side, with our class."""
    crops = []
    for photo in photos:
        image = photo.load()
        for box, crowd, name in zip(photo.boxes, photo.crowd, photo.categories):
            w, h = box[2] - box[0], box[3] - box[1]
            if crowd or name not in coco.OURS or w * h < 0.02 * photo.size[0] * photo.size[1]:
                continue
            region = (
                int(max(0, box[0] - 0.05 * w)),
                int(max(0, box[1] - 0.05 * h)),
                int(min(image.width, box[2] + 0.05 * w)),
                int(min(image.height, box[3] + 0.05 * h)),
            )
            crops.append((image.crop(region), coco.OURS[name]))
    return crops


def average_precision_of_label(scores: np.ndarray, right: np.ndarray) -> float:
    """The mean precision at each right answer, best score first."""
    hits = right[np.argsort(-scores, kind="stable")].astype(np.float64)
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1) * hits).sum() / max(1, hits.sum()))


def calibration_error(confidence: np.ndarray, right: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error: how far the confidence of an answer is from the chance that it is right, on
    average.
    """
    error, index = 0.0, np.minimum((confidence * bins).astype(int), bins - 1)
    for number in range(bins):
        inside = index == number
        if inside.any():
            error += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return float(error)


def classifier_table(
    probabilities: np.ndarray, labels: np.ndarray, threshold: float = CLASSIFIER_THRESHOLD
) -> tuple[dict[str, float], dict[str, float]]:
    """Accuracy, mean recall, recall by class, precision and recall of known classes at the threshold, calibration
    error.
    """
    answer = probabilities.argmax(1)
    confidence = probabilities.max(1)
    recalls = {
        name: float((answer[labels == index] == index).mean())
        for index, name in enumerate(data.CLASSES)
        if (labels == index).any()
    }
    said = np.where(confidence >= threshold, answer, data.UNKNOWN)
    known, named = labels != data.UNKNOWN, said != data.UNKNOWN
    return {
        "accuracy": float((answer == labels).mean()),
        "mean recall": float(np.mean(list(recalls.values()))),
        "precision of known": float((said[named] == labels[named]).mean()) if named.any() else float("nan"),
        "recall of known": float((said[known] == labels[known]).mean()),
        "calibration error": calibration_error(confidence, answer == labels),
    }, recalls


def classifier_probabilities(
    model: "Model | LabelerModel", crops: list[tuple[Image.Image, int]]
) -> tuple[np.ndarray, np.ndarray]:
    return np.stack([model.run(image)[-1] for image, _ in crops]), np.array([label for _, label in crops])


class LabelerModel:
    """The teacher, its labels summed up into the six classes."""

    def __init__(self, path: pathlib.Path) -> None:
        from .teachers import Labeler

        self.labeler = Labeler(path)

    def run(self, image: Image.Image) -> list[np.ndarray]:
        return [self.labeler.posterior(self.labeler(image)[0])]


def everyday_truth(folder: pathlib.Path, photos: pathlib.Path, work: pathlib.Path) -> tuple[list[Photo], np.ndarray]:
    """The everyday photos that nothing was chosen by and that people said something of, and the truth of all labels."""
    from . import learned
    from .pictures import WHOLE

    known = learned.of(folder, photos, work)
    said = {pathlib.PurePath(file).name for file in words.said(photos)}
    by_name = {photo.name: photo for photo in data.everyday_photos(photos)}
    rows = [
        row
        for row in np.flatnonzero((known.kinds == WHOLE) & known.measuring)
        if known.names[row] in by_name and by_name[known.names[row]].path.name in said
    ]
    return [by_name[known.names[row]] for row in rows], known.truth[rows]


def everyday_objects(folder: pathlib.Path, photos: pathlib.Path, work: pathlib.Path) -> list[tuple[Image.Image, int]]:
    """The named objects of everyday photos that nothing was chosen by, with our class."""
    from . import learned

    known = learned.of(folder, photos, work)
    rows = np.flatnonzero(known.measuring & (known.kinds >= 0) & (known.classes >= 0))
    pixels = known.pictures.rows(rows, ["x"])["x"]
    return [(Image.fromarray(picture), int(label)) for picture, label in zip(pixels, known.classes[rows])]


def coco_truth(photos: list[Photo], labels: dict[str, dict[str, Any]]) -> np.ndarray:
    """The truth of the labels that are one of COCO's classes by people's boxes; of others nothing is known."""
    truth = np.full((len(photos), len(labels)), words.UNKNOWN, np.int8)
    for column, entry in enumerate(labels.values()):
        names = entry.get("names", [])
        if len(names) == 1 and names[0] in coco.NAMES:
            truth[:, column] = [words.YES if names[0] in photo.categories else words.NO for photo in photos]
    return truth


def labeler_table(model: Model, photos: list[Photo], truth: np.ndarray, threshold: float) -> list[str]:
    """Lines: mean average precision over the labels that at least five photos have, how many of the labels that are
    said are right, and the average precision of each label.
    """
    names = list(words.read_labels())
    with zipfile.ZipFile(model.path) as archive:
        file = PICTURE_LABELS if PICTURE_LABELS in archive.namelist() else "labels.txt"
        labels = archive.read(file).decode("utf-8").splitlines()
    truth = truth[:, [names.index(label) for label in labels]]
    scores = np.stack([next(part for part in model.run(photo.load()) if part.ndim == 1) for photo in photos])
    precisions = {}
    for column, label in enumerate(labels):
        known = truth[:, column] != words.UNKNOWN
        right = truth[known, column] == words.YES
        if right.sum() >= LEAST_TO_MEASURE:
            precisions[label] = average_precision_of_label(scores[known, column], right), int(right.sum())
    shown, right = scores >= threshold, truth == words.YES
    said = shown & (truth != words.UNKNOWN)
    shares = [right[said[:, column], column].mean() for column in range(len(labels)) if said[:, column].any()]
    row = {
        "mean AP": np.mean([value for value, _ in precisions.values()]),
        f"labels of {len(labels)}": len(precisions),
        f"right at {threshold}": right[said].mean(),
        "mean over labels": np.mean(shares),
        "found": said[right].mean(),
        "labels a photo": shown.sum(1).mean(),
        "photos without": (shown.sum(1) == 0).mean(),
    }
    return [
        f"{len(photos)} photos: " + "  ".join(f"{name} {float(value):.3f}" for name, value in row.items()),
        "    " + "  ".join(f"{label} {value:.2f} ({count})" for label, (value, count) in sorted(precisions.items())),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training evaluate", description=__doc__)
    parser.add_argument("model", choices=["localizer", "detector", "names", "classifier", "labeler", "features"])
    parser.add_argument(
        "files",
        nargs="+",
        type=pathlib.Path,
        help=".tflite files; names: files that sightline detect --format jsonl wrote about the photos",
    )
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--photos", type=pathlib.Path, help="classifier, labeler: the folder of everyday photos")
    parser.add_argument(
        "--work", type=pathlib.Path, default=DEFAULT_WORK, help="with --photos: what prepare made of them"
    )
    parser.add_argument(
        "--people", type=pathlib.Path, help="detector, names: a COCO-style folder of other photos with boxes by people"
    )
    parser.add_argument("--sweep", action="store_true", help="localizer: try other exponents of prominence")
    parser.add_argument(
        "--threshold",
        type=float,
        help=(
            f"what is less sure is not reported: localizer {LOCALIZER_THRESHOLD}, for the main object; detector"
            f" {DETECTOR_THRESHOLD}, classifier {CLASSIFIER_THRESHOLD}, labeler {LABELER_THRESHOLD}"
        ),
    )
    parser.add_argument(
        "--labeler", action="store_true", help="classifier: the files are labelers with the labels of the teacher"
    )
    options = parser.parse_args(arguments)
    folder = data.data_folder(options.data)
    if options.model == "features":
        from . import evaluate_features

        for path in options.files:
            row = evaluate_features.rows(path, folder)
            print(f"{path}: " + "  ".join(f"{name} {value:.3f}" for name, value in row.items()), flush=True)
        return
    photos = data.annotated(options.people or folder / "detection")
    crop_sets = {}
    if options.model == "classifier":
        crop_sets["COCO crops"] = coco_crops(photos)
        crop_sets["held-out pictures"] = [(photo.load(), photo.label) for photo in data.coarse_photos(folder, "val")]
        if options.photos:
            crop_sets["everyday objects"] = everyday_objects(folder, options.photos, options.work)
    for path in options.files:
        if options.model == "labeler":
            labeler, threshold = Model(path, LABELER_SIDE), options.threshold or LABELER_THRESHOLD
            sets = {"COCO photos": (photos, coco_truth(photos, words.read_labels()))}
            if options.photos:
                sets["everyday photos"] = everyday_truth(folder, options.photos, options.work)
            for name, (pictures, truth) in sets.items():
                print("\n".join([f"{path}, {name}:", *labeler_table(labeler, pictures, truth, threshold)]), flush=True)
            print(f"    {path.stat().st_size / 1e6:.2f} MB, {labeler.milliseconds():.2f} ms")
            continue
        if options.model == "names":
            from . import evaluate_names

            row = evaluate_names.row(path, photos)
            print(f"{path}: " + "  ".join(f"{name} {value:.3f}" for name, value in row.items()), flush=True)
            continue
        if options.model == "detector":
            from . import evaluate_detector, fit_detector

            row = evaluate_detector.row(path, photos, options.threshold or DETECTOR_THRESHOLD)
            row |= fit_detector.shown(path, photos)
            print(f"{path}: " + "  ".join(f"{name} {value:.3f}" for name, value in row.items()), flush=True)
            continue
        if options.model == "localizer":
            row, results = localizer_row(path, photos, options.threshold or LOCALIZER_THRESHOLD)
            print(f"{path}: " + "  ".join(f"{name} {value:.3f}" for name, value in row.items()), flush=True)
            if options.sweep:
                sweep(results)
            continue
        model = LabelerModel(path) if options.labeler else Model(path, CLASSIFIER_SIDE)
        for name, crops in crop_sets.items():
            row, recalls = classifier_table(
                *classifier_probabilities(model, crops), options.threshold or CLASSIFIER_THRESHOLD
            )
            print(f"{path}, {len(crops)} {name}: " + "  ".join(f"{key} {value:.3f}" for key, value in row.items()))
            print("    recall: " + "  ".join(f"{key} {value:.2f}" for key, value in recalls.items()), flush=True)
        if isinstance(model, Model):
            print(f"    {path.stat().st_size / 1e6:.2f} MB, {model.milliseconds():.2f} ms")
