"""Training views made again for every step out of photos and what is known to be in them."""

import hashlib
import random

import numpy as np

from . import targets, views
from .data import Photo

SWAPPED = 0.15

# How many objects of a view are learnt, the surest first.
MOST = 24


def known(photos: list[Photo], tables: dict[str, np.ndarray]) -> list[Photo]:
    """The photos that the teachers were asked about, with the merged answers as their boxes and scores."""
    kept = []
    for photo in photos:
        table = tables.get(photo.name)
        if table is not None:
            boxes, photo.scores = targets.merged(table)
            photo.boxes = boxes * np.array([*photo.size, *photo.size], np.float32)
            kept.append(photo)
    return kept


def split(photos: list[Photo], share: int = 40, most: int = 150) -> tuple[list[Photo], list[Photo]]:
    """Photos to train on, and one of `share` everyday photos, by their names, to measure on."""
    aside = [
        photo
        for photo in photos
        if photo.everyday and int(hashlib.sha256(photo.name.encode()).hexdigest(), 16) % share == 0
    ][:most]
    names = {photo.name for photo in aside}
    return [photo for photo in photos if photo.name not in names], aside


class FreshViews:
    """Batches of views that no step has seen before."""

    def __init__(self, photos: list[Photo]) -> None:
        self.maker = views.ViewMaker([photo.keep() for photo in photos])

    def batch(self, size: int, side: int, seed: str) -> tuple[np.ndarray, np.ndarray]:
        """Pixels [size, side, side, 3] and objects [size, MOST, 5], padded with rows of zeros."""
        chance = random.Random(seed)
        pixels, objects = np.empty((size, side, side, 3), np.uint8), np.zeros((size, MOST, 5), np.float32)
        for row in range(size):
            view = self.maker.make(side, chance)
            pixels[row] = swapped(view.pixels, chance) if chance.random() < SWAPPED else view.pixels
            found = view.objects[np.argsort(-view.objects[:, 4], kind="stable")][:MOST]
            objects[row, : len(found)] = found
        return pixels, objects


def swapped(pixels: np.ndarray, chance: random.Random) -> np.ndarray:
    """The picture with other hues: its channels in another order."""
    return pixels[..., chance.sample(range(3), 3)]
