"""Trains a labeler from a folder of pictures: a new last layer on our backbone, then the later layers a little."""

import hashlib
import json
import pathlib
import shutil
from collections.abc import Callable

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from . import calibration, checkpoint, folders, network, shards
from .errors import TrainingError
from .evaluate import Model
from .log import Log
from .torch_network import EARLY, Classifier, borrow, normalized

SIDE = network.CUSTOM_SIDE

# Pictures are kept a little larger than the network's input, for the crops.
KEPT = 160
VIEWS = 6
BATCH = 32
RATE = 1.5e-3


def views(pixels: np.ndarray, rng: np.random.Generator) -> torch.Tensor:
    """A random view [n, 3, 128, 128] of every picture: a part of it, perhaps mirrored, in other light."""
    count = len(pixels)
    zoom = np.sqrt(rng.uniform(0.45, 1, (count, 1))) * np.exp(rng.uniform(-0.08, 0.08, (count, 2)))
    zoom = np.minimum(zoom, 1)
    matrix = np.zeros((count, 2, 3), np.float32)
    matrix[:, 0, 0], matrix[:, 1, 1] = zoom[:, 0] * np.where(rng.random(count) < 0.5, -1, 1), zoom[:, 1]
    matrix[:, :, 2] = rng.uniform(-1, 1, (count, 2)) * (1 - zoom)
    grid = functional.affine_grid(torch.from_numpy(matrix), (count, 3, SIDE, SIDE), align_corners=False)
    x = functional.grid_sample(normalized(pixels), grid, padding_mode="reflection", align_corners=False)
    gain = rng.uniform(0.75, 1.25, (count, 1, 1, 1)) * rng.uniform(0.95, 1.05, (count, 3, 1, 1))
    x = (x * torch.from_numpy(gain.astype(np.float32))).clamp(-1, 1)
    return x.contiguous(memory_format=torch.channels_last).to(checkpoint.DEVICE)


def plain(pixels: np.ndarray) -> np.ndarray:
    """The pictures as the finished labeler sees them."""
    return np.stack(
        [np.asarray(Image.fromarray(picture).resize((SIDE, SIDE), Image.Resampling.BILINEAR)) for picture in pixels]
    )


@torch.no_grad()
def answers(model: Classifier, pixels: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits and features of pictures [n, 128, 128, 3]."""
    parts = [model(normalized(pixels[start : start + 64]).to(checkpoint.DEVICE)) for start in range(0, len(pixels), 64)]
    return torch.cat([logits for logits, _ in parts]), torch.cat([features for _, features in parts])


def fitted(layer: torch.nn.Linear, features: torch.Tensor, wanted: torch.Tensor) -> None:
    """Trains the last layer alone on features that stay as they are."""
    optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (
            functional.cross_entropy(layer(features), wanted, label_smoothing=0.05) + 1e-3 * layer.weight.square().sum()
        )
        loss.backward()
        return loss

    optimizer.step(closure)


@torch.no_grad()
def first_features(
    model: Classifier, pixels: np.ndarray, numbers: np.ndarray, seed: int, log: Log
) -> tuple[torch.Tensor, torch.Tensor]:
    """Features of each picture as it is and in a few views, from the backbone as it came."""
    features, wanted = [answers(model, plain(pixels))[1]], [numbers]
    for view in range(VIEWS):
        for start in range(0, len(pixels), 64):
            rng = np.random.default_rng([seed, 2, view, start])
            features.append(model(views(pixels[start : start + 64], rng))[1])
            wanted.append(numbers[start : start + 64])
        log(f"features: {view + 1} of {VIEWS} views")
    return torch.cat(features), torch.from_numpy(np.concatenate(wanted)).to(checkpoint.DEVICE)


def train(
    folder: pathlib.Path,
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
    if folder.resolve() in output.resolve().parents or folder.resolve() == output.resolve():
        raise TrainingError(
            f"{output} lies in the folder of the pictures, where it would be a label: name another folder for the"
            " model."
        )
    torch.manual_seed(seed)
    labels, paths = folders.labeled(folder)
    log(f"reads {sum(map(len, paths))} pictures of {len(labels)} labels")
    pixels, kept, numbers = folders.squares(folder, labels, paths, KEPT, log)
    names = [f"{labels[number]}/{path.name}" for path, number in zip(kept, numbers)]
    aside = folders.held_out(names, numbers, share, seed)
    log(f"{(~aside).sum()} pictures to train on, {aside.sum()} held out")
    weights = checkpoint.load(initial)
    state, configuration = weights.get("ema"), weights.get("cfg")
    if not state or configuration not in network.CONFIGURATIONS:
        raise TrainingError(
            f"{initial} holds no weights of our networks: name the .pt file of a classifier or localizer with"
            " --initial."
        )
    model = Classifier(len(labels), configuration, EARLY).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    borrow(model, {name: value for name, value in state.items() if not name.startswith("m.fc.")})
    # The statistics of the normalizations stay those of the large training set.
    model.eval()

    # A run is known by all that its result follows from; its checkpoint takes part of the digest as its name.
    settings = {
        "labels": labels,
        "pictures": names,
        "initial": hashlib.sha256(initial.read_bytes()).hexdigest(),
        "epochs": epochs,
        "seed": seed,
        "held_out": share,
    }
    digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:12]
    training, wanted = pixels[~aside], numbers[~aside]
    testing, right = plain(pixels[aside]), numbers[aside]
    size = min(BATCH, len(training))
    steps = epochs * max(1, len(training) // size)
    run = checkpoint.Run(
        work / f"labels-{digest}.pt", {"model": model}, RATE, 0.03, 0.98, log, steps=steps, settings={"digest": digest}
    )
    if not run.resume():
        fitted(model.m["fc"], *first_features(model, training, wanted, seed, log))
        run.average = checkpoint.Average(model, 0.98)
        log(f"new last layer: {accuracy(model, testing, right):.1%} of the held-out pictures right")

    def step_loss(step: int, progress: float) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        rows = checkpoint.batch_rows(seed, step, size, len(training))
        logits, _ = model(views(training[rows], np.random.default_rng([seed, 1, step])))
        target = torch.from_numpy(wanted[rows]).to(checkpoint.DEVICE)
        loss = functional.cross_entropy(logits, target, label_smoothing=0.05)
        return loss, {"loss": loss.detach(), "right": (logits.detach().argmax(1) == target).float().mean()}

    run.train(step_loss, every=30, warm_up=20)
    model.load_state_dict(run.average.state)
    logits, _ = answers(model, testing)
    log(f"fine-tuned: {(logits.argmax(1).cpu().numpy() == right).mean():.1%} of the held-out pictures right")
    # The temperature goes into the last layer, so that the confidence means what it says.
    temperature = max(0.5, calibration.fitted_temperature(logits.cpu().numpy(), right))
    for name in ("m.fc.weight", "m.fc.bias"):
        run.average.state[name] /= temperature
    checkpoint.finish(work, "custom", run.average.state, configuration, labels)
    shutil.rmtree(work / "custom-val", ignore_errors=True)
    sample = np.sort(np.random.default_rng(seed).permutation(len(training))[:400])
    shards.write(work / "custom-val" / "shard-0000", {"x": plain(training[sample])})
    export(work / "custom.npz", work)
    run.path.unlink()
    exported = Model(output / "model.tflite")
    answered = np.array([np.argmax(exported.run(Image.fromarray(picture))[0]) for picture in testing])
    share_right, table = folders.confusion(right, answered, labels)
    return [
        f"{output}: {share_right:.1%} of {len(right)} held-out pictures right (int8 model)",
        "",
        "Rows are the labels, columns the answers:",
        *table,
    ]


def accuracy(model: Classifier, pixels: np.ndarray, right: np.ndarray) -> float:
    return float((answers(model, pixels)[0].argmax(1).cpu().numpy() == right).mean())
