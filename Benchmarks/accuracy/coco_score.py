"""Scores Sightline's detections on COCO-style annotations, beside the Python reference.

    sightline detect FOLDER/detection/images --model FOLDER/models/coco_ssd/detect.tflite --threshold 0 \\
        --max-objects 100 --max-labels 1 --format jsonl > sightline.jsonl
    python3 coco_score.py [--data FOLDER] [--reference reference.json] sightline.jsonl

A picture without a line, or with an error, counts as one without detections, and is named. With --reference (what
coco_reference.py wrote) the difference is printed, and the exit code is 1 where mAP@[.5:.95] lies more than
0.5 points from the reference's.
"""

import argparse
import json
import pathlib
import sys

import coco

TOLERANCE = 0.5


def read_lines(path: pathlib.Path, annotations: coco.Annotations) -> list[dict]:
    """The objects of Sightline's JSON lines as COCO results; each object counts with its best label."""
    detections, seen, unknown = [], set(), set()
    for line in path.read_text().splitlines():
        record = json.loads(line)
        name = pathlib.PurePath(record["image"]).name
        if "error" in record:
            print(f"{name}: {record['error']}")
            continue
        if name not in annotations.image_ids:
            continue
        seen.add(name)
        for found in record["objects"]:
            for label in found["labels"][:1]:
                if label["text"] not in annotations.category_ids:
                    unknown.add(label["text"])
                    continue
                frame = found["frame"]
                detections.append(
                    {
                        "image_id": annotations.image_ids[name],
                        "category_id": annotations.category_ids[label["text"]],
                        "bbox": [frame["x"], frame["y"], frame["width"], frame["height"]],
                        "score": label["confidence"],
                    }
                )
    missing = annotations.image_ids.keys() - seen
    if missing:
        print(f"without a result: {', '.join(sorted(missing))}")
    if unknown:
        print(f"labels without a category in the annotations: {', '.join(sorted(unknown))}")
    return detections


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="the folder of real data")
    parser.add_argument("--reference", type=pathlib.Path, help="the detections of coco_reference.py")
    parser.add_argument("lines", type=pathlib.Path, help="what `sightline detect --format jsonl` printed")
    options = parser.parse_args()
    annotations = coco.Annotations(coco.data_folder(options.data) / "detection" / "annotations.json")

    detections = read_lines(options.lines, annotations)
    scores = annotations.score(detections)
    print(f"Sightline: {len(detections)} detections, {coco.describe(scores)}")
    if options.reference:
        reference = annotations.score(json.loads(options.reference.read_text()))
        print(f"reference: {coco.describe(reference)}")
        difference = scores["mAP@[.5:.95]"] - reference["mAP@[.5:.95]"]
        print(f"difference of mAP@[.5:.95]: {difference:+.2f} points (allowed: ±{TOLERANCE})")
        sys.exit(bool(abs(difference) > TOLERANCE))


if __name__ == "__main__":
    main()
