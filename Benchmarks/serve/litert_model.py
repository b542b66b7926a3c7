"""The parts that the Python servers share: a detector of SSD's kind in LiteRT, and Pillow."""

import io
import os
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
from ai_edge_litert.interpreter import Interpreter
from PIL import Image, ImageOps


class Detector:
    """A model with TFLite_Detection_PostProcess, ready to run on one thread."""

    def __init__(self, path: str) -> None:
        self.interpreter = Interpreter(model_path=path, num_threads=1)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]
        self.outputs = self.interpreter.get_output_details()
        _, self.height, self.width, _ = self.input["shape"]

    def answer(self, body: bytes) -> dict[str, Any]:
        """The objects in a picture file, in pixels of the upright picture."""
        picture = ImageOps.exif_transpose(Image.open(io.BytesIO(body))).convert("RGB")
        pixels = numpy.asarray(picture.resize((self.width, self.height), Image.Resampling.BILINEAR))
        if self.input["dtype"] == numpy.float32:
            pixels = (pixels.astype(numpy.float32) - 127.5) / 127.5
        self.interpreter.set_tensor(self.input["index"], pixels[None])
        self.interpreter.invoke()
        boxes, classes, scores, count = (self.interpreter.get_tensor(output["index"])[0] for output in self.outputs)
        objects = [
            {
                "frame": [
                    float(left * picture.width),
                    float(top * picture.height),
                    float((right - left) * picture.width),
                    float((bottom - top) * picture.height),
                ],
                "classIndex": int(kind),
                "confidence": float(score),
            }
            for (top, left, bottom, right), kind, score, _ in zip(boxes, classes, scores, range(int(count)))
            if score >= 0.5
        ]
        return {"width": picture.width, "height": picture.height, "objects": objects}
