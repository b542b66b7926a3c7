"""Makes training views: square pictures composed from photos, and where the people's boxes end up in them.

All that is left to chance in a view follows from the generator that it is made with.
"""

import dataclasses
import math
import random
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageFilter

from . import targets
from .data import Photo

# How often a photo of a source is chosen, relative to others. Tarmac debris, plates of one restaurant and chess boards
# are many alike.
SOURCE_WEIGHTS = {
    "foda": 0.1,
    "cpfood": 0.2,
    "chess": 0.2,
    "oi_personbackpack": 0.7,
    "facade": 0.7,
    "clothing": 0.5,
    "grocerystore": 0.8,
    "oi_crops": 0.5,
}

KINDS = {"whole": 0.38, "crop": 0.36, "scenes": 0.14, "mosaic": 0.06, "small": 0.06}

# Of an object that a cut leaves so little, nothing is wanted; of one that it leaves the second share, all.
HIDDEN, SEEN = 0.25, 0.75


# Left, top, right, bottom; and a box with its score.
Box = tuple[float, float, float, float]
Row = tuple[float, float, float, float, float]


@dataclasses.dataclass
class View:
    pixels: np.ndarray
    """[side, side, 3], uint8."""
    objects: np.ndarray
    """Rows of left, top, right, bottom in 0…1 of the view, and score."""
    kind: str


class Canvas:
    """A view in the making. What is placed later hides what was placed before."""

    def __init__(self, side: int, color: tuple[int, ...] = (114, 114, 114)) -> None:
        self.image = Image.new("RGB", (side, side), color)
        self.side, self.objects = side, []

    def place(self, image: Image.Image, objects: list[Row], region: Box, target: tuple[int, int, int, int]) -> None:
        """Puts the region of the image into the target; both are left, top, right, bottom in pixels."""
        left, top, right, bottom = target
        size = (right - left, bottom - top)
        self.image.paste(image.resize(size, Image.Resampling.BILINEAR, box=region, reducing_gap=2), (left, top))
        self.objects = [row for row in self.objects if covered(row, target) < 0.4]
        sx, sy = size[0] / (region[2] - region[0]), size[1] / (region[3] - region[1])
        for x0, y0, x1, y1, score in objects:
            whole = (
                (x0 - region[0]) * sx + left,
                (y0 - region[1]) * sy + top,
                (x1 - region[0]) * sx + left,
                (y1 - region[1]) * sy + top,
            )
            box = (max(whole[0], left), max(whole[1], top), min(whole[2], right), min(whole[3], bottom))
            score *= min(1, (area(box) / max(area(whole), 1e-9) - HIDDEN) / (SEEN - HIDDEN))
            if score >= targets.LEAST_SCORE and area(box) >= targets.LEAST_AREA * self.side**2:
                self.objects.append((*box, score))

    def view(self, kind: str) -> View:
        objects = np.array(self.objects, np.float32).reshape(-1, 5)
        objects[:, :4] /= self.side
        return View(np.asarray(self.image, np.uint8), objects, kind)


def area(box: Sequence[float]) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def covered(box: Sequence[float], by: Sequence[float]) -> float:
    """The share of a box that another covers."""
    common = (max(box[0], by[0]), max(box[1], by[1]), min(box[2], by[2]), min(box[3], by[3]))
    return area(common) / max(area(box), 1e-9)


class ViewMaker:
    """Makes views of photos whose bytes are kept in memory."""

    def __init__(self, photos: list[Photo]) -> None:
        self.photos = photos
        self.cumulative = np.cumsum([SOURCE_WEIGHTS.get(photo.source, 1.0) for photo in photos]).tolist()

    def make(self, side: int, rng: random.Random) -> View:
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        return getattr(self, kind)(side, rng).view(kind)

    def photo(self, rng: random.Random) -> tuple[Image.Image, list[Row]]:
        """A photo and the objects in it, mirrored and recolored by chance."""
        photo = rng.choices(self.photos, cum_weights=self.cumulative)[0]
        image, objects = (
            photo.load(),
            [(*box, score) for box, score in zip(photo.boxes.tolist(), photo.scores.tolist())],
        )
        if rng.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            objects = [(image.width - x1, y0, image.width - x0, y1, score) for x0, y0, x1, y1, score in objects]
        return recolored(image, rng), objects

    def whole(self, side: int, rng: random.Random) -> Canvas:
        return self.crop(side, rng, least=1)

    def crop(self, side: int, rng: random.Random, least: float = 0.15) -> Canvas:
        canvas = Canvas(side)
        image, objects = self.photo(rng)
        canvas.place(image, objects, region(image, rng, least), (0, 0, side, side))
        return canvas

    def scenes(self, side: int, rng: random.Random) -> Canvas:
        """Two to six whole photos side by side: many objects, each small."""
        return self.tiles(side, rng, rng.choice([(1, 2), (2, 1), (2, 2), (2, 2), (2, 3), (3, 2)]), 0.75)

    def mosaic(self, side: int, rng: random.Random) -> Canvas:
        return self.tiles(side, rng, rng.choice([(1, 2), (2, 1), (2, 2)]), 0.25)

    def tiles(self, side: int, rng: random.Random, grid: tuple[int, int], least: float) -> Canvas:
        canvas = Canvas(side)
        rows, columns = grid
        ys, xs = cuts(rows, side, rng), cuts(columns, side, rng)
        for row in range(rows):
            for column in range(columns):
                image, objects = self.photo(rng)
                target = (xs[column], ys[row], xs[column + 1], ys[row + 1])
                canvas.place(image, objects, region(image, rng, least), target)
        return canvas

    def small(self, side: int, rng: random.Random) -> Canvas:
        """One photo, small, on a plain ground."""
        canvas = Canvas(side, tuple(rng.randint(0, 255) for _ in range(3)))
        image, objects = self.photo(rng)
        scale = rng.uniform(0.3, 0.9) * side / max(image.size)
        width, height = max(8, int(image.width * scale)), max(8, int(image.height * scale))
        left, top = rng.randint(0, side - width), rng.randint(0, side - height)
        canvas.place(image, objects, (0, 0, *image.size), (left, top, left + width, top + height))
        return canvas


def cuts(count: int, side: int, rng: random.Random) -> list[int]:
    """Where a side is cut into `count` parts, each at least half of its fair share."""
    fair = side / count
    inner = [round(fair * (index + rng.uniform(-0.25, 0.25))) for index in range(1, count)]
    return [0, *inner, side]


def region(image: Image.Image, rng: random.Random, least: float) -> Box:
    """A part of the picture that covers at least the share `least` of it."""
    width, height = image.size
    share, ratio = rng.uniform(least, 1.0) * width * height, math.exp(rng.uniform(-0.5, 0.5)) * width / height
    w, h = min(width, math.sqrt(share * ratio)), min(height, math.sqrt(share / ratio))
    x, y = rng.uniform(0, width - w), rng.uniform(0, height - h)
    return (x, y, x + w, y + h)


def recolored(image: Image.Image, rng: random.Random) -> Image.Image:
    """Brightness, contrast, gamma and tint by one table a channel; now and then less color, gray, or blur."""
    if rng.random() < 0.7:
        gain, lift, gamma = rng.uniform(0.6, 1.4), rng.uniform(-25, 25), math.exp(rng.uniform(-0.4, 0.4))
        ramp = (np.arange(256) / 255.0) ** gamma * 255.0
        tables = []
        for _ in range(3):
            tint = gain * rng.uniform(0.88, 1.12)
            tables += np.clip((ramp - 128) * tint + 128 + lift, 0, 255).astype(np.uint8).tolist()
        image = image.point(tables)
    chance = rng.random()
    if chance < 0.25:
        gray = image.convert("L").convert("RGB")
        image = gray if chance < 0.06 else Image.blend(gray, image, rng.uniform(0.3, 1.5))
    if rng.random() < 0.06:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.5)))
    return image
