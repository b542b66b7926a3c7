"""What a backbone sees in the localizer's boxes and in people's boxes."""

import dataclasses
import pathlib
import shutil

import numpy as np
import torch
from PIL import Image

from . import checkpoint, named_boxes, network, shards
from .data import Photo
from .evaluate import Model
from .geometry import areas
from .last_layer import SAMPLE
from .named_boxes import Boxes
from .torch_network import Classifier, normalized

# Objects that cover less of a photo are not learned from people's boxes.
LEAST_SHARE = 0.01


@dataclasses.dataclass
class Crops(Boxes):
    """Boxes with what the backbone sees in them, and what they hold (see `named_boxes.kinds_of`)."""

    features: np.ndarray
    kind: np.ndarray


def views(image: Image.Image, places: np.ndarray) -> np.ndarray:
    """Parts of a picture as the classifier sees them, uint8."""
    side = network.CLASSIFIER_SIDE
    parts = [
        image.resize((side, side), Image.Resampling.BILINEAR, named_boxes.region(place, image.size), reducing_gap=2)
        for place in places
    ]
    return np.stack([np.asarray(part) for part in parts])


@torch.no_grad()
def features(model: Classifier, image: Image.Image, places: np.ndarray) -> np.ndarray:
    """What the classifier's last layer is given for parts of a picture."""
    with checkpoint.precision():
        answers = model(normalized(views(image, places)).to(checkpoint.DEVICE))[1]
    return answers.cpu().numpy().astype(np.float16)


def drawn(photo: Photo) -> tuple[np.ndarray, np.ndarray]:
    """The places and kinds of people's boxes that are large enough to learn from."""
    objects, kinds, crowd = named_boxes.truth(photo)
    large = ~crowd & (areas(objects) >= LEAST_SHARE)
    return objects[large].astype(np.float32), kinds[large]


def seen(photos: list[Photo], localizer: Model, model: Classifier, most: int, with_drawn: bool = False) -> Crops:
    """The best boxes of the localizer in photos, at most so many, and with `with_drawn` people's boxes, at score 1."""
    parts: dict[str, list[np.ndarray]] = {field.name: [] for field in dataclasses.fields(Crops)}
    for number, photo in enumerate(photos):
        places, scores = named_boxes.located(photo, localizer, most)
        kinds = named_boxes.kinds_of(places, photo)
        if with_drawn:
            objects, names = drawn(photo)
            places, kinds = np.concatenate([places, objects]), np.concatenate([kinds, names])
            scores = np.concatenate([scores, np.ones(len(objects), np.float32)])
        if len(places):
            row = (np.full(len(places), number), places, scores, features(model, photo.load(), places), kinds)
            for part, values in zip(parts.values(), row):
                part.append(values)
    return Crops(**{name: np.concatenate(values) for name, values in parts.items()})


def write_sample(folder: pathlib.Path, photos: list[Photo]) -> None:
    """Writes people's boxes of some photos as the classifier sees them, for the export to find ranges with."""
    order = np.random.default_rng(0).permutation(len(photos))
    samples, count = [], 0
    for index in order:
        places, _ = drawn(photos[index])
        if len(places):
            samples.append(views(photos[index].load(), places))
            count += len(places)
        if count >= SAMPLE:
            break
    shutil.rmtree(folder, ignore_errors=True)
    shards.write(folder / "shard-0000", {"x": np.concatenate(samples)[:SAMPLE]})
