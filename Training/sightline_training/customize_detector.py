"""Trains a detector of your own from a COCO-style folder (annotations.json beside images/), from our localizer's weights."""

import pathlib
import shutil

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

from . import checkpoint, network, shards, views
from .customize import held_out
from .data import annotated
from .errors import TrainingError
from .geometry import corners, decoded, encoded, iou, suppressed
from .torch_network import EARLY, Localizer, normalised
from .train_classifier import borrow

INITIAL = pathlib.Path(__file__).resolve().parents[1] / "checkpoints" / "localizer.pt"
SIDE = network.LOCALIZER_SIDE


def read(folder):
    """The classes that have boxes, sorted, and the photos, each with the class numbers of its boxes."""
    photos = annotated(folder)
    classes = sorted({name for photo in photos for name in photo.categories})
    if not classes:
        raise TrainingError(f"{folder} holds no boxes: a detector needs some of every class.")
    if "" in classes:
        raise TrainingError(f"A box in {folder} has a category_id that the categories do not list: add the category.")
    for photo in photos:
        photo.keep()
    return classes, photos


def example(photo, classes, rng=None):
    """Pixels, boxes in 0…1 and class numbers; with `rng` a mirrored and recoloured part of the photo."""
    image, boxes = photo.load(), photo.boxes[~photo.crowd]
    numbers = np.array([classes.index(name) for name, crowd in zip(photo.categories, photo.crowd) if not crowd], int)
    region = np.array([0, 0, *image.size], np.float32)
    if rng is not None and rng.random() < 0.7:
        region = np.array(views.region(image, rng, 0.4), np.float32)
    size = np.tile(region[2:] - region[:2], 2)
    whole = (boxes - np.tile(region[:2], 2)) / size
    inside = np.clip(whole, 0, 1)
    share = (inside[:, 2:] - inside[:, :2]).prod(1) / np.maximum((whole[:, 2:] - whole[:, :2]).prod(1), 1e-9)
    inside, numbers = inside[share >= 0.5], numbers[share >= 0.5]
    if rng is not None:
        image = views.recoloured(image, rng)
    pixels = np.asarray(image.resize((SIDE, SIDE), Image.BILINEAR, box=tuple(region.tolist())))
    if rng is not None and rng.random() < 0.5:
        pixels, inside = pixels[:, ::-1], np.stack([1 - inside[:, 2], inside[:, 1], 1 - inside[:, 0], inside[:, 3]], 1)
    return pixels, inside, numbers


def matched(boxes, numbers, anchors):
    """For every anchor its class (-1: none, -2: do not care) and its codes: overlap of a half, and each box's best anchor."""
    wanted, codes = np.full(len(anchors), -1), np.zeros((len(anchors), 4), np.float32)
    if len(boxes):
        overlap = iou(corners(anchors), boxes)
        which, best = overlap.argmax(1), overlap.max(1)
        which[overlap.argmax(0)], best[overlap.argmax(0)] = np.arange(len(boxes)), 1
        wanted = np.where(best >= 0.5, numbers[which], np.where(best >= 0.4, -2, -1))
        take = best >= 0.5
        codes[take] = encoded(boxes[which[take]], anchors[take])
    return wanted, codes


def losses(codes, logits, wanted, target_codes):
    """Focal loss of the classes and smooth L1 of the boxes, by the number of matched anchors."""
    positive = wanted >= 0
    count = positive.sum().clamp(min=1)
    target = functional.one_hot(wanted.clamp(min=0), logits.shape[2]).float() * positive[..., None]
    chance = torch.sigmoid(logits)
    right = torch.where(target > 0, chance, 1 - chance)
    weight = torch.where(target > 0, 0.5, 0.25) * (1 - right) ** 2 * (wanted != -2)[..., None]
    class_loss = (functional.binary_cross_entropy_with_logits(logits, target, reduction="none") * weight).sum() / count
    box_loss = (functional.smooth_l1_loss(codes, target_codes, beta=0.5, reduction="none").mean(-1) * positive).sum() / count
    return class_loss, box_loss


@torch.no_grad()
def recall(model, photos, classes, anchors):
    """The share of people's boxes met (IoU 0.5, same class) by one of the best ten of a picture."""
    hits = total = 0
    for photo in photos:
        pixels, boxes, numbers = example(photo, classes)
        codes, logits, _ = model(normalised(pixels[None].copy()).to(checkpoint.DEVICE))
        logits = logits.reshape(1, len(anchors), len(classes))
        scores, which = torch.sigmoid(logits[0]).cpu().max(1)
        found = np.clip(decoded(codes[0].cpu().numpy(), anchors), 0, 1)
        keep = suppressed(found, scores.numpy(), 0.6, 10)
        if len(boxes):
            same = which.numpy()[keep][:, None] == numbers[None]
            hits += int(((iou(found[keep], boxes) >= 0.5) & same).any(0).sum())
        total += len(boxes)
    return hits / max(1, total)


def train(folder, work, log, initial=None, epochs=15, seed=0, size=16, rate=8e-4):
    torch.manual_seed(seed)
    classes, photos = read(folder)
    anchors = network.anchors()
    training = [photo for photo in photos if not held_out(photo.path)]
    aside = [photo for photo in photos if held_out(photo.path)]
    if not training:
        raise TrainingError(f"{folder} has too few pictures to keep one for measuring: add some.")
    log(f"{len(photos)} pictures, {sum(len(photo.boxes) for photo in photos)} boxes of {len(classes)} classes, {len(aside)} pictures kept for measuring")
    model = Localizer(frozen=EARLY, classes=len(classes)).to(checkpoint.DEVICE, memory_format=torch.channels_last)
    for name, parameter in model.named_parameters():
        if name.endswith("c.c.bias") and ".h" in name:
            torch.nn.init.constant_(parameter, -4)
    borrow(model, checkpoint.load(initial or INITIAL)["ema"])
    size = min(size, len(training))
    settings = {"classes": classes, "pictures": len(photos), "epochs": epochs, "seed": seed, "batch": size, "rate": rate}
    run = checkpoint.Run(work / "custom-run.pt", {"model": model}, rate, 0.02, 0.99, log, steps=epochs * max(1, len(training) // size), settings=settings)
    run.resume()

    def step_loss(step, progress):
        import random

        rng = random.Random(f"{seed}/{step}")
        pixels, targets = [], []
        for row in checkpoint.batch_rows(seed, step, size, len(training)):
            view, boxes, numbers = example(training[row], classes, rng)
            pixels.append(view)
            targets.append(matched(boxes, numbers, anchors))
        wanted = torch.from_numpy(np.stack([pair[0] for pair in targets])).to(checkpoint.DEVICE)
        target_codes = torch.from_numpy(np.stack([pair[1] for pair in targets])).to(checkpoint.DEVICE)
        codes, logits, _ = model(normalised(np.stack(pixels)).to(checkpoint.DEVICE))
        class_loss, box_loss = losses(codes, logits.reshape(size, len(anchors), len(classes)), wanted, target_codes)
        return class_loss + box_loss, {"classes": class_loss.detach(), "boxes": box_loss.detach()}

    run.train(step_loss, warm_up=20)
    state = run.average.state
    model.load_state_dict(state)
    model.eval()
    if aside:
        log(f"boxes found in pictures kept for measuring: {recall(model, aside, classes, anchors):.3f}")
    checkpoint.finish(work, "custom", state, "fmb_m", labels=np.array(classes))
    shutil.rmtree(work / "custom-val", ignore_errors=True)
    order = np.random.default_rng(seed).permutation(len(photos))[:400]
    shards.write(work / "custom-val" / "shard-0000", {"x": np.stack([example(photos[index], classes)[0] for index in order])})
    (work / "custom-run.pt").unlink()
