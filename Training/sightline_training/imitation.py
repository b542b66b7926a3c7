"""How well the backbone sees, in each part of a view, what the teacher labeler's blocks see there.

A view has one set of features, but a map of them for each part: from maps a network learns more of each view.
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import checkpoint
from .learned import Known
from .opinion import MAPS
from .torch_network import Classifier

# The strides of the backbone's maps that imitate the teacher's, in the order of opinion.MAPS.
STRIDES = (16, 32)

# So many pictures tell the range of each channel.
MEASURED = 1000


class Imitation(nn.Module):
    """Layers that make the teacher's maps of the backbone's; only training has them."""

    def __init__(self, model: Classifier, known: Known, rows: np.ndarray) -> None:
        super().__init__()
        sample = known.pictures.rows(rows[:: max(1, len(rows) // MEASURED)], list(MAPS))
        values = [torch.from_numpy(sample[name].astype(np.float32)) for name in MAPS]
        self.mean = [value.mean((0, 1, 2)).to(checkpoint.DEVICE) for value in values]
        self.deviation = [value.std((0, 1, 2)).add(1).to(checkpoint.DEVICE) for value in values]
        widths = model.widths()
        self.layers = nn.ModuleList(
            nn.Conv2d(widths[stride], value.shape[3], 1) for stride, value in zip(STRIDES, values)
        )

    def forward(self, maps: dict[int, torch.Tensor]) -> list[torch.Tensor]:
        return [layer(maps[stride]).float() for layer, stride in zip(self.layers, STRIDES)]

    def error(self, answers: list[torch.Tensor], part: dict[str, np.ndarray], matrix: torch.Tensor) -> torch.Tensor:
        """The mean squared error, in deviations, of views that are the `matrix` of whole pictures."""
        errors = []
        for answer, name, mean, deviation in zip(answers, MAPS, self.mean, self.deviation):
            wanted = (torch.from_numpy(part[name]).to(checkpoint.DEVICE).float() - mean) / deviation
            grid = functional.affine_grid(matrix, list(answer.shape), align_corners=False)
            wanted = functional.grid_sample(
                wanted.permute(0, 3, 1, 2), grid, padding_mode="border", align_corners=False
            )
            errors.append((answer - wanted).square().mean())
        return torch.stack(errors).mean()
