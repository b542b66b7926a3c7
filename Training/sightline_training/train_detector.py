"""Trains the detector of COCO's kinds on views of photos with people's boxes and the fused answers of teachers."""

import concurrent.futures
import pathlib
import random
import shutil
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, coco, fresh, named, network, shards
from .data import Photo
from .fusion import BOX, CERTAIN, KIND, OBJECT
from .log import Log
from .named_views import NamedViews
from .torch_network import EARLY, Detector, borrow, normalized
from .train_localizer import calibrating, overlaps, squares

# The scores of a cell: one for each of COCO's kinds, and that there is an object at all.
KINDS = len(coco.NAMES)
SCORES = KINDS + 1

# An object is learned by the cells in it that find it best already: so many of them, by these powers of their score
# and of the overlap of their box.
LEARNERS, SCORE_POWER, OVERLAP_POWER = 10, 0.5, 4

# How much of the score of the best cell others get: their share of its fitness to this power.
SHARE_POWER = 0.5

# The weights of the losses beside that of the scores.
BOXES, NAMES = 2, 0.5

# The sides of views, and how often a step has each: mostly that of the input in use. With one size alone the detector
# does not see well at another.
SIDES = {192: 0.15, 256: 0.65, 320: 0.2}

# Validation: what is less sure in a photo counts neither way.
LEAST_CERTAIN = 0.5


def side_of(seed: str) -> int:
    return random.Random(f"side/{seed}").choices(list(SIDES), list(SIDES.values()))[0]


def boxes_of(distances: torch.Tensor, cells: torch.Tensor) -> torch.Tensor:
    """Boxes in pixels of distances [n, cells, 4] in strides."""
    center, reach = cells[:, :2], distances * cells[:, 2:]
    return torch.cat([center - reach[..., :2], center + reach[..., 2:]], -1)


@torch.no_grad()
def assigned(
    boxes: torch.Tensor, logits: torch.Tensor, objects: torch.Tensor, cells: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """For every cell the scores that it shall have [n, cells, SCORES], the box that it learns, and its weight.

    The score of a cell is that of its object, less the worse the cell finds it than others do. Things at the same place
    with different names are learned by the same cells.
    """
    real, kinds = objects[..., OBJECT] > 0, objects[..., KIND].long()
    overlap, _ = overlaps(boxes[:, None], objects[:, :, None, BOX])
    middle = (objects[..., None, :2] + objects[..., None, 2:4]) / 2
    half = (objects[..., None, 2:4] - objects[..., None, :2]) / 2
    # The finest grid also has a cell for what is smaller than its stride.
    half = torch.maximum(half, torch.where(cells[:, 2:] == network.STRIDES[0], cells[:, 2:] * 0.6, 0))
    inside = ((cells[:, :2] - middle).abs() < half).all(-1) & real[..., None]
    score = torch.sigmoid(logits.gather(2, kinds[:, None].expand(-1, logits.shape[1], -1))).transpose(1, 2)
    fitness = score**SCORE_POWER * overlap**OVERLAP_POWER * inside
    least = fitness.topk(LEARNERS, -1).values[..., -1:]
    fitness = fitness * ((fitness >= least) & (fitness > 0))
    best = (overlap * (fitness > 0)).amax(-1, keepdim=True)
    share = (fitness / fitness.amax(-1, keepdim=True).clamp(min=1e-12)) ** SHARE_POWER * best
    wanted = torch.zeros_like(logits)
    columns = kinds[:, None].expand(-1, logits.shape[1], -1)
    wanted.scatter_reduce_(2, columns, (share * objects[..., CERTAIN, None]).transpose(1, 2), "amax")
    present = share * objects[..., OBJECT, None]
    wanted[..., KINDS], which = present.max(1)
    box = objects[..., BOX].gather(1, which[..., None].expand(-1, -1, 4))
    return wanted, box, wanted[..., KINDS]


def losses(
    logits: torch.Tensor, distances: torch.Tensor, objects: torch.Tensor, cells: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What the answers still lack: scores by cross entropy, most where they are furthest off; boxes by overlap; and
    which kind is likelier than the others where there is an object.
    """
    boxes = boxes_of(distances, cells)
    wanted, targets, weight = assigned(boxes.detach(), logits.detach(), objects, cells)
    total = weight.sum().clamp(min=1)
    entropy = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    # What shall be sure is learned at full speed to the end, the rest the faster the further off it is.
    off = torch.maximum((torch.sigmoid(logits).detach() - wanted).square(), wanted)
    rows = weight > 0
    overlap, excess = overlaps(boxes[rows], targets[rows])
    kinds = wanted[rows, :KINDS] / wanted[rows, :KINDS].sum(-1, keepdim=True).clamp(min=1e-9)
    names = -(functional.log_softmax(logits[rows, :KINDS], -1) * kinds).sum(-1)
    return (
        (entropy * off).sum() / total,
        ((1 - overlap + excess) * weight[rows]).sum() / total,
        (names * weight[rows]).sum() / total,
    )


class Validation:
    """Photos kept from training, and how well a model names what people or teachers see in them."""

    def __init__(self, photos: list[Photo], rows: list[np.ndarray], side: int) -> None:
        self.pixels, self.rows, self.side = squares(photos, side), rows, side
        self.cells = torch.from_numpy(network.grid(side)).to(checkpoint.DEVICE)

    @torch.no_grad()
    def measured(self, model: Detector, state: dict[str, torch.Tensor], size: int = 20) -> dict[str, float]:
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(state)
        model.eval()
        results = []
        for start in range(0, len(self.rows), size):
            with checkpoint.precision():
                logits, distances = model(normalized(self.pixels[start : start + size]).to(checkpoint.DEVICE))
            boxes = (boxes_of(distances.float(), self.cells) / self.side).clamp(0, 1).cpu().numpy()
            for rows, mine, places in zip(self.rows[start:], logits.float().cpu().numpy(), boxes):
                results.append(
                    named.Named(
                        rows[:, BOX],
                        rows[:, KIND].astype(int),
                        rows[:, CERTAIN] < LEAST_CERTAIN,
                        *named.found(mine[:, :KINDS], places),
                    )
                )
        model.load_state_dict(kept)
        model.train()
        return named.measured(results, KINDS)


def train(
    work: pathlib.Path,
    photos: list[Photo],
    rows: list[np.ndarray],
    log: Log,
    initial: pathlib.Path | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    size: int = 16,
    rate: float = 1e-3,
    configuration: str = "fmb_x",
    freeze: bool = False,
    *,
    settle: bool = False,
    people: list[Photo] | None = None,
) -> None:
    """Trains on `photos` with what `rows` tell of them; measures on `people`, or else on photos kept aside.
    With `settle` the statistics of normalization stay those of `initial`.
    """
    torch.manual_seed(seed)
    known = {photo.name: index for index, photo in enumerate(photos)}
    training, aside = (photos, []) if people else fresh.split(photos, most=400)
    shutil.rmtree(work / "detector-val", ignore_errors=True)
    shards.write(work / "detector-val" / "shard-0000", {"x": calibrating(training, network.DETECTOR_SIDE)})
    model = Detector(SCORES, configuration, EARLY if freeze else (), settle).to(
        checkpoint.DEVICE, memory_format=torch.channels_last
    )
    if initial:
        weights = checkpoint.load(initial)
        taken = borrow(model, weights.get("average") or weights["ema"])
        log(f"{taken} of {len(model.state_dict())} arrays of {initial} taken")
    measured = people or aside
    truth = [named.drawn(photo) for photo in people] if people else [rows[known[photo.name]] for photo in aside]
    validation = Validation(measured, truth, network.DETECTOR_SIDE) if measured else None
    settings: dict[str, Any] = {"model": "detector", "seed": seed, "batch": size, "rate": rate, "freeze": freeze}
    settings |= {"settle": settle, "initial": str(initial or ""), "steps": steps, "minutes": minutes}
    run = checkpoint.Run(work / "detector-run.pt", {"model": model}, rate, 0.03, 0.999, log, steps, minutes, settings)
    run.resume()
    views = NamedViews(training, [rows[known[photo.name]] for photo in training])
    maker = concurrent.futures.ThreadPoolExecutor(1)
    pending = []

    def ahead(step: int) -> None:
        pending.append(maker.submit(views.batch, size, side_of(f"{seed}/{step}"), f"{seed}/{step}"))

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        if not pending:
            ahead(step)
        ahead(step + 1)
        pixels, objects = pending.pop(0).result()
        side = pixels.shape[1]
        objects[..., BOX] *= side
        with checkpoint.precision():
            logits, distances = model(normalized(pixels).to(checkpoint.DEVICE))
        cells = torch.from_numpy(network.grid(side)).to(checkpoint.DEVICE)
        scores, boxes, names = losses(
            logits.float(), distances.float(), torch.from_numpy(objects).to(checkpoint.DEVICE), cells
        )
        numbers = {"scores": scores.detach(), "boxes": boxes.detach(), "names": names.detach()}
        return scores + BOXES * boxes + NAMES * names, numbers

    def report() -> None:
        if validation:
            numbers = validation.measured(model, run.average.state)
            line = "  ".join(f"{name} {value:.3f}" for name, value in numbers.items())
            log(f"validation after {run.step * size} views: {line}")
        checkpoint.finish(work, "detector", run.average.state, configuration)

    log(
        f"detector: {len(training)} photos to train on, {len(measured)} to measure on,"
        f" {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters"
    )
    try:
        run.train(step_loss, every=600.0, warm_up=300, report=report)
    finally:
        maker.shutdown(cancel_futures=True)
    report()
    log(f"detector: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
