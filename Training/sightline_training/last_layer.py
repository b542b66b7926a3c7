"""What fitting a classifier and a labeler have in common: the backbone's weights, and what the export needs."""

from __future__ import annotations

import pathlib
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from . import checkpoint, shards
from .torch_network import Classifier

if TYPE_CHECKING:
    from .learned import Known

# How many pictures the export finds the ranges of activations with.
SAMPLE = 400


def opened(initial: pathlib.Path) -> tuple[Classifier, dict[str, torch.Tensor], dict[str, Any]]:
    """The network of a file of weights, its weights, and all that the file holds."""
    content = checkpoint.load(initial)
    state = {name: value.float() if value.is_floating_point() else value for name, value in content["ema"].items()}
    model = Classifier(len(state["m.fc.bias"]), content["cfg"])
    model.load_state_dict(state)
    return model.eval(), state, content


def finish(
    work: pathlib.Path,
    name: str,
    known: Known,
    rows: np.ndarray,
    state: dict[str, Any],
    cfg: str,
    labels: list[str] | None = None,
) -> None:
    """Writes the weights, and pictures for the export to find the ranges of activations with."""
    folder = work / f"{name}-val"
    shutil.rmtree(folder, ignore_errors=True)
    chosen = np.sort(np.random.default_rng(0).permutation(rows)[:SAMPLE])
    shards.write(folder / "shard-0000", known.pictures.rows(chosen, ["x"]))
    checkpoint.finish(work, name, state, cfg, labels)


def replaced(state: dict[str, torch.Tensor], weight: np.ndarray, bias: np.ndarray) -> dict[str, torch.Tensor]:
    """The weights with another last layer."""
    last = {"m.fc.weight": torch.from_numpy(np.ascontiguousarray(weight)), "m.fc.bias": torch.from_numpy(bias)}
    return {**state, **{name: value.float() for name, value in last.items()}}
