"""Training views made anew for every step: prepared views cut, mixed and recoloured, and what the teacher says of the result."""

import random

import numpy as np
from PIL import Image

from . import shards, targets, views
from .geometry import areas

# How often an epoch takes a prepared view of a kind: most are what people photograph.
EMPHASIS = {"whole": 2, "crop": 2}

# Of the mixtures of two views half are blends, half have a part of one laid over the other.
MIXED, BLENDED = 0.4, 0.5

RECOLOURED, SWAPPED = 0.6, 0.2


def epoch(folder, most=None):
    """The rows of an epoch: those of the prepared views, some of them several times."""
    settings = shards.settings(folder)
    seed = views.seed(settings["seed"], settings["split"])
    kinds = [views.chance(seed, number)[0] for number in shards.numbers(folder)[:most]]
    return np.repeat(np.arange(len(kinds)), [EMPHASIS.get(kind, 1) for kind in kinds])


class FreshViews:
    """Batches of views that no step has seen before.

    Few photos shown over and over are learnt by heart. The teacher answers in 3 ms, so that every step can ask it about new
    pictures; the detector is slower: its boxes, and people's, are moved along with the pixels.
    """

    def __init__(self, folder, teacher, most=None):
        self.shards, self.teacher, self.epoch = shards.Shards(folder, ["x", "found"]), teacher, epoch(folder, most)
        sample = [teacher(self.shards.rows([row])["x"][0])[2] for row in self.epoch[:: max(1, len(self.epoch) // 200)]]
        self.statistics = [(maps.mean((0, 1, 2)), maps.std((0, 1, 2)) + 1e-3) for maps in (np.stack(level).astype(np.float32) for level in zip(*sample))]

    def batch(self, rows, rng):
        """Pixels, codes, scores, and the teacher's feature maps, normalised; all that is left to chance follows from `rng`."""
        size, chance = len(rows), random.Random(int(rng.integers(1 << 62)))
        partners = rng.choice(self.epoch, size)
        wanted = np.unique(np.concatenate([rows, partners]))
        part, place = self.shards.rows(wanted), {row: index for index, row in enumerate(wanted)}
        prepared = lambda row: (part["x"][place[row]], part["found"][place[row]])
        pixels, codes, scores, maps = [], [], [], []
        for row, partner in zip(rows, partners):
            image, found = cut(*prepared(row), chance)
            if chance.random() < MIXED:
                image, found = mixed(image, found, *cut(*prepared(partner), chance), chance)
            if chance.random() < RECOLOURED:
                image = views.recoloured(image, chance)
            if chance.random() < SWAPPED:
                image = swapped(image, chance)
            pixels.append(np.asarray(image))
            raw_codes, logits, features = self.teacher(pixels[-1])
            answer = targets.fused(*self.teacher.answers(raw_codes, logits), found, self.teacher.anchors)
            codes.append(np.clip(answer[0], -60, 60))
            scores.append(answer[1])
            maps.append(features)
        levels = [(np.stack(level) - mean) / deviation for level, (mean, deviation) in zip(zip(*maps), self.statistics)]
        return np.stack(pixels), np.stack(codes).astype(np.float32), np.stack(scores).astype(np.float32), levels


def cut(pixels, found, chance):
    """A part of a view as a picture of the same size, mirrored by chance, and the detections that remain."""
    image, side = Image.fromarray(pixels), pixels.shape[0]
    if chance.random() < 0.7:
        x0, y0, x1, y1 = views.region(image, chance, 0.5)
        image = image.resize((side, side), Image.BILINEAR, box=(x0, y0, x1, y1))
        found = moved(found, np.array([x0, y0, x1, y1], np.float32) / side, (0, 0, 1, 1))
    if chance.random() < 0.5:
        image = image.transpose(Image.FLIP_LEFT_RIGHT)
        found = found.copy()
        found[:, [0, 2]] = np.where(found[:, 4:5] > 0, 1 - found[:, [2, 0]], 0)
    return image, found


def swapped(image, chance):
    """The picture with other hues: its channels in another order, fully or in part."""
    order, share = chance.sample(range(3), 3), chance.uniform(0.3, 1)
    rows = [[(1 - share) * (column == row) + share * (column == order[row]) for column in range(3)] + [0] for row in range(3)]
    return image.convert("RGB", [value for row in rows for value in row])


def moved(found, region, target):
    """Detections of a region of a view where the region becomes the target; those that are mostly cut off go."""
    rows = found[found[:, 4] > 0]
    result = np.zeros_like(found)
    if not len(rows):
        return result
    origin, extent = region[[0, 1, 0, 1]], (region[2:] - region[:2])[[0, 1, 0, 1]]
    into = np.array(target, np.float32)
    start, size = into[[0, 1, 0, 1]], (into[2:] - into[:2])[[0, 1, 0, 1]]
    whole = (rows[:, :4] - origin) / extent * size + start
    boxes = np.clip(whole, into[[0, 1, 0, 1]], into[[2, 3, 2, 3]])
    keep = (areas(boxes) >= 0.5 * areas(whole)) & (areas(boxes) >= targets.LEAST_AREA)
    count = int(keep.sum())
    result[:count] = rows[keep]
    result[:count, :4] = boxes[keep]
    return result


def mixed(image, found, other, others, chance):
    """Two views as one: blended, which leaves the answers to the teacher, or one laid over a part of the other."""
    if chance.random() < BLENDED:
        return Image.blend(image, other, chance.uniform(0.25, 0.5)), np.zeros_like(found)
    side = image.width
    width, height = (int(side * chance.uniform(0.3, 0.75)) for _ in range(2))
    left, top = chance.randint(0, side - width), chance.randint(0, side - height)
    target = np.array([left, top, left + width, top + height], np.float32) / side
    image = image.copy()
    image.paste(other.resize((width, height), Image.BILINEAR), (left, top))
    rows = found[found[:, 4] > 0]
    hidden = np.clip(np.minimum(rows[:, 2:4], target[2:]) - np.maximum(rows[:, :2], target[:2]), 0, None).prod(1)
    rows = rows[hidden < 0.4 * areas(rows[:, :4])]
    laid = moved(others, np.array([0, 0, 1, 1], np.float32), target)
    rows = np.concatenate([rows, laid[laid[:, 4] > 0]])
    result = np.zeros_like(found)
    result[: len(rows[: targets.MOST])] = rows[: targets.MOST]
    return image, result
