"""Trains the backbone that the classifier and the labeler share: it learns to say what people and teachers say of whole
photos and of objects, and what another network sees in them.
"""

import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, data, learned, pictures, words
from .evaluate import average_precision_of_label
from .imitation import Imitation
from .lessons import WEIGHTS, Lessons
from .log import Log
from .opinion import MAPS
from .torch_network import EARLY, Classifier, borrow, normalized, sharpened

# Views are cut from prepared pictures: a part of at least so much of each side.
LEAST_WHOLE, LEAST_OBJECT = 0.85, 0.85
VIEW_SIDE = 128

# Views are smaller in the first part of a training, which so shows more of them: the teacher labeler itself names
# objects of 96 pixels as well as of 128.
SMALL_SIDE, SMALL_SHARE = 96, 0.6


def cut(
    pixels: np.ndarray, least: np.ndarray, side: int, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Parts of pictures as views of a side, mirrored by chance and of other colors; and where in the pictures they
    are, as matrices [n, 2, 3].
    """
    count = len(pixels)
    x, between = normalized(pixels), side * 9 // 8
    if between < x.shape[2]:
        x = functional.interpolate(x, (between, between), mode="bilinear", antialias=True)
    share = rng.uniform(least, 1.0)[:, None] * np.exp(rng.uniform(-0.12, 0.12, (count, 2)))
    share = np.minimum(share, 1.05)
    shift = rng.uniform(-1, 1, (count, 2)) * np.abs(1 - share)
    part = np.zeros((count, 2, 3), np.float32)
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    part[:, 0, 0], part[:, 1, 1], part[:, :, 2] = share[:, 0] * mirror, share[:, 1], shift
    matrix = torch.from_numpy(part)
    grid = functional.affine_grid(matrix, [count, 3, side, side], align_corners=False)
    x = functional.grid_sample(x, grid, padding_mode="reflection", align_corners=False)
    gain = rng.uniform(0.75, 1.25, (count, 1, 1, 1)) * rng.uniform(0.93, 1.07, (count, 3, 1, 1))
    x = x * torch.from_numpy(gain.astype(np.float32)) + torch.from_numpy(
        rng.uniform(-0.12, 0.12, (count, 1, 1, 1)).astype(np.float32)
    )
    return sharpened(x.clamp_(-1, 1).contiguous(memory_format=torch.channels_last), rng), matrix


def shown(known: learned.Known) -> np.ndarray:
    """The rows that training learns from; objects of rare classes are in it twice."""
    classes = np.where(known.classes >= 0, known.classes, known.posteriors.argmax(1))
    rare = (known.kinds != pictures.WHOLE) & np.isin(classes, pictures.RARE)
    rows = np.flatnonzero(~known.aside)
    return rows.repeat(1 + rare[rows])


def keep_outputs(model: Classifier, outputs: list[str], state: dict[str, torch.Tensor], earlier: list[str]) -> None:
    """Copies the last layer's rows of the outputs that weights with earlier outputs have too, and the features before
    it: a network with more of them begins with answers that need only those.
    """
    number = {name: index for index, name in enumerate(earlier)}
    kept = [index for index, name in enumerate(outputs) if name in number]
    taken = [number[outputs[index]] for index in kept]
    own, width = model.state_dict(), state["m.fc.weight"].shape[1]
    for name in [name for name in own if name.startswith("m.head.") and own[name].ndim]:
        own[name][:width] = state[name].float()
    own["m.fc.weight"][kept] = 0
    own["m.fc.weight"][kept, :width] = state["m.fc.weight"][taken].float()
    own["m.fc.bias"][kept] = state["m.fc.bias"][taken].float()
    model.load_state_dict(own)


@torch.no_grad()
def features(model: Classifier, rows: np.ndarray, known: learned.Known, side: int) -> np.ndarray:
    """What the model's last layer is given for rows of pictures, in ascending order, at a side."""
    answers = []
    for start in range(0, len(rows), 64):
        x = normalized(known.pictures.rows(rows[start : start + 64], ["x"])["x"])
        if side != pictures.SIDE:
            x = functional.interpolate(x, (side, side), mode="bilinear", antialias=True)
        answers.append(model(x.contiguous(memory_format=torch.channels_last).to(checkpoint.DEVICE))[1].cpu().numpy())
    return np.concatenate(answers)


def train(
    work: pathlib.Path,
    known: learned.Known,
    log: Log,
    initial: pathlib.Path | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    size: int = 64,
    rate: float = 1e-3,
    freeze: bool = False,
    configuration: str = "fmb_x",
) -> None:
    torch.manual_seed(seed)
    labels = known.labels
    aside = known.aside
    rows = shown(known)
    chance = np.random.default_rng(seed)
    checked = np.flatnonzero(aside & ~known.measuring)
    checked = np.sort(chance.permutation(checked)[:2400])
    lessons = Lessons(known, rows)
    outputs = lessons.outputs
    model = Classifier(len(outputs), configuration, EARLY if freeze else ())
    for name, layer in model.m.items():
        if name.endswith("_p") and not name.endswith("_0_p"):
            layer.bn.weight.data.zero_()  # a block that no weights are taken for begins with adding nothing
    bias = model.m["fc"].bias.data
    bias[: lessons.sizes["labels"] + lessons.sizes["scores"]] = -4  # nearly all labels are not in a picture
    if initial:
        content = checkpoint.load(initial)
        state = content.get("average") or content["ema"]
        taken = borrow(model, {name: value.float() for name, value in state.items()})
        if content.get("labels"):
            keep_outputs(model, outputs, state, content["labels"])
        log(f"backbone: takes {taken} tensors of {initial}")
    imitation = Imitation(model, known, rows).to(checkpoint.DEVICE)
    model.to(checkpoint.DEVICE, memory_format=torch.channels_last)
    settings = {
        "model": "backbone",
        "labels": labels,
        "seed": seed,
        "batch": size,
        "rate": rate,
        "rows": len(rows),
        "freeze": freeze,
        "initial": str(initial or ""),
        "steps": steps,
        "minutes": minutes,
    }
    modules = {"model": model, "imitation": imitation}
    run = checkpoint.Run(work / "backbone-run.pt", modules, rate, 0.03, 0.999, log, steps, minutes, settings)
    run.resume()
    least = np.where(known.kinds == pictures.WHOLE, LEAST_WHOLE, LEAST_OBJECT)

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        mine = np.sort(rows[checkpoint.batch_rows(seed, step, min(size, len(rows)), len(rows))])
        rng = np.random.default_rng([seed, 1, step])
        part = known.pictures.rows(mine, ["x", "scores", "features", *MAPS])
        x, matrix = cut(part["x"], least[mine], SMALL_SIDE if progress < SMALL_SHARE else VIEW_SIDE, rng)
        with checkpoint.precision():
            answers, _, maps = model.seen(x.to(checkpoint.DEVICE))
            imitated = imitation(maps)
        errors = lessons.errors(answers.float(), mine, part)
        errors["maps"] = imitation.error(imitated, part, matrix.to(checkpoint.DEVICE))
        loss = torch.stack([WEIGHTS[name] * error for name, error in errors.items()]).sum()
        return loss, {name: error.detach() for name, error in errors.items()}

    def report() -> None:
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(run.average.state)
        model.eval()
        hidden = features(model, checked, known, VIEW_SIDE)
        with torch.no_grad():
            answers = model.m["fc"](torch.from_numpy(hidden).to(checkpoint.DEVICE)).cpu()
        parts = {name: values.numpy() for name, values in lessons.parts(answers).items()}
        model.load_state_dict(kept)
        model.train()
        truth, right = known.truth[checked], known.classes[checked]
        precisions = [
            average_precision_of_label(
                parts["labels"][truth[:, label] >= 0, label], truth[truth[:, label] >= 0, label] == words.YES
            )
            for label in range(len(labels))
            if (truth[:, label] == words.YES).sum() >= 8
        ]
        kinds, answer = lessons.kinds[checked], parts["classes"].argmax(1)
        objects, same = (right >= 0) & (known.kinds[checked] >= 0), parts["kinds"].argmax(1) == kinds
        recalls = [
            float((answer[objects & (right == index)] == index).mean())
            for index in range(len(data.CLASSES))
            if (objects & (right == index)).any()
        ]
        log(
            f"validation after {run.step * size} views: mean AP of {len(precisions)} labels {np.mean(precisions):.3f}"
            f"  mean recall of objects {np.mean(recalls):.3f}  COCO's class right {same[kinds >= 0].mean():.3f}"
        )
        checkpoint.finish(work, "backbone", run.average.state, configuration, outputs)

    log(f"backbone: {len(rows)} pictures, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    run.train(step_loss, every=240.0, report=report)
    report()
    log(f"backbone: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
