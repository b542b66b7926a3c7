"""Pictures and detections that the rows of growth work on. Equal numbers give equal bytes."""

import io
import json
import pathlib
import random
import struct
import zipfile
import zlib
from collections.abc import Iterable

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
COLORS = {"red": RED, "green": GREEN, "blue": BLUE}


def png(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG file of RGB pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + pixels[start : start + 3 * width] for start in range(0, len(pixels), 3 * width))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def photo(number: int) -> tuple[str, bytes]:
    """A picture of 32 × 32 pixels in tiles of random colors around that of its label; no two resemble each other."""
    source = random.Random(number)
    label = list(COLORS)[number % 3]
    tiles = [
        bytes(min(max(value + source.randrange(-90, 90), 0), 255) for value in COLORS[label]) for _ in range(8 * 8)
    ]
    pixels = b"".join(tiles[y // 4 * 8 + x // 4] for y in range(32) for x in range(32))
    return label, png(32, 32, pixels)


def photos(folder: pathlib.Path, count: int, *, by_label: bool = False) -> pathlib.Path:
    """A folder of photos, perhaps with a folder for each label."""
    for number in range(count):
        label, data = photo(number)
        place = folder / label if by_label else folder
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:06}.png").write_bytes(data)
    return folder


def archive(numbers: Iterable[int]) -> bytes:
    """A zip archive of photos in a folder for each label."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for number in numbers:
            label, picture = photo(number)
            file.writestr(f"{label}/{number:06}.png", picture)
    return data.getvalue()


def blocks(number: int) -> bytes:
    """The pixels of a frame of 64 × 64 in which four blocks move, as the model block_detector finds them."""
    pixels = bytearray(b"\x80" * (64 * 64 * 3))
    for index, color in enumerate((RED, GREEN, BLUE, RED)):
        step = (number // 2 + 3 * index) % 24
        left = 4 * min(step, 24 - step)
        for y in range(16 * index, 16 * index + 12):
            pixels[(64 * y + left) * 3 : (64 * y + left + 12) * 3] = bytes(color) * 12
    return bytes(pixels)


def frames(folder: pathlib.Path, count: int) -> pathlib.Path:
    """A folder of frames in which blocks move."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:05}.png").write_bytes(png(64, 64, blocks(number)))
    return folder


def detections(file: pathlib.Path, frame_count: int, objects: int, side: float) -> pathlib.Path:
    """Boxes of 20 × 40 pixels that wander in a square, in MOTChallenge's format."""
    source = random.Random(1)
    places = [(source.uniform(0, side), source.uniform(0, side)) for _ in range(objects)]
    speeds = [(source.uniform(-2, 2), source.uniform(-2, 2)) for _ in range(objects)]
    with open(file, "w") as lines:
        for frame in range(1, frame_count + 1):
            for index, (x, y) in enumerate(places):
                lines.write(f"{frame},-1,{x:.2f},{y:.2f},20,40,{source.uniform(0.5, 0.99):.3f}\n")
                dx, dy = speeds[index]
                places[index] = ((x + dx + source.gauss(0, 0.3)) % side, (y + dy + source.gauss(0, 0.3)) % side)
    return file


def boxes(folder: pathlib.Path, count: int) -> tuple[pathlib.Path, pathlib.Path]:
    """Annotations of pictures with five boxes each, and as many detections near them, in COCO's formats."""
    source = random.Random(2)
    annotations, found = [], []
    for image in range(1, count + 1):
        for _ in range(5):
            box = [source.uniform(0, 500), source.uniform(0, 400), source.uniform(20, 120), source.uniform(20, 120)]
            near = [value + source.gauss(0, 4) for value in box]
            category = source.randrange(1, 11)
            number = len(annotations) + 1
            whole = {"id": number, "area": box[2] * box[3], "iscrowd": 0}
            annotations.append({**whole, "image_id": image, "category_id": category, "bbox": box})
            found.append({"image_id": image, "category_id": category, "bbox": near, "score": source.random()})
    images = [{"id": image, "file_name": f"{image}.jpg", "width": 640, "height": 480} for image in range(1, count + 1)]
    categories = [{"id": number, "name": f"kind {number}"} for number in range(1, 11)]
    known, file = folder / "annotations.json", folder / "detections.json"
    known.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    file.write_text(json.dumps(found))
    return known, file


def classifier(folder: pathlib.Path, count: int) -> tuple[pathlib.Path, pathlib.Path]:
    """An ONNX classifier with many labels, and the file of their names: a softmax of sums of the mean color."""

    def field(number: int, value: int | bytes | str) -> bytes:
        # Protocol Buffers: the number of a field with its type, then a varint, or a length and bytes.
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        data = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(data)) + data

    def varint(value: int) -> bytes:
        data = bytearray()
        while value >= 0x80:
            data.append(value & 0x7F | 0x80)
            value >>= 7
        return bytes(data + bytes([value]))

    def node(kind: str, inputs: list[str], output: str, *attributes: tuple[str, int]) -> bytes:
        data = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind)
        for name, value in attributes:
            data += field(5, field(1, name) + field(3, value) + field(20, 2))
        return field(1, data)

    def value(name: str, shape: list[int]) -> bytes:
        sizes = field(2, b"".join(field(1, field(1, size)) for size in shape))
        return field(1, name) + field(2, field(1, field(1, 1) + sizes))

    source = random.Random(3)
    weights = struct.pack(f"<{3 * count}f", *(source.uniform(-1, 1) for _ in range(3 * count)))
    graph = (
        node("GlobalAveragePool", ["image"], "means")
        + node("Flatten", ["means"], "flat", ("axis", 1))
        + node("Gemm", ["flat", "weights"], "sums")
        + node("Softmax", ["sums"], "scores", ("axis", 1))
        + field(2, "classifier")
        + field(5, field(1, 3) + field(1, count) + field(2, 1) + field(8, "weights") + field(9, weights))
        + field(11, value("image", [1, 3, 8, 8]))
        + field(12, value("scores", [1, count]))
    )
    model, names = folder / "classifier.onnx", folder / "labels.txt"
    model.write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    names.write_text("".join(f"label {number}\n" for number in range(count)))
    return model, names
