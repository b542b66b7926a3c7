"""Track:SameID: how many objects keep one identity for 1.5 s, the time for which apps wait before they trust one.

    python3 tracking/same_id.py RESULTS --mot DIR [--seconds 1.5] [--threshold 0.6] SEQUENCES…

RESULTS has NAME.txt for each of the SEQUENCES, folders in DIR with gt/gt.txt, det/det.txt and seqinfo.ini.

In each frame, results are matched with the ground truth one to one so that the sum of overlaps is the largest, at an
overlap (IoU) of 0.5 or more. An object takes part if it is visible for that long, from its first frame to its last. It
keeps an identity if there are two frames at least that long apart in which it has the same one, no other in between,
and that one in at least half of the frames between them.

Two figures: of all such objects, and of those that the detector saw: matched in the same way by boxes of at least the
threshold in at least half of the frames of a stretch of that length. What no box was found for, no tracker can follow.
"""

import argparse
import configparser
import pathlib

import numpy as np
from scipy.optimize import linear_sum_assignment


def rows(path: pathlib.Path) -> np.ndarray:
    lines = [line.split(",") for line in path.read_text().splitlines() if line.strip()]
    width = max((len(line) for line in lines), default=7)
    return np.array([[float(value) for value in line + ["-1"] * (width - len(line))] for line in lines]).reshape(
        -1, width
    )


def overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    left = np.maximum(a[:, None, 0], b[None, :, 0])
    top = np.maximum(a[:, None, 1], b[None, :, 1])
    right = np.minimum(a[:, None, 0] + a[:, None, 2], b[None, :, 0] + b[None, :, 2])
    bottom = np.minimum(a[:, None, 1] + a[:, None, 3], b[None, :, 1] + b[None, :, 3])
    shared = np.clip(right - left, 0, None) * np.clip(bottom - top, 0, None)
    return shared / ((a[:, 2] * a[:, 3])[:, None] + (b[:, 2] * b[:, 3])[None, :] - shared)


def matches(truth: np.ndarray, found: np.ndarray) -> dict[int, dict[int, int]]:
    """For each object its frames, and in each of them the row of what was matched, −1 for nothing."""
    result: dict[int, dict[int, int]] = {}
    for frame in np.unique(truth[:, 0]):
        there = truth[truth[:, 0] == frame]
        candidates = np.nonzero(found[:, 0] == frame)[0]
        for object in there[:, 1]:
            result.setdefault(int(object), {})[int(frame)] = -1
        if not len(candidates):
            continue
        overlap = overlaps(there[:, 2:6], found[candidates, 2:6])
        overlap[overlap < 0.5] = 0
        for row, column in zip(*linear_sum_assignment(-overlap)):
            if overlap[row, column] > 0:
                result[int(there[row, 1])][int(frame)] = int(candidates[column])
    return result


def keeps(identities: dict[int, int], length: float) -> bool:
    """Whether one identity lasts for so many frames; −1 is none."""
    seen = [(frame, identity) for frame, identity in sorted(identities.items()) if identity >= 0]
    for start, (first, identity) in enumerate(seen):
        for count, (frame, other) in enumerate(seen[start:], 1):
            if other != identity:
                break
            if frame - first >= length and 2 * count >= frame - first + 1:
                return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--mot", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--threshold", type=float, default=0.6)
    parser.add_argument("sequences", nargs="+")
    options = parser.parse_args()
    total = [0, 0, 0, 0]
    print("| sequence | objects | keep one identity | seen by the detector | of these keep one |")
    print("|---|--:|--:|--:|--:|")

    def show(name: str, counts: list[int]) -> None:
        share = [f"{100 * part / whole:.1f} %" if whole else "–" for part, whole in (counts[1::-1], counts[3:1:-1])]
        print(f"| {name} | {counts[0]} | {counts[1]} ({share[0]}) | {counts[2]} | {counts[3]} ({share[1]}) |")

    for name in options.sequences:
        folder = options.mot / name
        config = configparser.ConfigParser()
        config.read(folder / "seqinfo.ini")
        length = options.seconds * float(config["Sequence"]["frameRate"])
        truth = rows(folder / "gt/gt.txt")
        if config["Sequence"].get("group", "").startswith("mot"):
            # MOTChallenge: rows with flag 0 and classes other than pedestrians do not count.
            truth = truth[(truth[:, 6] != 0) & (truth[:, 7] == 1)]
        results = rows(options.results / f"{name}.txt")
        detections = rows(folder / "det/det.txt")
        detections = detections[detections[:, 6] >= options.threshold]
        tracked, detected = matches(truth, results), matches(truth, detections)
        counts = [0, 0, 0, 0]
        for object, frames in tracked.items():
            if max(frames) - min(frames) < length:
                continue
            kept = keeps({f: int(results[r, 1]) if r >= 0 else -1 for f, r in frames.items()}, length)
            seen = keeps({f: min(r, 0) for f, r in detected[object].items()}, length)
            counts = [counts[0] + 1, counts[1] + kept, counts[2] + seen, counts[3] + (seen and kept)]
        show(name, counts)
        total = [a + b for a, b in zip(total, counts)]
    show("all", total)


if __name__ == "__main__":
    main()
