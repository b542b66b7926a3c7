"""The models whose answers the localizer and the classifier learn: public ones, used for training only and never
shipped.
"""

import json
import pathlib
import zipfile
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

from . import network
from .data import CLASSES, IMAGENET_DEVIATION, IMAGENET_MEAN, UNKNOWN
from .errors import TrainingError
from .geometry import decoded, suppressed
from .named import found


def interpreter(path: pathlib.Path | None = None, content: bytes | None = None) -> Any:
    try:
        model = Interpreter(str(path) if path else None, model_content=content, num_threads=1)
        model.allocate_tensors()
        return model
    except (ValueError, RuntimeError, OSError) as error:
        raise TrainingError(f"The model {path} cannot be loaded ({error}): check the data folder.") from None


def read(path: pathlib.Path) -> schema.ModelT:
    try:
        return schema.ModelT.InitFromObj(schema.Model.GetRootAs(pathlib.Path(path).read_bytes(), 0))
    except OSError as error:
        raise TrainingError(f"The teacher {path} cannot be read ({error.strerror}): check the data folder.") from None


def interpreter_of(model: schema.ModelT) -> Any:
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), b"TFL3")
    return interpreter(content=bytes(builder.Output()))


class Localizer:
    """Google's mobile object localizer v1, opened up: raw boxes and scores of its 738 anchors.

    The post-processing operator stays; the tensors before it become outputs as well.
    """

    def __init__(self, path: pathlib.Path) -> None:
        model = read(path)
        graph = model.subgraphs[0]
        last = graph.operators[-1]
        boxes, scores, anchors = (int(index) for index in last.inputs[:3])
        # The scores come out of a sigmoid: its input holds the logits.
        logits = next(int(op.inputs[0]) for op in graph.operators if scores in list(op.outputs))
        self.wanted = [boxes, logits]
        self.quantization = [
            (float(graph.tensors[i].quantization.scale[0]), int(graph.tensors[i].quantization.zeroPoint[0]))
            for i in self.wanted
        ]
        table = graph.tensors[anchors]
        raw = np.asarray(model.buffers[table.buffer].data, np.uint8).astype(np.float32).reshape(-1, 4)
        self.anchors = (raw - table.quantization.zeroPoint[0]) * np.float32(table.quantization.scale[0])
        graph.outputs = [*graph.outputs, *self.wanted]
        self.model = interpreter_of(model)
        self.input = self.model.get_input_details()[0]["index"]

    def __call__(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Quantised boxes [738, 4] and logits [738] for pixels [192, 192, 3]."""
        self.model.set_tensor(self.input, pixels[None])
        self.model.invoke()
        boxes, logits = (self.model.get_tensor(index)[0] for index in self.wanted)
        return boxes, logits[:, 0]

    def answers(self, boxes: np.ndarray, logits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Codes and scores of quantized boxes and logits."""
        (scale, zero), (score_scale, score_zero) = self.quantization
        return (boxes.astype(np.float32) - zero) * scale, 1 / (
            1 + np.exp(-(logits.astype(np.float32) - score_zero) * score_scale)
        )

    def found(self, image: Image.Image, least: float, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Boxes in 0…1 of the picture and scores, best first, after suppression of overlaps."""
        codes, logits = self(np.asarray(image.resize((192, 192), Image.Resampling.BILINEAR)))
        codes, scores = self.answers(codes, logits)
        boxes = np.clip(decoded(codes, self.anchors), 0, 1)[scores >= least]
        keep = suppressed(boxes, scores[scores >= least], 0.5, most)
        return boxes[keep], scores[scores >= least][keep]


class YOLOX:
    """YOLOX-Nano: its best boxes, whatever their class, after suppression of overlaps, in 0…1 of the picture; pictures
    are stretched.
    """

    SIDE = 416

    def __init__(self, path: pathlib.Path) -> None:
        self.model = interpreter(path)
        self.input = self.model.get_input_details()[0]["index"]
        self.output = self.model.get_output_details()[0]["index"]

    def __call__(
        self, image: Image.Image, least: float = 0.25, most: int = 10
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Boxes, scores and numbers of COCO's classes."""
        pixels = np.asarray(image.resize((self.SIDE, self.SIDE), Image.Resampling.BILINEAR), np.float32)[..., ::-1]
        self.model.set_tensor(self.input, pixels[None])
        self.model.invoke()
        rows = self.model.get_tensor(self.output)[0]
        scores = rows[:, 4] * rows[:, 5:].max(1)
        rows, scores = rows[scores >= least], scores[scores >= least]
        center, half = rows[:, :2], rows[:, 2:4] / 2
        boxes = np.clip(np.concatenate([center - half, center + half], 1) / self.SIDE, 0, 1)
        keep = suppressed(boxes, scores, 0.5, most)
        return boxes[keep], scores[keep], rows[keep, 5:].argmax(1)


class NanoDet:
    """NanoDet-Plus, quantized, with an output of logits and one of distances in pixels for each grid; pictures are
    stretched.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.model = interpreter(path)
        self.input = self.model.get_input_details()[0]
        self.outputs = self.model.get_output_details()
        self.side = int(self.input["shape"][1])

    def __call__(self, image: Image.Image, least: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Boxes in 0…1 of the picture, numbers of COCO's kinds and scores; none overlaps another of its kind much."""
        pixels = np.asarray(image.resize((self.side, self.side), Image.Resampling.BILINEAR), np.float32)
        scale, zero = self.input["quantization"]
        # Its colors are blue first.
        pixels = ((pixels - IMAGENET_MEAN) / IMAGENET_DEVIATION)[..., ::-1] / scale + zero
        self.model.set_tensor(self.input["index"], np.clip(np.rint(pixels), -128, 127).astype(np.int8)[None])
        self.model.invoke()
        values = []
        for output in self.outputs:
            scale, zero = output["quantization"]
            values.append((self.model.get_tensor(output["index"])[0].astype(np.float32) - zero) * scale)
        places, scores, kinds = found(*network.of_grids(values, self.side))
        keep = scores >= least
        return places[keep], kinds[keep], scores[keep]


class SSD:
    """COCO SSD MobileNet v1: its best boxes, whatever their class, after suppression, in 0…1 of the picture."""

    def __init__(self, path: pathlib.Path) -> None:
        self.model = interpreter(path)
        self.input = self.model.get_input_details()[0]
        self.outputs = [output["index"] for output in self.model.get_output_details()]
        height, width = (int(side) for side in self.input["shape"][1:3])
        self.size = (width, height)

    def __call__(self, image: Image.Image, least: float = 0.25, most: int = 10) -> tuple[np.ndarray, np.ndarray]:
        """Boxes and scores."""
        pixels = np.asarray(image.resize(self.size, Image.Resampling.BILINEAR))
        self.model.set_tensor(self.input["index"], pixels[None])
        self.model.invoke()
        boxes, _, scores = (self.model.get_tensor(index)[0] for index in self.outputs[:3])
        boxes, scores = np.clip(boxes[scores >= least][:, [1, 0, 3, 2]], 0, 1), scores[scores >= least]
        keep = suppressed(boxes, scores, 0.5, most)
        return boxes[keep], scores[keep]


class Labeler:
    """Google's object labeler; its 631 labels are summed up into our six classes by coarse_labels.json."""

    SIDE = 224

    def __init__(self, path: pathlib.Path) -> None:
        self.model = interpreter(path)
        self.input = self.model.get_input_details()[0]["index"]
        self.output = self.model.get_output_details()[0]
        try:
            with zipfile.ZipFile(path) as archive:
                names = archive.read("probability-labels-en.txt").decode("utf-8").splitlines()
        except (zipfile.BadZipFile, KeyError):
            raise TrainingError(
                f"The labeler {path} has no English label file inside: check the data folder."
            ) from None
        mapping = json.loads((pathlib.Path(__file__).parent / "coarse_labels.json").read_text(encoding="utf-8"))
        of = {label: CLASSES.index(name) for name, labels in mapping.items() for label in labels}
        self.names = [name.strip() for name in names]
        self.classes = np.array([of.get(name, UNKNOWN) for name in self.names])

    def __call__(self, image: Image.Image) -> np.ndarray:
        """The scores of its labels, in its own steps, 0…255."""
        self.model.set_tensor(
            self.input, np.asarray(image.resize((self.SIDE, self.SIDE), Image.Resampling.BILINEAR))[None]
        )
        self.model.invoke()
        return self.model.get_tensor(self.output["index"])[0]

    def posterior(self, scores: np.ndarray) -> np.ndarray:
        """The probabilities of the six classes: the best label of each, unknown at least 0.12, made to sum to one."""
        scale, zero = self.output["quantization"]
        scores = (scores.astype(np.float32) - zero) * scale
        best = np.array([scores[self.classes == index].max(initial=0) for index in range(len(CLASSES))])
        best[UNKNOWN] = max(best[UNKNOWN], 0.12)
        return best / best.sum()


class Features:
    """MobileNet V2, cut before the mean of its last map: what it sees in each cell of a picture."""

    def __init__(self, path: pathlib.Path) -> None:
        model = read(path)
        graph = model.subgraphs[0]
        pooling = {schema.BuiltinOperator.AVERAGE_POOL_2D, schema.BuiltinOperator.MEAN}
        codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
        last = next((op for op in graph.operators if codes[op.opcodeIndex] in pooling), None)
        if last is None:
            raise TrainingError(f"The teacher {path} takes no mean of a map: name a MobileNet V2.")
        grid = int(last.inputs[0])
        graph.outputs = [grid]
        table = graph.tensors[grid].quantization
        self.scale, self.zero = np.float32(table.scale[0]), int(table.zeroPoint[0])
        self.model, self.grid = interpreter_of(model), grid
        self.input = self.model.get_input_details()[0]["index"]

    def __call__(self, pixels: np.ndarray) -> np.ndarray:
        """A map [7, 7, 1,280] of pixels [224, 224, 3]."""
        self.model.set_tensor(self.input, pixels[None])
        self.model.invoke()
        return (self.model.get_tensor(self.grid)[0].astype(np.float32) - self.zero) * self.scale
