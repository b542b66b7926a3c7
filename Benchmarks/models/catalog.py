"""Measures the models of the catalog, and writes the figures that `sightline models list` shows.

    python3 models/catalog.py --sightline SIGHTLINE [--data DATA]

DATA is the folder of real data (SIGHTLINE_TEST_DATA). A model is measured if its file, by its SHA-256, lies in
DATA/models. The average precision is that of `sightline evaluate boxes` on DATA/detection, the time that of runs of
`sightline detect` or `label`. On a busy machine, `chrt -f 50 taskset -c 1` before the command keeps other programs away
from its core.
"""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOG = ROOT / "Sources" / "ModelCatalog" / "catalog.json"
MEASUREMENTS = ROOT / "Sources" / "ModelCatalog" / "measurements.json"
RUNS = 61


def answer(arguments: Sequence[str | pathlib.Path]) -> Any:
    done = subprocess.run([str(part) for part in arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def measure(sightline: pathlib.Path, entry: dict[str, Any], model: pathlib.Path, data: pathlib.Path) -> dict[str, Any]:
    shape = answer([sightline, "inspect", model, "--format", "json"])["inputs"][0]["shape"]
    command = "label" if entry["task"] == "labeling" else "detect"
    photo = data / "images" / "cats_and_dogs.jpg"
    runs = answer([sightline, command, *[photo] * RUNS, "--model", model, "--threads", "1", "--format", "json"])
    figures: dict[str, Any] = {"inputWidth": shape[2], "inputHeight": shape[1]}
    if command == "detect":
        annotations = data / "detection" / "annotations.json"
        report = answer([sightline, "evaluate", "boxes", annotations, "--model", model, "--format", "json"])
        if report.get("summary"):
            figures["averagePrecision"] = round(report["summary"]["ap"], 3)
    figures["milliseconds"] = round(min(run["milliseconds"]["inference"] for run in runs), 1)
    return figures


def measure_built_in(sightline: pathlib.Path, data: pathlib.Path) -> dict[str, Any]:
    """The figures of the built-in detector; the time is that from the decoded picture to the named objects."""
    photo = data / "images" / "cats_and_dogs.jpg"
    runs = answer([sightline, "detect", *[photo] * RUNS, "--threads", "1", "--format", "json"])
    annotations = data / "detection" / "annotations.json"
    report = answer([sightline, "evaluate", "boxes", annotations, "--format", "json"])
    times = [run["milliseconds"]["total"] - run["milliseconds"]["decoding"] for run in runs]
    return {
        "inputWidth": 352,
        "inputHeight": 352,
        "averagePrecision": round(report["summary"]["ap"], 3),
        "milliseconds": round(min(times), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", type=pathlib.Path, required=True)
    default = os.environ.get("SIGHTLINE_TEST_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(default))
    arguments = parser.parse_args()
    data = arguments.data.resolve()

    files = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path for path in sorted((data / "models").rglob("*.tflite"))
    }
    count = len(json.loads((data / "detection" / "annotations.json").read_text(encoding="utf-8"))["images"])
    models: dict[str, Any] = {}
    for entry in json.loads(CATALOG.read_text(encoding="utf-8")):
        if (found := files.get(entry.get("sha256"))) is None:
            print(f"{entry['name']}: its file is not in {data / 'models'}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            # As it is installed: no other file beside the model changes what it means.
            model = pathlib.Path(folder) / "model.tflite"
            shutil.copyfile(found, model)
            if sidecar := entry.get("sidecar"):
                model.with_name("model.sightline.json").write_text(json.dumps(sidecar), encoding="utf-8")
            if names := entry.get("labels", {}).get("names"):
                model.with_name("model.txt").write_text("\n".join(names), encoding="utf-8")
            models[entry["name"]] = measure(arguments.sightline.resolve(), entry, model, data)
        print(f"{entry['name']}: {models[entry['name']]}")
    measurements = {
        "pictures": f"{count} photos of COCO val2017",
        "processor": processor(),
        "runs": RUNS,
        "builtInDetector": measure_built_in(arguments.sightline.resolve(), data),
        "models": models,
    }
    MEASUREMENTS.write_text(json.dumps(measurements, indent=4) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
