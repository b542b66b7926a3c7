"""Fits the labeler's last layer to the features of a trained backbone, and chooses its labels."""

from __future__ import annotations

import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import calibration, network, pictures, words
from .errors import TrainingError
from .evaluate import average_precision_of_label
from .last_layer import finish, opened, replaced
from .learned import Known
from .lessons import SMOOTHING, TAUGHT
from .log import Log
from .train_backbone import features

# A label is kept if so many photos that training learned from have it, and so many of those to choose by, where its
# average precision must reach the last.
LEAST_PHOTOS, LEAST_TO_CHOOSE, LEAST_PRECISION = 50, 10, 0.43

# How strongly the weights are held where they were.
HOLD = 3e-4

# How much a photo of the largest source counts beside those of others, which show other things.
LARGEST_SHARE = 1 / 3


def shares(names: np.ndarray) -> np.ndarray:
    """How much each photo counts, by the source that its name begins with."""
    sources = np.array([name.partition("/")[0] for name in names])
    found, counts = np.unique(sources, return_counts=True)
    return np.where(sources == found[counts.argmax()], LARGEST_SHARE, 1.0).astype(np.float32)


def fitted(
    features: np.ndarray, truth: np.ndarray, weight: np.ndarray, bias: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The last layer's weights and biases for features [n, f] and what is known of the labels, [n, labels]; `share`
    says how much each row counts.
    """
    first, x = torch.from_numpy(weight), torch.from_numpy(features)
    known = torch.from_numpy((truth != words.UNKNOWN) * share[:, None])
    wanted = torch.from_numpy((truth == words.YES).astype(np.float32)) * (1 - 2 * SMOOTHING) + SMOOTHING / 4
    w, b = first.clone().requires_grad_(), torch.from_numpy(bias).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([w, b], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(x @ w.T + b, wanted, reduction="none") * known
        total = loss.sum() / float(share.sum()) + HOLD * (w - first).square().sum()
        total.backward()
        return total

    optimizer.step(closure)
    return w.detach().numpy(), b.detach().numpy()


def begun(
    state: dict[str, torch.Tensor], outputs: list[str], labels: list[str], teacher: list[list[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Where the last layer begins: with the backbone's outputs for the labels, or for what the teacher calls them."""
    weight, bias = state["m.fc.weight"].numpy(), state["m.fc.bias"].numpy()
    rows = []
    for label, numbers in zip(labels, teacher):
        mine = [outputs.index(label)] if label in outputs else [outputs.index(f"{TAUGHT}{n}") for n in numbers]
        rows.append((weight[mine].mean(0), bias[mine].mean()) if mine else (np.zeros(weight.shape[1]), -4.0))
    return np.stack([w for w, _ in rows]).astype(np.float32), np.array([b for _, b in rows], np.float32)


def precision(logits: np.ndarray, truth: np.ndarray) -> float:
    """The average precision of a label where something is known of it; 0 where every photo has it or none."""
    known = truth != words.UNKNOWN
    right = truth[known] == words.YES
    return average_precision_of_label(logits[known], right) if right.any() and not right.all() else 0.0


def fit(work: pathlib.Path, initial: pathlib.Path, known: Known, log: Log) -> None:
    """Fits all labels, keeps those that the backbone learned well enough, and calibrates each on photos kept aside."""
    side, whole = network.LABELER_SIDE, known.kinds == pictures.WHOLE
    model, state, content = opened(initial)
    rows, kept = np.flatnonzero(whole & ~known.aside), np.flatnonzero(whole & known.aside & ~known.measuring)
    log(f"labeler: {len(rows)} photos to fit, {len(kept)} to choose by, {side} pixels")
    x, held = features(model, rows, known, side), features(model, kept, known, side)
    weight, bias = begun(state, content["labels"], known.labels, known.taught)
    before = held @ weight.T + bias
    weight, bias = fitted(x, known.truth[rows], weight, bias, shares(known.names[rows]))
    logits, truth = held @ weight.T + bias, known.truth[kept]
    every, learned = truth != words.UNKNOWN, (known.truth[rows] == words.YES).sum(0)
    shared = calibration.of_label(logits[every], truth[every] == words.YES)
    chosen, lines = [], []
    for column, label in enumerate(known.labels):
        mine, count = every[:, column], int((truth[:, column] == words.YES).sum())
        now = precision(logits[:, column], truth[:, column])
        good = learned[column] >= LEAST_PHOTOS and count >= LEAST_TO_CHOOSE and now >= LEAST_PRECISION
        log(
            f"{'keeps' if good else 'drops'} {label}: {learned[column]} photos learned, {count} of"
            f" {mine.sum()} to choose by, AP {precision(before[:, column], truth[:, column]):.3f}, fitted {now:.3f}"
        )
        if good:
            chosen.append(column)
            lines.append(calibration.of_label(logits[mine, column], truth[mine, column] == words.YES, shared))
    if not chosen:
        raise TrainingError("No label is learned well enough: train longer.")
    factors, summands = np.array(lines, np.float32).T
    weight, bias = weight[chosen] * factors[:, None], bias[chosen] * factors + summands
    tell(calibration.sigmoid(held @ weight.T + bias), truth[:, chosen], log)
    labels = [known.labels[column] for column in chosen]
    log(f"labeler: {len(labels)} labels: {', '.join(labels)}")
    finish(work, "labeler", known, rows, replaced(state, weight, bias), content["cfg"], labels)


def tell(confidence: np.ndarray, truth: np.ndarray, log: Log) -> None:
    """How many of the labels that are said are right, at several thresholds."""
    for threshold in np.arange(0.4, 0.91, 0.05):
        told = confidence >= threshold
        right = truth[told & (truth != words.UNKNOWN)] == words.YES
        log(
            f"at {threshold:.2f}: {right.mean():.3f} right, {told.sum(1).mean():.2f} labels a photo,"
            f" {(told.sum(1) == 0).mean():.3f} without"
        )
