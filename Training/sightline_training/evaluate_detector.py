"""Measures detectors that name COCO's kinds on photos with people's boxes."""

import pathlib

import numpy as np

from . import coco, named, network
from .data import Photo
from .evaluate import Detections, Model, average_precision, main_objects, reported
from .geometry import areas, iou
from .named import BOX, CERTAIN, KIND

# An object that covers less of the photo than this is not expected to be named.
LEAST_SHARE = 0.05


class Detector:
    """A .tflite file as `export detector` writes it, which sees each photo in both of its inputs."""

    def __init__(self, path: pathlib.Path) -> None:
        self.models = [Model(path, side) for side in (network.DETECTOR_SIDE, network.OVERVIEW_SIDE)]

    def answers(self, photo: Photo) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Logits and boxes in 0…1 of all cells, and the number of the look that each belongs to."""
        image, logits, boxes, looks = photo.load(), [], [], []
        for number, model in enumerate(self.models):
            answer = network.of_grids([output for output in model.run(image) if output.ndim == 3], model.size[0])
            logits.append(answer[0])
            boxes.append(answer[1])
            looks.append(np.full(len(answer[1]), number))
        return np.concatenate(logits), np.concatenate(boxes), np.concatenate(looks)

    def milliseconds(self) -> float:
        return sum(model.milliseconds() for model in self.models)


def row(path: pathlib.Path, photos: list[Photo], threshold: float) -> dict[str, float]:
    model, kinds = Detector(path), len(coco.NAMES)
    results, objects, said, right, large, shown = [], [], 0, 0, 0, 0
    for photo in photos:
        truth = named.drawn(photo)
        logits, boxes, _ = model.answers(photo)
        result = named.Named(
            truth[:, BOX],
            truth[:, KIND].astype(int),
            truth[:, CERTAIN] < 0.5,
            *named.found(logits[:, :kinds], boxes),
        )
        results.append(result)
        places, scores, _ = named.found(logits[:, kinds:], boxes)
        objects.append(Detections(photo, places, scores))
        sure = result.scores >= threshold
        same = (iou(result.boxes[sure], result.truth) >= 0.5) & (result.names[sure][:, None] == result.kinds)
        said, right = said + int(sure.sum()), right + int(same.any(1).sum())
        prominent = (areas(result.truth) >= LEAST_SHARE) & ~result.ignored
        large, shown = large + int(prominent.sum()), shown + int((same.any(0) & prominent).sum())
    main, _ = main_objects(reported(objects, network.LOCALIZER_THRESHOLD))
    return named.measured(results, kinds) | {
        f"right at {threshold}": right / max(1, said),
        f"named of those > {LEAST_SHARE:.0%}": shown / max(1, large),
        "any object, AP50 > 5%": average_precision(objects, LEAST_SHARE),
        "main object": main,
        "MB": path.stat().st_size / 1e6,
        "ms": model.milliseconds(),
    }
