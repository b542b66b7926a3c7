"""Makes a model's answers as sure as they are right, on photos kept aside from training."""

import math

import numpy as np

from . import data


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(logits, -60, 60)))


def loss(logits: np.ndarray, right: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The mean cross entropy; `weights` say how much each row counts."""
    chances = log_softmax(logits)[np.arange(len(right)), right]
    return -float(np.average(chances, weights=weights))


def fitted_temperature(logits: np.ndarray, right: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The divisor of the logits under which the right answers are most likely."""
    divisors = np.exp(np.linspace(math.log(0.2), math.log(3), 120))
    return float(min(divisors, key=lambda value: loss(logits / value, right, weights)))


def of_classes(logits: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """The surplus of "unknown", and the divisor of the logits without that, under which the right answers are most
    likely, all classes counting the same: how many objects of each will come is not known.

    Unknown has too much since the teacher's posteriors, which were learned, never leave it without a share.
    """
    best, lowest = (0.0, 1.0), math.inf
    weights = 1 / np.maximum(np.bincount(right, minlength=logits.shape[1]), 1)[right]
    for excess in np.linspace(-1, 3, 81):
        shifted = without_bias(excess, logits)
        temperature = fitted_temperature(shifted, right, weights)
        now = loss(shifted / temperature, right, weights)
        if now < lowest:
            best, lowest = (float(excess), temperature), now
    return best


def without_bias(excess: float, logits: np.ndarray) -> np.ndarray:
    shifted = logits.copy()
    shifted[:, data.UNKNOWN] -= excess
    return shifted


def of_label(
    logits: np.ndarray, right: np.ndarray, near: tuple[float, float] = (1.0, 0.0), hold: float = 2.0
) -> tuple[float, float]:
    """The factor and the summand of a label's logits under which the right answers are most likely (Platt's scaling,
    by Newton's method), held near others, which few answers do not outweigh.
    """
    first = line = np.array(near, np.float64)
    x = np.stack([logits.astype(np.float64), np.ones(len(logits))], 1)

    def wrong(line: np.ndarray) -> float:
        z = x @ line
        return float((np.logaddexp(0, z) - right * z).sum() + hold / 2 * ((line - first) ** 2).sum())

    for _ in range(50):
        chance = sigmoid(x @ line)
        gradient = x.T @ (chance - right) + hold * (line - first)
        curve = (x * (chance * (1 - chance))[:, None]).T @ x + hold * np.eye(2)
        step = np.linalg.solve(curve, gradient)
        while wrong(line - step) > wrong(line) and np.abs(step).max() > 1e-6:
            step /= 2
        line = line - step
        if np.abs(step).max() < 1e-6:
            break
    return float(line[0]), float(line[1])
