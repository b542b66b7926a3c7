"""Fits the classifier's last layer to the features of a trained backbone."""

from __future__ import annotations

import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import calibration, coco, data, network, pictures
from .evaluate import classifier_table
from .last_layer import finish, opened, replaced
from .learned import Known
from .log import Log
from .train_backbone import features

ANIMALS = set("bird cat dog horse sheep cow elephant bear zebra giraffe".split())

# Of every one of our classes at most so many objects that a detector named, of each of COCO's.
MOST = {"fashion good": 1500, "plant": 1500, "food": 800, "home good": 800, "place": 1500, "unknown": 500}
MOST_ANIMALS, MOST_PEOPLE = 800, 4000

# Labeled pictures, which show single objects on calm grounds and are few, and objects that only the teacher names,
# count for so much beside objects that people or a detector name.
LABELED, TAUGHT, MOST_TAUGHT = 4.0, 0.5, 10000

# How strongly the weights are held where they were, and how far the targets stay from certainty.
HOLD, SMOOTHING = 1e-3, 0.03


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


def fitted(
    features: np.ndarray, targets: np.ndarray, counts: np.ndarray, weight: np.ndarray, bias: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The last layer's weights and biases for features [n, f] and wanted probabilities [n, classes], classes counting
    the same however many rows they have; `counts` says how much a row counts beside others of its class.
    """
    first, x, y = torch.from_numpy(weight), torch.from_numpy(features), torch.from_numpy(targets)
    y = y * (1 - SMOOTHING) + SMOOTHING / len(bias)
    label = y.argmax(1)
    frequency = torch.bincount(label, minlength=len(bias)).clamp(min=1)
    share = (len(y) / frequency / len(bias))[label] * torch.from_numpy(counts.astype(np.float32))
    w, b = first.clone().requires_grad_(), torch.from_numpy(bias).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([w, b], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = -(y * functional.log_softmax(x @ w.T + b, 1)).sum(1)
        loss = (loss * share).mean() + HOLD * (w - first).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return w.detach().numpy(), b.detach().numpy()


def fit(work: pathlib.Path, initial: pathlib.Path, known: Known, seed: int, log: Log) -> None:
    """Fits six classes to objects that YOLOX-Nano or the teacher names, and to labeled pictures; calibrates them on
    objects of photos kept aside.
    """
    side, aside = network.CLASSIFIER_SIDE, known.aside
    model, state, content = opened(initial)
    rows = np.flatnonzero(~aside & ((known.classes >= 0) | (known.kinds == pictures.UNNAMED)))
    rows = bounded(rows, known, seed)
    kept = np.flatnonzero(aside & (known.classes >= 0) & (known.kinds >= 0))
    log(f"classifier: {len(rows)} pictures to fit, {len(kept)} objects kept aside, {side} pixels")
    x, held = features(model, rows, known, side), features(model, kept, known, side)
    named = known.classes[rows] >= 0
    targets = np.where(
        named[:, None],
        np.eye(len(data.CLASSES), dtype=np.float32)[np.maximum(known.classes[rows], 0)],
        known.posteriors[rows],
    )
    counts = np.where(known.kinds[rows] >= 0, 1.0, np.where(known.kinds[rows] == pictures.WHOLE, LABELED, TAUGHT))
    width = x.shape[1]
    weight, bias = fitted(
        x, targets, counts, np.zeros((len(data.CLASSES), width), np.float32), np.zeros(len(data.CLASSES), np.float32)
    )
    choosing = ~known.measuring[kept]
    right, logits = known.classes[kept], held @ weight.T + bias
    excess, temperature = calibration.of_classes(logits[choosing], right[choosing])
    log(f"takes {excess:.2f} from unknown, temperature {temperature:.2f}")
    bias[data.UNKNOWN] -= excess
    weight, bias = weight / temperature, bias / temperature
    logits = held @ weight.T + bias
    for title, mine in (("to choose by", choosing), ("to measure on", ~choosing)):
        if not mine.any():
            continue
        for threshold in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
            tell(title, logits[mine], right[mine], known.kinds[kept][mine], threshold, log)
    finish(work, "classifier", known, rows, replaced(state, weight, bias), content["cfg"])


def tell(title: str, logits: np.ndarray, labels: np.ndarray, kinds: np.ndarray, threshold: float, log: Log) -> None:
    """How good the answers are about objects of photos kept aside, and how often an animal or a person is named."""
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
