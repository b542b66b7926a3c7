"""Reads bytes by way of real numbers, which XNNPACK does much faster, with the same answers.

    python -m sightline_training.fast_input FILE.tflite …

XNNPACK converts uint8 to int8 in no operator, so that LiteRT does it number by number. From uint8 to float32 and from
there to int8 it does both in one pass. `export` writes models like that; the command rewrites files that were exported
before.
"""

import io
import pathlib
import sys
import zipfile

import numpy as np

from .files import write
from .tflite import Model, schema


def with_fast_input(model: Model) -> bool:
    """Puts a DEQUANTIZE before the QUANTIZE of a uint8 input. Returns whether there was one."""
    graph = model.table.subgraphs[0]
    inputs = {int(index) for index in graph.inputs}
    for number, operator in enumerate(graph.operators):
        code = model.table.operatorCodes[operator.opcodeIndex].builtinCode
        source = int(operator.inputs[0])
        bytes_in = graph.tensors[source]
        if code != schema.BuiltinOperator.QUANTIZE or source not in inputs or bytes_in.type != schema.TensorType.UINT8:
            continue
        graph.tensors.append(
            schema.TensorT(
                name="real numbers",
                shape=bytes_in.shape,
                shapeSignature=bytes_in.shapeSignature,
                type=schema.TensorType.FLOAT32,
                hasRank=True,
            )
        )
        real = np.array([len(graph.tensors) - 1], np.int32)
        reading = schema.OperatorT(opcodeIndex=model.code("DEQUANTIZE", None, 2), inputs=operator.inputs, outputs=real)
        operator.inputs = real
        graph.operators.insert(number, reading)
        return True
    return False


def rewritten(content: bytes) -> bytes:
    """A file with a fast input, and the files that are packed into it; the same bytes if it has one already."""
    model = Model()
    model.table = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    if not with_fast_input(model):
        return content
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            model.pack({name: packed.read(name).decode("utf-8") for name in packed.namelist()})
    return model.bytes()


if __name__ == "__main__":
    for path in map(pathlib.Path, sys.argv[1:]):
        write(path, rewritten(path.read_bytes()))
