"""The first layers of a detector, which the network of features takes over as they are."""

import pathlib

import numpy as np
import torch

from . import checkpoint
from .torch_network import EARLY, Features, borrow, normalized

# How many pictures the layers see at once.
BATCH = 32


class EarlyLayers:
    """The answers of the first layers about pictures."""

    def __init__(self, initial: pathlib.Path, configuration: str = "fmb_x") -> None:
        self.model = Features(configuration, frozen=EARLY)
        weights = checkpoint.load(initial)
        borrow(self.model, weights.get("average") or weights["ema"])
        self.model.eval()

    @torch.no_grad()
    def __call__(self, pixels: np.ndarray) -> np.ndarray:
        """Maps [n, h, w, channels] of pixels [n, side, side, 3]."""
        found = []
        for start in range(0, len(pixels), BATCH):
            with checkpoint.precision():
                found.append(self.model.early(normalized(pixels[start : start + BATCH])).float())
        return torch.cat(found).permute(0, 2, 3, 1).contiguous().numpy()
