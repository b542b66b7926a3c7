"""Peer: Ultralytics' own way from a file to boxes with a TensorFlow Lite model. Optional: models/requirements-ultralytics.txt.

It speaks the protocol of peer.py, but runs its own decoding, inference and suppression, on one thread of PyTorch and
of the interpreter. It reads models that its export made, and no others.
"""

import argparse
import json
import os
import sys
import time
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["YOLO_OFFLINE"] = "1"
os.environ["YOLO_VERBOSE"] = "false"

import torch
from ultralytics import YOLO


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["detect"])
    parser.add_argument("--model", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = YOLO(options.model, task="detect")

    def answer(path: str) -> list[list[Any]]:
        found = model.predict(path, verbose=False)[0].boxes
        return [
            [box, int(kind), score]
            for box, kind, score in zip(found.xyxyn.tolist(), found.cls.tolist(), found.conf.tolist())
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
