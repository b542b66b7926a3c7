"""Fits the classifier's last layer anew to objects that YOLOX-Nano names in everyday photos, beside the labeled
pictures.
"""

from __future__ import annotations

import argparse
import hashlib
import pathlib
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from . import answers, coco, data, network, shards
from .data import Photo
from .errors import TrainingError
from .evaluate import classifier_table
from .log import Log
from .prepare import DEFAULT_WORK, answers_folder

if TYPE_CHECKING:
    import torch

SIDE = network.CLASSIFIER_SIDE

# An object is taken from this score and share of the photo on; of every one of COCO's classes at most so many.
LEAST_SCORE, LEAST_SHARE = 0.5, 0.015
ANIMALS = set("bird cat dog horse sheep cow elephant bear zebra giraffe".split())
MOST = {"fashion good": 600, "plant": 600, "food": 250, "home good": 250, "unknown": 150}
MOST_ANIMALS, MOST_PEOPLE = 400, 1000

# One photo in so many is kept for measuring.
HELD_OUT = 5

# Labeled pictures, which show single objects on calm grounds, count for so much beside objects where they are used.
LABELED = 0.5

# How strongly the weights are held where they were, and how far the targets stay from certainty.
HOLD, SMOOTHING = 1e-3, 0.03


def most(name: str) -> int:
    if name == "person":
        return MOST_PEOPLE
    return MOST_ANIMALS if name in ANIMALS else MOST[data.CLASSES[coco.OURS[name]]]


def is_held_out(photo: Photo) -> bool:
    return int(hashlib.sha256(photo.name.encode()).hexdigest(), 16) % HELD_OUT == 0


def region(box: np.ndarray, size: tuple[int, int], chance: random.Random | None) -> tuple[float, float, float, float]:
    """The box a little larger or smaller, as detectors have it, inside of the picture."""
    (x0, y0, x1, y1), (width, height) = box * np.array([*size, *size]), size
    left, top, right, bottom = (chance.uniform(-0.05, 0.15) if chance else 0.05 for _ in range(4))
    w, h = x1 - x0, y1 - y0
    return max(0, x0 - left * w), max(0, y0 - top * h), min(width, x1 + right * w), min(height, y1 + bottom * h)


class Crops:
    """Pictures [n, side, side, 3] with their classes; `names` are COCO's, or "labeled"."""

    def __init__(self) -> None:
        self.pixels, self.labels, self.names, self.held_out = [], [], [], []

    def append(self, image: Image.Image, label: int, name: str, held_out: bool) -> None:
        self.pixels.append(np.asarray(image))
        self.labels.append(label)
        self.names.append(name)
        self.held_out.append(held_out)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return np.stack(self.pixels), np.array(self.labels), np.array(self.names), np.array(self.held_out)


def named(photos: list[Photo], tables: dict[str, np.ndarray], seed: int) -> Crops:
    """Crops of the objects that the detector names; those of photos held out as they were found, the others varied."""
    chance, counts, crops = random.Random(seed), {}, Crops()
    photos = [photo for photo in photos if photo.name in tables]
    chance.shuffle(photos)
    for photo in photos:
        image, held_out = None, is_held_out(photo)
        for *box, score, finder, kind in tables[photo.name].astype(np.float32):
            name = coco.NAMES[int(kind)] if finder == answers.DETECTOR and score >= LEAST_SCORE else None
            share = (box[2] - box[0]) * (box[3] - box[1])
            if name not in coco.OURS or share < LEAST_SHARE or counts.get(name, 0) >= most(name):
                continue
            counts[name] = counts.get(name, 0) + 1
            image = image or photo.load()
            part = image.resize(
                (SIDE, SIDE),
                Image.Resampling.BILINEAR,
                box=region(np.array(box), image.size, None if held_out else chance),
            )
            if not held_out and chance.random() < 0.5:
                part = part.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            crops.append(part, coco.OURS[name], name, held_out)
    return crops


def fitted(
    features: np.ndarray, labels: np.ndarray, names: np.ndarray, weight: np.ndarray, bias: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The last layer's weights and biases for the features, classes counting the same however many crops they have."""
    import torch
    from torch.nn import functional

    first, x, y = torch.from_numpy(weight), torch.from_numpy(features), torch.from_numpy(labels)
    counts = torch.bincount(y, minlength=len(bias)).clamp(min=1)
    share = (len(y) / counts / len(bias))[y] * torch.from_numpy(
        np.where(names == "labeled", LABELED, 1).astype(np.float32)
    )
    w, b = first.clone().requires_grad_(), torch.from_numpy(bias).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([w, b], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(x @ w.T + b, y, reduction="none", label_smoothing=SMOOTHING)
        loss = (loss * share).mean() + HOLD * (w - first).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return w.detach().numpy(), b.detach().numpy()


def fit(work: pathlib.Path, initial: pathlib.Path, crops: Crops, log: Log) -> None:
    """Fits the last layer to the crops that are not held out, calibrates it on those that are, and writes the
    weights.
    """
    import torch

    from . import checkpoint
    from .torch_network import Classifier, normalized
    from .train_classifier import calibration, without_bias

    pixels, labels, names, held_out = crops.arrays()
    log(f"{len(labels)} crops, {int(held_out.sum())} held out")
    weights = checkpoint.load(initial)
    state = {name: value.float() if value.is_floating_point() else value for name, value in weights["ema"].items()}
    model = Classifier(len(data.CLASSES), weights["cfg"])
    model.load_state_dict(state)
    model.eval()
    with torch.no_grad():
        features = np.concatenate(
            [model(normalized(pixels[start : start + 64]))[1].numpy() for start in range(0, len(pixels), 64)]
        )
    before = features @ state["m.fc.weight"].numpy().T + state["m.fc.bias"].numpy()
    weight, bias = fitted(
        features[~held_out],
        labels[~held_out],
        names[~held_out],
        state["m.fc.weight"].numpy(),
        state["m.fc.bias"].numpy(),
    )
    logits = features @ weight.T + bias
    scene = held_out & (names != "labeled")
    excess, temperature = calibration(logits[scene], labels[scene])
    bias[data.UNKNOWN] -= excess
    state["m.fc.weight"], state["m.fc.bias"] = (
        torch.from_numpy(weight / temperature),
        torch.from_numpy(bias / temperature),
    )
    for title, values in (("before", before), ("after", without_bias(excess, logits) / temperature)):
        for threshold in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85):
            tell(title, values, labels, names, scene, threshold, log)
    shards.write(
        fresh_folder(work / "classifier-val") / "shard-0000",
        {"x": pixels[~held_out][np.random.default_rng(0).permutation(int((~held_out).sum()))[:400]]},
    )
    checkpoint.finish(work, "classifier", state, weights["cfg"])


def fresh_folder(folder: pathlib.Path) -> pathlib.Path:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    return folder


def tell(
    title: str, logits: np.ndarray, labels: np.ndarray, names: np.ndarray, scene: np.ndarray, threshold: float, log: Log
) -> None:
    """How good the answers are about objects of photos held out, and how often an animal or a person is named."""
    import torch

    probabilities = torch.softmax(torch.from_numpy(logits[scene]), 1).numpy()
    row, recalls = classifier_table(probabilities, labels[scene], threshold)
    living = np.isin(names[scene], [*ANIMALS, "person"])
    said = (probabilities.max(1) >= threshold) & (probabilities.argmax(1) != data.UNKNOWN)
    log(
        f"{title} at {threshold}: "
        + "  ".join(f"{key} {value:.3f}" for key, value in row.items())
        + f"  animals and people named {said[living].mean():.3f}  "
        + "  ".join(f"{key} {value:.2f}" for key, value in recalls.items())
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training fit", description=__doc__)
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument(
        "--photos",
        type=pathlib.Path,
        required=True,
        help="the folder of everyday photos that prepare localizer was given",
    )
    parser.add_argument("--initial", type=pathlib.Path, required=True, help="the classifier's weights (.pt)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(options.threads)
    folder = data.data_folder(options.data)
    crops = named(data.everyday_photos(options.photos), answers.read(answers_folder(options.work)), options.seed)
    if not crops.labels:
        raise TrainingError(
            f"{answers_folder(options.work)} knows nothing about the photos: run prepare localizer first."
        )
    for split in ("train", "val"):
        for photo in data.coarse_photos(folder, split):
            crops.append(
                photo.load().resize((SIDE, SIDE), Image.Resampling.BILINEAR), photo.label, "labeled", split == "val"
            )
    fit(options.work, options.initial, crops, Log(options.work / "fit.log"))
