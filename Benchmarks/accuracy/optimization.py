"""Measures what `sightline optimize` makes of models: how much faster they run, and how alike they answer.

    python3 optimization.py --sightline PATH [--data FOLDER] [--photos FOLDER] [MODEL …]

Without MODEL: every .tflite under FOLDER/models. Both versions of a model take turns on one thread, in processor time,
and answer for the same photos (FOLDER/images and FOLDER/detection/images). Detectors are also evaluated on
FOLDER/detection, and the flower classifier on the labeled flower photos of FOLDER/training, before and after. Prints a
Markdown table. The exit code is 1 where fewer than 97 % of a classifier's answers, or 90 % of a detector's, stay.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LEAST_LABELS, LEAST_OBJECTS = 0.97, 0.90


def run(*command: object) -> dict | None:
    """The JSON that a command prints; None where it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        print(f"<!-- {' '.join(map(str, command[1:3]))}: {done.stderr.strip()} -->")
        return None
    return json.loads(done.stdout)


def photo_folder(data: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A folder with links to all photos."""
    target = folder / "photos"
    target.mkdir()
    for source in (data / "images", data / "detection/images"):
        for path in sorted(source.iterdir()):
            (target / path.name).symlink_to(path)
    return target


def flower_folder(data: pathlib.Path, folder: pathlib.Path) -> pathlib.Path | None:
    """A folder for each flower, with links to the labeled photos; None where there are none."""
    table = data / "training/coarse/labels.csv"
    if not table.exists():
        return None
    target = folder / "flowers"
    with table.open(newline="") as lines:
        for row in csv.DictReader(lines):
            source = data / "training/coarse/images" / row["file"]
            if row["source"] == "flower_photos" and source.exists():
                (target / row["fine"]).mkdir(parents=True, exist_ok=True)
                (target / row["fine"] / source.name).symlink_to(source)
    return target if target.exists() else None


def accuracies(arguments: argparse.Namespace, model: pathlib.Path, flowers: pathlib.Path | None) -> list[str]:
    """An evaluation before and after, in percent, where there are pictures with known answers for the model."""
    found = []
    for more in ([], ["--optimize"]):
        if flowers and "flowers" in str(model):
            folder = model.parent if (model.parent / "manifest.json").exists() else model
            report = run(
                arguments.sightline, "evaluate", "labels", flowers, "--model", folder, "--format", "json", *more
            )
            found.append(f"top-1 {100 * report['top1']:.2f}" if report else "–")
        elif model.parent.name in ("coco_ssd", "yolox", "object_localizer"):
            report = run(
                arguments.sightline,
                "evaluate",
                "boxes",
                arguments.data / "detection/annotations.json",
                "--model",
                model,
                "--format",
                "json",
                *more,
            )
            summary = (report or {}).get("summary") or (report or {}).get("classAgnostic") or {}
            found.append(f"AP {100 * summary['ap']:.2f}" if "ap" in summary else "–")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("SIGHTLINE_TEST_DATA"))
    parser.add_argument("--photos", type=pathlib.Path, help="photos to compare answers on")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.data is None:
        sys.exit("name the folder of real data with --data or SIGHTLINE_TEST_DATA")
    failures = 0
    with tempfile.TemporaryDirectory(prefix="optimization-") as name:
        folder = pathlib.Path(name)
        # Rewritten models are made again, whatever the user's data folder holds.
        runtime = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share", "sightline")
        (folder / "sightline").mkdir()
        for library in runtime.glob("litert-*"):
            (folder / "sightline" / library.name).symlink_to(library)
        os.environ["XDG_DATA_HOME"] = str(folder)
        photos = arguments.photos or photo_folder(arguments.data, folder)
        flowers = flower_folder(arguments.data, folder)
        print("| model | ms | times as fast | the same answers | largest difference | evaluation | kB |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for model in arguments.models or sorted((arguments.data / "models").rglob("*.tflite")):
            report = run(arguments.sightline, "optimize", model, "--pictures", photos, "--format", "json")
            if report is None:
                continue
            speed, agreement = report["speed"], report.get("agreement")
            low, high = speed["ratioQuartiles"]
            cells = [
                f"{model.parent.name}/{model.name}",
                f"{speed['originalMilliseconds']:.3g} → {speed['rewrittenMilliseconds']:.3g}",
                f"**{speed['ratio']:.2f}** ({low:.2f}–{high:.2f})",
            ]
            if agreement and agreement["answers"]:
                share = agreement["same"] / agreement["answers"]
                cells += [
                    f"{agreement['same']} of {agreement['answers']} ({100 * share:.1f} %)",
                    f"{agreement['largestDifference']:.3f}",
                ]
                least = LEAST_LABELS if agreement["task"] == "labeling" else LEAST_OBJECTS
                failures += share < least
            else:
                cells += ["–", "–"]
            cells.append(" → ".join(accuracies(arguments, model, flowers)) or "–")
            cells.append(f"{report['byteCount'] // 1000} → {report['rewrittenByteCount'] // 1000}")
            print(f"| {' | '.join(cells)} |", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
