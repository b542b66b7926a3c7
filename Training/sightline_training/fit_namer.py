"""Fits the last layer that names the localizer's boxes on the classifier's backbone, and chooses the confidence from
which on a name is told.
"""

import pathlib

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, coco, crops, data, split
from .calibration import log_softmax, sigmoid
from .crops import Crops
from .data import Photo
from .errors import TrainingError
from .evaluate import Model
from .files import write
from .last_layer import of_tflite, opened, replaced
from .lessons import KIND
from .log import Log
from .named_boxes import NAMED, NOTHING, UNCLEAR, Names, Thresholds, named, report

# How many of the localizer's boxes of a photo are learned from, beside people's.
LEARNED = 8

# How strongly the weights are held where they were, and the shift of a name's confidence at 0.
HOLD, HOLD_SHIFT = 3e-3, 2.0

# In how many parts the photos are cut to choose thresholds by.
PARTS = 5

# How many of the told kinds, and of all told names, shall be right.
WANTED_KINDS, WANTED = 0.89, 0.87


def begun(state: dict[str, torch.Tensor], outputs: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Where the last layer begins: with the backbone's outputs for COCO's kinds, and their mean for nothing."""
    rows = [outputs.index(f"{KIND}{name}") for name in coco.NAMES]
    weight, bias = state["m.fc.weight"][rows].numpy(), state["m.fc.bias"][rows].numpy()
    weight = np.concatenate([weight, weight.mean(0, keepdims=True)])
    return weight - weight.mean(0), np.append(bias, bias.mean()).astype(np.float32)


def fitted(
    features: np.ndarray, kinds: np.ndarray, weight: np.ndarray, bias: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The last layer's weights and biases for features [n, f] and the kinds of their boxes."""
    first, x, y = torch.from_numpy(weight), torch.from_numpy(features), torch.from_numpy(kinds)
    w, b = first.clone().requires_grad_(), torch.from_numpy(bias).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([w, b], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(x @ w.T + b, y) + HOLD * (w - first).square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return w.detach().numpy(), b.detach().numpy()


def curve(confidence: np.ndarray, names: Names, count: int) -> tuple[float, np.ndarray]:
    """How the logit of the chance that a name is right follows that of its confidence: a factor, and a summand for
    each of `count` names.
    """
    x, y = torch.from_numpy(confidence), torch.from_numpy(names.right)
    number = torch.from_numpy(names.number)
    line = torch.zeros(2, dtype=torch.double, requires_grad=True)
    shift = torch.zeros(count, dtype=torch.double, requires_grad=True)
    optimizer = torch.optim.LBFGS([line, shift], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        chance = line[0] * x + line[1] + shift[number]
        loss = functional.binary_cross_entropy_with_logits(chance, y, reduction="sum")
        loss = loss + HOLD_SHIFT * shift.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return line[0].item(), (line[1] + shift).detach().numpy()


def thresholds(names: Names, count: int, wanted: float, before: tuple[float, int] = (0, 0)) -> np.ndarray:
    """The confidence of each of `count` names from which on the told names are right as often as wanted, together with
    names that are told already (how many are right, and how many there are).

    All names get the lowest chance to be right at which all that are told together are right as often as wanted. It is
    chosen by chances that were learned from other boxes, since a curve fits too well the boxes that it was made of.
    """
    value = np.clip(names.confidence.astype(np.float64), 1e-6, 1 - 1e-6)
    confidence = np.log(value) - np.log1p(-value)
    # Boxes of a photo follow one another, so they are in one part.
    part, chance = np.arange(len(value)) * PARTS // len(value), np.zeros(len(value))
    for number in range(PARTS):
        mine, rest = part == number, part != number
        others = Names(names.number[rest], names.confidence[rest], names.right[rest])
        factor, summands = curve(confidence[rest], others, count)
        chance[mine] = factor * confidence[mine] + summands[names.number[mine]]
    order = np.argsort(-chance)
    share = (before[0] + np.cumsum(names.right[order])) / (before[1] + np.arange(1, len(order) + 1))
    enough = np.flatnonzero(share >= wanted)
    if not len(enough):
        raise TrainingError(f"No name is right in {wanted:.0%} of the boxes: train the backbone longer.")
    factor, summands = curve(confidence, names, count)
    return sigmoid((chance[order][enough[-1]] - summands) / factor)


def chosen(kinds: Names, groups: Names) -> Thresholds:
    """The thresholds of kinds, and of groups for what no kind is told of."""
    least = thresholds(kinds, NOTHING, WANTED_KINDS)
    told = kinds.confidence >= least[kinds.number]
    rest = Names(groups.number[~told], groups.confidence[~told], groups.right[~told])
    before = kinds.right[told].sum(), int(told.sum())
    return Thresholds(least, thresholds(rest, len(coco.GROUPS), WANTED, before))


def learned(
    examples: Crops, aside: Crops, photos: list[Photo], weight: np.ndarray, bias: np.ndarray, log: Log
) -> tuple[np.ndarray, np.ndarray, Thresholds]:
    """The last layer fitted to examples, and the thresholds chosen by boxes of photos kept aside."""
    clear = examples.kind != UNCLEAR
    weight, bias = fitted(examples.features[clear].astype(np.float32), examples.kind[clear], weight, bias)
    probabilities = np.exp(log_softmax(aside.features.astype(np.float32) @ weight.T + bias))
    kinds, groups = (named(aside, photos, probabilities, group) for group in (False, True))
    least = chosen(kinds, groups)
    row = report(aside, photos, kinds, groups, least)
    log("photos kept aside: " + "  ".join(f"{name} {value:.3f}".removesuffix(".000") for name, value in row.items()))
    return weight, bias, least


def fit(
    work: pathlib.Path,
    initial: pathlib.Path,
    photos: list[Photo],
    localizer: pathlib.Path,
    classifier: pathlib.Path,
    people: list[Photo],
    log: Log,
) -> None:
    """Fits names to the boxes of photos in which people drew all of COCO's kinds; chooses thresholds on the photos of
    these that are kept aside and on `people`. The coarse classes stay those of `classifier`, a .tflite file of the same
    backbone.
    """
    model, state, content = opened(initial)
    find = Model(localizer)
    shown = [photo for photo in photos if not split.is_held_out(photo.name)]
    aside = [photo for photo in photos if split.is_held_out(photo.name)] + people
    log(f"namer: {len(shown)} photos to fit, {len(aside)} to choose by")
    if not shown or not aside:
        raise TrainingError("The namer needs photos with people's boxes to learn from and to choose by: give more.")
    examples = crops.seen(shown, find, model, LEARNED, with_drawn=True)
    begin = begun(state, content["labels"])
    weight, bias, least = learned(examples, crops.seen(aside, find, model, NAMED), aside, *begin, log)
    classes, first = of_tflite(classifier, len(data.CLASSES))
    crops.write_sample(work / "namer-val", shown)
    last = replaced(state, np.concatenate([classes, weight]), np.concatenate([first, bias]))
    checkpoint.finish(work, "namer", last, content["cfg"])
    write(work / "namer.thresholds.json", least.content())
