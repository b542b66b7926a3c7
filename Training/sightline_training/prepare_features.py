"""Makes the views that the network of features learns from: each is a part of a photo, seen once by the teacher and
once by the first layers of a detector, which stay as they are and so need not see it again.
"""

import math
import pathlib
import random
from typing import Any

import numpy as np
from PIL import Image

from . import features_basis, network, pool, shards, views
from .data import Photo
from .errors import TrainingError
from .features_basis import Basis
from .log import Log

# A shard is done in a minute or less, so that a stopped run loses little.
ROWS = 500

# So many views show how the teacher's features vary, and so many pictures set the ranges of the exported network.
SAMPLE, CALIBRATION = 4000, 400

# A photo that does not show more than so many pixels is left out, and what it shows beyond the second is not needed.
LEAST_SIDE, SIDE = 100, 320

worker: dict[str, Any] = {}


def start(teacher: pathlib.Path, initial: pathlib.Path, basis: pathlib.Path | None) -> None:
    import torch

    from . import teachers
    from .early_layers import EarlyLayers

    torch.set_num_threads(1)
    worker["teacher"], worker["early"] = teachers.Features(teacher), EarlyLayers(initial)
    worker["basis"] = Basis.read(basis) if basis else None


def region(size: tuple[int, int], rng: random.Random) -> views.Box:
    """Mostly what a classifier is given, which is the middle, or more than half of the photo."""
    width, height = size
    if rng.random() < 0.5:
        side = min(size) * rng.uniform(0.85, 1)
        left, top = ((extent - side) / 2 * (1 + 0.4 * rng.uniform(-1, 1)) for extent in size)
        return (left, top, left + side, top + side)
    area, ratio = rng.uniform(0.55, 1) * width * height, math.exp(rng.uniform(-0.25, 0.25))
    w, h = min(width, math.sqrt(area * ratio)), min(height, math.sqrt(area / ratio))
    left, top = rng.uniform(0, width - w), rng.uniform(0, height - h)
    return (left, top, left + w, top + h)


def view(image: Image.Image, rng: random.Random, sides: tuple[int, ...]) -> list[np.ndarray]:
    """A part of the photo, mirrored and recolored by chance, once for each of the sides."""
    box = region(image.size, rng)
    if rng.random() < 0.5:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if rng.random() < 0.5:
        image = views.recolored(image, rng)
    return [
        np.asarray(image.resize((side, side), Image.Resampling.BILINEAR, box=box, reducing_gap=2)) for side in sides
    ]


def loaded(photo: Photo) -> Image.Image | None:
    """The photo at a size that suffices; None if it cannot be read or is too small."""
    try:
        image = photo.load()
    except TrainingError:
        return None
    shorter = min(image.size)
    if shorter < LEAST_SIDE:
        return None
    size = [round(extent * min(1, SIDE / shorter)) for extent in image.size]
    return image.resize((size[0], size[1]), Image.Resampling.BILINEAR, reducing_gap=2)


def seen(photos: list[Photo], seed: str) -> tuple[np.ndarray, np.ndarray]:
    """The features of the teacher for a view of each photo [n, cells, cells, 1,280], and the pixels for the first
    layers.
    """
    grids, pixels = [], []
    for photo in photos:
        if image := loaded(photo):
            mine, own = view(
                image, random.Random(f"{seed}/{photo.name}"), (network.FEATURES_TEACHER_SIDE, network.FEATURES_SIDE)
            )
            grids.append(worker["teacher"](mine))
            pixels.append(own)
    if not grids:
        raise TrainingError("None of the photos can be read and is large enough: give others with --photos.")
    return np.stack(grids), np.stack(pixels)


def shard(task: tuple[pathlib.Path, list[Photo], str]) -> int:
    folder, photos, seed = task
    grids, pixels = seen(photos, seed)
    basis = worker["basis"]
    shards.write(
        folder,
        {
            "early": basis.packed_early(worker["early"](pixels)),
            "cells": basis.packed_cells(grids),
            "features": grids.mean((1, 2)).astype(np.float16),
        },
    )
    return len(photos)


def prepare(
    photos: list[Photo], teacher: pathlib.Path, initial: pathlib.Path, work: pathlib.Path, workers: int, log: Log
) -> None:
    """Makes one view of each photo, in random order; a run that was stopped continues."""
    photos = sorted(photos, key=lambda photo: photo.name)
    random.Random(0).shuffle(photos)
    folder = work / "features-views"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / features_basis.NAME
    if not path.exists():
        start(teacher, initial, None)
        grids, pixels = seen(photos[:SAMPLE], "basis")
        basis = Basis.of(grids.mean((1, 2)), worker["early"](pixels[:256]))
        shards.write(work / "features-val" / "shard-0000", {"x": pixels[:CALIBRATION]})
        basis.write(path)
        log(f"features: the first {network.FEATURES} components have {basis.share:.3f} of the teacher's variance")
    tasks = [
        (folder / f"shard-{row // ROWS:05d}", photos[row : row + ROWS], "view")
        for row in range(0, len(photos), ROWS)
        if not (folder / f"shard-{row // ROWS:05d}").exists()
    ]
    total = sum(len(task[1]) for task in tasks)
    log(f"features: {total} of {len(photos)} photos are still to be seen")
    pool.run(shard, tasks, total, workers, start, (teacher, initial, path), log)
