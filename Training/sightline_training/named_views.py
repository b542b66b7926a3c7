"""Training views of the detector: square pictures composed from photos, and which things of which kinds are where.

All that is left to chance in a view follows from the generator that it is made with.
"""

import itertools
import random

import numpy as np

from . import coco
from .data import Photo
from .fusion import BOX, CERTAIN, COLUMNS, KIND, OBJECT
from .views import cuts, recolored, region

WAYS = {"whole": 0.55, "crop": 0.38, "tiles": 0.07}

# How many objects of a view are learned, the surest first.
MOST = 40

# Photos with kinds that fewer than this share of photos have are shown more often, by this power of how much fewer, and
# at most so often.
COMMON, RARE_POWER, MOST_OFTEN = 0.05, 0.6, 25

# Of an object that a cut leaves so little, nothing is wanted; of one that it leaves the second share, all.
HIDDEN, SEEN = 0.2, 0.6

# Objects of fewer pixels a side are not learned.
LEAST_SIDE, LEAST_CERTAIN = 5, 0.08


def weights(rows: list[np.ndarray]) -> np.ndarray:
    """How often each photo is shown, relative to others: the rarer its kinds and the surer they are, the more often."""
    sure = np.zeros((len(rows), len(coco.NAMES)), np.float32)
    for photo, found in zip(sure, rows):
        np.maximum.at(photo, found[:, KIND].astype(int), found[:, CERTAIN])
    factors = ((COMMON / np.maximum(sure.mean(0), 1e-4)) ** RARE_POWER).clip(1, MOST_OFTEN)
    return 1 + (sure * (factors - 1)).max(1)


class NamedViews:
    """Makes views of photos whose bytes are kept in memory; `rows` tells what is in each of them (see `fusion`)."""

    def __init__(self, photos: list[Photo], rows: list[np.ndarray]) -> None:
        self.photos, self.rows = [photo.keep() for photo in photos], rows
        self.cumulative = np.cumsum(weights(rows)).tolist()

    def batch(self, size: int, side: int, seed: str) -> tuple[np.ndarray, np.ndarray]:
        """Pixels [size, side, side, 3] and objects [size, MOST, COLUMNS] in 0…1, padded with rows of zeros."""
        chance = random.Random(seed)
        pixels, objects = np.empty((size, side, side, 3), np.uint8), np.zeros((size, MOST, COLUMNS), np.float32)
        for row in range(size):
            pixels[row], found = self.view(side, chance)
            objects[row, : len(found)] = found
        return pixels, objects

    def view(self, side: int, chance: random.Random) -> tuple[np.ndarray, np.ndarray]:
        pixels, found = np.empty((side, side, 3), np.uint8), []
        way = chance.choices(list(WAYS), list(WAYS.values()))[0]
        rows, columns = chance.choice([(1, 2), (2, 1), (2, 2), (2, 2)]) if way == "tiles" else (1, 1)
        ys, xs = cuts(rows, side, chance), cuts(columns, side, chance)
        least = {"whole": 1, "crop": 0.15, "tiles": 0.5}[way]
        for top, bottom in itertools.pairwise(ys):
            for left, right in itertools.pairwise(xs):
                pixels[top:bottom, left:right], objects = self.tile((right - left, bottom - top), chance, least)
                objects[:, BOX] = (objects[:, BOX] + [left, top, left, top]) / side
                found.append(objects)
        objects = np.concatenate(found)
        return pixels, objects[np.argsort(-objects[:, CERTAIN], kind="stable")][:MOST]

    def tile(self, size: tuple[int, int], chance: random.Random, least: float) -> tuple[np.ndarray, np.ndarray]:
        """A part of a photo, stretched to the size and recolored, and its objects in pixels."""
        index = chance.choices(range(len(self.photos)), cum_weights=self.cumulative)[0]
        image, rows = self.photos[index].load(), self.rows[index].copy()
        part = region(image, chance, least)
        scale = np.array([size[0] / (part[2] - part[0]), size[1] / (part[3] - part[1])], np.float32)
        whole = (rows[:, BOX].reshape(-1, 2, 2) * image.size - part[:2]) * scale
        seen = np.clip(whole, 0, size)
        image = image.resize(size, 2, box=part, reducing_gap=2)  # bilinear
        pixels = np.asarray(recolored(image, chance))
        sides = seen[:, 1] - seen[:, 0]
        share = sides.prod(1) / np.maximum((whole[:, 1] - whole[:, 0]).prod(1), 1e-6)
        rows[:, [OBJECT, CERTAIN]] *= np.clip((share - HIDDEN) / (SEEN - HIDDEN), 0, 1)[:, None]
        if chance.random() < 0.5:
            pixels = pixels[:, ::-1]
            seen[..., 0] = size[0] - seen[:, ::-1, 0]
        rows[:, BOX] = seen.reshape(-1, 4)
        return pixels, rows[(sides >= LEAST_SIDE).all(1) & (rows[:, CERTAIN] >= LEAST_CERTAIN)]
