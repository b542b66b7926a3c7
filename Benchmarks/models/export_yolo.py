"""Exports YOLO models of Ultralytics to TensorFlow Lite: the shapes and the metadata of the models that people have.

    python3 -m venv .venv && .venv/bin/pip install -r models/requirements-ultralytics.txt
    .venv/bin/python models/export_yolo.py FOLDER [NAME…]

The models are built from the architectures that the package describes. Nobody trained them: they show that a file of
this kind is read, and how long it runs, and find nothing in pictures.
"""

import os
import pathlib
import sys

os.environ["YOLO_OFFLINE"] = "1"

import torch
from ultralytics import YOLO

NAMES = [
    "yolov8n",
    "yolov9t",
    "yolov10n",
    "yolo11n",
    "yolo11n-seg",
    "yolo11n-pose",
    "yolo11n-obb",
    "yolo11n-cls",
    "yolo26n",
    "yolo26n-seg",
    "yolo26n-pose",
    "yolo26n-obb",
    "yolo26n-cls",
]
SIZE = 320


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    for name in sys.argv[2:] or NAMES:
        torch.manual_seed(1)
        model = YOLO(f"{name}.yaml")
        model.save(f"{name}.pt")
        YOLO(f"{name}.pt").export(format="litert", imgsz=SIZE)
        pathlib.Path(f"{name}.pt").unlink()


if __name__ == "__main__":
    main()
