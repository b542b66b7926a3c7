"""Trains the network of features to see in pictures what MobileNet V2 sees. The first layers are a detector's and stay
as they are; what they answer lies in the views that `prepare features` made.
"""

import pathlib

import numpy as np
import torch

from . import checkpoint, data, features_basis, network, shards
from .features_basis import Basis
from .log import Log
from .muon import Muon
from .torch_network import EARLY, Features, borrow, normalized

# How much the cells count beside the whole picture.
CELLS = 0.3

# In the first half of the schedule a view is a part of the picture with so many cells a side, which takes half the
# time.
PART = 4

# How strongly the weights of the last layer are held at nothing, and how far its targets stay from certainty.
HOLD, SMOOTHING = 1e-4, 0.02


class Views:
    """The views of `prepare features`, and what the network shall answer about them."""

    NAMES = ("early", "cells", "features")

    def __init__(self, work: pathlib.Path, seed: int, size: int) -> None:
        folder = work / "features-views"
        self.basis = Basis.read(folder / features_basis.NAME)
        self.rows, self.seed, self.size = shards.Shards(folder, list(self.NAMES)), seed, size
        self.step = torch.from_numpy(self.basis.early / 127)[None, :, None, None]

    def batch(self, step: int, whole: bool) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The answers of the first layers, and the wanted features of the picture and of its cells; with more views
        where they are parts.
        """
        size = self.size if whole else 2 * self.size
        rows = self.rows.rows(checkpoint.batch_rows(self.seed, step, size, len(self.rows)))
        early, cells = rows["early"], rows["cells"] * self.basis.cell_step
        if whole:
            wanted = self.basis.wanted(rows["features"])
        else:
            y, x = np.random.default_rng([self.seed, 1, step]).integers(0, cells.shape[1] - PART + 1, 2)
            scale = early.shape[1] // cells.shape[1]
            early = early[:, y * scale : (y + PART) * scale, x * scale : (x + PART) * scale]
            cells = cells[:, y : y + PART, x : x + PART]
            wanted = cells.mean((1, 2))
        seen = torch.from_numpy(np.ascontiguousarray(early)).permute(0, 3, 1, 2).float() * self.step
        return (
            seen.contiguous(memory_format=torch.channels_last),
            torch.from_numpy(wanted.astype(np.float32)),
            torch.from_numpy(cells.astype(np.float32)),
        )


def unexplained(found: torch.Tensor, wanted: torch.Tensor, total: float) -> torch.Tensor:
    """The share of the wanted variance that the network does not answer."""
    return (found - wanted).square().sum(-1).mean() / total


def centers(photos: list[data.Photo]) -> np.ndarray:
    """The largest centered square of each photo, at the network's side."""
    found = []
    for photo in photos:
        image = photo.load()
        side = min(image.size)
        left, top = ((extent - side) / 2 for extent in image.size)
        shape = (network.FEATURES_SIDE, network.FEATURES_SIDE)
        found.append(np.asarray(image.resize(shape, box=(left, top, left + side, top + side), resample=2)))
    return np.stack(found)


@torch.no_grad()
def features(model: Features, pixels: np.ndarray, size: int = 32) -> np.ndarray:
    """The answers of a network about pictures [n, side, side, 3]."""
    model.eval()
    found = []
    for start in range(0, len(pixels), size):
        found.append(model(model.early(normalized(pixels[start : start + size]).to(checkpoint.DEVICE)))[0].cpu())
    return torch.cat(found).numpy()


def last_layer(
    features: np.ndarray, labels: np.ndarray, count: int, hold: float = HOLD, smoothing: float = SMOOTHING
) -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases that find labels from features, by logistic regression."""
    x, wanted = torch.from_numpy(features), torch.from_numpy(labels)
    weight = torch.zeros(count, features.shape[1], requires_grad=True)
    bias = torch.zeros(count, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=150, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(x @ weight.T + bias, wanted, label_smoothing=smoothing)
        total = loss + hold * weight.square().sum()
        total.backward()
        return total

    optimizer.step(closure)
    return weight.detach().numpy(), bias.detach().numpy()


def finish(work: pathlib.Path, model: Features, state: dict[str, torch.Tensor], photos: list[data.Photo]) -> None:
    """Writes the weights with a last layer that finds our classes, by which the file is a classifier like any other."""
    model.load_state_dict(state)
    weight, bias = last_layer(
        features(model, centers(photos)), np.array([photo.label for photo in photos]), len(data.CLASSES)
    )
    more = {"m.fc.weight": torch.from_numpy(weight), "m.fc.bias": torch.from_numpy(bias)}
    checkpoint.finish(work, "features", state | more, "fmb_x")


def train(
    work: pathlib.Path,
    photos: list[data.Photo],
    log: Log,
    initial: pathlib.Path,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    size: int = 64,
    rate: float = 1.5e-3,
) -> None:
    torch.manual_seed(seed)
    model = Features(frozen=EARLY)
    weights = checkpoint.load(initial)
    taken = borrow(model, weights.get("average") or weights["ema"])
    log(f"{taken} of {len(model.state_dict())} arrays of {initial} taken")
    model = model.to(checkpoint.DEVICE, memory_format=torch.channels_last)
    views = Views(work, seed, size)
    settings = {"model": "features", "seed": seed, "batch": size, "rate": rate, "steps": steps, "minutes": minutes}
    modules = {"model": model}
    run = checkpoint.Run(work / "features-run.pt", modules, rate, 0.02, 0.996, log, steps, minutes, settings)
    run.optimizer = Muon(model, rate)
    run.resume()
    basis = views.basis

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        whole = progress >= 0.5
        seen, wanted, wanted_cells = (values.to(checkpoint.DEVICE) for values in views.batch(step, whole))
        with checkpoint.precision():
            found, cells = model(seen)
        count = wanted.shape[1]
        picture = unexplained(found[:, :count], wanted, basis.total if whole else basis.cell_total)
        grid = unexplained(cells, wanted_cells, basis.cell_total)
        return picture + CELLS * grid, {"picture": picture.detach(), "cells": grid.detach()}

    log(f"features: {len(views.rows)} views")
    run.train(step_loss, every=300.0, clip=2.0)
    finish(work, model, run.average.state, photos)
    log(f"features: done after {run.step} steps, {run.elapsed / 60:.1f} minutes")
