"""Trains the detector on a GPU, as many views as it can: photos lie in its memory, views are made there, and
NanoDet-Plus answers about each of them; people's boxes are learned beside its answers.
"""

import argparse
import json
import math
import pathlib
import pickle
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from . import coco, named, network, packs
from .checkpoint import DEVICE, Average, finish, optimizer
from .dense_teacher import DenseTeacher
from .device_views import DeviceViews, normalized, weighed
from .log import Log
from .torch_network import Detector, borrow
from .train_detector import BOXES, KINDS, NAMES, SCORES, boxes_of, losses
from .train_localizer import overlaps

# The weights of what the teacher answers: its scores, and its boxes where its score is at least so high.
TEACHER, TEACHER_BOXES, TEACHER_LEAST = 1.0, 1.0, 0.05

# The weights of the running mean and of decay, and the steps until the rate is full.
AVERAGE, DECAY, WARM_UP = 0.999, 0.05, 200


def teacher_losses(
    logits: torch.Tensor, boxes: torch.Tensor, scores: torch.Tensor, wanted: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """How far the answers of all cells are from the teacher's: scores by cross entropy, the more the further off; boxes
    by overlap, the more the surer the teacher.
    """
    best = scores.amax(-1, keepdim=True)
    targets = torch.cat([scores, best], -1)
    entropy = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    off = (torch.sigmoid(logits.detach()) - targets).abs()
    total = best.sum().clamp(min=1)
    weight = torch.where(best[..., 0] >= TEACHER_LEAST, best[..., 0], 0)
    overlap, excess = overlaps(boxes, wanted)
    return (entropy * off).sum() / total, ((1 - overlap + excess) * weight).sum() / weight.sum().clamp(min=1)


def synchronize() -> None:
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def measured(model: Detector, state: dict[str, torch.Tensor], pack: packs.Pack, side: int) -> dict[str, float]:
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    model.eval()
    cells, results = torch.from_numpy(network.grid(side)).to(DEVICE), []
    for start in range(0, len(pack.pixels), 64):
        pixels = torch.from_numpy(pack.pixels[start : start + 64]).to(DEVICE).float()
        pixels = functional.interpolate(pixels, (side, side), mode="bilinear", antialias=True)
        with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
            logits, distances = model(normalized(pixels))
        places = (boxes_of(distances.float(), cells) / side).clamp(0, 1).cpu().numpy()
        for rows, mine, boxes in zip(pack.boxes[start:], logits.float().cpu().numpy(), places):
            rows = rows[rows[:, 4] >= 0]
            results.append(
                named.Named(
                    rows[:, :4], rows[:, 4].astype(int), np.zeros(len(rows), bool), *named.found(mine[:, :KINDS], boxes)
                )
            )
    model.load_state_dict(kept)
    model.train()
    return named.measured(results, KINDS)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training gpu", description=__doc__)
    parser.add_argument("--packs", nargs="+", type=pathlib.Path, required=True, help="files that `packs` wrote")
    parser.add_argument(
        "--cache", type=pathlib.Path, required=True, help="a folder for the unpacked pixels, half a megabyte a photo"
    )
    parser.add_argument(
        "--people", type=pathlib.Path, help="a pack of other photos with boxes by people, to measure on"
    )
    parser.add_argument(
        "--teacher", type=pathlib.Path, required=True, help="NanoDet-Plus as `packs --teacher` wrote it"
    )
    parser.add_argument("--initial", type=pathlib.Path, help="weights to begin with (.pt)")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder for the weights and the log")
    parser.add_argument(
        "--state", type=pathlib.Path, required=True, help="the checkpoint; the same command goes on from it"
    )
    parser.add_argument("--seconds", type=float, required=True, help="until this run stops")
    parser.add_argument("--schedule", type=float, required=True, help="seconds of training in all runs")
    parser.add_argument("--batch", type=int, default=256, help="views a step")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="the highest learning rate")
    parser.add_argument("--processes", type=int, default=16, help="how many processes unpack photos")
    given = parser.parse_args(arguments)
    given.work.mkdir(parents=True, exist_ok=True)
    log = Log(given.work / "train-detector.log")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    begun = time.monotonic()
    pack = packs.read(given.packs[0], given.cache, given.processes)
    for path in given.packs[1:]:
        pack = pack.joined(packs.read(path, given.cache, given.processes))
    people = packs.read(given.people, given.cache, given.processes) if given.people else None
    log(f"{len(pack.pixels)} photos, {int(pack.drawn.sum())} drawn, read in {time.monotonic() - begun:.1f} s")
    side = network.DETECTOR_SIDE
    views = DeviceViews(pack, weighed(pack, len(coco.NAMES), 0.05, 0.5, 12), DEVICE)
    teacher = DenseTeacher(pickle.loads(given.teacher.read_bytes())).to(DEVICE).eval()
    model = Detector(SCORES, "fmb_x").to(DEVICE).to(memory_format=torch.channels_last)
    if given.initial:
        weights = torch.load(given.initial, map_location=DEVICE, weights_only=True)
        log(f"{borrow(model, weights['ema'])} of {len(model.state_dict())} arrays taken")
    adam = optimizer([model], given.rate, DECAY)
    average, step, elapsed = Average(model, AVERAGE), 0, 0.0
    if given.state.exists():
        content = torch.load(given.state, map_location=DEVICE, weights_only=True)
        model.load_state_dict(content["model"])
        adam.load_state_dict(content["optimizer"])
        average.state, step, elapsed = content["average"], content["step"], content["elapsed"]
        log(f"goes on at step {step}")
    cells = torch.from_numpy(network.grid(side)).to(DEVICE)

    def compared(
        logits: torch.Tensor,
        distances: torch.Tensor,
        objects: torch.Tensor,
        known: int,
        scores: torch.Tensor,
        reach: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        boxes = boxes_of(distances, cells)
        center = cells[:, :2]
        wanted = torch.cat([center - reach[..., :2], center + reach[..., 2:]], -1)
        mine = losses(logits[:known], distances[:known], objects[:known], cells)
        return (*mine, *teacher_losses(logits, boxes, scores, wanted))

    begun, earlier, last, sums = time.monotonic(), elapsed, time.monotonic(), None
    while elapsed - earlier < given.seconds:
        progress = min(1.0, elapsed / given.schedule)
        rate = given.rate * min(1, (step + 1) / WARM_UP) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))
        for group in adam.param_groups:
            group["lr"] = rate
        with torch.no_grad():
            pixels, objects, known = views.batch(given.batch, side)
            with torch.autocast(DEVICE, torch.bfloat16):
                scores, reach = teacher(pixels.contiguous(memory_format=torch.channels_last))
        with torch.autocast(DEVICE, torch.bfloat16):
            logits, distances = model(normalized(pixels))
        parts = compared(logits.float(), distances.float(), objects, known, scores, reach)
        loss = parts[0] + BOXES * parts[1] + NAMES * parts[2] + TEACHER * parts[3] + TEACHER_BOXES * parts[4]
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        adam.step()
        step += 1
        average.update(model, step)
        values = torch.stack([part.detach() for part in parts])
        sums = values if sums is None else sums + values
        if step % 50 == 0:
            synchronize()
            means = (sums / 50).tolist()
            sums = None
            now = time.monotonic()
            line = "  ".join(
                f"{name} {value:.3f}" for name, value in zip(("scores", "boxes", "names", "t", "tb"), means)
            )
            log(f"step {step} {progress:.1%} {50 * given.batch / (now - last):.0f} views/s rate {rate:.5f} {line}")
            last = now
            if not math.isfinite(sum(means)):
                raise SystemExit("The loss is no longer a number.")
        elapsed = earlier + time.monotonic() - begun
    synchronize()
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": adam.state_dict(),
            "average": average.state,
            "step": step,
            "elapsed": elapsed,
        },
        given.state,
    )
    finish(given.work, "detector", average.state, "fmb_x")
    if people:
        for size in (256, 320):
            numbers: dict[str, Any] = measured(model, average.state, people, size)
            log(f"after {step * given.batch} views, {size} pixels: " + json.dumps(numbers))
    log(f"done: {time.monotonic() - begun:.1f} s")
