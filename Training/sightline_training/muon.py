"""Muon: an optimizer that steps along the nearest orthogonal matrix of a weight's momentum, so that all directions of
the weight learn alike. It takes fewer steps than AdamW for the dense layers of a network.
"""

from __future__ import annotations

import torch

# The coefficients of the Newton-Schulz iteration that makes a matrix orthogonal, and how often it runs.
COEFFICIENTS, ROUNDS = (3.4445, -4.7750, 2.0315), 5

# How slowly the means of the gradients, and of their squares, change.
MOMENTUM, BETAS = 0.95, (0.9, 0.999)


class Muon(torch.optim.Optimizer):
    """Muon for the weights that mix channels, and AdamW for all others."""

    def __init__(self, model: torch.nn.Module, rate: float, factor: float = 10.0, decay: float = 0.02) -> None:
        """`factor` is the rate of the matrices beside that of all others."""
        matrices = [parameter for parameter in model.parameters() if is_matrix(parameter)]
        rest = [parameter for parameter in model.parameters() if not is_matrix(parameter)]
        groups = [
            {"params": matrices, "factor": factor, "decay": decay, "matrices": True},
            {"params": [p for p in rest if p.ndim > 1], "factor": 1.0, "decay": decay, "matrices": False},
            {"params": [p for p in rest if p.ndim <= 1], "factor": 1.0, "decay": 0.0, "matrices": False},
        ]
        super().__init__(groups, {"lr": rate})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        for group in self.param_groups:
            rate = group["lr"] * group["factor"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["step"] = torch.zeros(())
                    state["mean"] = torch.zeros_like(parameter)
                    if not group["matrices"]:
                        state["square"] = torch.zeros_like(parameter)
                parameter.mul_(1 - rate * group["decay"])
                if group["matrices"]:
                    state["mean"].lerp_(parameter.grad, 1 - MOMENTUM)
                    change = orthogonal(parameter.grad.lerp(state["mean"], MOMENTUM).flatten(1))
                    longer = max(1, change.shape[0] / change.shape[1]) ** 0.5
                    parameter.add_(change.reshape(parameter.shape), alpha=-rate * longer)
                else:
                    state["step"] += 1
                    count = float(state["step"])
                    state["mean"].lerp_(parameter.grad, 1 - BETAS[0])
                    state["square"].lerp_(parameter.grad.square(), 1 - BETAS[1])
                    size = (state["square"] / (1 - BETAS[1] ** count)).sqrt_().add_(1e-8)
                    parameter.addcdiv_(state["mean"], size, value=-rate / (1 - BETAS[0] ** count))


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """A matrix with the same directions, whose singular values are about 1."""
    a, b, c = COEFFICIENTS
    tall = matrix.shape[0] > matrix.shape[1]
    x = (matrix.T if tall else matrix).bfloat16()
    x = x / (x.norm() + 1e-7)
    for _ in range(ROUNDS):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return (x.T if tall else x).float()


def is_matrix(parameter: torch.nn.Parameter) -> bool:
    """Whether an output of a layer reads more than one channel; filters of single channels are not matrices."""
    return parameter.ndim > 1 and parameter[0].numel() > 9
