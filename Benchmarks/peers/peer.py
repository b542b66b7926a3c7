"""The parts that the Python peers share: LiteRT's Interpreter, and the protocol that the driver speaks with them.

A peer reads one path a line from standard input and answers each with one JSON line on standard output:

    {"milliseconds": 12.3, "processorMilliseconds": 12.1, "result": [[frame, class or null, score], …]}

`milliseconds` is the time from the path to the results, taken inside the peer, so that pipes do not count;
`processorMilliseconds` is the time that the processor spent on it.
A peer differs from the others only in `read(path, width, height)`, which gives an upright RGB picture resized to
the model's input, and in `crops(path, rectangles, width, height)`, which gives parts of the picture likewise.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
from ai_edge_litert.interpreter import Interpreter


class Model:
    """A model with one image input, ready to run on one thread."""

    def __init__(self, path: str, threads: int) -> None:
        self.interpreter = Interpreter(model_path=path, num_threads=threads)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]
        self.outputs = self.interpreter.get_output_details()
        _, self.height, self.width, _ = self.input["shape"]

    def run(self, picture: numpy.ndarray) -> list[numpy.ndarray]:
        """Runs the model on an RGB picture of its input's size; float inputs get (p - 127.5) / 127.5."""
        if self.input["dtype"] == numpy.float32:
            picture = (picture.astype(numpy.float32) - 127.5) / 127.5
        self.interpreter.set_tensor(self.input["index"], picture[None])
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(output["index"]) for output in self.outputs]


def top_classes(model: Model, outputs: list[numpy.ndarray], count: int) -> list:
    """The best classes of a classifier, best first, as [class, score]."""
    scores = outputs[0].reshape(-1).astype(numpy.float32)
    scale, zero_point = model.outputs[0]["quantization"]
    if scale:
        scores = (scores - zero_point) * scale
    best = numpy.argsort(-scores)[:count]
    return [[int(index), float(scores[index])] for index in best]


def boxes_of(outputs: list[numpy.ndarray]) -> list:
    """The detections of TFLite_Detection_PostProcess, as [left, top, right, bottom, class, score] in fractions."""
    boxes, classes, scores, count = outputs
    return [
        [float(box[1]), float(box[0]), float(box[3]), float(box[2]), int(kind), float(score)]
        for box, kind, score, _ in zip(boxes[0], classes[0], scores[0], range(int(count[0])))
    ]


def main(
    read: Callable[[str, int, int], numpy.ndarray], crops: Callable[[str, list, int, int], Iterable[numpy.ndarray]]
) -> None:
    """Answers paths until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["label", "detect"])
    parser.add_argument("--model", required=True)
    parser.add_argument("--classifier", help="a second model that names what the first one finds")
    parser.add_argument("--max-objects", type=int, default=5)
    parser.add_argument("--threshold", type=float, default=0, help="the least score of what the classifier names")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    model = Model(options.model, options.threads)
    classifier = Model(options.classifier, options.threads) if options.classifier else None

    def answer(path: str) -> list:
        outputs = model.run(read(path, model.width, model.height))
        if options.task == "label":
            return [[None, *one] for one in top_classes(model, outputs, 10)]
        objects = boxes_of(outputs)
        if classifier is None:
            return [[one[:4], one[4], one[5]] for one in objects]
        objects = [one for one in objects if one[5] >= options.threshold][: options.max_objects]
        named = []
        for one, crop in zip(objects, crops(path, [o[:4] for o in objects], classifier.width, classifier.height)):
            named.append([one[:4], *top_classes(classifier, classifier.run(crop), 1)[0]])
        return named

    for line in sys.stdin:
        path = line.rstrip("\n")
        start, processor_start = time.perf_counter(), time.process_time()
        result = answer(path)
        milliseconds = (time.perf_counter() - start) * 1000
        processor = (time.process_time() - processor_start) * 1000
        print(
            json.dumps({"milliseconds": milliseconds, "processorMilliseconds": processor, "result": result}), flush=True
        )
