"""Finds people's boxes for photos of COCO that have lost their numbers: a photo is recognized by what NanoDet-Plus sees
in it, by its shape, and by what people said about it.
"""

import csv
import dataclasses
import functools
import io
import json
import pathlib
import xml.etree.ElementTree
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from . import coco, data, packs, words
from .data import Photo
from .errors import TrainingError
from .files import write
from .geometry import areas, iou
from .log import Log

# The annotations call all animals so; NanoDet-Plus names them.
ANIMAL = len(coco.NAMES)
ANIMALS = [coco.NAMES.index(name) for name in coco.GROUPS["animal"]]

# A photo and its annotation differ by no more than this in the logarithm of width to height.
SHAPE = 0.008

# How much of each kind there is in each cell of a grid of so many a side makes annotations comparable; so many of the
# most similar ones are compared box by box.
GRID, COMPARED = 4, 12

# The least agreement with an annotation, and how much less the next one must have: where people's words were compared
# and where not.
LEAST, AHEAD_WITH_WORDS, AHEAD = 0.5, 0.06, 0.1

# From this agreement with a photo that is kept out, a photo may be that one.
DOUBTFUL = 0.3

# The least score of what NanoDet-Plus sees. Of objects smaller than the share, and of what it is less sure of than the
# score, nothing is expected of the other side.
SEEN, SMALL, SURE = 0.2, 0.004, 0.4

# A box of which NanoDet-Plus sees nothing goes round a crowd if there are at least so many of its kind and it holds so
# many of them, or is as large as the share.
MANY, HELD, LARGE = 10, 3, 0.05

# Photos whose gray thumbnails of this side correlate so much are the same.
THUMBNAIL, SAME = 24, 0.93


@dataclasses.dataclass
class Objects:
    """The objects of a photo: boxes [n, 4] in 0…1, numbers of kinds, and how sure they are."""

    boxes: np.ndarray
    kinds: np.ndarray
    scores: np.ndarray

    @property
    def merged(self) -> np.ndarray:
        """The kinds, with one for all animals."""
        return np.where(np.isin(self.kinds, ANIMALS), ANIMAL, self.kinds)


@dataclasses.dataclass
class Annotation:
    """People's boxes in a photo by its number, and the logarithm of its width to its height."""

    number: int
    shape: float
    objects: Objects


def read(folder: pathlib.Path) -> list[Annotation]:
    """The annotations of a folder with a file of Pascal VOC's XML for each photo, named by the photo's number."""
    kinds = {name: kind for kind, name in enumerate((*coco.NAMES, "animal"))}
    found = []
    for path in sorted(folder.glob("*.xml")):
        try:
            root = xml.etree.ElementTree.parse(path).getroot()
            width, height = (int(root.findtext(f"size/{side}", "")) for side in ("width", "height"))
            rows = [
                [float(entry.findtext(f"bndbox/{edge}", "")) for edge in ("xmin", "ymin", "xmax", "ymax")]
                for entry in root.iter("object")
            ]
            mine = np.array([kinds[entry.findtext("name", "")] for entry in root.iter("object")], int)
            boxes = np.array(rows, np.float32).reshape(-1, 4) / [width, height, width, height]
            objects = Objects(np.clip(boxes, 0, 1), mine, np.ones(len(mine)))
            found.append(Annotation(int(path.stem), float(np.log(width / height)), objects))
        except (xml.etree.ElementTree.ParseError, ValueError, KeyError, ZeroDivisionError) as error:
            raise TrainingError(f"{path} is not an annotation of COCO's kinds ({error}): fetch it again.") from None
    if not found:
        raise TrainingError(f"{folder} holds no .xml files: name the folder of the annotations.")
    return found


def signature(objects: Objects) -> np.ndarray:
    """The amount of each kind in each cell, of length 1; zeros if there is nothing."""
    edges, amount = np.arange(GRID + 1) / GRID, np.zeros((ANIMAL + 1, GRID, GRID), np.float32)
    for (left, top, right, bottom), kind, score in zip(objects.boxes, objects.merged, objects.scores):
        across = np.clip(np.minimum(right, edges[1:]) - np.maximum(left, edges[:-1]), 0, None) * GRID
        down = np.clip(np.minimum(bottom, edges[1:]) - np.maximum(top, edges[:-1]), 0, None) * GRID
        amount[kind] += score**0.5 * down[:, None] * across
    amount = np.sqrt(np.minimum(amount, 1)).ravel()
    return amount / max(float(np.linalg.norm(amount)), 1e-9)


def agreement(drawn: Objects, seen: Objects) -> float:
    """The fit of the boxes of people and of the detector, 0…1: the mean overlap with the best box of the
    same kind on the other side; large ones count more.
    """
    overlap = iou(drawn.boxes, seen.boxes) * (drawn.merged[:, None] == seen.merged)
    weights = [
        np.sqrt(areas(drawn.boxes)) * (areas(drawn.boxes) > SMALL),
        np.sqrt(areas(seen.boxes)) * seen.scores * (seen.scores > SURE),
    ]
    total = sum(weight.sum() for weight in weights)
    fits = sum((weight * overlap.max(axis, initial=0)).sum() for weight, axis in zip(weights, (1, 0)))
    return float(fits / total) if total else 0.0


class Album:
    """Annotations, ordered by the shape of their photos."""

    def __init__(self, annotations: list[Annotation]) -> None:
        self.annotations = sorted(annotations, key=lambda annotation: annotation.shape)
        self.shapes = np.array([annotation.shape for annotation in self.annotations])
        self.signatures = np.stack([signature(one.objects) for one in self.annotations])
        self.has = np.zeros((len(annotations), ANIMAL + 1), bool)
        for row, one in zip(self.has, self.annotations):
            row[one.objects.merged] = True

    def best(self, shape: float, seen: Objects, said: words.Said) -> list[tuple[float, Annotation]]:
        """The annotations that agree best, with their agreement, best first."""
        first, last = np.searchsorted(self.shapes, [shape - SHAPE, shape + SHAPE])
        says, denies = (
            [coco.NAMES.index(name) for name in names if name in coco.NAMES] for names in (said.says, said.denies)
        )
        wanted = [ANIMAL if kind in ANIMALS else kind for kind in says]
        unwanted = [kind for kind in denies if kind not in ANIMALS]
        has = self.has[first:last]
        possible = np.flatnonzero(has[:, wanted].all(1) & ~has[:, unwanted].any(1))
        similar = (self.signatures[first:last] @ signature(seen))[possible]
        rows = first + possible[np.argsort(-similar, kind="stable")[:COMPARED]]
        found = [(agreement(self.annotations[row].objects, seen), self.annotations[row]) for row in rows]
        return sorted(found, key=lambda pair: -pair[0])


def identified(drawn: Objects, seen: Objects) -> Objects | None:
    """People's boxes with animals by their kinds and without crowds; None if it is unclear what an animal is."""
    kinds, overlap = drawn.kinds.copy(), iou(drawn.boxes, seen.boxes)
    fitness = np.where(np.isin(seen.kinds, ANIMALS) & (overlap > 0.4), overlap * seen.scores**0.5, 0)
    for row in np.flatnonzero((kinds == ANIMAL) & (fitness.max(1, initial=0) > 0)):
        kinds[row] = seen.kinds[fitness[row].argmax()]
    others = set(kinds[(drawn.kinds == ANIMAL) & (kinds != ANIMAL)].tolist())
    if (kinds == ANIMAL).any():
        if len(others) != 1:
            return None
        kinds[kinds == ANIMAL] = others.pop()
    keep, middles = np.ones(len(kinds), bool), (drawn.boxes[:, :2] + drawn.boxes[:, 2:]) / 2
    for row, (box, kind) in enumerate(zip(drawn.boxes, kinds)):
        same = kinds == kind
        if same.sum() < MANY or (overlap[row] > 0.6)[seen.kinds == kind].any():
            continue
        held = (middles[same] > box[:2]).all(1) & (middles[same] < box[2:]).all(1)
        keep[row] = held.sum() <= HELD and areas(box[None])[0] <= LARGE
    return Objects(drawn.boxes[keep], kinds[keep], drawn.scores[keep])


@functools.cache
def teacher(path: pathlib.Path) -> Any:
    from .teachers import NanoDet

    return NanoDet(path)


def looked_at(path: pathlib.Path, photo: Photo) -> tuple[np.ndarray, Objects | None]:
    """The photo's thumbnail, and what NanoDet-Plus sees where nobody drew boxes; zeros if it cannot be read."""
    try:
        image = photo.load()
    except TrainingError:
        return np.zeros(THUMBNAIL**2, np.float32), None
    seen = None if len(photo.boxes) else Objects(*teacher(path)(image, SEEN))
    return thumbnail(image), seen


def thumbnail(image: Image.Image) -> np.ndarray:
    """The gray values of a small copy, with mean 0 and length 1."""
    values = np.asarray(image.convert("L").resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BICUBIC), np.float32)
    values = values.ravel() - values.mean()
    return values / max(float(np.linalg.norm(values)), 1e-6)


def are_the_same(mine: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which of the thumbnails [n, …] show one of the others, perhaps mirrored."""
    mirrored = others.reshape(-1, THUMBNAIL, THUMBNAIL)[:, :, ::-1].reshape(len(others), -1)
    return (mine @ np.concatenate([others, mirrored]).T > SAME).any(1)


def find(
    folder: pathlib.Path,
    annotations: pathlib.Path,
    people: Sequence[Photo],
    detector: pathlib.Path,
    processes: int,
    log: Log,
) -> None:
    """Writes people's boxes into the folder's manifest.csv, and leaves out the photos that are, or may be, those of
    `people`, by which models are measured; their files are named by their numbers.
    """
    photos = data.everyday_photos(folder)
    said = words.said(folder) if (folder / "words.csv").exists() else {}
    kept_out = {int(photo.path.stem) for photo in people if photo.path.stem.isdigit()}
    album = Album(read(annotations))
    log(f"{len(photos)} photos to look at, {len(album.annotations)} annotations to compare them with")
    with packs.workers(processes) as pool:
        looks = list(pool.map(functools.partial(looked_at, detector), photos, chunksize=32))
    same = are_the_same(np.stack([look for look, _ in looks]), np.stack([thumbnail(one.load()) for one in people]))
    gone, claims = {photo.name for photo, is_same in zip(photos, same) if is_same}, {}
    for photo, (_, seen) in zip(photos, looks):
        if seen is None or not len(seen.boxes) or photo.name in gone:
            continue
        word = said.get(str(photo.path.relative_to(folder)), words.Said())
        best = album.best(float(np.log(photo.size[0] / photo.size[1])), seen, word)
        if best and best[0][0] > DOUBTFUL and best[0][1].number in kept_out:
            gone.add(photo.name)
            continue
        ahead = AHEAD_WITH_WORDS if word.says or word.denies else AHEAD
        fits = [fit for fit, _ in best] + [0.0, 0.0]
        if fits[0] > LEAST and fits[0] - fits[1] > ahead:
            annotation = best[0][1]
            claims[annotation.number] = max(
                claims.get(annotation.number, (0.0, "", None)),
                (fits[0], photo.name, identified(annotation.objects, seen)),
                key=lambda claim: claim[0],
            )
    boxes = {name: objects for _, name, objects in claims.values() if objects is not None}
    rewrite(folder, photos, boxes, gone)
    log(f"{len(claims)} photos recognized, {len(boxes)} get people's boxes, {len(gone)} may be kept aside and go")


def rewrite(folder: pathlib.Path, photos: list[Photo], boxes: dict[str, Objects], gone: set[str]) -> None:
    """Writes the manifest with boxes by the names of photos, and without those that go."""
    with open(folder / "manifest.csv", newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        fields, rows = list(reader.fieldnames or []), list(reader)
    target = io.StringIO()
    writer = csv.DictWriter(target, fields)
    writer.writeheader()
    for row, photo in zip(rows, photos):
        if photo.name in gone:
            continue
        if photo.name in boxes:
            objects, scale = boxes[photo.name], [*photo.size, *photo.size]
            places = [[round(float(value), 1) for value in box] for box in objects.boxes * scale]
            row["boxes"] = json.dumps(
                [
                    {"name": coco.NAMES[kind], "bbox": [left, top, round(right - left, 1), round(bottom - top, 1)]}
                    for (left, top, right, bottom), kind in zip(places, objects.kinds)
                    if right - left >= 0.5 and bottom - top >= 0.5
                ]
            )
        writer.writerow(row)
    write(folder / "manifest.csv", target.getvalue().encode("utf-8"))
