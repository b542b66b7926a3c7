"""Trains the backbone that the classifier and the labeler share: it learns to say what people and teachers say of whole
photos and of objects, and what another network sees in them.
"""

import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, data, learned, pictures, words
from .evaluate import average_precision_of_label
from .log import Log
from .torch_network import EARLY, Classifier, borrow, normalized, sharpened

# Views are cut from prepared pictures: a part of at least so much of each side.
LEAST_WHOLE, LEAST_OBJECT = 0.85, 0.85
VIEW_SIDE = 128

# The weights of imitating the teacher's 631 scores and the teachers' features, and of the labels of whole photos,
# beside that of the six classes.
SCORES_WEIGHT, FEATURES_WEIGHT, LABELS_WEIGHT = 0.4, 16.0, 0.5

# Of a named object's target this share is its class; the rest, and all of an unnamed object's, is the teacher's.
NAMED_SHARE = 0.7

SMOOTHING = 0.02

# Objects of the classes that photos show least are shown twice as often.
RARE = [data.CLASSES.index(name) for name in ("fashion good", "food", "plant")]

# The outputs of the backbone are the labels, then these: the teachers' scores and features by their numbers, and our
# classes.
TAUGHT, FEATURE, CLASS = "teacher/", "feature/", "class/"

# So many pictures tell the range of each feature.
MEASURED = 4000


def cut(pixels: np.ndarray, least: np.ndarray, rng: np.random.Generator) -> torch.Tensor:
    """Parts of pictures as views of VIEW_SIDE, mirrored by chance and of other colors."""
    count = len(pixels)
    x = normalized(pixels)
    share = rng.uniform(least, 1.0)[:, None] * np.exp(rng.uniform(-0.12, 0.12, (count, 2)))
    share = np.minimum(share, 1.05)
    shift = rng.uniform(-1, 1, (count, 2)) * np.abs(1 - share)
    matrix = np.zeros((count, 2, 3), np.float32)
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    matrix[:, 0, 0], matrix[:, 1, 1], matrix[:, :, 2] = share[:, 0] * mirror, share[:, 1], shift
    grid = functional.affine_grid(torch.from_numpy(matrix), [count, 3, VIEW_SIDE, VIEW_SIDE], align_corners=False)
    x = functional.grid_sample(x, grid, padding_mode="reflection", align_corners=False)
    gain = rng.uniform(0.75, 1.25, (count, 1, 1, 1)) * rng.uniform(0.93, 1.07, (count, 3, 1, 1))
    x = x * torch.from_numpy(gain.astype(np.float32)) + torch.from_numpy(
        rng.uniform(-0.12, 0.12, (count, 1, 1, 1)).astype(np.float32)
    )
    return sharpened(x.clamp_(-1, 1).contiguous(memory_format=torch.channels_last), rng)


def class_targets(known: learned.Known) -> tuple[np.ndarray, np.ndarray]:
    """The wanted probabilities of our classes [n, 6], and how much each row counts: whole photos of no class do not."""
    hard = np.eye(len(data.CLASSES), dtype=np.float32)[np.maximum(known.classes, 0)]
    mixed = NAMED_SHARE * hard + (1 - NAMED_SHARE) * known.posteriors
    named = known.classes >= 0
    weight = np.where((known.kinds == pictures.WHOLE) & ~named, 0.0, 1.0).astype(np.float32)
    frequency = np.bincount(known.classes[named], minlength=len(data.CLASSES)) / max(1, named.sum())
    weight[named] *= np.clip((1 / len(data.CLASSES) / np.maximum(frequency, 1e-6)) ** 0.5, 0.5, 3)[known.classes[named]]
    return np.where(named[:, None], mixed, known.posteriors), weight


def shown(known: learned.Known) -> np.ndarray:
    """The rows that training learns from; those of rare classes are in it twice."""
    classes = np.where(known.classes >= 0, known.classes, known.posteriors.argmax(1))
    rare = (known.kinds != pictures.WHOLE) & np.isin(classes, RARE)
    rows = np.flatnonzero(~known.aside)
    return rows.repeat(1 + rare[rows])


def evened(features: np.ndarray) -> np.ndarray:
    """The teachers' features, the rare high ones less high."""
    return np.sqrt(features.astype(np.float32))


def ranges(known: learned.Known, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the deviation of each of the teachers' features on whole photos."""
    rows = rows[known.kinds[rows] == pictures.WHOLE]
    chosen = rows[:: max(1, len(rows) // MEASURED)]
    values = evened(known.pictures.rows(chosen, ["features"])["features"])
    return values.mean(0), values.std(0) + 0.1


def keep_outputs(model: Classifier, outputs: list[str], state: dict[str, torch.Tensor], earlier: list[str]) -> None:
    """Copies the last layer's rows of the outputs that weights with earlier outputs have too."""
    number = {name: index for index, name in enumerate(earlier)}
    kept = [index for index, name in enumerate(outputs) if name in number]
    taken = [number[outputs[index]] for index in kept]
    for part in ("weight", "bias"):
        getattr(model.m["fc"], part).data[kept] = state[f"m.fc.{part}"][taken].float()


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
    configuration: str = "fmb_l",
) -> None:
    torch.manual_seed(seed)
    labels = known.labels
    aside = known.aside
    rows = shown(known)
    chance = np.random.default_rng(seed)
    checked = np.flatnonzero(aside & ~known.measuring)
    checked = np.sort(chance.permutation(checked)[:2400])
    wanted, weights = class_targets(known)
    taught, seen = (known.pictures.parts[0][name].shape[1] for name in ("scores", "features"))
    mean, deviation = ranges(known, rows)
    outputs = [
        *labels,
        *(f"{TAUGHT}{number}" for number in range(taught)),
        *(f"{FEATURE}{number}" for number in range(seen)),
        *(f"{CLASS}{name}" for name in data.CLASSES),
    ]
    parts = [len(labels), taught, seen, len(data.CLASSES)]
    model = Classifier(len(outputs), configuration, EARLY if freeze else ())
    for name, layer in model.m.items():
        if name.endswith("_p") and not name.endswith("_0_p"):
            layer.bn.weight.data.zero_()  # a block that no weights are taken for begins with adding nothing
    bias = model.m["fc"].bias.data
    bias[: len(labels) + taught] = -4  # nearly all labels are not in a picture
    if initial:
        content = checkpoint.load(initial)
        state = content.get("average") or content["ema"]
        taken = borrow(model, {name: value.float() for name, value in state.items()})
        if content.get("labels"):
            keep_outputs(model, outputs, state, content["labels"])
        log(f"backbone: takes {taken} tensors of {initial}")
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
    run = checkpoint.Run(work / "backbone-run.pt", {"model": model}, rate, 0.03, 0.999, log, steps, minutes, settings)
    run.resume()
    least = np.where(known.kinds == pictures.WHOLE, LEAST_WHOLE, LEAST_OBJECT)

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        mine = np.sort(rows[checkpoint.batch_rows(seed, step, min(size, len(rows)), len(rows))])
        rng = np.random.default_rng([seed, 1, step])
        part = known.pictures.rows(mine, ["x", "scores", "features"])
        x = cut(part["x"], least[mine], rng).to(checkpoint.DEVICE)
        with checkpoint.precision():
            said, scores, views, classes = model(x)[0].split(parts, 1)
        target = torch.from_numpy(wanted[mine]).to(checkpoint.DEVICE)
        weight = torch.from_numpy(weights[mine]).to(checkpoint.DEVICE)
        class_loss = (-(target * functional.log_softmax(classes, 1)).sum(1) * weight).sum() / size
        wished = torch.from_numpy(part["scores"].astype(np.float32) / 256).to(checkpoint.DEVICE)
        score_loss = functional.binary_cross_entropy_with_logits(scores, wished, reduction="none").sum(1).mean()
        sight = torch.from_numpy((evened(part["features"]) - mean) / deviation).to(checkpoint.DEVICE)
        asked = torch.ones_like(sight)
        asked[torch.from_numpy(known.kinds[mine] != pictures.WHOLE), : pictures.EMBEDDED] = 0
        feature_loss = ((views - sight).square() * asked).sum() / asked.sum().clamp(min=1)
        truth = torch.from_numpy(known.truth[mine].astype(np.float32)).to(checkpoint.DEVICE)
        soft = truth.clamp(0, 1) * (1 - 2 * SMOOTHING) + SMOOTHING / 4
        label_loss = functional.binary_cross_entropy_with_logits(said, soft, reduction="none") * (truth >= 0)
        label_loss = label_loss.sum() / max(1.0, float((truth >= 0).any(1).sum()))
        loss = class_loss + SCORES_WEIGHT * score_loss + FEATURES_WEIGHT * feature_loss + LABELS_WEIGHT * label_loss
        return loss, {
            "classes": class_loss.detach(),
            "scores": score_loss.detach(),
            "features": feature_loss.detach(),
            "labels": label_loss.detach(),
        }

    def report() -> None:
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(run.average.state)
        model.eval()
        hidden = features(model, checked, known, VIEW_SIDE)
        with torch.no_grad():
            answers = model.m["fc"](torch.from_numpy(hidden).to(checkpoint.DEVICE)).cpu().numpy()
        said, answer = answers[:, : len(labels)], answers[:, -len(data.CLASSES) :].argmax(1)
        model.load_state_dict(kept)
        model.train()
        truth, right = known.truth[checked], known.classes[checked]
        precisions = [
            average_precision_of_label(
                said[truth[:, label] >= 0, label], truth[truth[:, label] >= 0, label] == words.YES
            )
            for label in range(len(labels))
            if (truth[:, label] == words.YES).sum() >= 8
        ]
        objects = (right >= 0) & (known.kinds[checked] >= 0)
        recalls = [
            float((answer[objects & (right == index)] == index).mean())
            for index in range(len(data.CLASSES))
            if (objects & (right == index)).any()
        ]
        log(
            f"validation after {run.step * size} views: mean AP of {len(precisions)} labels {np.mean(precisions):.3f}"
            f"  mean recall of objects {np.mean(recalls):.3f}"
        )
        checkpoint.finish(work, "backbone", run.average.state, configuration, outputs)

    log(f"backbone: {len(rows)} pictures, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    run.train(step_loss, every=240.0, report=report)
    report()
    log(f"backbone: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} views")
