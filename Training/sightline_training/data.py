"""Reads the pictures, boxes and labels that training and measuring use, and checks them."""

import csv
import dataclasses
import io
import json
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from PIL import Image

from .errors import TrainingError

CLASSES = ["fashion good", "home good", "food", "place", "plant", "unknown"]
DISPLAY_NAMES = ["Fashion good", "Home good", "Food", "Place", "Plant", "Unknown"]
UNKNOWN = CLASSES.index("unknown")

# The colors' means and deviations on ImageNet, in pixel values, red first.
IMAGENET_MEAN = np.array([123.675, 116.28, 103.53], np.float32)
IMAGENET_DEVIATION = np.array([58.395, 57.12, 57.375], np.float32)


@dataclasses.dataclass
class Photo:
    """A picture with its human-drawn boxes (left, top, right, bottom, in pixels) and, for coarse pictures, its
    class.
    """

    path: pathlib.Path
    source: str
    size: tuple[int, int]
    boxes: np.ndarray
    label: int = -1
    scores: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0, np.float32))
    crowd: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0, bool))
    categories: list[str] = dataclasses.field(default_factory=list)
    data: bytes | None = None
    outlined: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0, bool))
    everyday: bool = False
    called: frozenset[str] = frozenset()
    """The name that people give the one object of a labeled picture: its class and its kind."""

    @property
    def name(self) -> str:
        """The name that identifies the photo."""
        return f"{self.source}/{self.path.name}"

    def load(self) -> Image.Image:
        """The decoded picture, RGB."""
        return opened(self.path, self.data)

    def keep(self) -> Self:
        """Keeps the coded bytes in memory, since views read each picture many times."""
        try:
            self.data = self.path.read_bytes()
        except OSError as error:
            raise TrainingError(
                f"The picture {self.path} cannot be read ({error.strerror}): restore it, or remove its entry."
            ) from None
        return self


def squares(photos: list[Photo], side: int) -> np.ndarray:
    """The whole photos [n, side, side, 3], stretched."""
    return np.stack([np.asarray(photo.load().resize((side, side), Image.Resampling.BILINEAR)) for photo in photos])


def data_folder(argument: str | None) -> pathlib.Path:
    """The folder of test and training data: the argument, or the environment variable SIGHTLINE_TEST_DATA."""
    value = argument or os.environ.get("SIGHTLINE_TEST_DATA")
    if not value:
        raise TrainingError("No data folder is named: give --data FOLDER or set SIGHTLINE_TEST_DATA.")
    folder = pathlib.Path(value)
    if not folder.is_dir():
        raise TrainingError(f"The data folder {folder} does not exist: give another with --data.")
    return folder


def opened(path: pathlib.Path, data: bytes | None = None) -> Image.Image:
    """A picture, RGB; an unreadable one is an error that names it."""
    try:
        with Image.open(io.BytesIO(data) if data is not None else path) as image:
            return image.convert("RGB")
    except FileNotFoundError:
        raise TrainingError(
            f"The picture {path} is missing: restore it, or remove its entry from the annotations."
        ) from None
    except (OSError, SyntaxError, ValueError) as error:
        raise TrainingError(
            f"The picture {path} is corrupt ({error}): restore it, or remove its entry from the annotations."
        ) from None


def read_json(path: pathlib.Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TrainingError(f"The file {path} is missing: check the data folder.") from None
    except ValueError as error:
        raise TrainingError(f"The file {path} is not JSON ({error}): fetch it again.") from None


def checked_box(
    box: Sequence[float], size: tuple[int, int], path: pathlib.Path | str
) -> tuple[float, float, float, float]:
    """A COCO box (x, y, width, height) as corners; one that is empty or leaves the picture is an error."""
    width, height = size
    try:
        x, y, w, h = (float(value) for value in box)
    except (TypeError, ValueError):
        raise TrainingError(
            f"A box of {path} is {box!r}, not four numbers x, y, width, height: correct the annotations."
        ) from None
    # Annotators' tools round outwards by up to two pixels.
    inside = x >= -2 and y >= -2 and x + w <= width + 2 and y + h <= height + 2
    if not (np.isfinite([x, y, w, h]).all() and w > 0 and h > 0 and inside):
        raise TrainingError(
            f"The box {list(box)} of {path} is empty or leaves the picture of {width}x{height}: correct the"
            " annotations."
        )
    return max(0.0, x), max(0.0, y), min(width, x + w), min(height, y + h)


def annotated(
    folder: pathlib.Path,
    annotations: str = "annotations.json",
    split: str | None = None,
    label_of: Callable[[dict[str, Any]], int] | None = None,
) -> list[Photo]:
    """The photos of a COCO-style folder (annotations beside images/), of one split or of all."""
    folder = pathlib.Path(folder)
    table = read_json(folder / annotations)
    try:
        names = {category["id"]: category["name"] for category in table["categories"]}
        by_image = {}
        for annotation in table["annotations"]:
            by_image.setdefault(annotation["image_id"], []).append(annotation)
        photos = []
        for image in table["images"]:
            if split is not None and image.get("split") != split:
                continue
            path = folder / "images" / image["file_name"]
            size = (image["width"], image["height"])
            mine = by_image.get(image["id"], [])
            boxes = np.array([checked_box(entry["bbox"], size, path) for entry in mine], np.float32).reshape(-1, 4)
            photo = Photo(path, image.get("source", ""), size, boxes, label_of(image) if label_of else -1)
            photo.crowd = np.array([bool(entry.get("iscrowd", 0)) for entry in mine], bool)
            photo.categories = [names.get(entry.get("category_id"), "") for entry in mine]
            photos.append(photo)
    except (KeyError, TypeError) as error:
        raise TrainingError(
            f"{folder / annotations} lacks {error}: it must be COCO-style (images, annotations, categories)."
        ) from None
    if not photos:
        raise TrainingError(
            f"{folder / annotations} names no pictures{f' of the split {split}' if split else ''}: check the data"
            " folder."
        )
    return photos


def localizer_photos(data: pathlib.Path, split: str | None) -> list[Photo]:
    return annotated(data / "training" / "localizer", split=split)


def everyday_photos(folder: pathlib.Path) -> list[Photo]:
    """The photos of a folder with a manifest.csv: file, source, width, height and, as JSON, boxes (name, bbox, and
    outlined, if it goes round an outline).
    """
    path = folder / "manifest.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        photos = []
        for row in rows:
            size = (int(row["width"]), int(row["height"]))
            drawn = json.loads(row["boxes"] or "[]")
            boxes = [checked_box(entry["bbox"], size, row["file"]) for entry in drawn]
            photo = Photo(folder / row["file"], row["source"], size, np.array(boxes, np.float32).reshape(-1, 4))
            photo.categories = [entry["name"] for entry in drawn]
            photo.outlined = np.array([bool(entry.get("outlined")) for entry in drawn], bool)
            photo.everyday = True
            photos.append(photo)
    except FileNotFoundError:
        raise TrainingError(f"The file {path} is missing: name the folder of the photos.") from None
    except (KeyError, TypeError) as error:
        raise TrainingError(f"{path} lacks {error}: make the photos again.") from None
    return photos


def coarse_photos(data: pathlib.Path, split: str | None) -> list[Photo]:
    """The labeled object photos. Their boxes are found by a model, not drawn by a person."""
    folder = data / "training" / "coarse"
    with_boxes = {photo.path: photo for photo in annotated(folder, "annotations_pseudo.json", split)}
    path = folder / "labels.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if split is None or row["split"] == split]
        photos = []
        for row in rows:
            name = row["coarse"].replace("_", " ")
            if name not in CLASSES:
                raise TrainingError(
                    f"{path} gives {row['file']} the class {row['coarse']!r}, which is none of {', '.join(CLASSES)}:"
                    " correct the row."
                )
            picture = folder / "images" / row["file"]
            photo = with_boxes.get(picture)
            if photo is None:
                photo = Photo(
                    picture, row["source"], (int(row["width"]), int(row["height"])), np.zeros((0, 4), np.float32)
                )
            photo.label = CLASSES.index(name)
            photo.called = frozenset({name, row["fine"].lower()})
            photos.append(photo)
    except FileNotFoundError:
        raise TrainingError(f"The file {path} is missing: check the data folder.") from None
    except KeyError as error:
        raise TrainingError(f"{path} lacks the column {error}: fetch it again.") from None
    require_every_class(photos, CLASSES, path)
    return photos


def known_photos(data: pathlib.Path, split: str | None) -> list[Photo]:
    """The photos of people's own data: those with boxes, and those of one labeled object."""
    return localizer_photos(data, split) + coarse_photos(data, split)


def require_every_class(photos: list[Photo], classes: list[str], where: pathlib.Path) -> None:
    """An error that names the first class without a picture."""
    found = {photo.label for photo in photos}
    for index, name in enumerate(classes):
        if index not in found:
            raise TrainingError(f"The class {name!r} has no pictures in {where}: add some, or remove the class.")
