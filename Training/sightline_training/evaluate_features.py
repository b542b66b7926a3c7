"""Measures how well labels are found from the features before a classifier's last layer, and how often the most alike
picture has the same label: on flowers, things and groceries, which no training has seen.
"""

import csv
import pathlib
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from PIL import Image

from . import teachers
from .errors import TrainingError

# The sources of labeled pictures, and in how many random divisions each is measured.
SETS = {"flower_photos": 5, "caltech101": 3, "grocerystore": 3}

# The share of each label's pictures that is learned from, and how strongly that many pictures count beside the wish for
# small weights.
LEARNED, COUNT = 0.85, 100

# Operators that pass values on to the scores without weights.
PASSING = {"SOFTMAX", "LOGISTIC", "RESHAPE", "SQUEEZE", "QUANTIZE", "DEQUANTIZE"}


class Features:
    """The input of the last layer with weights of a classifier."""

    def __init__(self, path: pathlib.Path) -> None:
        model = teachers.read(path)
        graph = model.subgraphs[0]
        names = {value: name for name, value in vars(schema.BuiltinOperator).items() if not name.startswith("_")}
        for operator in reversed(graph.operators):
            code = model.operatorCodes[operator.opcodeIndex]
            if names[max(code.builtinCode, code.deprecatedBuiltinCode)] not in PASSING:
                break
        else:
            raise TrainingError(f"{path} has no layer with weights: name a classifier.")
        self.index = int(operator.inputs[0])
        graph.outputs = [self.index]
        quantization = graph.tensors[self.index].quantization
        self.scale, self.zero = 1.0, 0
        if quantization is not None and quantization.scale is not None:
            self.scale, self.zero = float(quantization.scale[0]), int(quantization.zeroPoint[0])
        self.model = teachers.interpreter_of(model)
        self.input: Any = self.model.get_input_details()[0]

    def __call__(self, image: Image.Image) -> np.ndarray:
        """The features of the largest centered square of a picture."""
        side, extent = int(self.input["shape"][1]), min(image.size)
        left, top = ((size - extent) / 2 for size in image.size)
        box = (left, top, left + extent, top + extent)
        pixels = np.asarray(image.resize((side, side), Image.Resampling.BILINEAR, box=box))[None]
        if self.input["dtype"] == np.float32:
            pixels = (pixels / 127.5 - 1).astype(np.float32)
        self.model.set_tensor(self.input["index"], pixels)
        self.model.invoke()
        return (self.model.get_tensor(self.index).astype(np.float32).ravel() - self.zero) * self.scale


def centered(features: np.ndarray) -> np.ndarray:
    features = features - features.mean(0)
    return features / np.linalg.norm(features, axis=1).mean()


def alike(features: np.ndarray, labels: np.ndarray) -> float:
    """The share of pictures whose most alike other picture has the same label."""
    rows = centered(features)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, -np.inf)
    return float((labels[likeness.argmax(1)] == labels).mean())


def named_rightly(features: np.ndarray, labels: np.ndarray, divisions: int) -> float:
    """The share of the pictures kept aside that a last layer names rightly, in random divisions."""
    from .train_features import last_layer

    rows, numbers, right = centered(features), np.unique(labels, return_inverse=True)[1], []
    for seed in range(divisions):
        rng, learned = np.random.default_rng(seed), np.zeros(len(labels), bool)
        for number in range(numbers.max() + 1):
            order = rng.permutation(np.flatnonzero(numbers == number))
            learned[order[: int(len(order) * LEARNED)]] = True
        weight, bias = last_layer(
            rows[learned], numbers[learned], int(numbers.max()) + 1, 0.5 / (COUNT * learned.sum()), smoothing=0
        )
        answers = (rows[~learned] @ weight.T + bias).argmax(1)
        right.append((answers == numbers[~learned]).mean())
    return float(np.mean(right))


def rows(path: pathlib.Path, data: pathlib.Path) -> dict[str, float]:
    """The figures of a file."""
    folder, extract = data / "training" / "coarse", Features(path)
    with open(folder / "labels.csv", newline="", encoding="utf-8") as file:
        table = [row for row in csv.DictReader(file) if row["source"] in SETS]
    figures = {}
    for source, divisions in SETS.items():
        mine = [row for row in table if row["source"] == source]
        found = []
        for row in mine:
            with Image.open(folder / "images" / row["file"]) as image:
                found.append(extract(image.convert("RGB")))
        features, labels = np.stack(found), np.array([row["fine"] for row in mine])
        found_share, alike_share = named_rightly(features, labels, divisions), alike(features, labels)
        figures |= {f"{source} found": found_share, f"{source} alike": alike_share}
    return figures | {"MB": path.stat().st_size / 1e6}
