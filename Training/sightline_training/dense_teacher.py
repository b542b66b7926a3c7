"""NanoDet-Plus as a Torch network, made of its .tflite file: it answers about every view of a batch, in each cell.

The file is quantized; here its weights are real numbers and nothing between them is rounded. Its grids are those of
the detector, so that a cell learns from the same cell.
"""

import collections
import json
import pathlib
import zipfile
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from . import fused
from .data import IMAGENET_DEVIATION, IMAGENET_MEAN
from .errors import TrainingError

# The convolutions, and how the axes of their weights lie for Torch.
CONVOLUTIONS = {"CONV_2D": (0, 3, 1, 2), "DEPTHWISE_CONV_2D": (3, 0, 1, 2)}

OPERATIONS = (
    "QUANTIZE|DEQUANTIZE|CONV_2D|DEPTHWISE_CONV_2D|LEAKY_RELU|ADD|CONCATENATION|PAD|TRANSPOSE|SOFTMAX|FULLY_CONNECTED|"
    "MAX_POOL_2D|RESIZE_BILINEAR|RESHAPE|STRIDED_SLICE"
).split("|")


def converted(path: pathlib.Path) -> dict[str, Any]:
    """The operations and the constants of a .tflite file, without what only quantization needs."""
    from ai_edge_litert import schema_py_generated as schema

    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrainingError(f"The teacher {path} cannot be read ({error.strerror}): check the data folder.") from None
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    graph = model.subgraphs[0]
    names = {value: name for name, value in vars(schema.BuiltinOperator).items() if not name.startswith("_")}
    types = {schema.TensorType.FLOAT32: np.float32, schema.TensorType.INT32: np.int32, schema.TensorType.INT8: np.int8}
    constants = {}
    for number, tensor in enumerate(graph.tensors):
        buffer = model.buffers[tensor.buffer]
        data = content[buffer.offset : buffer.offset + buffer.size] if buffer.size else buffer.data
        if data is None or not len(data):
            continue
        value = np.frombuffer(bytes(data), types[tensor.type]).reshape(tensor.shape)
        quantization = tensor.quantization
        if quantization is not None and quantization.scale is not None and len(quantization.scale):
            shape = [1] * value.ndim
            shape[quantization.quantizedDimension if len(quantization.scale) > 1 else 0] = len(quantization.scale)
            scale, zero = (np.reshape(part, shape) for part in (quantization.scale, quantization.zeroPoint))
            value = ((value.astype(np.float64) - zero) * scale).astype(np.float32)
        constants[number] = value
    steps = []
    for operator in graph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        name = names[max(code.builtinCode, code.deprecatedBuiltinCode)]
        if name not in OPERATIONS:
            raise TrainingError(f"The teacher {path} has the operation {name}, which is not known here: name another.")
        options = vars(operator.builtinOptions) if operator.builtinOptions else {}
        options = {key: value for key, value in options.items() if isinstance(value, int | float | bool)}
        steps.append((name, [int(i) for i in operator.inputs], [int(i) for i in operator.outputs], options))
    graph_of_steps = {
        "steps": steps,
        "input": int(graph.inputs[0]),
        "outputs": [(int(i), [int(n) for n in graph.tensors[i].shape]) for i in graph.outputs],
        "shapes": [[int(n) for n in tensor.shape] for tensor in graph.tensors],
    }
    return {"constants": constants, **graph_of_steps}


def save(content: dict[str, Any], path: pathlib.Path) -> None:
    """Writes what `converted` answers for a machine without LiteRT; large constants in half precision."""
    arrays = {
        f"c{number}": value.astype(np.float16) if value.dtype == np.float32 and value.size > 4096 else value
        for number, value in content["constants"].items()
    }
    graph = {name: value for name, value in content.items() if name != "constants"}
    np.savez(path, graph=np.array(json.dumps(graph)), **arrays)


def load(path: pathlib.Path) -> dict[str, Any]:
    try:
        with path.open("rb") as source, np.load(source) as file:
            constants = {int(name[1:]): file[name] for name in file.files if name != "graph"}
            return {"constants": constants, **json.loads(str(file["graph"]))}
    except FileNotFoundError:
        raise TrainingError(f"The teacher {path} does not exist: run prepare detector first.") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise TrainingError(f"The teacher {path} is damaged ({error}): copy it again, or run prepare again.") from None


def simplified(steps: list[Any], outputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """The steps without those that answer what they are given, the leaky ReLU after a convolution as the option "slope"
    of it; and the outputs by the numbers that they have then.
    """
    same: dict[int, int] = {}
    kept: list[tuple[str, list[int], list[int], dict[str, Any]]] = []
    for name, inputs, made, options in steps:
        given = [same.get(number, number) for number in inputs]
        if name in ("QUANTIZE", "DEQUANTIZE"):
            same[made[0]] = given[0]
        else:
            kept.append((name, given, list(made), dict(options)))
    outputs = [(same.get(number, number), shape) for number, shape in outputs]
    uses = collections.Counter(number for _, given, _, _ in kept for number in given)
    uses.update(number for number, _ in outputs)
    makers = {step[2][0]: step for step in kept}
    result = []
    for step in kept:
        name, given, made, options = step
        maker = makers.get(given[0])
        if name == "LEAKY_RELU" and maker and maker[0] in CONVOLUTIONS and uses[given[0]] == 1:
            maker[2][0] = made[0]
            maker[3]["slope"] = options["alpha"]
        else:
            result.append(step)
    return result, outputs


def sum_before(number: int, steps: list[Any]) -> int | None:
    """The number of the sum of maps that leads to an answer by steps that follow one another, if there is one."""
    makers = {made[0]: (name, given[0]) for name, given, made, _ in steps}
    while number in makers and makers[number][0] != "ADD":
        number = makers[number][1]
    return number if number in makers else None


class DenseTeacher(torch.nn.Module):
    """Scores [n, cells, kinds] in 0…1, distances [n, cells, 4] in pixels, and the maps that they are made of, the
    finest first, for pixels [n, 3, side, side] in 0…255; the side is a multiple of 64.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__()
        self.steps, self.outputs = simplified(content["steps"], content["outputs"])
        self.first, self.shapes, self.whole = content["input"], content["shapes"], {}
        self.outputs.sort(key=lambda output: -output[1][1])
        sums = [sum_before(number, self.steps) for number, shape in self.outputs if shape[-1] == 4]
        self.maps = [number for number in sums if number is not None] if None not in sums else []
        """The numbers of the maps; none where the head of a grid does not begin with a sum."""
        self.channels = self.shapes[self.maps[0]][-1] if self.maps else 0
        for number, value in content["constants"].items():
            if value.dtype == np.int32:
                self.whole[number] = value.tolist()
            else:
                self.register_buffer(f"c{number}", torch.from_numpy(value.astype(np.float32)))
        self.register_buffer("mean", torch.from_numpy(IMAGENET_MEAN)[:, None, None])
        self.register_buffer("deviation", torch.from_numpy(IMAGENET_DEVIATION)[:, None, None])
        # Weights as Torch lays them out.
        for name, inputs, _, _ in self.steps:
            if name in CONVOLUTIONS:
                key = f"c{inputs[1]}"
                weight = getattr(self, key).permute(CONVOLUTIONS[name])
                setattr(self, key, weight.contiguous(memory_format=torch.channels_last))

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, list[torch.Tensor]]:
        x = ((pixels - self.mean) / self.deviation).flip(1)
        values = {self.first: x.permute(0, 2, 3, 1)}
        for name, inputs, outputs, options in self.steps:
            given = [values[i] if i in values else self.whole.get(i, getattr(self, f"c{i}", None)) for i in inputs]
            values[outputs[0]] = self.step(name, given, options, self.shapes[inputs[0]], self.shapes[outputs[0]])
        n = len(pixels)
        scores, distances = [], []
        for number, shape in self.outputs:
            value = values[number].float().reshape(n, -1, shape[-1])
            (distances if shape[-1] == 4 else scores).append(value)
        maps = [values[number].permute(0, 3, 1, 2) for number in self.maps]
        return torch.cat(scores, 1).sigmoid(), torch.cat(distances, 1), maps

    def step(
        self, name: str, given: list[Any], options: dict[str, Any], before: list[int], after: list[int]
    ) -> torch.Tensor:
        """The answer of an operation; the shapes before and after are those of the file, for one picture of its
        size.
        """
        x = given[0]
        match name:
            case "CONV_2D" | "DEPTHWISE_CONV_2D":
                weight, bias = given[1], given[2]
                x = x.permute(0, 3, 1, 2)
                groups = x.shape[1] // weight.shape[1]
                # The same on all sides: a step of more than one has a PAD before it.
                padding = weight.shape[2] // 2 if options["padding"] == 0 else 0
                slope = options.get("slope", 1.0)
                if fused.usable(x):
                    y = functional.conv2d(x, weight, None, options["strideW"], padding, 1, groups)
                    return fused.shifted(y, bias, slope).permute(0, 2, 3, 1)
                y = functional.conv2d(x, weight, bias, options["strideW"], padding, 1, groups)
                return functional.leaky_relu(y, slope).permute(0, 2, 3, 1)
            case "LEAKY_RELU":
                return functional.leaky_relu(x, options["alpha"])
            case "ADD":
                return x + given[1]
            case "CONCATENATION":
                return torch.cat(given, options["axis"])
            case "PAD":
                return functional.pad(x, [side for pair in reversed(given[1]) for side in pair])
            case "TRANSPOSE":
                return x.permute(given[1])
            case "SOFTMAX":
                return x.softmax(-1)
            case "FULLY_CONNECTED":
                return functional.linear(x, given[1])
            case "MAX_POOL_2D":
                return functional.max_pool2d(x.permute(0, 3, 1, 2), 3, 2).permute(0, 2, 3, 1)
            case "RESIZE_BILINEAR":
                x, scale = x.permute(0, 3, 1, 2), after[1] // before[1]
                x = functional.interpolate(x, scale_factor=scale, mode="bilinear", align_corners=False)
                return x.permute(0, 2, 3, 1)
            case "RESHAPE" if len(after) == 5:  # into groups of channels
                return x.reshape(len(x), after[1], after[2], *x.shape[2:])
            case "RESHAPE" if len(before) == 5:  # and back, in memory with the channels last
                return x.permute(0, 3, 4, 1, 2).flatten(3).permute(0, 3, 1, 2)
            case "RESHAPE":
                return x.reshape(len(x), -1, after[-1])
            case "STRIDED_SLICE":
                parts = [
                    slice(
                        None if options["beginMask"] >> axis & 1 else start,
                        None if options["endMask"] >> axis & 1 else end,
                        step,
                    )
                    for axis, (start, end, step) in enumerate(zip(*given[1:4]))
                ]
                return x[tuple(parts)]
        raise TrainingError(f"The operation {name} from {before} to {after} is not known here.")
