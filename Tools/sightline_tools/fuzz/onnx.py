"""Small ONNX models to damage, and the places of the numbers in such a file.

Source of the field numbers: onnx.proto.
"""

import struct
from collections.abc import Iterator, Sequence

from .damage import File

Field = tuple[int, "int | bytes"]


def varint(value: int) -> bytes:
    """A number of variable length."""
    value &= 2**64 - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def message(*fields: Field) -> bytes:
    """A message of Protocol Buffers."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def value(name: str, shape: Sequence[int | str], kind: int = 1) -> bytes:
    """An input or output."""
    extents = [message((1, message((2, each.encode()) if isinstance(each, str) else (1, each)))) for each in shape]
    return message((1, name.encode()), (2, message((1, message((1, kind), (2, b"".join(extents)))))))


def tensor(name: str, numbers: Sequence[float], shape: Sequence[int]) -> bytes:
    """Constants: int64 if all are integers, otherwise float32."""
    whole = all(isinstance(each, int) for each in numbers)
    raw = b"".join(struct.pack("<q" if whole else "<f", each) for each in numbers)
    return message(*((1, each) for each in shape), (2, 7 if whole else 1), (8, name.encode()), (9, raw))


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **integers: Sequence[int]) -> bytes:
    """An operator with lists of integers as attributes."""
    attributes = [
        (5, message((1, key.encode()), *((8, each) for each in values), (20, 7))) for key, values in integers.items()
    ]
    ends = [*((1, each.encode()) for each in inputs), *((2, each.encode()) for each in outputs)]
    return message(*ends, (4, kind.encode()), *attributes)


def model(*graph: Field, properties: Sequence[tuple[str, str]] = (), opset: int = 17) -> bytes:
    """A whole file."""
    texts: list[Field] = [(14, message((1, key.encode()), (2, text.encode()))) for key, text in properties]
    whole = message(*graph, (2, b"graph"))
    return message((1, 8), (2, b"fuzz"), (7, whole), (8, message((1, b""), (2, opset))), *texts)


def convolution() -> bytes:
    """A convolution, pooled and made to confidences."""
    return model(
        (11, value("images", [1, 3, 32, 32])),
        (12, value("scores", [1, 4])),
        (5, tensor("weights", [0.1] * 108, [4, 3, 3, 3])),
        (5, tensor("shape", [1, -1], [2])),
        (1, node("Conv", ["images", "weights"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2], kernel_shape=[3, 3])),
        (1, node("Relu", ["c"], ["r"])),
        (1, node("GlobalAveragePool", ["r"], ["p"])),
        (1, node("Reshape", ["p", "shape"], ["f"])),
        (1, node("Softmax", ["f"], ["scores"])),
        properties=[("names", "{0: 'cat', 1: 'dog', 2: 'hen', 3: 'owl'}"), ("task", "classify")],
    )


def arrangement() -> bytes:
    """Open extents, and operators whose constants say how large the result is."""
    return model(
        (11, value("images", ["batch", 3, "height", "width"])),
        (12, value("boxes", ["batch", "boxes", 6])),
        (5, tensor("sizes", [1, 3, 16, 16], [4])),
        (5, tensor("pads", [0, 0, 1, 1, 0, 0, 1, 1], [8])),
        (5, tensor("repeats", [1, 1, 1, 2], [4])),
        (5, tensor("rows", [1, -1, 6], [3])),
        (5, tensor("filled", [1, 3, 1, 1], [4])),
        (1, node("Resize", ["images", "", "", "sizes"], ["a"])),
        (1, node("Pad", ["a", "pads"], ["b"])),
        (1, node("Tile", ["b", "repeats"], ["c"])),
        (1, node("ConstantOfShape", ["filled"], ["d"])),
        (1, node("Add", ["c", "d"], ["e"])),
        (1, node("Transpose", ["e"], ["f"], perm=[0, 2, 3, 1])),
        (1, node("Reshape", ["f", "rows"], ["boxes"])),
    )


SEEDS = [File("convolution.onnx", convolution()), File("arrangement.onnx", arrangement())]


def fields(data: bytes) -> Iterator[tuple[int, int]]:
    """Positions and sizes of the numbers of a file: keys, lengths, integers and the bytes of short values."""
    yield from inside(data, 0, len(data), 0)


def inside(data: bytes, start: int, end: int, depth: int) -> Iterator[tuple[int, int]]:
    """The same for a part of a file, whatever it holds: a message's parts may be messages, too."""
    at = start
    while at < end:
        yield at, 1
        key, at = number(data, at, end)
        if key & 7 == 0:
            yield at, 1
            _, at = number(data, at, end)
        elif key & 7 == 2:
            yield at, 1
            length, at = number(data, at, end)
            if depth < 8 and at + length <= end:
                yield from inside(data, at, at + length, depth + 1)
            at += length
        else:
            return


def number(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A number of variable length, and the place behind it."""
    result = shift = 0
    while at < end and shift < 64:
        byte = data[at]
        result |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return result, at
    return result, end
