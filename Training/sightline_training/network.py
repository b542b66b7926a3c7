"""The networks, described once: a builder makes them of Torch modules for training or of TensorFlow operations for export.

A builder has conv, add, up, relu, mean and dense; names of layers are the names of the weights in a checkpoint.
"""

import math

import numpy as np

# Early stages are fused inverted bottlenecks (a dense 3x3 convolution, "f"): on a CPU they train several times faster than
# depthwise ones ("m"). Rows: kind, expansion, channels, blocks, stride of the first.
CONFIGURATIONS = {
    "fmb_m": {"stem": 24, "stages": [("f", 3, 32, 2, 2), ("f", 3, 48, 2, 2), ("m", 4, 80, 3, 2), ("m", 4, 96, 3, 1), ("m", 5, 144, 3, 2)], "top": 384},
}

LOCALIZER_SIDE, CLASSIFIER_SIDE = 192, 128

# A box below the localizer's threshold, a class below the classifier's, is not worth telling. At the classifier's four labels in
# five are right on COCO crops.
LOCALIZER_THRESHOLD, CLASSIFIER_THRESHOLD = 0.25, 0.82

# Anchors a cell, and cells a side, of the localizer's six levels: 738 anchors, those of the teacher.
ANCHORS = [3, 6, 6, 6, 6, 6]
CELLS = [12, 6, 3, 2, 1, 1]


def anchors():
    """The anchors as rows of centre y, x, height and width: SSD's scales 0.2 to 0.95, at the first level 0.1 and 0.2."""
    scales = [0.2 + 0.15 * level for level in range(6)] + [1.0]
    rows = []
    for level, cells in enumerate(CELLS):
        scale, between = scales[level], math.sqrt(scales[level] * scales[level + 1])
        shapes = [(scale / math.sqrt(ratio), scale * math.sqrt(ratio)) for ratio in (1, 2, 1 / 2, 3, 1 / 3)] + [(between, between)]
        if level == 0:
            shapes = [(0.1, 0.1), *shapes[1:3]]
        rows += [((y + 0.5) / cells, (x + 0.5) / cells, h, w) for y in range(cells) for x in range(cells) for h, w in shapes]
    return np.array(rows, np.float32)


def backbone(b, x, configuration):
    """The last feature map of each stride, by the stride."""
    x, channels, stride, maps = b.conv("stem", x, configuration["stem"], 3, 2, act=True), configuration["stem"], 2, {}
    for stage, (kind, expansion, width, blocks, first) in enumerate(configuration["stages"]):
        for block in range(blocks):
            step, name, y = first if block == 0 else 1, f"s{stage}_{block}", x
            if kind == "f":
                y = b.conv(f"{name}_e", y, channels * expansion, 3, step, act=True)
            else:
                y = b.conv(f"{name}_e", y, channels * expansion, 1, 1, act=True)
                y = b.conv(f"{name}_d", y, channels * expansion, 3, step, depthwise=True, act=True)
            y = b.conv(f"{name}_p", y, width, 1, 1)
            x = b.add(x, y) if step == 1 and channels == width else y
            channels, stride = width, stride * step
            maps[stride] = x
    return maps


def localizer(b, x, configuration, classes=1):
    """Pairs of codes and logits for each level, and the maps of strides 8, 16 and 32 that imitate the teacher's."""
    maps = backbone(b, x, configuration)
    p5 = b.conv("p5", maps[32], configuration["top"], 1, 1, act=True)
    levels, y = [], p5
    for name, narrow, wide in (("x6", 96, 160), ("x7", 64, 96), ("x8", 64, 96)):
        y = b.conv(f"{name}a", y, narrow, 1, 1, act=True)
        y = b.conv(f"{name}d", y, narrow, 3, 2, depthwise=True, act=True)
        y = b.conv(f"{name}b", y, wide, 1, 1, act=True)
        levels.append(y)
    p4 = b.relu(b.add(b.conv("l4", maps[16], 128, 1, 1), b.up(b.conv("t5", p5, 128, 1, 1))))
    answers = []
    for index, level in enumerate([p4, p5, *levels, levels[-1]]):
        h = b.conv(f"h{index}d", level, None, 3, 1, depthwise=True, act=True)
        if index < 2:
            h = b.conv(f"h{index}p", h, 128, 1, 1, act=True)
        codes = b.conv(f"h{index}b", h, ANCHORS[index] * 4, 1, 1, norm=False)
        answers.append((codes, b.conv(f"h{index}c", h, ANCHORS[index] * classes, 1, 1, norm=False)))
    return answers, (maps[8], maps[16], maps[32])


def classifier(b, x, configuration, classes, width=512):
    """Logits of the classes, and the features that they are computed from."""
    maps = backbone(b, x, configuration)
    features = b.mean(b.conv("head", maps[32], width, 1, 1, act=True))
    return b.dense("fc", features, classes), features
