"""The numbers that the network of features learns: principal components of the teacher's features, each divided by the
fourth root of its variance, which makes rare differences count without drowning in noise.
"""

from __future__ import annotations

import dataclasses
import io
import pathlib

import numpy as np

from . import network
from .errors import TrainingError
from .files import write

NAME = "basis.npz"

# A cell differs from the mean of all pictures by more than a whole picture: so many deviations fit in a byte.
REACH = 12


@dataclasses.dataclass
class Basis:
    mean: np.ndarray
    """The mean of the teacher's features."""
    axes: np.ndarray
    """Rows of the principal components."""
    variance: np.ndarray
    """The variance of each."""
    share: float
    """The share of the whole variance that the components have."""
    early: np.ndarray
    """The greatest value of each channel of the first layers that is kept."""

    @classmethod
    def of(cls, features: np.ndarray, early: np.ndarray) -> Basis:
        """The basis of the teacher's features [n, 1,280] and of what the first layers answer [n, h, w, channels]."""
        mean = features.mean(0)
        _, values, axes = np.linalg.svd(features - mean, full_matrices=False)
        variance = values**2 / len(features)
        kept = slice(network.FEATURES)
        reach = 1.05 * np.quantile(np.abs(early), 0.9999, axis=(0, 1, 2))
        return cls(
            mean.astype(np.float32),
            axes[kept].astype(np.float32),
            variance[kept].astype(np.float32),
            float(variance[kept].sum() / variance.sum()),
            reach.astype(np.float32),
        )

    @classmethod
    def read(cls, path: pathlib.Path) -> Basis:
        try:
            with np.load(path) as file:
                return cls(file["mean"], file["axes"], file["variance"], float(file["share"]), file["early"])
        except (OSError, ValueError, KeyError) as error:
            raise TrainingError(f"{path} cannot be read ({error}): run prepare features first.") from None

    def write(self, path: pathlib.Path) -> None:
        buffer = io.BytesIO()
        np.savez(buffer, **dataclasses.asdict(self))
        write(path, buffer.getvalue())

    def wanted(self, features: np.ndarray) -> np.ndarray:
        """The wanted answer of the network where the teacher has these features [..., 1,280]."""
        return ((features.astype(np.float32) - self.mean) @ self.axes.T / self.variance**0.25).astype(np.float32)

    @property
    def total(self) -> float:
        """The variance of what the network shall answer."""
        return float(np.sqrt(self.variance).sum())

    @property
    def cell_total(self) -> float:
        """The same of the numbers of each cell."""
        return float(np.sqrt(self.variance[: network.CELL_FEATURES]).sum())

    def packed_cells(self, grids: np.ndarray) -> np.ndarray:
        """The first numbers of each of the student's cells, as bytes, for grids [n, h, w, 1,280] of the teacher."""
        mix = mixing(grids.shape[1], network.FEATURES_SIDE // 32)
        cells = np.einsum("ij,kl,njlc->nikc", mix, mix, grids.astype(np.float32), optimize=True)
        return packed(self.wanted(cells)[..., : network.CELL_FEATURES], self.cell_step)

    def packed_early(self, early: np.ndarray) -> np.ndarray:
        return packed(early, self.early / 127)

    @property
    def cell_step(self) -> np.ndarray:
        return self.variance[: network.CELL_FEATURES] ** 0.25 * REACH / 127


def packed(values: np.ndarray, step: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values / step), -127, 127).astype(np.int8)


def mixing(cells: int, fewer: int) -> np.ndarray:
    """The overlap of each of `cells` with each of `fewer` cells on the same length, as shares of these."""
    edges = np.arange(max(cells, fewer) + 1)
    low = np.maximum(edges[:fewer, None] * cells, edges[None, :cells] * fewer)
    high = np.minimum(edges[1 : fewer + 1, None] * cells, edges[None, 1 : cells + 1] * fewer)
    return (np.maximum(high - low, 0) / cells).astype(np.float32)
