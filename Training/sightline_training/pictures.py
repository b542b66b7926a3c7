"""The pictures that the classifier and the labeler learn from: whole photos, and the objects that people or teachers
found in them, each with the scores that the teacher labeler gives it.
"""

import pathlib
import random
from typing import NamedTuple

import numpy as np
from PIL import Image

from . import answers, coco, data, network, pool, shards, targets
from .data import Photo
from .errors import TrainingError
from .geometry import areas, iou
from .log import Log
from .split import is_held_out

SIDE = network.CLASSIFIER_SIDE
"""Pictures are stretched to this side, in pixels."""

# What a picture shows besides an object of one of coco.KINDS.
WHOLE, UNNAMED = -1, -2

# An object is taken from this share of the photo on. It has a name from this score of YOLOX-Nano on, or from the
# lower one on if the teacher labeler sees the same of our classes. Of the classes that photos show least, guesses are
# taken too: they are hard cases.
LEAST_SHARE, LEAST_SCORE, LEAST_AGREED, LEAST_GUESSED = 0.015, 0.45, 0.25, 0.1
RARE = [data.CLASSES.index(name) for name in ("fashion good", "food", "plant")]

# How many objects of a photo are taken, and the chance of each: there are many more people than all else.
MOST = 8
CHANCES = {"person": 0.25}
UNNAMED_CHANCE, UNKNOWN_CHANCE, KNOWN_CHANCE = 0.5, 0.6, 1.0

ROWS = 250

worker = {}


class Found(NamedTuple):
    """An object of a photo: its box in 0…1, its number in coco.KINDS or UNNAMED, and how sure its finder is."""

    box: np.ndarray
    kind: int
    score: float


def start(paths: dict[str, pathlib.Path]) -> None:
    from . import teachers

    worker["labeler"] = teachers.Labeler(paths["labeler"])


def region(box: np.ndarray, size: tuple[int, int], chance: random.Random | None) -> tuple[float, float, float, float]:
    """The box a little larger or smaller, as detectors have it, inside of the picture."""
    (x0, y0, x1, y1), (width, height) = box * np.array([*size, *size]), size
    left, top, right, bottom = (chance.uniform(-0.07, 0.17) if chance else 0.05 for _ in range(4))
    w, h = x1 - x0, y1 - y0
    return max(0, x0 - left * w), max(0, y0 - top * h), min(width, x1 + right * w), min(height, y1 + bottom * h)


def chance_of(kind: int) -> float:
    """The number of times that an object of a kind is taken."""
    if kind < 0:
        return UNNAMED_CHANCE
    return CHANCES.get(coco.KINDS[kind], KNOWN_CHANCE if coco.is_known(kind) else UNKNOWN_CHANCE)


def drawn(photo: Photo) -> list[Found]:
    """The objects that people drew boxes around and gave a name that we know."""
    boxes = photo.boxes / np.array([*photo.size, *photo.size], np.float32)
    return [Found(box, coco.KINDS.index(name), 1.0) for box, name in zip(boxes, photo.categories) if name in coco.KINDS]


def objects(table: np.ndarray, people: list[Found], chance: random.Random) -> list[Found]:
    """Some of the objects that people and the teachers found in a photo."""
    table, found = table[table[:, 4] > 0].astype(np.float32), list(people)

    def add(box: np.ndarray, kind: int, score: float) -> None:
        if not found or iou(box[None], np.stack([other.box for other in found])).max() <= 0.5:
            found.append(Found(box, kind, float(score)))

    for row in table[table[:, 5] == answers.DETECTOR]:
        if row[4] >= (LEAST_GUESSED if coco.our_class(int(row[6])) in RARE else LEAST_AGREED):
            add(row[:4], int(row[6]), row[4])
    for box, score in zip(*targets.merged(table)):
        if score >= 0.3:
            add(box, UNNAMED, score)
    found = [one for one in found if areas(one.box[None])[0] >= LEAST_SHARE]
    found = [one for one in found if chance.random() < chance_of(one.kind)]
    chance.shuffle(found)
    found.sort(key=lambda one: coco.our_class(one.kind) not in RARE)
    return found[:MOST]


def stretched(
    image: Image.Image, box: tuple[float, float, float, float] | None = None, side: int = SIDE
) -> Image.Image:
    return image.resize((side, side), Image.Resampling.BILINEAR, box=box, reducing_gap=2)


def whole_pixels(box: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    left, top, right, bottom = (round(side) for side in box)
    return left, top, max(right, left + 1), max(bottom, top + 1)


class Picture(NamedTuple):
    """A whole photo or an object, as training is given it."""

    x: np.ndarray
    """Pixels [SIDE, SIDE, 3]."""
    kind: int
    """Its content: a number in coco.KINDS, WHOLE or UNNAMED."""
    scores: np.ndarray
    """The scores that the teacher labeler gives its labels, 0…255."""


def picture_of(image: Image.Image, box: tuple[float, float, float, float] | None, kind: int) -> Picture:
    """A part of an image, or all of it."""
    part = image.crop(whole_pixels(box)) if box else image
    return Picture(np.asarray(stretched(image, box)), kind, worker["labeler"](part))


def pictures_of(photo: Photo, table: np.ndarray | None, seed: int) -> list[Picture]:
    """The whole photo, then its objects."""
    chance, image = random.Random(f"{seed}/{photo.name}"), photo.load()
    vary = None if is_held_out(photo.name) else chance
    made = [picture_of(image, None, WHOLE)]
    for found in objects(table, drawn(photo), chance) if table is not None else []:
        picture = picture_of(image, region(found.box, image.size, vary), found.kind)
        if found.kind >= 0 and found.score < LEAST_SCORE and not agrees(found.kind, picture.scores):
            picture = picture._replace(kind=UNNAMED)
        made.append(picture)
    return made


def agrees(kind: int, scores: np.ndarray) -> bool:
    """Whether the teacher labeler sees the one of our classes that an object is in."""
    return coco.our_class(kind) == worker["labeler"].posterior(scores).argmax()


def shard(task: tuple[pathlib.Path, list[tuple[Photo, np.ndarray | None]], int]) -> int:
    folder, photos, seed = task
    made: list[Picture] = []
    names: list[str] = []
    for photo, table in photos:
        try:
            mine = pictures_of(photo, table, seed)
        except TrainingError:  # an unreadable photo teaches nothing
            continue
        made += mine
        names += [photo.name] * len(mine)
    shards.write(
        folder,
        {
            "names": np.array(names),
            "x": np.stack([picture.x for picture in made]),
            "kind": np.array([picture.kind for picture in made], np.int8),
            "scores": np.stack([picture.scores for picture in made]),
        },
    )
    return len(photos)


def prepare(
    photos: list[Photo],
    tables: dict[str, np.ndarray],
    paths: dict[str, pathlib.Path],
    folder: pathlib.Path,
    workers: int,
    log: Log,
    seed: int = 0,
) -> None:
    """Makes the pictures of photos that no shard in the folder holds yet, in random order."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {name for path in shards.present(folder) for name in np.load(path / "names.npy").tolist()}
    photos = [photo for photo in photos if photo.name not in known]
    random.Random(seed).shuffle(photos)
    first = 1 + max((int(path.name.removeprefix("shard-")) for path in shards.present(folder)), default=-1)
    tasks = [
        (
            folder / f"shard-{first + begin // ROWS:05d}",
            [(photo, tables.get(photo.name)) for photo in photos[begin : begin + ROWS]],
            seed,
        )
        for begin in range(0, len(photos), ROWS)
    ]
    log(f"{len(photos)} photos to make pictures of, {len(known)} known")
    pool.run(shard, tasks, len(photos), workers, start, (paths,), log)
