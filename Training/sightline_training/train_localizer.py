"""Trains the object localizer on views made again of photos that the teachers were asked about."""

import pathlib
import shutil
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, fresh, network, shards
from .data import Photo, squares
from .evaluate import Detections, average_precision, average_recall
from .geometry import decoded, suppressed
from .loader import Loader
from .log import Log
from .torch_network import Localizer, borrow, normalized, sharpened

# The first layers, which take most of a step's time and change least, when they are to be kept as they are.
FIRST = ("stem", "s0_")

# How many photos set the ranges of the activations of the exported model.
CALIBRATION = 400

# An object is learnt by the anchors inside of it that find it best already: so many of them, by these powers of their
# score and of the overlap of their box.
LEARNERS, SCORE_POWER, OVERLAP_POWER = 10, 0.5, 4


def boxes_of(codes: torch.Tensor, anchors: torch.Tensor) -> torch.Tensor:
    """Boxes (left, top, right, bottom) of SSD codes [n, anchors, 4]; `geometry.decoded` for Torch."""
    center = codes[..., :2] / 10 * anchors[:, 2:] + anchors[:, :2]
    half = torch.exp((codes[..., 2:] / 5).clamp(-6, 4)) * anchors[:, 2:] / 2
    return torch.cat([center - half, center + half], -1)[..., [1, 0, 3, 2]]


def area(size: torch.Tensor) -> torch.Tensor:
    """Widths times heights [..., 2]; nothing where one is negative. The gradient of `prod` takes a GPU ten times as
    long.
    """
    size = size.clamp(min=0)
    return size[..., 0] * size[..., 1]


def overlaps(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Intersection over union, and over the common hull in place of the union (both of broadcast boxes)."""
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    common = area(high - low)
    union = area(a[..., 2:] - a[..., :2]) + area(b[..., 2:] - b[..., :2]) - common
    hull = area(torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2]))
    return common / union.clamp(min=1e-9), (hull - union) / hull.clamp(min=1e-9)


@torch.no_grad()
def assigned(
    boxes: torch.Tensor, logits: torch.Tensor, objects: torch.Tensor, anchors: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """For every anchor the box that it learns [n, anchors, 4] and the score that it shall have [n, anchors].

    The score of an anchor is that of its object, less the worse the anchor finds it than the others do.
    """
    real = objects[..., 4] > 0
    overlap, _ = overlaps(boxes[:, None], objects[:, :, None, :4])
    x, y = anchors[:, 1], anchors[:, 0]
    left, top, right, bottom = (objects[..., index, None] for index in range(4))
    inside = (x > left) & (x < right) & (y > top) & (y < bottom) & real[..., None]
    fitness = torch.sigmoid(logits)[:, None] ** SCORE_POWER * overlap**OVERLAP_POWER * inside
    least = fitness.topk(LEARNERS, -1).values[..., -1:]
    learns = inside & (fitness >= least) & (fitness > 0)
    # An anchor that two objects want learns the one that it overlaps more.
    which = torch.where(learns, overlap, -1).argmax(1)
    learns &= torch.arange(objects.shape[1], device=which.device)[None, :, None] == which[:, None]
    fitness = fitness * learns
    share = fitness / fitness.amax(-1, keepdim=True).clamp(min=1e-9) * (overlap * learns).amax(-1, keepdim=True)
    scores = (share * objects[..., 4:5]).amax(1)
    return torch.gather(objects[..., :4], 1, which[..., None].expand(-1, -1, 4)), scores


def losses(
    codes: torch.Tensor, logits: torch.Tensor, objects: torch.Tensor, anchors: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of the answers: scores by cross entropy, most where they are furthest off, and boxes by overlap."""
    boxes = boxes_of(codes, anchors)
    wanted, scores = assigned(boxes.detach(), logits.detach(), objects, anchors)
    total = scores.sum().clamp(min=1)
    entropy = functional.binary_cross_entropy_with_logits(logits, scores, reduction="none")
    off = (torch.sigmoid(logits).detach() - scores).abs()
    rows = scores > 0
    overlap, excess = overlaps(boxes[rows], wanted[rows])
    return (entropy * off).sum() / total, ((1 - overlap + excess) * scores[rows]).sum() / total


class Validation:
    """Photos kept from training, and how well a model finds what the teachers and people see in them."""

    LEAST_SCORE = 0.4

    def __init__(self, photos: list[Photo], configuration: dict[str, Any]) -> None:
        self.photos = photos
        self.pixels = squares(photos, configuration["side"])
        self.anchors = network.anchors(configuration)

    @torch.no_grad()
    def measured(self, model: Localizer, state: dict[str, torch.Tensor], size: int = 50) -> tuple[float, float]:
        """AP at IoU 0.5 and the recall of the best five boxes, for objects of more than a twentieth."""
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(state)
        model.eval()
        results = []
        for start in range(0, len(self.photos), size):
            codes, logits = (
                values.cpu().numpy()
                for values in model(normalized(self.pixels[start : start + size]).to(checkpoint.DEVICE))
            )
            for photo, row, scores in zip(self.photos[start:], codes, 1 / (1 + np.exp(-logits))):
                boxes = np.clip(decoded(row, self.anchors), 0, 1)
                keep = suppressed(boxes, scores, 0.5, 10)
                result = Detections(photo, boxes[keep], scores[keep])
                result.crowd = photo.scores < self.LEAST_SCORE
                results.append(result)
        model.load_state_dict(kept)
        model.train()
        return average_precision(results, 0.05), average_recall(results, 0.05)


def calibrating(photos: list[Photo], side: int) -> np.ndarray:
    """A sample of the photos as the finished model sees them."""
    sample = np.sort(np.random.default_rng(0).permutation(len(photos))[:CALIBRATION])
    return squares([photos[index] for index in sample], side)


def train(
    work: pathlib.Path,
    photos: list[Photo],
    log: Log,
    initial: pathlib.Path | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    size: int = 16,
    rate: float = 1e-3,
    configuration: str = "fmb_l",
    freeze: bool = False,
    loaders: int = 1,
) -> None:
    torch.manual_seed(seed)
    photos, aside = fresh.split(photos)
    model = Localizer(configuration, FIRST if freeze else ()).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    validation = Validation(aside, model.configuration) if aside else None
    shutil.rmtree(work / "localizer-val", ignore_errors=True)
    shards.write(work / "localizer-val" / "shard-0000", {"x": calibrating(photos, model.configuration["side"])})
    if initial:
        weights = checkpoint.load(initial)
        taken = borrow(model, weights.get("average") or weights["ema"])
        log(f"{taken} of {len(model.state_dict())} arrays of {initial} taken")
    settings = {
        "model": "localizer",
        "seed": seed,
        "batch": size,
        "rate": rate,
        "freeze": freeze,
        "initial": str(initial or ""),
        "steps": steps,
        "minutes": minutes,
    }
    run = checkpoint.Run(work / "localizer-run.pt", {"model": model}, rate, 0.02, 0.998, log, steps, minutes, settings)
    run.resume()

    loader = Loader(loaders, run.step, photos, seed, size, model.configuration["side"])
    anchors = torch.from_numpy(network.anchors(model.configuration)).to(checkpoint.DEVICE)

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        pixels, objects = loader.batch()
        x = sharpened(normalized(pixels), np.random.default_rng([seed, 2, step])).to(checkpoint.DEVICE)
        with checkpoint.precision():
            codes, logits = model(x)
        score_loss, box_loss = losses(codes, logits, torch.from_numpy(objects).to(checkpoint.DEVICE), anchors)
        return score_loss + 2 * box_loss, {"scores": score_loss.detach(), "boxes": box_loss.detach()}

    def report() -> None:
        if validation:
            precision, recall = validation.measured(model, run.average.state)
            log(f"validation after {run.step * size} views: AP50 {precision:.3f}  AR@5 {recall:.3f}")
        checkpoint.finish(work, "localizer", run.average.state, configuration)

    log(
        f"localizer: {len(photos)} photos to train on, {len(aside)} to measure on,"
        f" {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters"
    )
    try:
        run.train(step_loss, every=480.0, report=report)
    finally:
        loader.close()
    report()
    log(f"localizer: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
