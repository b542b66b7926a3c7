"""The distance of the features of a detector's neck from those of its teacher's, up to their scale.

A network learns more of each view from maps than from boxes alone (Cao and others, "PKD", 2022).
"""

import torch
from torch import nn

from . import network

# One view in so many is compared.
APART = 4


def standard(x: torch.Tensor) -> torch.Tensor:
    """Maps whose channels have the mean 0 and the deviation 1 over all views and places."""
    x = x.float()
    x = x - x.mean((0, 2, 3), keepdim=True)
    return x * torch.rsqrt(x.square().mean((0, 2, 3), keepdim=True) + 1e-5)


class NeckImitation(nn.Module):
    """Layers that make the teacher's maps of the detector's; only training has them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(network.DETECTOR_WIDTH, channels, 1, bias=False) for _ in network.STRIDES)

    def forward(self, maps: list[torch.Tensor], taught: list[torch.Tensor]) -> torch.Tensor:
        """0 where all maps are alike, 1 where they have nothing in common."""
        errors = [
            (standard(layer(mine[::APART])) - standard(theirs[::APART])).square().mean() / 2
            for layer, mine, theirs in zip(self.layers, maps, taught)
        ]
        return torch.stack(errors).mean()
