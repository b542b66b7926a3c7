"""Trains a model of your own from ours, by a few pictures.

A folder with a subfolder of pictures for each class makes a labeler; one with annotations.json (COCO-style) beside images/
makes a detector. `export custom FOLDER` then writes what AutoML Vision Edge would have.
"""

import argparse
import hashlib
import pathlib
import shutil

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from . import checkpoint, network, shards
from .data import opened
from .errors import TrainingError, told
from .log import Log
from .prepare import DEFAULT_WORK
from .torch_network import EARLY, Classifier, normalised
from .train_classifier import borrow, measured, moved, temperature

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}
INITIAL = pathlib.Path(__file__).resolve().parents[1] / "checkpoints" / "classifier.pt"


def labelled(folder):
    """The classes (the names of the subfolders, sorted) and pairs of picture and class number."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise TrainingError(f"The folder {folder} does not exist: give one with a subfolder for each class.")
    classes = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    if len(classes) < 2:
        raise TrainingError(f"{folder} has {len(classes)} subfolders: a labeler needs two classes or more, each a subfolder of pictures.")
    pictures = []
    for index, name in enumerate(classes):
        mine = sorted(path for path in (folder / name).iterdir() if path.suffix.lower() in SUFFIXES and not path.name.startswith("."))
        if not mine:
            raise TrainingError(f"The class {name!r} has no pictures in {folder / name}: add some, or remove the folder.")
        pictures += [(path, index) for path in mine]
    return classes, pictures


def held_out(path):
    """Whether a picture is kept for measuring: about one in eight, by a hash of its name, so always the same ones."""
    return int.from_bytes(hashlib.sha256(path.name.encode()).digest()[:4], "big") % 8 == 0


def train(folder, work, log, initial=None, epochs=15, seed=0, size=32, rate=8e-4):
    torch.manual_seed(seed)
    classes, pictures = labelled(folder)
    side = network.CLASSIFIER_SIDE
    pixels = np.stack([np.asarray(opened(path).resize((side, side), Image.BILINEAR)) for path, _ in pictures])
    labels = np.array([label for _, label in pictures])
    aside = np.array([held_out(path) for path, _ in pictures])
    training = np.where(~aside)[0]
    missing = set(range(len(classes))) - set(labels[training].tolist())
    if missing:
        raise TrainingError(f"The class {classes[min(missing)]!r} has too few pictures to keep one for measuring: add some.")
    log(f"{len(pictures)} pictures of {len(classes)} classes, {aside.sum()} of them kept for measuring")
    model = Classifier(len(classes), frozen=EARLY).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    borrow(model, checkpoint.load(initial or INITIAL)["ema"])
    size = min(size, len(training))
    steps = epochs * max(1, len(training) // size)
    settings = {"classes": classes, "pictures": len(pictures), "epochs": epochs, "seed": seed, "batch": size, "rate": rate}
    run = checkpoint.Run(work / "custom-run.pt", {"model": model}, rate, 0.03, 0.99, log, steps=steps, settings=settings)
    run.resume()

    def step_loss(step, progress):
        rows = training[checkpoint.batch_rows(seed, step, size, len(training))]
        rng = np.random.default_rng([seed, 1, step])
        x = moved(normalised(pixels[rows]), rng).contiguous(memory_format=torch.channels_last)
        gain = torch.from_numpy(rng.uniform(0.8, 1.2, (len(rows), 1, 1, 1)).astype(np.float32))
        wanted = torch.from_numpy(labels[rows]).to(checkpoint.DEVICE)
        logits, _ = model((x * gain).clamp(-1, 1).to(checkpoint.DEVICE))
        loss = functional.cross_entropy(logits, wanted, label_smoothing=0.05)
        return loss, {"loss": loss.detach(), "right": (logits.detach().argmax(1) == wanted).float().mean()}

    run.train(step_loss, warm_up=20)
    state = {name: value.clone() for name, value in run.average.state.items()}
    if aside.any():
        logits = measured(model, run.average.state, {"x": pixels[aside]})
        right = labels[aside]
        log(f"right on pictures kept for measuring: {(logits.argmax(1) == right).mean():.3f}")
        for name in ("m.fc.weight", "m.fc.bias"):
            state[name] /= max(0.5, temperature(logits, right))
    checkpoint.finish(work, "custom", state, "fmb_m", labels=np.array(classes))
    shutil.rmtree(work / "custom-val", ignore_errors=True)
    shards.write(work / "custom-val" / "shard-0000", {"x": pixels[np.random.default_rng(seed).permutation(len(pixels))[:400]]})
    (work / "custom-run.pt").unlink()


def main():
    parser = argparse.ArgumentParser(prog="customize", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="subfolders of pictures, or annotations.json beside images/")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument("--initial", type=pathlib.Path, help="the weights to start from (.pt); without it those in checkpoints")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.epochs < 1 or arguments.threads < 1:
        raise TrainingError("--epochs and --threads must be 1 or more.")
    torch.set_num_threads(arguments.threads)
    if (arguments.folder / "annotations.json").exists():
        from .customize_detector import train as train_this
    else:
        train_this = train
    train_this(arguments.folder, arguments.work, Log(arguments.work / "customize.log"), arguments.initial, arguments.epochs, arguments.seed)


if __name__ == "__main__":
    told(main)
