"""The networks, described once: a builder makes them of Torch modules for training or of TensorFlow operations for
export.

A builder has conv, add, up and relu; names of layers are the names of the weights in a checkpoint.
"""

import math
from typing import Any

import numpy as np

# Early stages are fused inverted bottlenecks (a dense 3x3 convolution, "f"): on a CPU they train several times faster
# than depthwise ones ("m"). Rows: kind, the channels inside each block, those that it answers, stride of the first.
# `side` is that of the localizer's input; with `fine` it also answers at stride 8. fmb_l is the localizer, fmb_x the
# detector; fmb_m is smaller, for tests.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "fmb_m": {
        "stem": 24,
        "stages": [
            ("f", (72, 96), 32, 2),
            ("f", (96, 144), 48, 2),
            ("m", (192, 320, 320), 80, 2),
            ("m", (320, 384, 384), 96, 1),
            ("m", (480, 720, 720), 144, 2),
        ],
        "top": 384,
        "side": 192,
        "fine": False,
    },
    "fmb_l": {
        "stem": 24,
        "stages": [
            ("f", (72, 96), 32, 2),
            ("f", (96, 144), 48, 2),
            ("m", (192, 320, 320), 80, 2),
            ("m", (320, 384, 384, 384), 96, 1),
            ("m", (480, 720, 720, 720, 720), 144, 2),
        ],
        "top": 384,
        "side": 256,
        "fine": True,
    },
    "fmb_x": {
        "stem": 16,
        "stages": [
            ("f", (64, 96), 32, 2),
            ("f", (96, 144), 48, 2),
            ("m", (192, 320, 320), 80, 2),
            ("m", (320, 384, 384, 384, 384, 384), 96, 1),
            ("m", (416, 528, 528, 528, 528, 528, 528, 528), 144, 2),
        ],
        "top": 384,
        "side": 256,
        "fine": True,
    },
}

# The sides of the pictures of the classifier and of the labeler.
CLASSIFIER_SIDE, LABELER_SIDE = 128, 224

# A box below the localizer's threshold, a class below the classifier's, is not worth showing. At the classifier's nine
# labels in ten are right on COCO crops.
LOCALIZER_THRESHOLD, CLASSIFIER_THRESHOLD, LABELER_THRESHOLD = 0.25, 0.9, 0.65
DETECTOR_THRESHOLD = 0.45

# Anchors are so large, in pixels, as SSD's are in a picture of this side.
SSD_SIDE = 192

# The levels of the localizer by the names of their layers: "f", the fine one, has stride 8, the others 16, 32 and so
# on.
LEVELS = ["0", "1", "2", "3", "4", "5"]


# The channels of the levels' own features, where they have any.
HEAD_WIDTHS = {"f": 96, "0": 128, "1": 128}


# The detector that names things: the strides of its grids, the channels of its features, the side of the filters that
# mix them, the side of its input, and that of a second, smaller input in which it sees each picture once more.
STRIDES = (8, 16, 32, 64)
DETECTOR_WIDTH, DETECTOR_FILTER, DETECTOR_SIDE, OVERVIEW_SIDE = 128, 5, 352, 192

# The strides of the backbone's maps that the detector uses.
MAPS = STRIDES[:3]

# The network of features that a training of labels starts from: the side of its input and of its teacher's, the
# channels before the mean, and the numbers that it answers, the first of which are compared in each cell while it
# learns.
FEATURES_SIDE, FEATURES_TEACHER_SIDE, FEATURES_WIDTH, FEATURES, CELL_FEATURES = 192, 224, 640, 384, 192

# The last layers for the labels and the classes of whole pictures, the layer before the classes, and the packed files
# with the names of both.
LABELS, CLASSES, HIDDEN = "labels", "classes", "hidden"
PICTURE_LABELS, CLASS_LABELS = "picture_labels.txt", "class_labels.txt"


def levels(configuration: dict[str, Any]) -> list[str]:
    return ["f", *LEVELS] if configuration["fine"] else LEVELS


def shapes(level: str) -> list[tuple[float, float]]:
    """Heights and widths of a level's anchors in pixels: SSD's scales 0.2 to 0.95; smaller squares at the first
    levels.
    """
    if level == "f":
        return [(20, 20)]
    scales, number = [0.2 + 0.15 * number for number in range(6)] + [1.0], int(level)
    scale, between = scales[number], math.sqrt(scales[number] * scales[number + 1])
    rows = [(scale / math.sqrt(ratio), scale * math.sqrt(ratio)) for ratio in (1, 2, 1 / 2, 3, 1 / 3)] + [
        (between, between)
    ]
    if number == 0:
        rows = [(0.1, 0.1), *rows[1:3]]
    return [(height * SSD_SIDE, width * SSD_SIDE) for height, width in rows]


def cells(level: str, side: int) -> int:
    """The number of cells a side of a level."""
    if level == "f":
        return side // 8
    count = side // 16
    for _ in range(min(int(level), 4)):  # the last two levels share one map
        count = -(-count // 2)
    return count


def anchors(configuration: dict[str, Any], side: int | None = None) -> np.ndarray:
    """The anchors as rows of center y, x, height and width, in 0…1 of a picture of `side` pixels."""
    side, rows = side or configuration["side"], []
    for level in levels(configuration):
        count = cells(level, side)
        rows += [
            ((y + 0.5) / count, (x + 0.5) / count, height / side, width / side)
            for y in range(count)
            for x in range(count)
            for height, width in shapes(level)
        ]
    return np.array(rows, np.float32)


def backbone(b: Any, x: Any, configuration: dict[str, Any]) -> dict[int, Any]:
    """The last feature map of each stride, by the stride."""
    early = early_layers(b, x, configuration)
    return early | late_layers(b, early[8], configuration)


def early_layers(b: Any, x: Any, configuration: dict[str, Any]) -> dict[int, Any]:
    """The maps of the layers up to stride 8."""
    return stages(b, b.conv("stem", x, configuration["stem"], 3, 2, act=True), 2, configuration, range(2))


def late_layers(b: Any, x: Any, configuration: dict[str, Any]) -> dict[int, Any]:
    """The maps of the layers after stride 8, of the map with that stride."""
    return stages(b, x, 8, configuration, range(2, len(configuration["stages"])))


def stages(b: Any, x: Any, stride: int, configuration: dict[str, Any], numbers: range) -> dict[int, Any]:
    """The maps of some stages, of the map before them, which has a stride."""
    channels, maps = None, {}
    for stage in numbers:
        kind, inside, width, first = configuration["stages"][stage]
        for block, wide in enumerate(inside):
            step, name, y = first if block == 0 else 1, f"s{stage}_{block}", x
            if kind == "f":
                y = b.conv(f"{name}_e", y, wide, 3, step, act=True)
            else:
                y = b.conv(f"{name}_e", y, wide, 1, 1, act=True)
                y = b.conv(f"{name}_d", y, wide, 3, step, depthwise=True, act=True)
            y = b.conv(f"{name}_p", y, width, 1, 1)
            x = b.add(x, y) if step == 1 and channels == width else y
            channels, stride = width, stride * step
            maps[stride] = x
    return maps


def localizer(b: Any, x: Any, configuration: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Pairs of codes and logits for each level."""
    maps = backbone(b, x, configuration)
    p5 = b.conv("p5", maps[32], configuration["top"], 1, 1, act=True)
    extra, y = [], p5
    for name, narrow, wide in (("x6", 96, 160), ("x7", 64, 96), ("x8", 64, 96)):
        y = b.conv(f"{name}a", y, narrow, 1, 1, act=True)
        y = b.conv(f"{name}d", y, narrow, 3, 2, depthwise=True, act=True)
        y = b.conv(f"{name}b", y, wide, 1, 1, act=True)
        extra.append(y)
    p4 = b.relu(b.add(b.conv("l4", maps[16], 128, 1, 1), b.up(b.conv("t5", p5, 128, 1, 1))))
    maps_by_level = dict(zip(LEVELS, [p4, p5, *extra, extra[-1]]))
    if configuration["fine"]:
        p3 = b.relu(b.add(b.conv("l3", maps[8], 96, 1, 1), b.up(b.conv("t4", p4, 96, 1, 1))))
        maps_by_level = {"f": p3} | maps_by_level
    answers = []
    for level, y in maps_by_level.items():
        h = b.conv(f"h{level}d", y, None, 3, 1, depthwise=True, act=True)
        if level in HEAD_WIDTHS:
            h = b.conv(f"h{level}p", h, HEAD_WIDTHS[level], 1, 1, act=True)
        count = len(shapes(level))
        codes = b.conv(f"h{level}b", h, count * 4, 1, 1, norm=False)
        answers.append((codes, b.conv(f"h{level}c", h, count, 1, 1, norm=False)))
    return answers


def features(b: Any, early: Any, configuration: dict[str, Any]) -> tuple[Any, Any]:
    """Numbers that describe a picture, and the map whose mean they are computed from, of the map of stride 8."""
    grid = b.conv("head", late_layers(b, early, configuration)[32], FEATURES_WIDTH, 1, 1, act=True)
    return b.dense("project", b.mean(grid), FEATURES), grid


def neck(b: Any, maps: dict[int, Any]) -> list[Any]:
    """The detector's features for each of STRIDES, from the backbone's maps."""
    p3, p4, p5 = (b.conv(f"n{stride}", maps[stride], DETECTOR_WIDTH, 1, 1, act=True) for stride in MAPS)
    # The coarse maps inform the fine ones about what they see, and then the other way round.
    p5 = mixed(b, "n32m", p5)
    p4 = mixed(b, "n16m", b.add(p4, b.up(p5)))
    p3 = mixed(b, "n8m", b.add(p3, b.up(p4)))
    p4 = mixed(b, "n16u", b.add(p4, mixed(b, "n16s", p3, stride=2)))
    p5 = mixed(b, "n32u", b.add(p5, mixed(b, "n32s", p4, stride=2)))
    return [p3, p4, p5, mixed(b, "n64s", p5, stride=2)]


def mixed(b: Any, name: str, y: Any, stride: int = 1) -> Any:
    """Features that have seen those around them."""
    y = b.conv(f"{name}d", y, None, DETECTOR_FILTER if stride == 1 else 3, stride, depthwise=True, act=True)
    return b.conv(f"{name}p", y, DETECTOR_WIDTH, 1, 1, act=True)


def heads(b: Any, maps: list[Any], scores: int) -> list[tuple[Any, Any]]:
    """Pairs of logits (`scores` a cell) and distances (left, top, right, bottom, in strides) for each of STRIDES."""
    answers = []
    for stride, y in zip(STRIDES, maps):
        y = mixed(b, f"g{stride}y", mixed(b, f"g{stride}x", y))
        logits = b.conv(f"g{stride}c", y, scores, 1, 1, norm=False)
        answers.append((logits, b.conv(f"g{stride}e", y, 4, 1, 1, norm=False)))
    return answers


def grid(side: int) -> np.ndarray:
    """The cells of the detector as rows of x, y and stride, in pixels: distances count from a cell's upper left."""
    rows = []
    for stride in STRIDES:
        count = -(-side // stride)
        rows += [(x * stride, y * stride, stride) for y in range(count) for x in range(count)]
    return np.array(rows, np.float32)


def of_grids(outputs: list[np.ndarray], side: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits [cells, n] and boxes in 0…1 [cells, 4] of outputs [h, w, n] and [h, w, 4] (distances in pixels) for each
    of STRIDES, in any order.
    """
    logits, distances = [], []
    for count in sorted({output.shape[0] for output in outputs}, reverse=True):
        reach, scores = sorted((o for o in outputs if o.shape[0] == count), key=lambda o: o.shape[2])
        logits.append(scores.reshape(-1, scores.shape[2]))
        distances.append(reach.reshape(-1, 4))
    cells, edges = grid(side)[:, :2], np.concatenate(distances)
    boxes = np.concatenate([cells - edges[:, :2], cells + edges[:, 2:]], 1) / side
    return np.concatenate(logits), np.clip(boxes, 0, 1)


def separated(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The folded weights of a detector for export: each score is what its convolution answers, without the sum that
    training makes of it and the last one, and distances are in pixels.
    """
    weights = dict(weights)
    for stride in STRIDES:
        for part in ("weight", "bias"):
            scores = weights[f"g{stride}c/{part}"]
            weights[f"g{stride}c/{part}"] = np.concatenate([scores[..., :-1] + scores[..., -1:], scores[..., -1:]], -1)
            weights[f"g{stride}e/{part}"] = weights[f"g{stride}e/{part}"] * np.float32(stride)
    return weights
