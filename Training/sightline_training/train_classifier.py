"""Trains the coarse classifier on prepared crops."""

import math
import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, data, shards
from .evaluate import calibration_error
from .log import Log
from .torch_network import EARLY, Classifier, normalized, sharpened

# Of a labeled crop's target this share is the person's class; the rest, and all of an unlabeled crop's, is the
# labeler's.
PERSON_SHARE = 0.3

# The weight of imitating all 631 scores of the labeler, which say far more of a crop than six classes do; in the end it
# is FINAL_SHARE of that, when the six classes have the last word.
LABELS_WEIGHT, FINAL_SHARE = 0.5, 0.3


def targets(labels: np.ndarray, posteriors: np.ndarray) -> np.ndarray:
    """The wanted probabilities [n, 6]."""
    hard = np.eye(len(data.CLASSES), dtype=np.float32)[np.maximum(labels, 0)]
    mixed = PERSON_SHARE * hard + (1 - PERSON_SHARE) * posteriors
    return np.where((labels >= 0)[:, None], mixed, posteriors).astype(np.float32)


def answers(labels: np.ndarray, posteriors: np.ndarray) -> np.ndarray:
    """The class that counts as right: the person's, else the labeler's best."""
    return np.where(labels >= 0, labels, posteriors.argmax(1))


def augmented(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Mirrored, zoomed by up to a quarter and shifted, each picture by its own chance."""
    count = len(x)
    zoom = rng.uniform(0.75, 1.05, (count, 1)) * np.exp(rng.uniform(-0.1, 0.1, (count, 2)))
    shift = rng.uniform(-1, 1, (count, 2)) * np.abs(1 - zoom)
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    matrix = np.zeros((count, 2, 3), np.float32)
    matrix[:, 0, 0], matrix[:, 1, 1] = zoom[:, 0] * mirror, zoom[:, 1]
    matrix[:, :, 2] = shift
    grid = functional.affine_grid(torch.from_numpy(matrix), x.shape, align_corners=False)
    return functional.grid_sample(x, grid, padding_mode="reflection", align_corners=False)


def fitted_temperature(logits: np.ndarray, right: np.ndarray) -> float:
    """The divisor of the logits under which the right answers are most likely."""
    logits, right = torch.from_numpy(logits), torch.from_numpy(right.astype(np.int64))
    return min(
        np.exp(np.linspace(math.log(0.2), math.log(3), 120)),
        key=lambda value: float(functional.cross_entropy(logits / value, right)),
    )


def calibration(logits: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """What "unknown" has too much, and the divisor of the logits without that, under which the right answers are most
    likely.

    Unknown has too much since the labeler's posteriors, which were learnt, never leave it without a share.
    """
    best, lowest = (0.0, 1.0), math.inf
    for excess in np.linspace(-1, 2, 61):
        shifted = without_bias(excess, logits)
        temperature = fitted_temperature(shifted, right)
        loss = float(
            functional.cross_entropy(torch.from_numpy(shifted / temperature), torch.from_numpy(right.astype(np.int64)))
        )
        if loss < lowest:
            best, lowest = (float(excess), float(temperature)), loss
    return best


def without_bias(excess: float, logits: np.ndarray) -> np.ndarray:
    shifted = logits.copy()
    shifted[:, data.UNKNOWN] -= excess
    return shifted


@torch.no_grad()
def measured(model: Classifier, state: dict[str, torch.Tensor], validation: dict[str, np.ndarray]) -> np.ndarray:
    """Logits for the validation crops, from the averaged weights."""
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    model.eval()
    logits = [
        model(normalized(validation["x"][start : start + 100]).to(checkpoint.DEVICE))[0].cpu().numpy()
        for start in range(0, len(validation["x"]), 100)
    ]
    model.load_state_dict(kept)
    model.train()
    return np.concatenate(logits)


def whole(folder: pathlib.Path, names: list[str]) -> dict[str, np.ndarray]:
    """All rows of a folder."""
    parts = shards.Shards(folder, names)
    return parts.rows(np.arange(len(parts)))


def train(
    work: pathlib.Path,
    log: Log,
    initial: pathlib.Path | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    size: int = 64,
    rate: float = 1e-3,
    count: int | None = None,
    configuration: str = "fmb_m",
    freeze: bool = False,
) -> None:
    torch.manual_seed(seed)
    crops = shards.Shards(work / "classifier-train", ["x", "label", "posterior", "scores"])
    count = min(len(crops), count or len(crops))
    known = crops.rows(np.arange(count), ["label", "posterior"])
    wanted = targets(known["label"].astype(np.int64), known["posterior"])
    validation = whole(work / "classifier-val", ["x", "label", "posterior"])
    held_out = whole(work / "classifier-held", ["x", "label"])
    right = answers(validation["label"].astype(np.int64), validation["posterior"])
    model = Classifier(len(data.CLASSES), configuration, EARLY if freeze else ()).to(
        checkpoint.DEVICE, memory_format=torch.channels_last
    )
    labels = torch.nn.Linear(model.m["fc"].in_features, crops.parts[0]["scores"].shape[1]).to(checkpoint.DEVICE)
    torch.nn.init.constant_(labels.bias, -5)
    if initial:
        weights = checkpoint.load(initial)
        taken = borrow(model, weights.get("average") or weights["ema"])
        if "labels" in weights.get("modules", {}):  # the checkpoint of a run, which also knows how scores are imitated
            labels.load_state_dict(weights["modules"]["labels"])
        log(f"classifier: takes {taken} tensors of {initial}")
    settings = {
        "model": "classifier",
        "seed": seed,
        "batch": size,
        "rate": rate,
        "views": count,
        "freeze": freeze,
        "initial": str(initial or ""),
        "steps": steps,
        "minutes": minutes,
    }
    run = checkpoint.Run(
        work / "classifier-run.pt", {"model": model, "labels": labels}, rate, 0.03, 0.999, log, steps, minutes, settings
    )
    run.resume()

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        rows = np.sort(checkpoint.batch_rows(seed, step, min(size, count), count))
        rng = np.random.default_rng([seed, 1, step])
        part = crops.rows(rows, ["x", "scores"])
        x = sharpened(augmented(normalized(part["x"]), rng).contiguous(memory_format=torch.channels_last), rng)
        gain = torch.from_numpy(
            (rng.uniform(0.8, 1.2, (len(rows), 1, 1, 1)) * rng.uniform(0.94, 1.06, (len(rows), 3, 1, 1))).astype(
                np.float32
            )
        )
        target = torch.from_numpy(wanted[rows]).to(checkpoint.DEVICE)
        with checkpoint.precision():
            logits, features = model((x * gain).clamp(-1, 1).to(checkpoint.DEVICE))
        loss = -(target * functional.log_softmax(logits, 1)).sum(1).mean()
        scores = torch.from_numpy(part["scores"].astype(np.float32) / 256).to(checkpoint.DEVICE)
        label_loss = (
            functional.binary_cross_entropy_with_logits(labels(features), scores, reduction="none").sum(1).mean()
        )
        weight = LABELS_WEIGHT * (1 - (1 - FINAL_SHARE) * progress)
        return loss + weight * label_loss, {
            "classes": loss.detach(),
            "labels": label_loss.detach(),
            "agrees": (logits.detach().argmax(1) == target.argmax(1)).float().mean(),
        }

    def report() -> None:
        logits = measured(model, run.average.state, validation)
        # Validation crops are harder than what a detector hands over: whole pictures tell better how sure to be.
        excess, temperature = calibration(measured(model, run.average.state, held_out), held_out["label"])
        probabilities = torch.softmax(torch.from_numpy(without_bias(excess, logits) / temperature), 1).numpy()
        correct = probabilities.argmax(1) == right
        error = calibration_error(probabilities.max(1), correct)
        recalls = [
            float(correct[right == index].mean()) for index in range(len(data.CLASSES)) if (right == index).any()
        ]
        log(
            f"validation: accuracy {correct.mean():.3f}  mean recall {np.mean(recalls):.3f}  "
            f"temperature {temperature:.2f}  without {excess:.2f} of unknown  calibration error {error:.3f}"
        )
        # Both go into the last layer, so that the model's own softmax is calibrated.
        state = {name: value.clone() for name, value in run.average.state.items()}
        state["m.fc.bias"][data.UNKNOWN] -= excess
        for name in ("m.fc.weight", "m.fc.bias"):
            state[name] /= temperature
        checkpoint.finish(work, "classifier", state, configuration)

    log(f"classifier: {count} crops, {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    run.train(step_loss, every=120.0, report=report)
    report()
    log(f"classifier: done after {run.step} steps, {run.elapsed / 60:.1f} minutes, {run.step * size} crops")


def borrow(model: torch.nn.Module, state: dict[str, torch.Tensor]) -> int:
    """Copies the weights of equal name and shape: all of a classifier's, or a localizer's backbone."""
    own, taken = model.state_dict(), 0
    for name, value in own.items():
        if name in state and state[name].shape == value.shape:
            own[name] = state[name]
            taken += 1
    model.load_state_dict(own)
    return taken
