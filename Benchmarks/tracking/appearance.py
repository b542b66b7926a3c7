"""Tracking with and without --appearance, from pictures to identities.

    python3 tracking/appearance.py --sightline PATH --model MODEL --evaluator EVALUATOR SEQUENCES…

SEQUENCES are folders in one folder, each with img1/, gt/gt.txt and seqinfo.ini. Milliseconds are those of the tracking
stage (camera motion, appearance and tracker) for a frame: the median over the frames.
"""

import argparse
import configparser
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def track(options: argparse.Namespace, sequence: pathlib.Path, flags: list[str], output: pathlib.Path) -> list[float]:
    """Writes the identities as MOT, and returns the milliseconds of the tracking stage in each frame."""
    info = configparser.ConfigParser()
    info.read(sequence / "seqinfo.ini")
    command = [options.sightline, "track", str(sequence / "img1"), "--model", options.model, "--max-objects", "100"]
    command += ["--threshold", str(options.threshold), "--format", "jsonl", *flags]
    command += ["--frame-rate", info["Sequence"]["frameRate"]]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    times = []
    with open(output / f"{sequence.name}.txt", "w") as file:
        for line in lines:
            record = json.loads(line)
            times.append(record["milliseconds"]["tracking"])
            for thing in record["objects"]:
                if not thing["detected"] or options.class_index not in (None, thing.get("classIndex")):
                    continue
                box = thing["frame"]
                place = f"{box['x']},{box['y']},{box['width']},{box['height']}"
                file.write(f"{record['index'] + 1},{thing['id']},{place},{thing['confidence']}\n")
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--evaluator", required=True)
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--class-index", type=int, help="the class of the ground truth; the others do not count")
    parser.add_argument("sequences", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    print("| sequence | | HOTA | IDF1 | MOTA | id switches | ms a frame |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for name, flags in (("without", []), ("with", ["--appearance"])):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            results = folder / "results"
            results.mkdir()
            times = {s.name: track(options, s, flags, results) for s in options.sequences}
            times["COMBINED"] = [time for part in times.values() for time in part]
            report = folder / "report.json"
            command = [sys.executable, options.evaluator, str(results), "--json", str(report)]
            command += ["--mot", str(options.sequences[0].parent)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for row in json.loads(report.read_text()):
                if row["name"] in times:
                    print(
                        f"| {row['name']} | {name} | {row['HOTA']:.2f} | {row['IDF1']:.2f} | {row['MOTA']:.2f} "
                        f"| {row['IDs']} | {statistics.median(times[row['name']]):.3f} |"
                    )


if __name__ == "__main__":
    main()
