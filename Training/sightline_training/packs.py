"""Photos packed into a few files, small enough to carry to a machine with a GPU, with people's boxes."""

import concurrent.futures
import dataclasses
import hashlib
import io
import multiprocessing
import pathlib
import random
import zipfile
from collections.abc import Sequence

import numpy as np
from PIL import Image, features

from . import coco, split
from .data import Photo
from .errors import TrainingError
from .log import Log
from .processes import end_with_parent

# The side of the squares that photos are stretched to when they are unpacked, and at most that of packed photos.
SIDE = 384

# The quality of AVIF, and how many bytes of photos a pack has at most.
QUALITY, MOST_BYTES = 40, 60 * 2**20

# How many boxes of a photo are kept, the largest first.
MOST = 60

# A process unpacks so many photos at a time.
ROWS = 64


@dataclasses.dataclass
class Pack:
    """Unpacked photos: pixels [n, 3, SIDE, SIDE], boxes [n, MOST, 5] as left, top, right, bottom in 0…1 and the kind
    (-1 where there is none), and whether people drew them all.
    """

    pixels: np.ndarray
    boxes: np.ndarray
    drawn: np.ndarray


def encoded(photo: Photo) -> bytes:
    """A photo as AVIF; nothing if it cannot be read."""
    try:
        image = photo.load()
    except TrainingError:
        return b""
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "AVIF", quality=QUALITY, speed=8, max_threads=1)
    return buffer.getvalue()


def drawn(photo: Photo) -> np.ndarray | None:
    """People's boxes as rows of left, top, right, bottom in 0…1 and the kind; None where there are none, or where some
    do not mention one thing of COCO's kinds, so that other things may lack a box as well.
    """
    names = photo.categories
    if not names or any(name not in coco.NAMES for name in names) or photo.outlined.any():
        return None
    kinds = np.array([coco.NAMES.index(name) for name in names], np.float32)
    return np.column_stack([photo.boxes / [*photo.size, *photo.size], kinds])


def write(path: pathlib.Path, blobs: Sequence[bytes], boxes: Sequence[np.ndarray | None]) -> None:
    """Packs photos (`encoded`) with people's boxes (`drawn`)."""
    rows = [np.zeros((0, 5)) if mine is None else mine for mine in boxes]
    np.savez(
        path,
        blob=np.frombuffer(b"".join(blobs), np.uint8),
        length=np.array([len(blob) for blob in blobs], np.int32),
        boxes=np.concatenate([np.zeros((0, 5)), *rows]).astype(np.float16),
        count=np.array([len(mine) for mine in rows], np.int32),
        drawn=np.array([mine is not None for mine in boxes], bool),
    )


def workers(count: int) -> concurrent.futures.ProcessPoolExecutor:
    return concurrent.futures.ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), end_with_parent)


def prepare(photos: list[Photo], folder: pathlib.Path, processes: int, log: Log) -> list[Photo]:
    """Packs photos in place of those that the folder holds, and returns those that can be read. Photos with people's
    boxes come first, so that the first packs alone are worth most. Those that are kept aside, by which labels and
    classes are measured, are left out.
    """
    if not features.check("avif"):
        raise TrainingError("This Pillow cannot write AVIF: install version 11.3 or later.")
    photos = [photo for photo in photos if not split.is_held_out(photo.name)]
    random.Random(0).shuffle(photos)
    photos.sort(key=lambda photo: drawn(photo) is None)
    with workers(processes) as pool:
        blobs = list(pool.map(encoded, photos, chunksize=32))
    readable = [row for row, blob in enumerate(blobs) if blob]
    if len(readable) < len(photos):
        log(f"{len(photos) - len(readable)} photos that cannot be read are left out")
    if not readable:
        raise TrainingError("None of the photos can be read: check the folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for path in files(folder):
        path.unlink()
    number = np.cumsum([len(blobs[row]) for row in readable]) // MOST_BYTES
    for which in np.unique(number):
        rows = [row for row, mine in zip(readable, number) if mine == which]
        path = folder / f"pack{which + 1:03d}.npz"
        boxes = [drawn(photos[row]) for row in rows]
        write(path, [blobs[row] for row in rows], boxes)
        known = sum(mine is not None for mine in boxes)
        log(f"{path}: {len(rows)} photos, {known} with people's boxes, {path.stat().st_size / 2**20:.1f} MiB")
    return [photos[row] for row in readable]


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob("pack*.npz"))


def content(path: pathlib.Path) -> tuple[list[bytes], list[np.ndarray], np.ndarray]:
    """The encoded photos of a pack, their boxes, and which have all of them."""
    try:
        with path.open("rb") as source, np.load(source) as file:
            blob, length, rows, count, known = (file[name] for name in ("blob", "length", "boxes", "count", "drawn"))
        if not len(length) == len(count) == len(known) or length.sum() != len(blob) or count.sum() != len(rows):
            raise ValueError("its tables do not fit together")
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise TrainingError(f"The pack {path} is damaged ({error}): copy it again, or run prepare again.") from None
    blobs = [blob[end - size : end].tobytes() for end, size in zip(np.cumsum(length), length)]
    return blobs, np.split(rows.astype(np.float32), np.cumsum(count)[:-1]), known


def unpack(target: pathlib.Path, pack: pathlib.Path, first: int, blobs: list[bytes]) -> None:
    """Writes the pixels of photos into the rows from `first` on of an array in a file."""
    pixels = np.load(target, mmap_mode="r+")
    for row, blob in enumerate(blobs, first):
        try:
            image = Image.open(io.BytesIO(blob)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        except (OSError, SyntaxError, ValueError) as error:
            raise TrainingError(
                f"A photo of the pack {pack} cannot be read ({error}): copy the pack again, or install a Pillow with"
                " AVIF, version 11.3 or later."
            ) from None
        pixels[row] = np.asarray(image).transpose(2, 0, 1)


def read(paths: Sequence[pathlib.Path], cache: pathlib.Path, processes: int) -> Pack:
    """The photos of packs; their pixels stay in the folder `cache` for the next run, 0.4 MB each."""
    boxes, known, photos, digest = [], [], [], hashlib.sha256()
    for path in paths:
        blobs, rows, drawn_by_people = content(path)
        for blob in blobs:
            digest.update(blob)
        photos += [(path, blobs[row : row + ROWS]) for row in range(0, len(blobs), ROWS)]
        known.append(drawn_by_people)
        for mine in rows:
            area = (mine[:, 2] - mine[:, 0]) * (mine[:, 3] - mine[:, 1])
            mine = mine[np.argsort(-area, kind="stable")][:MOST]
            boxes.append(np.concatenate([mine, np.full((MOST - len(mine), 5), -1, np.float32)]))
    stored = cache / f"{digest.hexdigest()[:16]}.npy"
    if not stored.exists():
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob("*.npy"):
            old.unlink()
        part = cache / "part.npy"
        np.lib.format.open_memmap(part, "w+", np.uint8, (len(boxes), 3, SIDE, SIDE)).flush()
        first = np.cumsum([0] + [len(blobs) for _, blobs in photos])
        with workers(processes) as pool:
            jobs = [pool.submit(unpack, part, path, row, blobs) for row, (path, blobs) in zip(first.tolist(), photos)]
            for job in jobs:
                job.result()
        part.rename(stored)
    # Copied where it is written, which nothing does: Torch wants arrays that could be.
    return Pack(np.load(stored, mmap_mode="c"), np.stack(boxes), np.concatenate(known))
