"""The common parts of fitting a classifier and a labeler: the detector's network, what it sees in pictures, and the
weights of a last layer for that.
"""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from . import checkpoint
from .errors import TrainingError
from .torch_network import Detector, borrow, normalized

# How many pictures the network sees at once.
BATCH = 32


def opened(initial: pathlib.Path) -> tuple[Detector, dict[str, torch.Tensor], str]:
    """The detector of a file of weights, its weights, and the name of its configuration."""
    content = checkpoint.load(initial)
    if "m.g8c.c.bias" not in content.get("ema", {}):
        raise TrainingError(f"{initial} does not hold the weights of a detector: name work/detector.pt.")
    state = {name: value.float() if value.is_floating_point() else value for name, value in content["ema"].items()}
    model = Detector(len(state["m.g8c.c.bias"]), content["cfg"])
    borrow(model, state)
    return model.to(checkpoint.DEVICE).eval(), state, content["cfg"]


@torch.no_grad()
def features(model: Detector, pictures: Iterable[np.ndarray]) -> np.ndarray:
    """The input of a last layer for pictures [side, side, 3] of one size: rows of `Detector.summary`."""
    return np.concatenate(
        [model.summary(normalized(np.stack(batch)).to(checkpoint.DEVICE)).cpu().numpy() for batch in batched(pictures)]
    )


def batched(pictures: Iterable[np.ndarray]) -> Iterable[tuple[np.ndarray, ...]]:
    """The pictures in groups of BATCH."""
    iterator = iter(pictures)
    while batch := tuple(itertools.islice(iterator, BATCH)):
        yield batch


class Scale:
    """The mean and the deviation of each feature: a last layer is fitted to features without them, which so count the
    same.
    """

    def __init__(self, features: np.ndarray) -> None:
        self.mean, self.deviation = features.mean(0), features.std(0) + 1e-3

    def __call__(self, features: np.ndarray) -> np.ndarray:
        return ((features - self.mean) / self.deviation).astype(np.float32)

    def folded(self, weight: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights and biases that answer the same about features as they are."""
        weight = weight / self.deviation
        return weight.astype(np.float32), (bias - weight @ self.mean).astype(np.float32)


def finish(
    work: pathlib.Path,
    name: str,
    state: dict[str, torch.Tensor],
    layers: dict[str, tuple[np.ndarray, np.ndarray]],
    configuration: str,
    labels: list[str] | None = None,
) -> None:
    """Writes the weights of the network with the weights and biases of more layers, by their names."""
    more: dict[str, Any] = {
        f"m.{layer}.{part}": torch.from_numpy(np.ascontiguousarray(value))
        for layer, values in layers.items()
        for part, value in zip(("weight", "bias"), values)
    }
    checkpoint.finish(work, name, state | more, configuration, labels)
