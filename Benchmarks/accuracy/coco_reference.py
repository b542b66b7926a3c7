"""The reference for detection accuracy: Pillow, LiteRT's Python Interpreter, pycocotools.

    python3 coco_reference.py [--data FOLDER] [--output reference.json]

Runs the COCO SSD model (models/coco_ssd/detect.tflite and its labelmap.txt) on every picture of
detection/annotations.json: Pillow opens it, turns it upright, makes it RGB and resizes it bilinearly to the model's
input. All detections of the model count, down to score 0. Labels of the model are brought to categories of the
annotations by name. Prints the scores, and writes the detections in COCO's results format with --output.
"""

import argparse
import json
import pathlib

import coco
import numpy
from ai_edge_litert.interpreter import Interpreter
from PIL import Image, ImageOps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="the folder of real data")
    parser.add_argument("--output", type=pathlib.Path, help="where to write the detections")
    options = parser.parse_args()
    data = coco.data_folder(options.data)
    annotations = coco.Annotations(data / "detection" / "annotations.json")
    # The first line of the label map stands for the background; the model's class 0 is the line after it.
    labels = (data / "models" / "coco_ssd" / "labelmap.txt").read_text().splitlines()[1:]

    interpreter = Interpreter(str(data / "models" / "coco_ssd" / "detect.tflite"), num_threads=1)
    interpreter.allocate_tensors()
    model_input = interpreter.get_input_details()[0]
    outputs = [detail["index"] for detail in interpreter.get_output_details()]
    _, rows, columns, _ = model_input["shape"]

    detections, unknown = [], set()
    for name, image_id in annotations.image_ids.items():
        picture = ImageOps.exif_transpose(Image.open(data / "detection" / "images" / name)).convert("RGB")
        resized = picture.resize((columns, rows), Image.Resampling.BILINEAR)
        interpreter.set_tensor(model_input["index"], numpy.asarray(resized)[None])
        interpreter.invoke()
        boxes, classes, scores, count = (interpreter.get_tensor(index) for index in outputs)
        for index in range(int(count[0])):
            label = labels[int(classes[0, index])]
            if label not in annotations.category_ids:
                unknown.add(label)
                continue
            top, left, bottom, right = (float(value) for value in boxes[0, index])
            detections.append(
                {
                    "image_id": image_id,
                    "category_id": annotations.category_ids[label],
                    "bbox": [
                        left * picture.width,
                        top * picture.height,
                        (right - left) * picture.width,
                        (bottom - top) * picture.height,
                    ],
                    "score": float(scores[0, index]),
                }
            )

    if unknown:
        print(f"labels without a category in the annotations: {', '.join(sorted(unknown))}")
    if options.output:
        options.output.write_text(json.dumps(detections))
    print(f"reference: {len(annotations.image_ids)} pictures, {len(detections)} detections")
    print(f"reference: {coco.describe(annotations.score(detections))}")


if __name__ == "__main__":
    main()
