"""The public detectors of COCO's kinds whose answers the detector learns: used for training only and never shipped.

Each answers about a picture with the boxes in 0…1, the scores and the kinds of what it finds.
"""

import pathlib
from typing import Any

import numpy as np
from PIL import Image

from .geometry import suppressed
from .teachers import interpreter

Found = tuple[np.ndarray, np.ndarray, np.ndarray]

# The side of the pictures of all three; what is less sure is not kept, nor what overlaps a better box of its kind.
SIDE, LEAST, SAME, MOST = 416, 0.05, 0.6, 40

# The colors' means and deviations on ImageNet, red first.
MEAN, DEVIATION = np.array([123.675, 116.28, 103.53], np.float32), np.array([58.395, 57.12, 57.375], np.float32)


def resized(image: Image.Image) -> np.ndarray:
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC), np.float32)


def best(boxes: np.ndarray, scores: np.ndarray) -> Found:
    """The boxes [n, 4] and scores [n, kinds] without those that say the same as a better one."""
    cells, kinds = np.nonzero(scores >= LEAST)
    values = scores[cells, kinds]
    order = np.argsort(-values, kind="stable")[:300]
    cells, kinds, values = cells[order], kinds[order], values[order]
    boxes = np.clip(boxes[cells], 0, 1)
    # Boxes of different kinds lie so far apart that they never overlap.
    keep = suppressed(boxes + 2 * kinds[:, None].astype(np.float32), values, SAME, MOST)
    return boxes[keep], values[keep], kinds[keep]


class Teacher:
    """A model on one thread, whose quantized inputs and outputs are hidden."""

    def __init__(self, path: pathlib.Path) -> None:
        self.model = interpreter(path)
        self.input = self.model.get_input_details()[0]

    def run(self, pixels: np.ndarray) -> list[np.ndarray]:
        """The outputs for pixels [416, 416, 3], without the batch."""
        if self.input["dtype"] == np.int8:
            scale, zero = self.input["quantization"]
            pixels = np.clip(np.rint(pixels / scale) + zero, -128, 127).astype(np.int8)
        self.model.set_tensor(self.input["index"], pixels[None])
        self.model.invoke()
        return [self.value(output) for output in self.model.get_output_details()]

    def value(self, output: dict[str, Any]) -> np.ndarray:
        value = self.model.get_tensor(output["index"])[0]
        if value.dtype == np.int8:
            scale, zero = output["quantization"]
            value = (value.astype(np.float32) - zero) * scale
        return value


class NanoDet(Teacher):
    """NanoDet-Plus: pairs of logits and distances in pixels for each of its grids."""

    def __call__(self, image: Image.Image) -> Found:
        outputs = self.run(((resized(image) - MEAN) / DEVIATION)[..., ::-1])
        boxes, scores = [], []
        for count in sorted({output.shape[0] for output in outputs}):
            distances, logits = sorted((o for o in outputs if o.shape[0] == count), key=lambda o: o.shape[2])
            y, x = np.mgrid[:count, :count] * np.float32(SIDE / count)
            center = np.stack([x, y], -1)
            boxes.append(np.concatenate([center - distances[..., :2], center + distances[..., 2:]], -1).reshape(-1, 4))
            scores.append(1 / (1 + np.exp(-logits.reshape(len(boxes[-1]), -1))))
        return best(np.concatenate(boxes) / SIDE, np.concatenate(scores))


class PicoDet(Teacher):
    """PP-PicoDet: scores of all cells, and distances as distributions over 8 multiples of the stride."""

    def __call__(self, image: Image.Image) -> Found:
        scores, bins = sorted(self.run((resized(image) - MEAN) / DEVIATION), key=lambda output: -output.shape[1])
        powers = np.exp(bins.reshape(len(bins), 4, 8))
        steps = (powers * np.arange(8)).sum(-1) / powers.sum(-1)
        cells = []
        for stride in (8, 16, 32, 64):
            y, x = np.mgrid[: -(-SIDE // stride), : -(-SIDE // stride)]
            cells.append(np.stack([(x + 0.5) * stride, (y + 0.5) * stride, x * 0 + stride], -1).reshape(-1, 3))
        center, stride = np.split(np.concatenate(cells).astype(np.float32), [2], 1)
        boxes = np.concatenate([center - steps[:, :2] * stride, center + steps[:, 2:] * stride], 1)
        return best(boxes / SIDE, scores)


class DEIM(Teacher):
    """DEIMv2: boxes as center and size, and a score of each kind."""

    def __call__(self, image: Image.Image) -> Found:
        boxes, scores = sorted(self.run(resized(image) / 255), key=lambda output: output.shape[1])
        center, half = boxes[:, :2], boxes[:, 2:] / 2
        return best(np.concatenate([center - half, center + half], 1), scores)
