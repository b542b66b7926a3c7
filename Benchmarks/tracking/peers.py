"""Track:Peers: Sightline's tracker beside others, over the same detections in the same run.

    python3 tracking/peers.py --tracker PATH --evaluator PATH [--mot DIR] [--peers sort,bytetrack,…] [--rounds 1]
    SEQUENCES…

SEQUENCES are folders with det/det.txt, seqinfo.ini and gt/; PATH of --tracker is `tracking-benchmarks`, that of
--evaluator a program that scores a folder of results: `EVALUATOR RESULTS --mot DIR --json FILE`. Every contender gets
the detections of a frame from memory; times are the processor's, of its update alone. Peers run untuned but for the
high threshold, which is everybody's.
"""

import argparse
import configparser
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import supervision as sv
import trackers


def threshold(group: str, options: argparse.Namespace) -> float:
    return options.public_threshold if group.endswith(("dpm", "frcnn")) else options.threshold


def make(name: str, high: float, rate: float) -> Any:
    """A peer with its own defaults; thresholds follow the high one as in its paper."""
    common = {"lost_track_buffer": 30, "frame_rate": rate}
    if name == "sort":
        return trackers.SORTTracker(**common, track_activation_threshold=high)
    if name == "bytetrack":
        return trackers.ByteTrackTracker(
            **common, high_conf_det_threshold=high, track_activation_threshold=min(high + 0.1, 0.95)
        )
    if name == "ocsort":
        return trackers.OCSORTTracker(**common, high_conf_det_threshold=high)
    if name == "botsort":
        return trackers.BoTSORTTracker(
            **common,
            high_conf_det_threshold=high,
            track_activation_threshold=min(high + 0.1, 0.95),
            enable_cmc=False,
        )
    raise SystemExit(f"no peer is called {name}: take sort, bytetrack, ocsort, botsort")


class Sequence:
    def __init__(self, folder: pathlib.Path) -> None:
        config = configparser.ConfigParser()
        config.read(folder / "seqinfo.ini")
        info = config["Sequence"]
        self.name = folder.name
        self.group = info.get("group", "")
        self.rate = float(info["frameRate"])
        rows = np.loadtxt(folder / "det/det.txt", delimiter=",", ndmin=2)[:, :7]
        if self.group.startswith("mot"):
            width, height = rows[:, 4], rows[:, 5]
            rows = rows[(width * height > 100) & (width / height <= 1.6)]
        self.frames = []
        for frame in range(1, int(info["seqLength"]) + 1):
            found = rows[rows[:, 0] == frame]
            boxes = np.column_stack((found[:, 2], found[:, 3], found[:, 2] + found[:, 4], found[:, 3] + found[:, 5]))
            self.frames.append((boxes, found[:, 6], np.zeros(len(found), int)))


def run_peer(
    name: str, sequences: list[Sequence], options: argparse.Namespace, output: pathlib.Path
) -> dict[str, float]:
    output.mkdir(parents=True, exist_ok=True)
    times = {}
    for sequence in sequences:
        best = float("inf")
        for _ in range(options.rounds):
            tracker = make(name, threshold(sequence.group, options), sequence.rate)
            results, spent = [], 0.0
            for boxes, scores, classes in sequence.frames:
                detections = sv.Detections(xyxy=boxes.copy(), confidence=scores.copy(), class_id=classes.copy())
                start = time.process_time()
                tracked = tracker.update(detections)
                spent += time.process_time() - start
                results.append(tracked)
            best = min(best, spent)
        times[sequence.name] = 1000 * best / len(sequence.frames)
        with open(output / f"{sequence.name}.txt", "w") as file:
            for index, tracked in enumerate(results):
                if tracked.tracker_id is None:
                    continue
                for box, id in zip(tracked.xyxy, tracked.tracker_id):
                    if id >= 0:
                        left, top, right, bottom = box
                        file.write(
                            f"{index + 1},{id + 1},{left:.2f},{top:.2f},{right - left:.2f},{bottom - top:.2f},1\n"
                        )
    return times


def mean_time(times: dict[str, float], sequences: list[Sequence]) -> float:
    """Milliseconds a frame over all frames of the sequences."""
    return sum(times[s.name] * len(s.frames) for s in sequences) / sum(len(s.frames) for s in sequences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracker", required=True)
    parser.add_argument("--evaluator", required=True)
    parser.add_argument("--mot", type=pathlib.Path, help="the folder of the sequences, if not the first one's parent")
    parser.add_argument("--peers", default="sort,bytetrack,ocsort,botsort")
    parser.add_argument("--threshold", type=float, default=0.6)
    parser.add_argument("--public-threshold", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("sequences", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    mot = options.mot or options.sequences[0].parent
    sequences = [Sequence(folder) for folder in options.sequences]

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run(
            [
                options.tracker,
                *map(str, options.sequences),
                "--output",
                str(folder / "sightline"),
                "--threshold",
                str(options.threshold),
                "--public-threshold",
                str(options.public_threshold),
                "--rounds",
                str(options.rounds),
                "--json",
                str(folder / "times.json"),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        times = {"sightline": json.loads((folder / "times.json").read_text())}
        for peer in filter(None, options.peers.split(",")):
            times[peer] = run_peer(peer, sequences, options, folder / peer)
        scores = {}
        for name in times:
            report = folder / f"{name}.json"
            subprocess.run(
                [sys.executable, options.evaluator, str(folder / name), "--mot", str(mot), "--json", str(report)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            scores[name] = {row["name"]: row for row in json.loads(report.read_text())}

    rows = [row for row in scores["sightline"] if row.startswith("[") or row == "COMBINED"]
    if len(sequences) <= 8:
        rows = [sequence.name for sequence in sequences] + rows
    print("| | tracker | HOTA | IDF1 | MOTA | id switches | ms a frame | × Sightline |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for row in rows:
        chosen = [s for s in sequences if row in ("COMBINED", s.name, f"[{s.group}]")]
        for name in times:
            score = scores[name][row]
            ratio = mean_time(times[name], chosen) / mean_time(times["sightline"], chosen)
            print(
                f"| {row} | {name} | {score['HOTA']:.2f} | {score['IDF1']:.2f} | {score['MOTA']:.2f} | {score['IDs']} "
                f"| {mean_time(times[name], chosen):.4f} | {ratio:.1f} |"
            )


if __name__ == "__main__":
    main()
