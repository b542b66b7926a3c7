"""Shows that the eight EXIF orientations of one photo give the same boxes in the upright frame.

    python3 orientations.py --sightline PATH --model MODEL PHOTO

The photo is cut to whole JPEG blocks, turned without loss into each of the eight stored forms with `jpegtran`, and
tagged so that each is the same upright picture. The boxes of each are compared with those of the first, best first:
no edge may differ by more than 2 % of the picture's size. The exit code is 1 where one does.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

TOLERANCE = 0.02

# How the upright picture is stored under each EXIF orientation: what undoes the turn that the tag asks for.
STORED_AS = {
    1: [],
    2: ["-flip", "horizontal"],
    3: ["-rotate", "180"],
    4: ["-flip", "vertical"],
    5: ["-transpose"],
    6: ["-rotate", "270"],
    7: ["-transverse"],
    8: ["-rotate", "90"],
}


def tagged(jpeg: bytes, orientation: int) -> bytes:
    """The JPEG with an EXIF segment that holds the orientation alone."""
    tiff = b"MM\0*" + struct.pack(">I", 8) + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    segment = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


def edges(found: dict, record: dict) -> list[float]:
    """Left, top, right and bottom in fractions of the picture's size."""
    frame = found["frame"]
    left, top = frame["x"] / record["width"], frame["y"] / record["height"]
    return [left, top, left + frame["width"] / record["width"], top + frame["height"] / record["height"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--threshold", default="0.4", help="the least confidence of a box that is compared (0.4)")
    parser.add_argument("photo")
    options = parser.parse_args()

    worst, expected = 0.0, None
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder, "whole.jpg")
        # -trim drops the blocks at the edges that could not be turned.
        subprocess.run(
            ["jpegtran", "-copy", "none", "-trim", "-rotate", "180", "-outfile", str(whole), options.photo], check=True
        )
        subprocess.run(
            ["jpegtran", "-copy", "none", "-trim", "-rotate", "180", "-outfile", str(whole), str(whole)], check=True
        )
        for orientation, turn in STORED_AS.items():
            jpeg = subprocess.run(
                ["jpegtran", "-copy", "none", *turn, str(whole)], capture_output=True, check=True
            ).stdout
            path = pathlib.Path(folder, f"orientation{orientation}.jpg")
            path.write_bytes(tagged(jpeg, orientation))
            done = subprocess.run(
                [
                    options.sightline,
                    "detect",
                    str(path),
                    "--model",
                    options.model,
                    "--format",
                    "jsonl",
                    "--threshold",
                    options.threshold,
                    "--max-objects",
                    "10",
                ],
                capture_output=True,
                text=True,
                check=True,
            )
            record = json.loads(done.stdout)
            boxes = sorted((found["labels"][0]["text"], edges(found, record)) for found in record["objects"])
            expected = expected or boxes
            if [label for label, _ in boxes] != [label for label, _ in expected]:
                sys.exit(f"orientation {orientation}: {boxes} instead of {expected}")
            moved = max(
                (abs(a - b) for (_, one), (_, other) in zip(boxes, expected) for a, b in zip(one, other)), default=0
            )
            worst = max(worst, moved)
            print(
                f"orientation {orientation}: {record['width']}×{record['height']}, {len(boxes)} boxes, "
                f"furthest edge {moved:.2%} from orientation 1"
            )
    print(f"furthest edge: {worst:.2%} of the picture's size (allowed: {TOLERANCE:.0%})")
    sys.exit(bool(worst > TOLERANCE or not expected))


if __name__ == "__main__":
    main()
