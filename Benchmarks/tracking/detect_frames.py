"""Detections of a sequence of frames by Sightline, as MOTChallenge's det.txt with the class in column 8.

    python3 tracking/detect_frames.py --sightline PATH --model MODEL --output DIR SEQUENCES…

SEQUENCES are folders with img1/, seqinfo.ini and gt/; the output has the same layout without pictures.
"""

import argparse
import json
import pathlib
import shutil
import subprocess


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--threshold", type=float, default=0.1)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("sequences", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for sequence in options.sequences:
        output = options.output / sequence.name
        for part in ("det", "gt"):
            (output / part).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sequence / "seqinfo.ini", output / "seqinfo.ini")
        shutil.copyfile(sequence / "gt/gt.txt", output / "gt/gt.txt")
        pictures = sorted((sequence / "img1").iterdir())
        found = subprocess.run(
            [
                options.sightline,
                "detect",
                *map(str, pictures),
                "--model",
                options.model,
                "--format",
                "jsonl",
                "--threshold",
                str(options.threshold),
                "--max-objects",
                "100",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        with open(output / "det/det.txt", "w") as file:
            for frame, line in enumerate(found.splitlines(), start=1):
                for thing in json.loads(line)["objects"]:
                    box = thing["frame"]
                    label = thing["labels"][0]["index"] if thing["labels"] else -1
                    file.write(
                        f"{frame},-1,{box['x']},{box['y']},{box['width']},{box['height']},{thing['confidence']},{label}\n"
                    )


if __name__ == "__main__":
    main()
