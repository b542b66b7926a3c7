"""Measures a namer on the boxes of a localizer, with the thresholds that `fit namer` chose."""

import pathlib

import numpy as np

from .data import Photo
from .evaluate import Model
from .named_boxes import NOTHING, Boxes, Thresholds, located, named, region, report


def row(path: pathlib.Path, localizer: pathlib.Path, photos: list[Photo]) -> dict[str, float]:
    """The thresholds lie beside the .tflite file, with the name of it and the ending .thresholds.json."""
    model, find, least = Model(path), Model(localizer), Thresholds.read(path.with_suffix(".thresholds.json"))
    numbers, places, scores, answers = [], [], [], []
    for number, photo in enumerate(photos):
        image = photo.load()
        found, score = located(photo, find)
        for place in found:
            outputs = model.run(image.crop(region(place, image.size)))
            answers.append(next(output for output in outputs if len(output) == NOTHING + 1))
        numbers += [number] * len(found)
        places.append(found)
        scores.append(score)
    boxes = Boxes(np.array(numbers), np.concatenate(places), np.concatenate(scores))
    kinds, groups = (named(boxes, photos, np.array(answers), group) for group in (False, True))
    return report(boxes, photos, kinds, groups, least) | {
        "MB": path.stat().st_size / 1e6,
        "ms": model.milliseconds(),
    }
