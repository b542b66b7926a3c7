"""Files that stand for those that the commands of the documentation read."""

import hashlib
import json
import shutil
import struct
import zlib
from pathlib import Path

from ..places import FIXTURES

PICTURES = {".jpg": "large-444.jpg", ".jpeg": "large-444.jpg", ".png": "large.png", ".webp": "large.webp"}
VIDEO = FIXTURES / "videos/h264-aac.mp4"
CLASSIFIER = FIXTURES / "models/classifier_float_metadata.tflite"
UNLABELED_CLASSIFIER = FIXTURES / "models/classifier_float.tflite"
DETECTOR = FIXTURES / "models/ssd_metadata.tflite"
EMPTY_MODEL = FIXTURES / "models/add.tflite"
NEXT_CLASSIFIER = FIXTURES / "models/classifier_uint8_metadata.tflite"
SLOW_CLASSIFIER = FIXTURES / "models/uint8_classifier.tflite"
FLOAT_CLASSIFIER = FIXTURES / "models/float_network.tflite"
YOLOX = FIXTURES / "models/yolox_raw.tflite"
POSE = FIXTURES / "models/movenet_one.tflite"
# Models for segmentation, by a part of their names.
SEGMENTATION = {
    "-seg": FIXTURES / "models/yolo_masks.tflite",
    "selfie": FIXTURES / "models/selfie.tflite",
    "deeplab": FIXTURES / "models/pixel_classes.tflite",
}
LABELS = ["red", "green", "blue"]


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def template(model: str) -> str:
    """A template of Remote Config whose parameter names a model."""
    values = {"plant_model": {"defaultValue": {"value": model}}}
    return json.dumps({"conditions": [], "parameters": values})


def copy(source: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, path)


def labeled_folder(folder: Path, count: int = 1) -> None:
    """Makes pictures of its color for each label, which the classifiers of the fixtures name."""
    for number, label in enumerate(LABELS):
        (folder / label).mkdir(parents=True, exist_ok=True)
        for shade in range(count):
            color = bytes(255 - 40 * shade if channel == number else 0 for channel in range(3))
            (folder / label / f"{'abcdef'[shade]}.png").write_bytes(png(16, 16, color))


def png(width: int, height: int, color: bytes) -> bytes:
    """A PNG file of a single color."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + color * width) * height
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def boxes(path: Path) -> None:
    images = [{"id": 1, "file_name": "a.jpg", "width": 203, "height": 150}]
    annotations = [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [20, 30, 80, 60], "area": 4800, "iscrowd": 0}]
    annotations[0]["segmentation"] = [[20, 30, 100, 30, 100, 90, 20, 90]]
    categories = [{"id": number + 1, "name": label} for number, label in enumerate(LABELS)]
    path.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
