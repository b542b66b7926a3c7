"""The Triton kernels of `fused`. Values are read in the type of their tensor and computed in float32."""
# Triton gives parameters their types when a kernel is started.
# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: ANN001, ANN201, N803

import triton
import triton.language as tl


@triton.jit
def sums(x, parts, total, channels, steps, PIXELS: tl.constexpr, CHANNELS: tl.constexpr):
    """Parts of the sums of values and of their squares: rows [2, programs, channels]."""
    c = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    known = c < channels
    first = tl.zeros((PIXELS, CHANNELS), tl.float32)
    second = tl.zeros((PIXELS, CHANNELS), tl.float32)
    for step in range(steps):
        p = (step * tl.num_programs(0) + tl.program_id(0)) * PIXELS + tl.arange(0, PIXELS)
        inside = (p < total)[:, None] & known[None]
        value = tl.load(x + p[:, None] * channels + c[None], mask=inside, other=0.0).to(tl.float32)
        first += value
        second += value * value
    target = parts + tl.program_id(0) * channels + c
    tl.store(target, tl.sum(first, 0), mask=known)
    tl.store(target + tl.num_programs(0) * channels, tl.sum(second, 0), mask=known)


@triton.jit
def statistics(
    parts, gamma, beta, running_mean, running_variance, table, total, programs, channels, epsilon, momentum,
    ROWS: tl.constexpr, CHANNELS: tl.constexpr,
):  # fmt: skip
    """The table [4, channels] of mean, 1 / deviation, factor and summand, and the running statistics."""
    c = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    known = c < channels
    rows = tl.arange(0, ROWS)
    first = tl.zeros((ROWS, CHANNELS), tl.float32)
    second = tl.zeros((ROWS, CHANNELS), tl.float32)
    for start in range(0, programs, ROWS):
        place = (start + rows)[:, None] * channels + c[None]
        inside = (start + rows < programs)[:, None] & known[None]
        first += tl.load(parts + place, mask=inside, other=0.0)
        second += tl.load(parts + programs * channels + place, mask=inside, other=0.0)
    mean = tl.sum(first, 0) / total
    variance = tl.maximum(tl.sum(second, 0) / total - mean * mean, 0.0)
    inverse = 1.0 / tl.sqrt(variance + epsilon)
    factor = tl.load(gamma + c, mask=known, other=0.0) * inverse
    tl.store(table + c, mean, mask=known)
    tl.store(table + channels + c, inverse, mask=known)
    tl.store(table + 2 * channels + c, factor, mask=known)
    tl.store(table + 3 * channels + c, tl.load(beta + c, mask=known, other=0.0) - mean * factor, mask=known)
    old = tl.load(running_mean + c, mask=known, other=0.0)
    tl.store(running_mean + c, old + momentum * (mean - old), mask=known)
    old = tl.load(running_variance + c, mask=known, other=0.0)
    tl.store(running_variance + c, old + momentum * (variance * total / (total - 1) - old), mask=known)


@triton.jit
def scaled(x, table, y, size, channels, CUT: tl.constexpr, BLOCK: tl.constexpr):
    """y = x times the factor and plus the summand of its channel, with CUT in 0…6."""
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < size
    c = place % channels
    value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
    value = value * tl.load(table + 2 * channels + c) + tl.load(table + 3 * channels + c)
    if CUT:
        value = tl.minimum(tl.maximum(value, 0.0), 6.0)
    tl.store(y + place, value.to(y.dtype.element_ty), mask=inside)


@triton.jit
def gradient_sums(
    x, dy, table, parts, total, channels, steps,
    CUT: tl.constexpr, PIXELS: tl.constexpr, CHANNELS: tl.constexpr,
):  # fmt: skip
    """Parts of the gradients of summand and factor: rows [2, programs, channels]."""
    c = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    known = c < channels
    mean = tl.load(table + c, mask=known, other=0.0)
    inverse = tl.load(table + channels + c, mask=known, other=0.0)
    factor = tl.load(table + 2 * channels + c, mask=known, other=0.0)
    summand = tl.load(table + 3 * channels + c, mask=known, other=0.0)
    first = tl.zeros((PIXELS, CHANNELS), tl.float32)
    second = tl.zeros((PIXELS, CHANNELS), tl.float32)
    for step in range(steps):
        p = (step * tl.num_programs(0) + tl.program_id(0)) * PIXELS + tl.arange(0, PIXELS)
        inside = (p < total)[:, None] & known[None]
        place = p[:, None] * channels + c[None]
        value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
        grown = tl.load(dy + place, mask=inside, other=0.0).to(tl.float32)
        if CUT:
            result = value * factor[None] + summand[None]
            grown = tl.where((result > 0.0) & (result < 6.0), grown, 0.0)
        first += grown
        second += grown * (value - mean[None]) * inverse[None]
    target = parts + tl.program_id(0) * channels + c
    tl.store(target, tl.sum(first, 0), mask=known)
    tl.store(target + tl.num_programs(0) * channels, tl.sum(second, 0), mask=known)


@triton.jit
def gradient(x, dy, table, sums, dx, size, channels, total, CUT: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of the input of a normalization, of the sums [2, channels] over all pixels."""
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < size
    c = place % channels
    value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
    grown = tl.load(dy + place, mask=inside, other=0.0).to(tl.float32)
    factor = tl.load(table + 2 * channels + c)
    if CUT:
        result = value * factor + tl.load(table + 3 * channels + c)
        grown = tl.where((result > 0.0) & (result < 6.0), grown, 0.0)
    standard = (value - tl.load(table + c)) * tl.load(table + channels + c)
    common = tl.load(sums + c) + standard * tl.load(sums + channels + c)
    tl.store(dx + place, (factor * (grown - common / total)).to(dx.dtype.element_ty), mask=inside)


@triton.jit
def shifted(x, summand, y, size, channels, slope, BLOCK: tl.constexpr):
    """y = x plus the summand of its channel, and less of it by `slope` below zero."""
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < size
    value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32) + tl.load(summand + place % channels)
    tl.store(y + place, tl.where(value < 0.0, value * slope, value).to(y.dtype.element_ty), mask=inside)


@triton.jit
def sigmoid_and_entropy(x, wanted):
    small = tl.exp(-tl.abs(x))
    score = tl.where(x >= 0, 1.0, small) / (1.0 + small)
    return score, tl.maximum(x, 0.0) - x * wanted + tl.log(1.0 + small)


@triton.jit
def scores(logits, wanted, result, growth, rows, scores, BACK: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Parts of the two losses of scores: rows [2, programs]; with BACK their gradient, of `growth` [2]."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    inside = (row < rows)[:, None] & (column < scores)[None]
    place = row[:, None].to(tl.int64) * scores + column[None]
    x = tl.load(logits + place, mask=inside, other=0.0)
    w = tl.load(wanted + place, mask=inside, other=0.0)
    score, entropy = sigmoid_and_entropy(x, w)
    off = tl.where(inside, tl.maximum((score - w) * (score - w), w), 0.0)
    named = inside & (column < scores - 1)[None]
    weight = tl.sum(tl.where((column == scores - 1)[None], w, 0.0), 1)
    kinds = tl.where(named, w, 0.0)
    kinds = kinds / tl.maximum(tl.sum(kinds, 1), 1e-9)[:, None]
    high = tl.max(tl.where(named, x, -1e30), 1)
    grown = tl.where(named, tl.exp(x - high[:, None]), 0.0)
    whole = tl.sum(grown, 1)
    if BACK:
        share = grown / tl.maximum(whole, 1e-30)[:, None] * tl.sum(kinds, 1)[:, None] - kinds
        gradient = tl.load(growth) * off * (score - w) + tl.load(growth + 1) * weight[:, None] * share
        tl.store(result + place, gradient, mask=inside)
    else:
        names = (high + tl.log(tl.maximum(whole, 1e-30))) * tl.sum(kinds, 1) - tl.sum(kinds * x, 1)
        tl.store(result + tl.program_id(0), tl.sum(tl.sum(entropy * off, 1), 0))
        tl.store(result + tl.num_programs(0) + tl.program_id(0), tl.sum(tl.where(row < rows, names * weight, 0.0), 0))


@triton.jit
def taught(
    logits, answers, result, growth, rows, scores, BACK: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Parts of the loss of a teacher's scores [rows, scores - 1], whose best is wanted of the last one."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    inside = (row < rows)[:, None] & (column < scores)[None]
    place = row[:, None].to(tl.int64) * scores + column[None]
    x = tl.load(logits + place, mask=inside, other=0.0)
    named = inside & (column < scores - 1)[None]
    w = tl.load(answers + row[:, None].to(tl.int64) * (scores - 1) + column[None], mask=named, other=0.0)
    w = tl.where((column == scores - 1)[None], tl.max(w, 1)[:, None], w)
    score, entropy = sigmoid_and_entropy(x, w)
    off = tl.where(inside, tl.abs(score - w), 0.0)
    if BACK:
        tl.store(result + place, tl.load(growth) * off * (score - w), mask=inside)
    else:
        tl.store(result + tl.program_id(0), tl.sum(tl.sum(entropy * off, 1), 0))
