"""Makes training views: square pictures composed from photos, and where the people's boxes end up in them.

Each view follows from the seed and its own number alone, so that any process can make any part of them.
"""

import dataclasses
import math
import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

# Views are made at twice the localizer's input, so that teachers with larger inputs see more than it does.
SIDE = 384

# How often a photo of a source is chosen, relative to others. Tarmac debris, plates of one restaurant and chess boards are
# many alike; street and indoor scenes are few and what the localizer needs most.
SOURCE_WEIGHTS = {
    "foda": 0.1, "cpfood": 0.4, "chess": 0.4, "oi_personbackpack": 3.0, "oi_mixed": 3.0, "coco_train_permissive": 5.0,
    "amenity_crops": 2.0, "facade": 0.7, "clothing": 0.5, "grocerystore": 0.8, "oi_crops": 0.5,
}
SCENES = {"oi_personbackpack", "oi_mixed", "coco_train_permissive", "amenity_crops", "books", "grocerystore"}

KINDS = {"whole": 0.22, "crop": 0.27, "scenes": 0.18, "mosaic": 0.09, "paste": 0.18, "small": 0.06}


def seed(number, split):
    """The seed of the views of a split."""
    return f"{number}/{split}"


def chance(seed, number):
    """The kind of a view, and the source of chance for all else in it."""
    rng = random.Random(f"{seed}/{number}")
    return rng.choices(list(KINDS), list(KINDS.values()))[0], rng


@dataclasses.dataclass
class View:
    pixels: np.ndarray
    """[SIDE, SIDE, 3], uint8."""
    boxes: np.ndarray
    """People's boxes [n, 4] as left, top, right, bottom in 0…1 of the view."""
    kind: str


class Canvas:
    """A view in the making. What is placed later hides what was placed before."""

    def __init__(self, colour=(114, 114, 114)):
        self.image = Image.new("RGB", (SIDE, SIDE), colour)
        self.boxes = []

    def place(self, image, boxes, region, target, mask=None):
        """Puts the region of the image into the target; both are left, top, right, bottom in pixels."""
        left, top, right, bottom = target
        size = (right - left, bottom - top)
        part = image.resize(size, Image.BILINEAR, box=region)
        self.boxes = [box for box in self.boxes if covered(box, target) < 0.4]
        self.image.paste(part, (left, top), mask)
        sx, sy = size[0] / (region[2] - region[0]), size[1] / (region[3] - region[1])
        for x0, y0, x1, y1 in boxes:
            whole = ((x0 - region[0]) * sx + left, (y0 - region[1]) * sy + top, (x1 - region[0]) * sx + left, (y1 - region[1]) * sy + top)
            box = (max(whole[0], left), max(whole[1], top), min(whole[2], right), min(whole[3], bottom))
            if area(box) >= 0.5 * area(whole) and area(box) > 0:
                self.boxes.append(box)

    def view(self, kind):
        boxes = np.array(self.boxes, np.float32).reshape(-1, 4) / SIDE
        return View(np.asarray(self.image, np.uint8), boxes, kind)


def area(box):
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def covered(box, by):
    """The share of a box that another covers."""
    common = (max(box[0], by[0]), max(box[1], by[1]), min(box[2], by[2]), min(box[3], by[3]))
    return area(common) / max(area(box), 1e-9)


class ViewMaker:
    """Makes views of photos whose bytes are kept in memory."""

    def __init__(self, photos, seed):
        self.photos = photos
        self.seed = seed
        weights = [SOURCE_WEIGHTS.get(photo.source, 1.0) for photo in photos]
        self.cumulative = np.cumsum(weights).tolist()
        self.scene_photos = [index for index, photo in enumerate(photos) if photo.source in SCENES] or list(range(len(photos)))
        self.scene_cumulative = np.cumsum([weights[index] for index in self.scene_photos]).tolist()

    def make(self, number):
        kind, rng = chance(self.seed, number)
        return getattr(self, kind)(rng).view(kind)

    def photo(self, rng, scene=False):
        """A photo and the boxes in it, mirrored, turned and recoloured by chance."""
        if scene:
            index = rng.choices(self.scene_photos, cum_weights=self.scene_cumulative)[0]
        else:
            index = rng.choices(range(len(self.photos)), cum_weights=self.cumulative)[0]
        photo = self.photos[index]
        image, boxes = photo.load(), [tuple(box) for box in photo.boxes.tolist()]
        if rng.random() < 0.5:
            image = image.transpose(Image.FLIP_LEFT_RIGHT)
            boxes = [(image.width - x1, y0, image.width - x0, y1) for x0, y0, x1, y1 in boxes]
        if rng.random() < 0.05:
            image = image.transpose(Image.FLIP_TOP_BOTTOM)
            boxes = [(x0, image.height - y1, x1, image.height - y0) for x0, y0, x1, y1 in boxes]
        if rng.random() < 0.1:
            image, boxes = turned(image, rng.uniform(-15, 15)), []
        return recoloured(image, rng), boxes

    def whole(self, rng):
        canvas = Canvas()
        image, boxes = self.photo(rng, scene=rng.random() < 0.6)
        canvas.place(image, boxes, (0, 0, *image.size), (0, 0, SIDE, SIDE))
        return canvas

    def crop(self, rng, least=0.15):
        canvas = Canvas()
        image, boxes = self.photo(rng, scene=rng.random() < 0.6)
        canvas.place(image, boxes, region(image, rng, least), (0, 0, SIDE, SIDE))
        return canvas

    def scenes(self, rng):
        """Two to six whole photos side by side: many objects, each small."""
        return self.tiles(rng, rng.choice([(1, 2), (2, 1), (2, 2), (2, 2), (2, 3), (3, 2)]), 0.75, scene=0.7)

    def mosaic(self, rng):
        return self.tiles(rng, rng.choice([(1, 2), (2, 1), (2, 2)]), 0.25, scene=0.3)

    def tiles(self, rng, grid, least, scene):
        canvas = Canvas()
        rows, columns = grid
        ys, xs = cuts(rows, rng), cuts(columns, rng)
        for row in range(rows):
            for column in range(columns):
                image, boxes = self.photo(rng, scene=rng.random() < scene)
                target = (xs[column], ys[row], xs[column + 1], ys[row + 1])
                canvas.place(image, boxes, region(image, rng, least), target)
        return canvas

    def paste(self, rng):
        """One to five cut-outs, with hard or soft edges, on a scene."""
        canvas = Canvas()
        image, boxes = self.photo(rng, scene=rng.random() < 0.8)
        canvas.place(image, boxes, region(image, rng, 0.3), (0, 0, SIDE, SIDE))
        for _ in range(rng.randint(1, 5)):
            image, boxes = self.photo(rng)
            side, ratio = rng.uniform(0.12, 0.55) * SIDE, math.exp(rng.uniform(-0.5, 0.5))
            width, height = min(SIDE, int(side * ratio)), min(SIDE, int(side / ratio))
            left, top = rng.randint(0, SIDE - width), rng.randint(0, SIDE - height)
            target = (left, top, left + width, top + height)
            canvas.place(image, boxes, region(image, rng, 0.4), target, mask((width, height), rng))
        return canvas

    def small(self, rng):
        """One photo, small, on a plain ground."""
        canvas = Canvas(tuple(rng.randint(0, 255) for _ in range(3)))
        image, boxes = self.photo(rng)
        scale = rng.uniform(0.3, 0.9) * SIDE / max(image.size)
        width, height = max(8, int(image.width * scale)), max(8, int(image.height * scale))
        left, top = rng.randint(0, SIDE - width), rng.randint(0, SIDE - height)
        canvas.place(image, boxes, (0, 0, *image.size), (left, top, left + width, top + height))
        return canvas


def cuts(count, rng):
    """Where a side is cut into `count` parts, each at least half of its fair share."""
    fair = SIDE / count
    inner = [round(fair * (index + rng.uniform(-0.25, 0.25))) for index in range(1, count)]
    return [0, *inner, SIDE]


def region(image, rng, least):
    """A part of the picture that covers at least the share `least` of it."""
    width, height = image.size
    share, ratio = rng.uniform(least, 1.0) * width * height, math.exp(rng.uniform(-0.5, 0.5)) * width / height
    w, h = min(width, math.sqrt(share * ratio)), min(height, math.sqrt(share / ratio))
    x, y = rng.uniform(0, width - w), rng.uniform(0, height - h)
    return (x, y, x + w, y + h)


def turned(image, degrees):
    """The picture turned, without the empty corners."""
    width, height = image.size
    image = image.rotate(degrees, Image.BILINEAR)
    angle = math.radians(abs(degrees))
    keep = min(width, height) / (min(width, height) * math.cos(angle) + max(width, height) * math.sin(angle))
    dx, dy = width * (1 - keep) / 2, height * (1 - keep) / 2
    return image.crop((int(dx), int(dy), max(int(dx) + 2, int(width - dx)), max(int(dy) + 2, int(height - dy))))


def recoloured(image, rng):
    """Brightness, contrast, gamma and tint by one table a channel; now and then less colour, grey, or blur."""
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
        grey = image.convert("L").convert("RGB")
        image = grey if chance < 0.06 else Image.blend(grey, image, rng.uniform(0.3, 1.5))
    if rng.random() < 0.06:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.5)))
    return image


def mask(size, rng):
    """What of a cut-out shows: all of it, an ellipse, or a soft-edged one."""
    chance = rng.random()
    if chance < 0.5:
        return None
    shape = Image.new("L", size, 0)
    draw = ImageDraw.Draw(shape)
    box = (1, 1, size[0] - 2, size[1] - 2)
    draw.ellipse(box, fill=255) if chance < 0.75 else draw.rounded_rectangle(box, min(size) // 4, fill=255)
    return shape.filter(ImageFilter.GaussianBlur(3)) if rng.random() < 0.5 else shape
