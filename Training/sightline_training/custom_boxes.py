"""Trains a detector from a COCO-style set of boxes: our localizer, with a score for each label."""

import hashlib
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from . import boxes as drawn
from . import checkpoint, folders, network, shards
from .data import Photo
from .errors import TrainingError
from .evaluate import Detections, Model, average_precision
from .log import Log
from .torch_network import EARLY, Localizer, borrow, normalized

# Pictures are kept a little larger than the network's input, for the crops.
KEPT = 1.25
BATCH = 24
RATE = 1e-3


def spread(state: dict[str, torch.Tensor], classes: int) -> dict[str, torch.Tensor]:
    """A localizer's weights with its score of an object repeated for every label."""
    return {
        name: value.repeat_interleave(classes, 0)
        if name.split(".")[1] in {f"h{level}c" for level in ["f", *network.LEVELS]}
        else value
        for name, value in state.items()
    }


class Examples:
    """Random views of the pictures with the targets of every anchor."""

    def __init__(self, pixels: np.ndarray, photos: list[Photo], classes: int, configuration: dict[str, Any]) -> None:
        self.pixels, self.photos, self.classes = pixels, photos, classes
        self.side, self.anchors = configuration["side"], network.anchors(configuration)

    def batch(self, rows: np.ndarray, rng: np.random.Generator) -> tuple[torch.Tensor, ...]:
        matrix, found = np.zeros((len(rows), 2, 3), np.float32), []
        for index, row in enumerate(rows):
            photo = self.photos[row]
            width, height = (
                np.sqrt(rng.uniform(0.35, 1)) * np.exp(rng.uniform(-0.1, 0.1, 2)) if rng.random() < 0.7 else (1, 1)
            )
            width, height = min(1, width), min(1, height)
            left, top = rng.uniform(0, 1 - width), rng.uniform(0, 1 - height)
            mirrored = rng.random() < 0.5
            matrix[index, 0], matrix[index, 1] = (
                (-width if mirrored else width, 0, 2 * left + width - 1),
                (0, height, 2 * top + height - 1),
            )
            unit = photo.boxes / [*photo.size, *photo.size]
            seen, enough = drawn.cut(unit, left, top, width, height, mirrored)
            found.append(drawn.targets(seen, photo.numbers, enough & ~photo.crowd, self.anchors, self.classes))
        grid = functional.affine_grid(
            torch.from_numpy(matrix), (len(rows), 3, self.side, self.side), align_corners=False
        )
        x = functional.grid_sample(normalized(self.pixels[rows]), grid, padding_mode="reflection", align_corners=False)
        gain = rng.uniform(0.75, 1.25, (len(rows), 1, 1, 1)) * rng.uniform(0.95, 1.05, (len(rows), 3, 1, 1))
        x = (x * torch.from_numpy(gain.astype(np.float32))).clamp(-1, 1).contiguous(memory_format=torch.channels_last)
        return (
            x.to(checkpoint.DEVICE),
            *(torch.from_numpy(np.stack(part)).to(checkpoint.DEVICE) for part in zip(*found)),
        )


def losses(
    codes: torch.Tensor,
    logits: torch.Tensor,
    wanted_codes: torch.Tensor,
    wanted_scores: torch.Tensor,
    positive: torch.Tensor,
    learning: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores by cross entropy, weighted by how far off they are, and boxes of the anchors that learn one."""
    count = positive.sum().clamp(min=1)
    weight = (torch.sigmoid(logits).detach() - wanted_scores).abs().square() * learning[..., None]
    scores = (
        functional.binary_cross_entropy_with_logits(logits, wanted_scores, reduction="none") * weight
    ).sum() / count
    distance = functional.smooth_l1_loss(codes, wanted_codes, beta=0.5, reduction="none").mean(-1)
    return scores, (distance * positive).sum() / count


def table(model: Model, photos: list[Photo], labels: list[str]) -> tuple[float, list[str]]:
    """AP at IoU 0.5 of the exported model for each label, on pictures held out."""
    found = [[] for _ in labels]
    for photo in photos:
        places, which, scores, _ = model.run(photo.load())
        for number, results in enumerate(found):
            mine = np.round(which) == number
            result = Detections(photo, places[mine][:, [1, 0, 3, 2]], scores[mine])
            result.truth, result.crowd = result.truth[photo.numbers == number], photo.crowd[photo.numbers == number]
            results.append(result)
    width, lines, values = max(5, *map(len, labels)), [], []
    for number, label in enumerate(labels):
        count = sum(int((~result.crowd).sum()) for result in found[number])
        if count:
            values.append(average_precision(found[number], 0, most=40))
        lines.append(f"{label:<{width}}{count:7d}{f'{values[-1]:8.3f}' if count else '       -'}")
    return float(np.mean(values)) if values else 0.0, [f"{'label':<{width}}  boxes    AP50", *lines]


def train(
    annotations: pathlib.Path,
    images: pathlib.Path,
    output: pathlib.Path,
    work: pathlib.Path,
    log: Log,
    initial: pathlib.Path,
    epochs: int,
    share: float,
    seed: int,
    export: Callable[[pathlib.Path, pathlib.Path], None],
) -> list[str]:
    """Trains, exports, and answers with the lines of the report on the exported model."""
    torch.manual_seed(seed)
    labels, photos = drawn.annotated(annotations, images)
    log(f"reads {len(photos)} pictures with {sum(len(photo.boxes) for photo in photos)} boxes of {len(labels)} labels")
    weights = checkpoint.load(initial)
    state, name = weights.get("ema"), str(weights.get("cfg"))
    if not state or "m.h0c.c.weight" not in state or name not in network.CONFIGURATIONS:
        raise TrainingError(f"{initial} holds no weights of our localizer: name its .pt file with --initial.")
    configuration = network.CONFIGURATIONS[name]
    side = configuration["side"]
    pixels, photos = drawn.readable(photos, int(KEPT * side), log)
    aside = folders.held_out([photo.path.name for photo in photos], np.zeros(len(photos), int), share, seed)
    training, testing = (
        [photo for photo, kept in zip(photos, aside) if not kept],
        [photo for photo, kept in zip(photos, aside) if kept],
    )
    log(f"{len(training)} pictures to train on, {len(testing)} held out")
    model = Localizer(name, EARLY, len(labels)).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    borrow(model, spread(state, len(labels)))
    # The statistics of the normalizations stay those of the large training set.
    model.eval()
    settings: dict[str, Any] = {
        "labels": labels,
        "pictures": [photo.path.name for photo in photos],
        "annotations": hashlib.sha256(annotations.read_bytes()).hexdigest(),
    }
    settings |= {
        "initial": hashlib.sha256(initial.read_bytes()).hexdigest(),
        "epochs": epochs,
        "seed": seed,
        "held_out": share,
    }
    digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:12]
    examples = Examples(pixels[~aside], training, len(labels), configuration)
    size = min(BATCH, len(training))
    steps = epochs * max(1, len(training) // size)
    run = checkpoint.Run(
        work / f"boxes-{digest}.pt", {"model": model}, RATE, 0.03, 0.98, log, steps=steps, settings={"digest": digest}
    )
    run.resume()

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        rows = checkpoint.batch_rows(seed, step, size, len(training))
        x, *wanted = examples.batch(rows, np.random.default_rng([seed, 1, step]))
        codes, logits = model(x)
        score_loss, box_loss = losses(codes, logits.reshape(len(rows), -1, len(labels)), *wanted)
        return score_loss + 2 * box_loss, {"scores": score_loss.detach(), "boxes": box_loss.detach()}

    run.train(step_loss, every=30, warm_up=30)
    checkpoint.finish(work, "custom", run.average.state, name, labels)
    shutil.rmtree(work / "custom-val", ignore_errors=True)
    sample = np.sort(np.random.default_rng(seed).permutation(len(training))[:400])
    resized = [
        np.asarray(Image.fromarray(picture).resize((side, side), Image.Resampling.BILINEAR))
        for picture in pixels[~aside][sample]
    ]
    shards.write(work / "custom-val" / "shard-0000", {"x": np.stack(resized)})
    export(work / "custom.npz", work)
    run.path.unlink()
    mean, lines = table(Model(output / "model.tflite"), testing, labels)
    return [f"{output}: mean AP50 {mean:.3f} on {len(testing)} held-out pictures (int8 model)", "", *lines]
