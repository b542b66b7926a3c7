"""Peer: MediaPipe Tasks, with its own decoder. Optional: requirements-mediapipe.txt.

It speaks the protocol of peer.py, but runs its own inference. It has no thread option, and no way to name with one
model what another has found.
"""

import argparse
import json
import sys
import time
from typing import Any

import mediapipe
from mediapipe.tasks.python import BaseOptions, vision


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["label", "detect"])
    parser.add_argument("--model", required=True)
    options = parser.parse_args()
    base = BaseOptions(model_asset_path=options.model)
    if options.task == "label":
        classifier = vision.ImageClassifier.create_from_options(
            vision.ImageClassifierOptions(base_options=base, max_results=10)
        )
    else:
        detector = vision.ObjectDetector.create_from_options(vision.ObjectDetectorOptions(base_options=base))

    def answer(path: str) -> list[list[Any]]:
        picture = mediapipe.Image.create_from_file(path)
        if options.task == "label":
            best = classifier.classify(picture).classifications[0].categories
            return [[None, one.index, one.score] for one in best]
        found = detector.detect(picture).detections
        return [
            [
                [one.bounding_box.origin_x, one.bounding_box.origin_y, one.bounding_box.width, one.bounding_box.height],
                one.categories[0].index or 0,
                one.categories[0].score,
            ]
            for one in found
        ]

    for line in sys.stdin:
        path = line.rstrip("\n")
        start, processor_start = time.perf_counter(), time.process_time()
        result = answer(path)
        milliseconds = (time.perf_counter() - start) * 1000
        processor = (time.process_time() - processor_start) * 1000
        print(
            json.dumps({"milliseconds": milliseconds, "processorMilliseconds": processor, "result": result}), flush=True
        )


if __name__ == "__main__":
    main()
