"""Runs every model that is at hand and writes the table of the article ModelTable.

    python3 models/table.py --sightline SIGHTLINE [--data DATA] [--exports FOLDER] [--without-ap]

DATA is the folder of real data (SIGHTLINE_TEST_DATA). FOLDER holds what models/export_yolo.py made; without it the rows
of these models are left out. Each row comes from `sightline inspect`, from runs on a photo, and, for models of COCO's
classes, from `sightline evaluate boxes`.
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures" / "models"
CATALOG = ROOT / "Sources" / "ModelCatalog"
ARTICLE = ROOT / "Sources" / "Sightline" / "Documentation.docc" / "ModelTable.md"
RUNS = 7


class Row(NamedTuple):
    """A model: where it comes from, its file, its label file, and whether COCO's annotations give its AP."""

    source: str
    path: str
    labels: str | None = None
    has_ap: bool = False


# Stands for a label file with the names of COCO's categories.
COCO = "(COCO)"

REAL = [
    Row("Google, COCO SSD MobileNet V1", "coco_ssd/detect.tflite", has_ap=True),
    Row("Google, the same with metadata", "coco_ssd/detect_with_metadata.tflite", has_ap=True),
    Row("Google, object localizer", "object_localizer/mobile_object_localizer_v1_metadata.tflite"),
    Row("TensorFlow Object Detection API, traffic signs", "traffic_ssd/traffic_model.tflite"),
    Row("YOLOX-Nano, converted from ONNX", "yolox/yolox_nano.tflite", COCO, has_ap=True),
    Row("AutoML Vision Edge, folder of an export", "automl_flowers"),
    Row("TensorFlow, MobileNet V1", "classifiers/mobilenet_v1_0.25_224_float.tflite"),
    Row("Coral, MobileNet V2", "classifiers/mobilenet_v2_1.0_224_quant.tflite", "classifiers/imagenet_labels.txt"),
    Row("Google, birds", "classifiers/bird_classifier.tflite"),
    Row("ML Kit sample, object labeler", "classifiers/object_labeler.tflite"),
]
STAND_INS = [
    Row("Ultralytics YOLOv8, `temp_meta.txt` or `metadata.json`", "yolov8_ultralytics.tflite"),
    Row("Ultralytics YOLOv5", "yolov5.tflite"),
    Row("Ultralytics, int8 outputs", "yolov8_int8.tflite"),
    Row("YOLOv10, YOLO26, `nms=True`: rows of objects", "end_to_end.tflite"),
    Row("Ultralytics, rows of objects in pixels", "end_to_end_pixels.tflite"),
    Row("MediaPipe Model Maker, detector", "ssd_mediapipe.tflite"),
    Row("MediaPipe `.task` bundle", "bundle.task"),
    Row("Teachable Machine, download", "teachable_machine.zip"),
    Row("EfficientDet-Lite, outputs in the order of TensorFlow 2.6", "ssd_reordered.tflite"),
    Row("YOLO-NAS, PP-YOLOE: corners and scores", "decoded_corners.tflite"),
    Row("RF-DETR, DETR: centers and logits", "decoded_centers.tflite"),
    Row("NanoDet-Plus", "nanodet.tflite"),
    Row("PP-PicoDet", "picodet.tflite"),
    Row("RTMDet", "rtmdet.tflite"),
    Row("YOLO for mobile chips: boxes, scores, classes", "decoded_classes.tflite"),
]

HEAD = """# Models that were tried

What Sightline reads from each kind of file, and what it assumes.

## Overview

`Benchmarks/models/table.py` writes this table: it inspects each model, runs it on a photo and, where annotations of
COCO fit, measures its AP. "Milliseconds" is the median time of one run of the model, without decoding and preparing the
picture, with the threads that `sightline detect` chooses, on a busy machine. AP is mAP@[.5:.95] in per cent over
{pictures} photos of COCO. Models of the catalog have the figures of `sightline models list`, which
`Benchmarks/models/catalog.py` measures: the fastest of some runs on one thread.

"""
COLUMNS = ["model", "use", "labels from", "assumed", "not used", "milliseconds", "AP"]


def answer(arguments: Sequence[str | pathlib.Path]) -> Any:
    done = subprocess.run([str(part) for part in arguments], capture_output=True, text=True, check=False)
    # `inspect` exits with 1 for a model that cannot be used, and prints the reason.
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def catalog_figures() -> dict[str, Any]:
    """The figures of the models in the catalog, by the SHA-256 of their files."""
    entries = json.loads((CATALOG / "catalog.json").read_text(encoding="utf-8"))
    figures = json.loads((CATALOG / "measurements.json").read_text(encoding="utf-8"))["models"]
    return {entry["sha256"]: figures[entry["name"]] for entry in entries if entry["name"] in figures}


class Table:
    def __init__(self, sightline: pathlib.Path, data: pathlib.Path, coco_labels: pathlib.Path, has_ap: bool) -> None:
        self.sightline = sightline
        self.data = data
        self.coco_labels = coco_labels
        self.has_ap = has_ap
        self.figures = catalog_figures()

    def milliseconds(self, task: str, model: Sequence[str | pathlib.Path]) -> float:
        command = "label" if task == "labeling" else "detect"
        photo = self.data / "images" / "cats_and_dogs.jpg"
        runs = answer([self.sightline, command, *[photo] * RUNS, *model, "--format", "json"])
        return statistics.median(run["milliseconds"]["inference"] for run in runs)

    def ap(self, model: Sequence[str | pathlib.Path]) -> str:
        annotations = self.data / "detection" / "annotations.json"
        report = answer([self.sightline, "evaluate", "boxes", annotations, *model, "--format", "json"])
        return f"{report['summary']['ap'] * 100:.1f}"

    def row(self, row: Row, folder: pathlib.Path) -> str:
        model: list[str | pathlib.Path] = [folder / row.path]
        if row.labels:
            model += ["--labels", self.coco_labels if row.labels == COCO else folder / row.labels]
        found = answer([self.sightline, "inspect", *model, "--format", "json"])
        if "task" not in found:
            return self.line([row.source, found["problem"], "", "", "", "", ""])
        labels = found.get("labels")
        source = f"{labels['source']} ({labels['count']})" if labels else "none"
        cells = [row.source, found["head"], source, " ".join(found["assumptions"]), "; ".join(found.get("unused", []))]
        file = folder / row.path
        known = self.figures.get(hashlib.sha256(file.read_bytes()).hexdigest()) if file.is_file() else None
        if known:
            ap = known.get("averagePrecision")
            return self.line([*cells, f"{known['milliseconds']:.1f}", "" if ap is None else f"{ap * 100:.1f}"])
        model = ["--model", *model]
        # The time of a stand-in says nothing about the models for which it stands, but it must run.
        milliseconds = self.milliseconds(found["task"], model)
        cells.append("" if folder == FIXTURES else f"{milliseconds:.1f}")
        cells.append(self.ap(model) if row.has_ap and self.has_ap else "")
        return self.line(cells)

    def line(self, cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    def section(self, title: str, text: str, rows: Sequence[Row], folder: pathlib.Path) -> str:
        lines = [f"### {title}", "", text, "", self.line(COLUMNS), "|" + "---|" * len(COLUMNS)]
        for row in rows:
            lines.append(self.row(row, folder))
            print(lines[-1])
        return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", type=pathlib.Path, required=True)
    default = os.environ.get("SIGHTLINE_TEST_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(default))
    parser.add_argument("--exports", type=pathlib.Path)
    parser.add_argument("--without-ap", action="store_true")
    arguments = parser.parse_args()

    annotations = json.loads((arguments.data / "detection" / "annotations.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        labels = pathlib.Path(folder) / "coco.txt"
        labels.write_text("".join(f"{category['name']}\n" for category in annotations["categories"]), encoding="utf-8")
        table = Table(arguments.sightline.resolve(), arguments.data.resolve(), labels, not arguments.without_ap)
        sections = make_sections(table, arguments.exports)
    ARTICLE.write_text(HEAD.format(pictures=len(annotations["images"])) + "\n".join(sections), encoding="utf-8")


def make_sections(table: Table, exports: pathlib.Path | None) -> list[str]:
    sections = [
        table.section("Real models", "Trained models as their makers published them.", REAL, table.data / "models")
    ]
    if exports:
        rows = [Row(f"Ultralytics, {path.stem}", path.name) for path in sorted(exports.resolve().glob("*.tflite"))]
        text = (
            "Files that Ultralytics' own exporter wrote, at 320 × 320 pixels. Their weights are random: the\n"
            "table shows that they are read, not that they find anything."
        )
        sections.append(table.section("Untrained exports", text, rows, exports.resolve()))
    text = (
        "Tiny generated models of exactly the outputs and metadata of their kind. They stand in for files that could\n"
        "not be had here."
    )
    sections.append(table.section("Stand-ins", text, STAND_INS, FIXTURES))
    return sections


if __name__ == "__main__":
    main()
