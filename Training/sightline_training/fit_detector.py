"""Chooses the confidence from which on the detector shows each name, and packs it into the .tflite file."""

import io
import json
import pathlib
import zipfile

import numpy as np

from . import coco, network
from .data import Photo
from .evaluate_detector import Detector
from .files import write
from .geometry import suppressed
from .log import Log
from .named import MOST, SAME
from .shown_names import Boxes, Thresholds, chosen, report

# The file that Sightline looks for in a model, and the name of what may be of any kind.
PACKED, OBJECT = "sightline.json", "object"


def boxes_of(model: Detector, photos: list[Photo], least: float = network.DETECTOR_THRESHOLD) -> Boxes:
    """The boxes that hold an object, each with its likeliest kind; none overlaps another much that is surer of its
    object and of its kind, nor lies inside one that another look gave the same kind.
    """
    numbers, places, kinds, confidences = [], [], [], []
    for number, photo in enumerate(photos):
        logits, boxes, looks = model.answers(photo)
        scores = 1 / (1 + np.exp(-logits))
        rows = np.flatnonzero(scores[:, -1] >= least)
        kind = scores[rows, : len(coco.NAMES)].argmax(1)
        confidence = scores[rows, kind]
        keep = suppressed(boxes[rows], scores[rows, -1] * confidence, SAME, MOST, kind, looks[rows])
        numbers += [number] * len(keep)
        places.append(np.clip(boxes[rows[keep]], 0, 1))
        kinds.append(kind[keep])
        confidences.append(confidence[keep])
    return Boxes(np.array(numbers), np.concatenate(places), np.concatenate(kinds), np.concatenate(confidences))


def packed(model: bytes, sidecar: dict[str, object]) -> bytes:
    """The model with a sidecar among its packed files."""
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        start = min(info.header_offset for info in archive.infolist())
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    files[PACKED] = json.dumps(sidecar, indent=1).encode("utf-8")
    target = io.BytesIO()
    target.write(model[:start])
    with zipfile.ZipFile(target, "a") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0)), content)
    return target.getvalue()


def shown(path: pathlib.Path, photos: list[Photo]) -> dict[str, float]:
    """The share of right names among those that the thresholds in a .tflite file let it show; nothing if it has
    none.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            least = Thresholds.of(json.loads(archive.read(PACKED)))
    except KeyError:
        return {}
    return report(boxes_of(Detector(path), photos), photos, least)


def fit(path: pathlib.Path, people: list[Photo], log: Log) -> None:
    """Chooses by photos with people's boxes that training has not seen, and rewrites the .tflite file."""
    boxes = boxes_of(Detector(path), people)
    least: Thresholds = chosen(boxes, people)
    line = "  ".join(f"{name} {value:.3f}".removesuffix(".000") for name, value in report(boxes, people, least).items())
    log(f"{len(people)} photos: {line}")
    sidecar = {
        "head": "distances",
        "input": {
            "width": network.DETECTOR_SIDE,
            "height": network.DETECTOR_SIDE,
            "overview": network.OVERVIEW_SIDE,
            "channels": "rgb",
            "fit": "stretch",
        },
        "scoreThreshold": network.DETECTOR_THRESHOLD,
        "iouThreshold": SAME,
        "objectLabel": OBJECT,
        **least.content(),
    }
    write(path, packed(path.read_bytes(), sidecar))
