"""Photos packed into a few files, small enough to carry to a machine with a GPU, and with what is known of them."""

import argparse
import concurrent.futures
import dataclasses
import io
import pathlib
import random
from collections.abc import Sequence

import numpy as np
from PIL import Image

from . import coco, data
from .data import Photo

# The side of the squares that photos are stretched to when they are unpacked, and at most that of packed photos.
SIDE = 352

# How many boxes of a photo are kept, the largest first.
MOST = 60


@dataclasses.dataclass
class Pack:
    """Unpacked photos: pixels [n, 3, SIDE, SIDE], boxes [n, MOST, 5] as left, top, right, bottom in 0…1 and the kind
    (-1 where there is none), and whether people drew them all.
    """

    pixels: np.ndarray
    boxes: np.ndarray
    drawn: np.ndarray

    def joined(self, other: "Pack") -> "Pack":
        return Pack(*(np.concatenate(parts) for parts in zip(dataclasses.astuple(self), dataclasses.astuple(other))))


def encoded(path: pathlib.Path, quality: int) -> bytes:
    image = Image.open(path).convert("RGB")
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "AVIF", quality=quality, speed=8, max_threads=1)
    return buffer.getvalue()


def write(
    path: pathlib.Path, names: Sequence[str], blobs: Sequence[bytes], boxes: Sequence[np.ndarray], drawn: Sequence[bool]
) -> None:
    """Packs photos (`encoded`) with their boxes, rows of left, top, right, bottom in 0…1 and the kind."""
    np.savez(
        path,
        blob=np.frombuffer(b"".join(blobs), np.uint8),
        length=np.array([len(blob) for blob in blobs], np.int32),
        boxes=np.concatenate([np.zeros((0, 5)), *boxes]).astype(np.float16),
        count=np.array([len(rows) for rows in boxes], np.int32),
        labeled=np.array(drawn, bool),
        names=np.array(names),
    )


def unpack(target: pathlib.Path, first: int, blobs: list[bytes]) -> None:
    """Writes the pixels of photos into the rows from `first` on of an array in a file."""
    pixels = np.load(target, mmap_mode="r+")
    for row, blob in enumerate(blobs, first):
        image = Image.open(io.BytesIO(blob)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        pixels[row] = np.asarray(image).transpose(2, 0, 1)


def read(path: pathlib.Path, cache: pathlib.Path, processes: int) -> Pack:
    """Unpacks photos; their pixels stay in the folder `cache` for the next run."""
    with np.load(path) as content:
        blob, length, rows, count = (content[name] for name in ("blob", "length", "boxes", "count"))
        drawn = content["labeled"]
    boxes = np.full((len(length), MOST, 5), -1, np.float32)
    for target, end, size in zip(boxes, np.cumsum(count), count):
        mine = rows[end - size : end].astype(np.float32)
        area = (mine[:, 2] - mine[:, 0]) * (mine[:, 3] - mine[:, 1])
        mine = mine[np.argsort(-area, kind="stable")][:MOST]
        target[: len(mine)] = mine
    stored = cache / f"{path.stem}.npy"
    if not stored.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = cache / f"{path.stem}.part.npy"
        np.lib.format.open_memmap(part, "w+", np.uint8, (len(length), 3, SIDE, SIDE)).flush()
        blobs = [blob[end - size : end].tobytes() for end, size in zip(np.cumsum(length), length)]
        with concurrent.futures.ProcessPoolExecutor(processes) as pool:
            jobs = [pool.submit(unpack, part, start, blobs[start : start + 64]) for start in range(0, len(blobs), 64)]
            for job in jobs:
                job.result()
        part.rename(stored)
    return Pack(np.load(stored, mmap_mode="r"), boxes, drawn)


def boxes_of(photo: Photo) -> np.ndarray:
    """People's boxes of COCO's kinds as rows of left, top, right, bottom in 0…1 and the kind."""
    rows = [
        [*(box / [*photo.size, *photo.size]), coco.NAMES.index(name)]
        for box, name in zip(photo.boxes, photo.categories)
        if name in coco.NAMES
    ]
    return np.array(rows, np.float32).reshape(-1, 5)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training packs", description=__doc__)
    parser.add_argument("--photos", type=pathlib.Path, required=True, help="a folder with manifest.csv (README)")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="the folder for the packs")
    parser.add_argument("--mib", type=float, default=60, help="the size of a pack at most")
    parser.add_argument("--quality", type=int, default=40, help="of AVIF")
    parser.add_argument("--teacher", type=pathlib.Path, help="NanoDet-Plus (.tflite), which is made ready beside them")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    photos = data.everyday_photos(options.photos)
    # Photos with people's boxes come first, each kind in random order.
    random.Random(0).shuffle(photos)
    photos.sort(key=lambda photo: not len(photo.boxes))
    with concurrent.futures.ProcessPoolExecutor() as pool:
        blobs = list(pool.map(encoded, [photo.path for photo in photos], [options.quality] * len(photos), chunksize=32))
    number = np.cumsum([len(blob) for blob in blobs]) // int(options.mib * 2**20)
    for which in range(int(number[-1]) + 1):
        rows = np.flatnonzero(number == which)
        mine = [photos[row] for row in rows]
        path = options.output / f"pack{which + 1}.npz"
        write(
            path,
            [photo.name for photo in mine],
            [blobs[row] for row in rows],
            [boxes_of(photo) for photo in mine],
            [len(photo.boxes) > 0 for photo in mine],
        )
        print(f"{path}: {len(mine)} photos, {path.stat().st_size / 2**20:.1f} MiB", flush=True)
    if options.teacher:
        from . import dense_teacher

        dense_teacher.save(dense_teacher.converted(options.teacher), options.output / "teacher.pickle")
