"""Compares `sightline evaluate boxes` with pycocotools on the same detections: every number, and the time.

    python3 accuracy/box_evaluation.py --sightline SIGHTLINE --annotations annotations.json detections.json…

All twelve numbers, with categories and without, and each category's AP must be equal to 1e-6. Times are of pycocotools'
evaluate and accumulate, and of what Sightline reports as its scoringSeconds, in alternating rounds; both have read
their files.
"""

import argparse
import contextlib
import io
import json
import statistics
import subprocess
import sys
import time
from typing import Any

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

NUMBERS = [
    "ap",
    "ap50",
    "ap75",
    "apSmall",
    "apMedium",
    "apLarge",
    "ar1",
    "ar10",
    "ar100",
    "arSmall",
    "arMedium",
    "arLarge",
]
TOLERANCE = 1e-6


def peer(known: Any, found: Any, use_categories: bool = True) -> tuple[Any, float]:
    """pycocotools' evaluation and its seconds."""
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(known, found, "bbox")
        evaluation.params.useCats = int(use_categories)
        start = time.perf_counter()
        evaluation.evaluate()
        evaluation.accumulate()
        seconds = time.perf_counter() - start
        evaluation.summarize()
    return evaluation, seconds


def ours(sightline: str, annotations: str, detections: str) -> dict[str, Any]:
    command = [sightline, "evaluate", "boxes", annotations, "--detections", detections, "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def differences(evaluation: Any, agnostic: Any, report: dict[str, Any]) -> tuple[list[tuple[str, float, float]], int]:
    """The numbers that differ, as (name, theirs, ours), and the count of all; -1 stands for an absent number."""
    pairs = []
    for kind, theirs, mine in (("", evaluation, report["summary"]), ("any object ", agnostic, report["classAgnostic"])):
        pairs += [(kind + name, value, mine.get(name, -1.0)) for name, value in zip(NUMBERS, theirs.stats)]
    mine = {category["id"]: category for category in report["categories"]}
    for index, category in enumerate(evaluation.params.catIds):
        precision = evaluation.eval["precision"][:, :, index, 0, 2]
        recall = evaluation.eval["recall"][:, index, 0, 2]
        if (precision > -1).any():
            for name, value in (("ap", precision.mean()), ("ap50", precision[0].mean()), ("ar100", recall.mean())):
                pairs.append((f"category {category} {name}", value, mine[category][name]))
        elif category in mine and "ap" in mine[category]:
            pairs.append((f"category {category}", -1.0, mine[category]["ap"]))
    return [(name, float(a), b) for name, a, b in pairs if not abs(a - b) <= TOLERANCE], len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True, help="the command, built in release for the times")
    parser.add_argument("--annotations", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("detections", nargs="+", help="files in COCO's format for results")
    arguments = parser.parse_args()
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO(arguments.annotations)
    failed = False
    for path in arguments.detections:
        with contextlib.redirect_stdout(io.StringIO()):
            found = known.loadRes(path)
        theirs, mine = [], []
        for _ in range(arguments.rounds):
            evaluation, seconds = peer(known, found)
            theirs.append(seconds)
            report = ours(arguments.sightline, arguments.annotations, path)
            mine.append(report["scoringSeconds"])
        wrong, count = differences(evaluation, peer(known, found, use_categories=False)[0], report)
        ratio = statistics.median(a / b for a, b in zip(theirs, mine))
        print(
            f"{path}: {count} numbers, {len(wrong)} differ; AP {evaluation.stats[0]:.6f}; pycocotools"
            f" {statistics.median(theirs) * 1e3:.0f} ms, Sightline {statistics.median(mine) * 1e3:.1f} ms, {ratio:.1f}"
            " x as fast"
        )
        for name, a, b in wrong[:20]:
            print(f"  {name}: pycocotools {a}, Sightline {b}")
        failed |= bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
