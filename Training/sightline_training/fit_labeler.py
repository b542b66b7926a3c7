"""Fits the labeler's last layer to what the detector sees in whole photos, and chooses its labels."""

from __future__ import annotations

import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import calibration, network, pictures, words
from .errors import TrainingError
from .evaluate import average_precision_of_label
from .last_layer import Scale, features, finish, opened
from .learned import Known
from .log import Log

# A label is kept if so many photos that it is fitted to have it, and so many of those to choose by, where its
# average precision must reach the last.
LEAST_PHOTOS, LEAST_TO_CHOOSE, LEAST_PRECISION = 50, 10, 0.45

# How strongly the weights are held at nothing, and how far the targets stay from certainty.
HOLD, SMOOTHING = 5e-4, 0.02

# How much a photo of the largest source counts beside those of others, which show other things.
LARGEST_SHARE = 1 / 3


def shares(names: np.ndarray) -> np.ndarray:
    """The weight of each photo, by the source that its name begins with."""
    sources = np.array([name.partition("/")[0] for name in names])
    found, counts = np.unique(sources, return_counts=True)
    return np.where(sources == found[counts.argmax()], LARGEST_SHARE, 1.0).astype(np.float32)


def fitted(features: np.ndarray, truth: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last layer's weights and biases for features [n, f] and what is known of the labels, [n, labels]; `share`
    says how much each row counts.
    """
    x = torch.from_numpy(features)
    known = torch.from_numpy((truth != words.UNKNOWN) * share[:, None])
    wanted = torch.from_numpy((truth == words.YES).astype(np.float32)) * (1 - 2 * SMOOTHING) + SMOOTHING / 4
    w = torch.zeros(truth.shape[1], features.shape[1], requires_grad=True)
    b = torch.full((truth.shape[1],), -4.0, requires_grad=True)  # nearly all labels are not in a picture
    optimizer = torch.optim.LBFGS([w, b], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(x @ w.T + b, wanted, reduction="none") * known
        total = loss.sum() / float(share.sum()) + HOLD * w.square().sum()
        total.backward()
        return total

    optimizer.step(closure)
    return w.detach().numpy(), b.detach().numpy()


def precision(logits: np.ndarray, truth: np.ndarray) -> float:
    """The average precision of a label where something is known of it; 0 where every photo has it or none."""
    known = truth != words.UNKNOWN
    right = truth[known] == words.YES
    return average_precision_of_label(logits[known], right) if right.any() and not right.all() else 0.0


def fit(work: pathlib.Path, initial: pathlib.Path, known: Known, log: Log) -> None:
    """Fits all labels, keeps those that are found well enough, and calibrates each on photos kept aside."""
    side, whole = network.LABELER_SIDE, known.kinds == pictures.WHOLE
    model, state, configuration = opened(initial)
    rows, kept = np.flatnonzero(whole & ~known.aside), np.flatnonzero(whole & known.aside & ~known.measuring)
    log(f"labeler: {len(rows)} photos to fit, {len(kept)} to choose by, {side} pixels")
    x, held = (
        features(
            model, (np.asarray(pictures.stretched(known.photos[name].load(), side=side)) for name in known.names[some])
        )
        for some in (rows, kept)
    )
    scale = Scale(x)
    weight, bias = fitted(scale(x), known.truth[rows], shares(known.names[rows]))
    logits, truth = scale(held) @ weight.T + bias, known.truth[kept]
    every, learned = truth != words.UNKNOWN, (known.truth[rows] == words.YES).sum(0)
    shared = calibration.of_label(logits[every], truth[every] == words.YES)
    chosen, lines = [], []
    for column, label in enumerate(known.labels):
        mine, count = every[:, column], int((truth[:, column] == words.YES).sum())
        now = precision(logits[:, column], truth[:, column])
        good = learned[column] >= LEAST_PHOTOS and count >= LEAST_TO_CHOOSE and now >= LEAST_PRECISION
        log(
            f"{'keeps' if good else 'drops'} {label}: {learned[column]} photos learned, {count} of"
            f" {mine.sum()} to choose by, AP {now:.3f}"
        )
        if good:
            chosen.append(column)
            lines.append(calibration.of_label(logits[mine, column], truth[mine, column] == words.YES, shared))
    if not chosen:
        raise TrainingError("No label is found well enough: give more photos with --photos.")
    factors, summands = np.array(lines, np.float32).T
    weight, bias = weight[chosen] * factors[:, None], bias[chosen] * factors + summands
    log_figures(calibration.sigmoid(scale(held) @ weight.T + bias), truth[:, chosen], log)
    labels = [known.labels[column] for column in chosen]
    log(f"labeler: {len(labels)} labels: {', '.join(labels)}")
    finish(work, "labeler", state, {network.LABELS: scale.folded(weight, bias)}, configuration, labels)


def log_figures(confidence: np.ndarray, truth: np.ndarray, log: Log) -> None:
    """Logs how many of the shown labels are right, at several thresholds."""
    for threshold in np.arange(0.4, 0.91, 0.05):
        shown = confidence >= threshold
        right = truth[shown & (truth != words.UNKNOWN)] == words.YES
        log(
            f"at {threshold:.2f}: {right.mean():.3f} right, {shown.sum(1).mean():.2f} labels a photo,"
            f" {(shown.sum(1) == 0).mean():.3f} without"
        )
