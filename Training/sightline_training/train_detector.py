"""Trains the detector of COCO's kinds: each cell learns people's boxes, and what NanoDet-Plus answers in the same cell
about the same view. Photos lie packed in the memory of the device, and views are made there.
"""

import os
import pathlib
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, coco, fused, named, network, packs
from .captured import Captured
from .data import Photo, squares
from .dense_teacher import DenseTeacher, load
from .device_views import DeviceViews, normalized
from .errors import TrainingError
from .log import Log
from .named import BOX, CERTAIN, KIND, OBJECT
from .neck_imitation import NeckImitation
from .torch_network import EARLY, Detector, borrow
from .train_localizer import overlaps

# The scores of a cell: one for each of COCO's kinds, and that there is an object at all.
KINDS = len(coco.NAMES)
SCORES = KINDS + 1

# An object is learned by the cells in it that find it best already: so many of them, by these powers of their score
# and of the overlap of their box.
LEARNERS, SCORE_POWER, OVERLAP_POWER = 10, 0.5, 4

# How much of the score of the best cell others get: their share of its fitness to this power.
SHARE_POWER = 0.5

# The weights of the losses: of people's boxes, and of what the teacher answers.
WEIGHTS = {"scores": 1, "boxes": 2, "names": 0.5, "teacher's scores": 1, "teacher's boxes": 1}

# How much the features count at first; at the end nothing.
IMITATION = 2.0

# The teacher's boxes are learned from this score of it on.
TEACHER_LEAST = 0.05


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
) -> tuple[torch.Tensor, ...]:
    """The loss of the answers: scores by cross entropy, most where they are furthest off; boxes by overlap; and
    which kind is likelier than the others where there is an object.
    """
    boxes = boxes_of(distances, cells)
    wanted, targets, weight = assigned(boxes.detach(), logits.detach(), objects, cells)
    total = weight.sum().clamp(min=1)
    overlap, excess = overlaps(boxes, targets)
    scores, names = score_losses(logits, wanted)
    return scores / total, ((1 - overlap + excess) * weight).sum() / total, names / total


def score_losses(logits: torch.Tensor, wanted: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Sums over all cells of the losses of their scores, and of their kinds where there is an object."""
    if fused.usable(logits):
        scores, names = fused.score_losses(logits, wanted)
        return scores, names
    entropy = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    # What shall be sure is learned at full speed to the end, the rest the faster the further off it is.
    off = torch.maximum((torch.sigmoid(logits).detach() - wanted).square(), wanted)
    kinds = wanted[..., :KINDS] / wanted[..., :KINDS].sum(-1, keepdim=True).clamp(min=1e-9)
    names = -(functional.log_softmax(logits[..., :KINDS], -1) * kinds).sum(-1)
    return (entropy * off).sum(), (names * wanted[..., KINDS]).sum()


def teacher_losses(
    logits: torch.Tensor, boxes: torch.Tensor, scores: torch.Tensor, wanted: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The distance of the answers of all cells from the teacher's: scores by cross entropy, the more the further off;
    boxes by overlap, the more the surer the teacher.
    """
    best = scores.amax(-1, keepdim=True)
    if fused.usable(logits):
        total = fused.taught_loss(logits, scores)
    else:
        targets = torch.cat([scores, best], -1)
        entropy = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        total = (entropy * (torch.sigmoid(logits.detach()) - targets).abs()).sum()
    weight = torch.where(best[..., 0] >= TEACHER_LEAST, best[..., 0], 0)
    overlap, excess = overlaps(boxes, wanted)
    return total / best.sum().clamp(min=1), ((1 - overlap + excess) * weight).sum() / weight.sum().clamp(min=1)


class Validation:
    """Photos with people's boxes, and how well a model names what is in them that sees them in several sizes."""

    def __init__(self, photos: list[Photo], sides: tuple[int, ...]) -> None:
        self.truth = [named.drawn(photo) for photo in photos]
        self.pixels = {side: squares(photos, side) for side in sides}
        self.cells = {side: torch.from_numpy(network.grid(side)).to(checkpoint.DEVICE) for side in sides}

    @torch.no_grad()
    def measured(self, model: Detector, state: dict[str, torch.Tensor], size: int = 20) -> dict[str, float]:
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(state)
        model.eval()
        results = []
        for start in range(0, len(self.truth), size):
            parts = []
            for side, pixels in self.pixels.items():
                batch = torch.from_numpy(pixels[start : start + size]).to(checkpoint.DEVICE).permute(0, 3, 1, 2)
                with checkpoint.precision():
                    logits, distances = model(normalized(batch))
                parts.append((logits.float(), (boxes_of(distances.float(), self.cells[side]) / side).clamp(0, 1)))
            answers, boxes = (torch.cat(part, 1).cpu().numpy() for part in zip(*parts))
            for rows, mine, places in zip(self.truth[start:], answers, boxes):
                found = named.found(mine[:, :KINDS], places)
                results.append(named.Named(rows[:, BOX], rows[:, KIND].astype(int), rows[:, CERTAIN] == 0, *found))
        model.load_state_dict(kept)
        model.train()
        return named.measured(results, KINDS)


def train(
    folder: pathlib.Path,
    work: pathlib.Path,
    log: Log,
    initial: pathlib.Path | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    size: int = 256,
    rate: float = 2e-3,
    configuration: str = "fmb_x",
    freeze: bool = False,
    *,
    settle: bool = False,
    people: list[Photo] | None = None,
) -> None:
    """Trains on what `prepare detector` packed into a folder, and measures on photos with boxes by `people`. With
    `settle` the statistics of normalization stay those of `initial`.
    """
    torch.manual_seed(seed)
    paths = packs.files(folder)
    if not paths:
        raise TrainingError(f"{folder} holds no packed photos: run prepare detector first.")
    # Views of every other step are as small as the overview, since the detector sees each picture in both sizes.
    device, sides = checkpoint.DEVICE, (network.DETECTOR_SIDE, network.OVERVIEW_SIDE)
    teacher = DenseTeacher(load(folder / "teacher.npz")).to(device).eval()
    pack = packs.read(paths, work / "unpacked", os.cpu_count() or 1)
    if not pack.drawn.any():
        raise TrainingError(f"No photo in {folder} has boxes by people: give others to prepare detector.")
    views = DeviceViews(pack, device)
    model = Detector(SCORES, configuration, EARLY if freeze else (), settle)
    model = model.to(device, memory_format=torch.channels_last)
    if initial:
        weights = checkpoint.load(initial)
        taken = borrow(model, weights.get("average") or weights["ema"])
        log(f"{taken} of {len(model.state_dict())} arrays of {initial} taken")
    validation = Validation(people, sides) if people else None
    settings: dict[str, Any] = {"model": "detector", "photos": len(pack.drawn), "seed": seed, "batch": size}
    settings |= {"rate": rate, "freeze": freeze, "settle": settle, "initial": str(initial or "")}
    settings |= {"steps": steps, "minutes": minutes}
    modules: dict[str, torch.nn.Module] = {"model": model}
    if teacher.maps:
        modules["imitation"] = NeckImitation(teacher.channels).to(device)
    run = checkpoint.Run(work / "detector-run.pt", modules, rate, 0.05, 0.998, log, steps, minutes, settings)
    run.resume()
    grids = {shown: torch.from_numpy(network.grid(shown)).to(device) for shown in sides}
    imitation = torch.zeros((), device=device)
    captured = Captured(modules.values()) if device == "cuda" else None

    def learned(side: int) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        cells = grids[side]
        with torch.no_grad():
            pixels, objects, known = views.batch(size, side)
            with checkpoint.precision():
                taught, reach, maps = teacher(pixels.contiguous(memory_format=torch.channels_last))
            wanted = boxes_of(reach / cells[:, 2:], cells)
        with checkpoint.precision():
            logits, distances, own, _ = model.seen(normalized(pixels))
        logits, distances = logits.float(), distances.float()
        errors = losses(logits[:known], distances[:known], objects[:known], cells)
        errors += teacher_losses(logits, boxes_of(distances, cells), taught, wanted)
        numbers = {name: error.detach() for name, error in zip(WEIGHTS, errors)}
        loss = torch.stack([weight * error for weight, error in zip(WEIGHTS.values(), errors)]).sum()
        if teacher.maps:
            with checkpoint.precision():
                error = modules["imitation"](own, maps)
            loss, numbers["imitation"] = loss + imitation * error, error.detach()
        return loss, numbers

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        torch.manual_seed(np.random.default_rng([seed, step]).integers(2**62).item())  # a view follows from its step
        imitation.fill_(IMITATION * (1 - progress))
        shown = sides[step % len(sides)]
        return captured.run(shown, lambda: learned(shown)) if captured else learned(shown)

    def report() -> None:
        if validation:
            numbers = validation.measured(model, run.average.state)
            line = "  ".join(f"{name} {value:.3f}" for name, value in numbers.items())
            log(f"validation after {run.step * size} views: {line}")
        checkpoint.finish(work, "detector", run.average.state, configuration)

    log(
        f"detector: {len(pack.drawn)} photos, {int(pack.drawn.sum())} of them with people's boxes,"
        f" {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters"
    )
    run.train(step_loss, every=600.0, warm_up=200, report=report)
    report()
    log(f"detector: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
