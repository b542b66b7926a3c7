"""The findings of the teachers in every photo, asked once and kept: views are cut from photos faster than teachers
answer.
"""

import pathlib
import random

import numpy as np

from . import pool, shards
from .data import Photo
from .errors import TrainingError
from .log import Log

# Rows of left, top, right, bottom in 0…1 of the photo, score, finder, and the number of COCO's class (-1: none).
LOCALIZER, DETECTOR, PERSON, SSD = 0, 1, 2, 3
MOST = 60

# YOLOX-Nano does not see an object below the first score; guesses from the second one on are kept beside.
SEEN, GUESSED = 0.2, 0.1

# How sure a box is that goes round an outline by people: outlines that touch, or that another object cuts in two, often
# enclose no single object.
OUTLINED = 0.65

# A shard is done in a minute or less, so that a stopped run loses little.
ROWS = 250

worker = {}


def start(paths: dict[str, pathlib.Path]) -> None:
    from . import teachers

    worker["localizer"], worker["detector"] = teachers.Localizer(paths["localizer"]), teachers.YOLOX(paths["detector"])
    worker["ssd"] = teachers.SSD(paths["ssd"])


def answers_about(photo: Photo) -> np.ndarray:
    """The table [MOST, 7] of a photo: the objects of the people, the two detectors and the localizer."""
    image, scale = photo.load(), np.array([*photo.size, *photo.size], np.float32)
    outlined = photo.outlined if len(photo.outlined) else np.zeros(len(photo.boxes), bool)
    rows = [[*box / scale, OUTLINED if round_it else 1, PERSON, -1] for box, round_it in zip(photo.boxes, outlined)]
    rows += [
        [*box, score, DETECTOR, kind] for box, score, kind in zip(*worker["detector"](image, least=GUESSED, most=30))
    ]
    rows += [[*box, score, SSD, -1] for box, score in zip(*worker["ssd"](image, least=SEEN))]
    rows += [[*box, score, LOCALIZER, -1] for box, score in zip(*worker["localizer"].found(image, least=0.15, most=10))]
    table = np.zeros((MOST, 7), np.float16)
    if rows:
        table[: len(rows)] = rows[:MOST]
    return table


def shard(task: tuple[pathlib.Path, list[Photo]]) -> int:
    folder, photos = task
    tables = []
    for photo in photos:
        try:
            tables.append(answers_about(photo))
        except TrainingError:  # an unreadable photo is one without objects
            tables.append(np.zeros((MOST, 7), np.float16))
    shards.write(folder, {"names": np.array([photo.name for photo in photos]), "found": np.stack(tables)})
    return len(photos)


def ask(
    photos: list[Photo],
    paths: dict[str, pathlib.Path],
    folder: pathlib.Path,
    workers: int,
    log: Log,
    seed: int = 0,
) -> None:
    """Asks about the photos that no shard in the folder holds yet, in random order, so that a part is a fair sample."""
    known = set(read(folder))
    photos = [photo for photo in photos if photo.name not in known]
    random.Random(seed).shuffle(photos)
    first = 1 + max((int(path.name.removeprefix("shard-")) for path in shards.present(folder)), default=-1)
    tasks = [
        (folder / f"shard-{first + row // ROWS:05d}", photos[row : row + ROWS]) for row in range(0, len(photos), ROWS)
    ]
    log(f"{len(photos)} photos to ask about, {len(known)} known")
    pool.run(shard, tasks, len(photos), workers, start, (paths,), log)


def read(folder: pathlib.Path) -> dict[str, np.ndarray]:
    """The tables of the photos by name."""
    tables = {}
    for path in shards.present(pathlib.Path(folder)):
        tables |= zip(np.load(path / "names.npy").tolist(), np.load(path / "found.npy"))
    return tables


def seen(table: np.ndarray) -> np.ndarray:
    """The rows of a photo's table that are not guesses."""
    return table[table[:, 4] >= np.where(table[:, 5] == DETECTOR, SEEN, np.finfo(np.float16).tiny)]
