"""The gain and the cost of searching slices: AP by the size of objects, and pictures a second.

    python3 accuracy/slices.py --sightline SIGHTLINE --model MODEL [--model MODEL …] [--data DATA]

DATA is the folder of real data (SIGHTLINE_TEST_DATA). Two sets are measured with `sightline evaluate boxes`: the photos
of DATA/detection as they are, and sheets of nine of these photos, 3 × 3, each at 640 × 480 pixels. A sheet is like a
picture from the air: large, with many small objects. One worker, so that times compare.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
from typing import Any

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 3
CELL = (640, 480)
FIGURES = ["ap", "ap50", "apSmall", "apMedium", "apLarge"]


def make_sheets(data: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Writes the sheets with their annotations, and returns the annotations' path."""
    known = json.loads((data / "annotations.json").read_text(encoding="utf-8"))
    objects: dict[int, list[dict[str, Any]]] = {}
    for annotation in known["annotations"]:
        objects.setdefault(annotation["image_id"], []).append(annotation)
    photos = known["images"]
    per_sheet = COLUMNS * COLUMNS
    sheets: dict[str, list[Any]] = {"images": [], "annotations": [], "categories": known["categories"]}
    (folder / "images").mkdir()
    for number in range(len(photos) // per_sheet):
        size = (CELL[0] * COLUMNS, CELL[1] * COLUMNS)
        sheet = Image.new("RGB", size, (128, 128, 128))
        name = f"{number}.jpg"
        sheets["images"].append({"id": number, "file_name": name, "width": size[0], "height": size[1]})
        for place, photo in enumerate(photos[number * per_sheet : (number + 1) * per_sheet]):
            with Image.open(data / "images" / photo["file_name"]) as file:
                picture = file.convert("RGB")
            scale = min(CELL[0] / picture.width, CELL[1] / picture.height, 1)
            picture = picture.resize((round(picture.width * scale), round(picture.height * scale)))
            left, top = place % COLUMNS * CELL[0], place // COLUMNS * CELL[1]
            sheet.paste(picture, (left, top))
            for annotation in objects.get(photo["id"], []):
                x, y, width, height = (value * scale for value in annotation["bbox"])
                sheets["annotations"].append(
                    {
                        "id": len(sheets["annotations"]) + 1,
                        "image_id": number,
                        "category_id": annotation["category_id"],
                        "iscrowd": annotation.get("iscrowd", 0),
                        "area": annotation["area"] * scale * scale,
                        "bbox": [left + x, top + y, width, height],
                    }
                )
        sheet.save(folder / "images" / name, quality=92)
    path = folder / "annotations.json"
    path.write_text(json.dumps(sheets), encoding="utf-8")
    return path


def measure(sightline: pathlib.Path, model: str | None, annotations: pathlib.Path, slices: int | None) -> str:
    command = [str(sightline), "evaluate", "boxes", str(annotations), "--workers", "1", "--format", "json"]
    command += ["--model", model] if model else []
    command += ["--slice", str(slices)] if slices else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    report = json.loads(done.stdout)
    summary = report.get("summary") or report["classAgnostic"]
    rate = report["pictureCount"] / report["seconds"]
    scores = " | ".join(f"{summary.get(name) or 0:.3f}" for name in FIGURES)
    return f"{slices or '–'} | {scores} | {rate:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", type=pathlib.Path, required=True)
    default = os.environ.get("SIGHTLINE_TEST_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(default))
    parser.add_argument("--model", action="append", help="A model, or `built-in`; repeat it for several.")
    parser.add_argument("--slice", type=int, action="append", help="Slices in pixels; repeat it for several.")
    arguments = parser.parse_args()
    data = arguments.data.resolve() / "detection"
    print("| model | pictures | slices | AP | AP50 | small | medium | large | pictures/s |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        sheets = make_sheets(data, pathlib.Path(folder))
        for model in arguments.model or ["built-in"]:
            path = None if model == "built-in" else model
            for name, annotations in [("photos", data / "annotations.json"), ("sheets", sheets)]:
                for slices in [None, *(arguments.slice or [320, 640])]:
                    row = measure(arguments.sightline.resolve(), path, annotations, slices)
                    print(f"| {pathlib.Path(model).stem} | {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
