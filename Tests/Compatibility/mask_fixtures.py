"""Makes Tests/Fixtures/boxes/masks.json: small generated annotations and detections with outlines, with the numbers
that pycocotools gives them (iouType segm), and polygons with the pixels that it fills.

python3 -m pip install -r Benchmarks/requirements.txt
python3 Tests/Compatibility/mask_fixtures.py
"""

import json
import math
import pathlib
import random

from coco_numbers import summaries
from pycocotools import mask as masks

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "Fixtures" / "boxes" / "masks.json"
WIDTH, HEIGHT = 120, 90


def blob(rng, x, y, radius):
    """A polygon around a point."""
    corners = rng.randint(3, 14)
    points = []
    for number in range(corners):
        angle = 2 * math.pi * number / corners
        length = radius * rng.uniform(0.5, 1.4)
        points += [round(x + length * math.cos(angle), 2), round(y + length * math.sin(angle), 2)]
    return points


def text(rle):
    return {"size": rle["size"], "counts": rle["counts"].decode()}


def merged(polygons):
    return masks.merge(masks.frPyObjects(polygons, HEIGHT, WIDTH))


def counts(rle):
    """The runs of a mask as numbers."""
    pixels = masks.decode(rle).flatten(order="F")
    runs, value, length = [], 0, 0
    for pixel in pixels:
        if pixel != value:
            runs.append(length)
            value, length = pixel, 0
        length += 1
    return [int(run) for run in runs + [length]]


def case(seed, pictures=5, objects=6, crowds=0.15, boxes="none"):
    """Objects of all sizes in each form of outlines, some of them crowds; detections near them and out of nothing."""
    rng = random.Random(seed)
    categories = [{"id": number, "name": f"kind {number}"} for number in (1, 2, 4)]
    images = [
        {"id": number + 3, "file_name": f"{number}.jpg", "width": WIDTH, "height": HEIGHT} for number in range(pictures)
    ]
    annotations, results = [], []
    for image in images:
        for _ in range(rng.randint(0, objects)):
            radius, x, y = rng.choice([5, 12, 30, 60]), rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
            polygons = [blob(rng, x, y, radius) for _ in range(rng.choice([1, 1, 2, 3]))]
            rle = merged(polygons)
            crowd = int(rng.random() < crowds)
            form = rng.choice(["polygons", "text", "counts"])
            outline = {
                "polygons": polygons,
                "text": text(rle),
                "counts": {"size": [HEIGHT, WIDTH], "counts": counts(rle)},
            }[form]
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image["id"],
                    "category_id": rng.choice([1, 2]),
                    "bbox": [float(value) for value in masks.toBbox(rle)],
                    "area": float(masks.area(rle)),
                    "iscrowd": crowd,
                    "segmentation": outline,
                }
            )
            for _ in range(rng.choice([0, 1, 1, 2]) + 2 * crowd):
                noise = rng.choice([0, 0.5, 2, 6])
                near = [[round(value + rng.gauss(0, noise), 2) for value in polygon] for polygon in polygons]
                results.append(
                    {
                        "image_id": image["id"],
                        "category_id": annotations[-1]["category_id"] if rng.random() < 0.8 else 4,
                        "segmentation": text(merged(near)),
                        "score": round(rng.random(), 2),
                    }
                )
        for _ in range(rng.randint(0, 3)):
            found = merged([blob(rng, rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT), 15)])
            results.append(
                {
                    "image_id": image["id"],
                    "category_id": 2,
                    "segmentation": text(found),
                    "score": round(rng.random(), 2),
                }
            )
    rng.shuffle(results)
    if boxes != "none":
        for number, result in enumerate(results):
            result["bbox"] = [float(value) for value in masks.toBbox(result["segmentation"])]
            if boxes == "some masks" and number % 2:
                del result["segmentation"]
    return {
        "annotations": {"images": images, "categories": categories, "annotations": annotations},
        "detections": results,
    }


def main():
    cases = [
        case(1),
        case(2, crowds=0.6),
        case(3, pictures=2, objects=25),
        case(4, boxes="all"),
        case(5, boxes="some masks"),
    ]
    for each in cases:
        each["expected"] = summaries(each, "segm")
    rng = random.Random(9)
    polygons = [
        blob(rng, rng.uniform(-20, WIDTH + 20), rng.uniform(-20, HEIGHT + 20), rng.choice([2, 10, 50, 200]))
        for _ in range(40)
    ]
    polygons += [
        [10, 10, 40, 10, 40, 40, 10, 40],
        [10.5, 10.5, 40.5, 10.5, 40.5, 40.5, 10.5, 40.5],
        [10, 10, 10, 10, 40, 10, 40, 40],
        [30, 30, 60, 30, 30, 60, 60, 60],
        [5, 5, 5, 5, 5, 5],
        [0, 0, WIDTH, 0, WIDTH, HEIGHT, 0, HEIGHT],
    ]
    fills = [
        {"polygon": polygon, "counts": masks.frPyObjects([polygon], HEIGHT, WIDTH)[0]["counts"].decode()}
        for polygon in polygons
    ]
    OUTPUT.write_text(
        json.dumps({"size": [HEIGHT, WIDTH], "cases": cases, "fills": fills}, separators=(",", ":")) + "\n"
    )


if __name__ == "__main__":
    main()
