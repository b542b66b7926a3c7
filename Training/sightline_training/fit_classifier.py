"""Fits the classifier's layers to what the detector sees in pictures of single objects."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional

from . import calibration, coco, data, network, pictures
from .evaluate import classifier_table
from .last_layer import Scale, features, finish, opened
from .learned import Known
from .log import Log

ANIMALS = set("bird cat dog horse sheep cow elephant bear zebra giraffe".split())

# Of every one of our classes at most so many objects that a detector named, of each of COCO's.
MOST = {"fashion good": 1500, "plant": 1500, "food": 800, "home good": 800, "place": 1500, "unknown": 500}
MOST_ANIMALS, MOST_PEOPLE = 800, 4000

# Labeled pictures, which show single objects on calm grounds and are few, and objects that only the teacher names,
# count for so much beside objects that people or a detector name.
LABELED, TAUGHT, MOST_TAUGHT = 1.3, 0.5, 10000

# Of each labeled picture so many parts are shown, too, each of at least so much of its sides.
PARTS, LEAST_PART = 3, 0.3

# How far the targets stay from certainty.
SMOOTHING = 0.03

# The layer before the classes, and how it is trained: how many of its numbers are dropped, and the noise that the
# features get, in deviations.
WIDTH, DROPPED, NOISE = 256, 0.2, 0.05
EPOCHS, BATCH, RATE, DECAY = 12, 256, 2e-3, 0.03


def most(kind: int) -> int:
    name, ours = coco.KINDS[kind], coco.our_class(kind)
    if name == "person":
        return MOST_PEOPLE
    return MOST_ANIMALS if name in ANIMALS else MOST[data.CLASSES[data.UNKNOWN if ours is None else ours]]


def bounded(rows: np.ndarray, known: Known, seed: int) -> np.ndarray:
    """The rows without those of classes that have too many, by chance."""
    chance, kept = np.random.default_rng(seed), []
    for kind in np.unique(known.kinds[rows]):
        mine = chance.permutation(rows[known.kinds[rows] == kind])
        kept.append(mine[: most(int(kind)) if kind >= 0 else MOST_TAUGHT if kind == pictures.UNNAMED else None])
    return np.sort(np.concatenate(kept))


def fitted(features: np.ndarray, targets: np.ndarray, counts: np.ndarray, seed: int) -> torch.nn.Sequential:
    """Two layers that give the wanted probabilities [n, classes] from features [n, f], classes counting the same
    however many rows they have; `counts` says how much a row counts beside others of its class.
    """
    torch.manual_seed(seed)
    classes = targets.shape[1]
    x, y = torch.from_numpy(features), torch.from_numpy(targets) * (1 - SMOOTHING) + SMOOTHING / classes
    label = y.argmax(1)
    frequency = torch.bincount(label, minlength=classes).clamp(min=1)
    share = (len(y) / frequency / classes)[label] * torch.from_numpy(counts.astype(np.float32))
    layers = torch.nn.Sequential(
        torch.nn.Dropout(DROPPED / 2),
        torch.nn.Linear(features.shape[1], WIDTH),
        torch.nn.ReLU6(),
        torch.nn.Dropout(DROPPED),
        torch.nn.Linear(WIDTH, classes),
    )
    steps = -(-EPOCHS * len(x) // BATCH)
    optimizer = torch.optim.AdamW(layers.parameters(), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps)
    for _ in range(steps):
        rows = torch.randint(0, len(x), (min(BATCH, len(x)),))
        noisy = x[rows] + NOISE * torch.randn(len(rows), x.shape[1])
        loss = (-(y[rows] * functional.log_softmax(layers(noisy), 1)).sum(1) * share[rows]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return layers.eval()


@torch.no_grad()
def answers(layers: torch.nn.Sequential, features: np.ndarray) -> np.ndarray:
    return layers(torch.from_numpy(features)).numpy()


def fit(work: pathlib.Path, initial: pathlib.Path, known: Known, seed: int, log: Log) -> None:
    """Fits six classes to objects that YOLOX-Nano or the teacher names, and to labeled pictures; calibrates them on
    objects of photos kept aside.
    """
    aside = known.aside
    model, state, configuration = opened(initial)
    rows = np.flatnonzero(~aside & ((known.classes >= 0) | (known.kinds == pictures.UNNAMED)))
    rows = bounded(rows, known, seed)
    kept = np.flatnonzero(aside & (known.classes >= 0) & (known.kinds >= 0))
    log(f"classifier: {len(rows)} pictures to fit, {len(kept)} objects kept aside, {pictures.SIDE} pixels")
    labeled = np.repeat(rows[known.kinds[rows] == pictures.WHOLE], PARTS)
    x, held = (features(model, shown(known, some)) for some in (rows, kept))
    x = np.concatenate([x, features(model, parts([known.photos[name] for name in known.names[labeled]], seed))])
    rows = np.concatenate([rows, labeled])
    scale = Scale(x)
    x, held = scale(x), scale(held)
    named = known.classes[rows] >= 0
    targets = np.where(
        named[:, None],
        np.eye(len(data.CLASSES), dtype=np.float32)[np.maximum(known.classes[rows], 0)],
        known.posteriors[rows],
    )
    counts = np.where(known.kinds[rows] >= 0, 1.0, np.where(known.kinds[rows] == pictures.WHOLE, LABELED, TAUGHT))
    layers = fitted(x, targets, counts, seed)
    hidden, last = ((layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in (layers[1], layers[4]))
    choosing = ~known.measuring[kept]
    right, logits = known.classes[kept], answers(layers, held)
    excess, temperature = calibration.of_classes(logits[choosing], right[choosing])
    log(f"takes {excess:.2f} from unknown, temperature {temperature:.2f}")
    logits = calibration.without_bias(excess, logits) / temperature
    last = last[0] / temperature, calibration.without_bias(excess, last[1][None])[0] / temperature
    for title, mine in (("to choose by", choosing), ("to measure on", ~choosing)):
        if not mine.any():
            continue
        for threshold in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
            log_figures(title, logits[mine], right[mine], known.kinds[kept][mine], threshold, log)
    finish(work, "classifier", state, {network.HIDDEN: scale.folded(*hidden), network.CLASSES: last}, configuration)


def parts(photos: list[data.Photo], seed: int) -> Iterator[np.ndarray]:
    """A part of each labeled picture: detectors find parts of a flower or a meal, too."""
    chance = np.random.default_rng(seed)
    for photo in photos:
        image = photo.load()
        sides = [side * chance.uniform(LEAST_PART, 1) for side in image.size]
        left, top = (chance.uniform(0, whole - side) for whole, side in zip(image.size, sides))
        yield np.asarray(pictures.stretched(image, (left, top, left + sides[0], top + sides[1])))


def shown(known: Known, rows: np.ndarray) -> Iterator[np.ndarray]:
    """The pictures of rows, in ascending order, read in parts."""
    for part in np.array_split(rows, max(1, len(rows) // 500)):
        yield from known.pictures.rows(part, ["x"])["x"]


def log_figures(
    title: str, logits: np.ndarray, labels: np.ndarray, kinds: np.ndarray, threshold: float, log: Log
) -> None:
    """Logs the quality of the answers about objects of photos kept aside, and the share of animals and persons that
    are named.
    """
    probabilities = np.exp(calibration.log_softmax(logits))
    row, recalls = classifier_table(probabilities, labels, threshold)
    living = np.array([coco.KINDS[kind] in {"person", *ANIMALS} for kind in kinds], bool)
    said = (probabilities.max(1) >= threshold) & (probabilities.argmax(1) != data.UNKNOWN)
    log(
        f"{title}, at {threshold}: "
        + "  ".join(f"{key} {value:.3f}" for key, value in row.items())
        + f"  animals and people named {said[living].mean():.3f}  "
        + "  ".join(f"{key} {value:.2f}" for key, value in recalls.items())
    )
