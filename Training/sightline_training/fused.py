"""What takes most of a training step on an NVIDIA GPU, as Triton kernels that pass over the memory once: normalization
with the cut that follows it, and the losses of the scores of all cells.

Maps are [n, channels, height, width], in memory [n, height, width, channels] ("channels last").
"""

from typing import Any

import torch

try:
    import triton

    from . import kernels
except ImportError:
    triton = None

# Pixels and channels that a program takes at once, into how many parts a sum over all pixels is cut, and values or rows
# of scores that a program takes where nothing is summed.
PIXELS, CHANNELS, PARTS = 64, 64, 512
BLOCK, ROWS = 2048, 16


def usable(x: torch.Tensor) -> bool:
    return triton is not None and x.is_cuda


def last(x: torch.Tensor) -> torch.Tensor:
    return x.contiguous(memory_format=torch.channels_last)


def parts_of(total: int) -> tuple[int, int]:
    """How many programs sum over so many pixels, and how many times each takes PIXELS of them."""
    blocks = triton.cdiv(total, PIXELS)
    steps = triton.cdiv(blocks, min(blocks, PARTS))
    return triton.cdiv(blocks, steps), steps


class Normalization(torch.autograd.Function):
    """Batch normalization in training, then, with `cut`, ReLU6; the running statistics change on the way."""

    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        gamma: torch.Tensor,
        beta: torch.Tensor,
        running_mean: torch.Tensor,
        running_variance: torch.Tensor,
        momentum: float,
        epsilon: float,
        cut: bool,
    ) -> torch.Tensor:
        x = last(x)
        channels, total = x.shape[1], x.numel() // x.shape[1]
        programs, steps = parts_of(total)
        parts = torch.empty((2, programs, channels), device=x.device)
        kernels.sums[(programs, triton.cdiv(channels, CHANNELS))](x, parts, total, channels, steps, PIXELS, CHANNELS)
        table = torch.empty((4, channels), device=x.device)
        kernels.statistics[(triton.cdiv(channels, 16),)](
            parts, gamma, beta, running_mean, running_variance, table, total, programs, channels, epsilon, momentum,
            64, 16,
        )  # fmt: skip
        y = torch.empty_like(x)
        kernels.scaled[(triton.cdiv(x.numel(), BLOCK),)](x, table, y, x.numel(), channels, cut, BLOCK)
        ctx.save_for_backward(x, table)
        ctx.cut = cut
        return y

    @staticmethod
    def backward(ctx: Any, dy: torch.Tensor) -> Any:  # type: ignore[override]
        x, table = ctx.saved_tensors
        dy, channels, total = last(dy), x.shape[1], x.numel() // x.shape[1]
        programs, steps = parts_of(total)
        parts = torch.empty((2, programs, channels), device=x.device)
        grid = (programs, triton.cdiv(channels, CHANNELS))
        kernels.gradient_sums[grid](x, dy, table, parts, total, channels, steps, ctx.cut, PIXELS, CHANNELS)
        sums, dx = parts.sum(1), torch.empty_like(x)
        kernels.gradient[(triton.cdiv(x.numel(), BLOCK),)](
            x, dy, table, sums, dx, x.numel(), channels, total, ctx.cut, BLOCK
        )
        return dx, sums[1], sums[0], None, None, None, None, None


class Scores(torch.autograd.Function):
    """The sums of the two losses of the scores of all cells."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, wanted: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits, wanted, scores = logits.contiguous(), wanted.contiguous(), logits.shape[-1]
        rows, columns = logits.numel() // scores, triton.next_power_of_2(scores)
        programs = triton.cdiv(rows, ROWS)
        parts = torch.empty((2, programs), device=logits.device)
        kernels.scores[(programs,)](logits, wanted, parts, parts, rows, scores, False, ROWS, columns)
        ctx.save_for_backward(logits, wanted)
        return parts[0].sum(), parts[1].sum()

    @staticmethod
    def backward(ctx: Any, first: torch.Tensor, second: torch.Tensor) -> Any:  # type: ignore[override]
        logits, wanted = ctx.saved_tensors
        scores, growth, gradient = logits.shape[-1], torch.stack([first, second]), torch.empty_like(logits)
        rows, columns = logits.numel() // scores, triton.next_power_of_2(scores)
        kernels.scores[(triton.cdiv(rows, ROWS),)](logits, wanted, gradient, growth, rows, scores, True, ROWS, columns)
        return gradient, None


class Taught(torch.autograd.Function):
    """The sum of the losses of a teacher's scores over all cells."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
        logits, taught, scores = logits.contiguous(), taught.contiguous(), logits.shape[-1]
        rows, columns = logits.numel() // scores, triton.next_power_of_2(scores)
        parts = torch.empty(triton.cdiv(rows, ROWS), device=logits.device)
        kernels.taught[(len(parts),)](logits, taught, parts, parts, rows, scores, False, ROWS, columns)
        ctx.save_for_backward(logits, taught)
        return parts.sum()

    @staticmethod
    def backward(ctx: Any, growth: torch.Tensor) -> Any:  # type: ignore[override]
        logits, taught = ctx.saved_tensors
        scores, gradient = logits.shape[-1], torch.empty_like(logits)
        rows, columns = logits.numel() // scores, triton.next_power_of_2(scores)
        grid = (triton.cdiv(rows, ROWS),)
        kernels.taught[grid](logits, taught, gradient, growth.contiguous(), rows, scores, True, ROWS, columns)
        return gradient, None


def normalized(x: torch.Tensor, norm: torch.nn.BatchNorm2d, cut: bool) -> torch.Tensor:
    """What `norm` answers in training, with `cut` in 0…6."""
    norm.num_batches_tracked += 1  # type: ignore[operator]
    return Normalization.apply(  # type: ignore[no-any-return]
        x, norm.weight, norm.bias, norm.running_mean, norm.running_var, norm.momentum, norm.eps, cut
    )


@torch.no_grad()
def shifted(x: torch.Tensor, summand: torch.Tensor, slope: float) -> torch.Tensor:
    """The leaky ReLU of a map plus a summand [channels], without a gradient."""
    x = last(x)
    y = torch.empty_like(x)
    kernels.shifted[(triton.cdiv(x.numel(), BLOCK),)](x, summand, y, x.numel(), x.shape[1], slope, BLOCK)
    return y
