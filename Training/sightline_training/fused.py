"""The most expensive parts of a training step on an NVIDIA GPU, as Triton kernels that pass over the memory once:
normalization with the cut that follows it, and the losses of the scores of all cells.

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
    """The number of programs that sum over so many pixels, and the times that each takes PIXELS of them."""
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


class Losses(torch.autograd.Function):
    """The sums over all cells of the losses that a kernel knows: so many of logits [..., scores]."""

    @staticmethod
    def run(
        kernel: Any, logits: torch.Tensor, wanted: torch.Tensor, result: torch.Tensor, growth: torch.Tensor | None
    ) -> None:
        """Fills `result` with parts of the sums [losses, programs]; with `growth` [losses], with the gradient."""
        scores, back = logits.shape[-1], growth is not None
        rows, columns = logits.numel() // scores, triton.next_power_of_2(scores)
        # Without `back` a kernel does not look at its fourth argument.
        given = growth if back else result
        kernel[(triton.cdiv(rows, ROWS),)](logits, wanted, result, given, rows, scores, back, ROWS, columns)

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, wanted: torch.Tensor, kernel: Any, count: int) -> torch.Tensor:
        logits, wanted = logits.contiguous(), wanted.contiguous()
        parts = torch.empty((count, triton.cdiv(logits.numel() // logits.shape[-1], ROWS)), device=logits.device)
        Losses.run(kernel, logits, wanted, parts, None)
        ctx.save_for_backward(logits, wanted)
        ctx.kernel = kernel
        return parts.sum(1)

    @staticmethod
    def backward(ctx: Any, growth: torch.Tensor) -> Any:  # type: ignore[override]
        logits, wanted = ctx.saved_tensors
        gradient = torch.empty_like(logits)
        Losses.run(ctx.kernel, logits, wanted, gradient, growth.contiguous())
        return gradient, None, None, None


def score_losses(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """`train_detector.score_losses`, as a tensor [2]."""
    return Losses.apply(logits, wanted, kernels.scores, 2)  # type: ignore[no-any-return]


def taught_loss(logits: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """The sum of the losses of a teacher's scores over all cells."""
    return Losses.apply(logits, taught, kernels.taught, 1)[0]  # type: ignore[no-any-return]


def normalized(x: torch.Tensor, norm: torch.nn.BatchNorm2d, cut: bool) -> torch.Tensor:
    """The answer of `norm` in training, with `cut` in 0…6."""
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
