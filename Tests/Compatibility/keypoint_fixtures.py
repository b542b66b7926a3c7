"""Makes Tests/Fixtures/boxes/keypoints.json: small generated key points and detections, with the numbers of
pycocotools.

python3 -m pip install -r Benchmarks/requirements.txt
python3 Tests/Compatibility/keypoint_fixtures.py
"""

import json
import pathlib
import random

import numpy as np
from coco_numbers import summary

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "Fixtures" / "boxes" / "keypoints.json"


def case(seed, pictures=6, objects=5, noise=0.05, points=17, crowds=0.1, unlabeled=0.2, boxes=False):
    """Objects of all sizes, some of them crowds, some without labeled points; detections near them, doubled, and out of
    nothing. With `boxes`, detections have a box of their own.
    """
    rng = random.Random(seed)
    images = [{"id": 3 * n + 1, "file_name": f"{n}.jpg", "width": 640, "height": 480} for n in range(pictures)]
    annotations, results = [], []

    def detection(image, places):
        found = {"image_id": image["id"], "category_id": 1, "score": round(rng.random(), 2), "keypoints": []}
        for x, y in places:
            found["keypoints"] += [round(x, 2), round(y, 2), round(rng.random(), 2)]
        if boxes:
            found["bbox"] = [round(rng.uniform(1, 200), 2) for _ in range(4)]
        results.append(found)

    for image in images:
        for _ in range(rng.randint(0, objects)):
            side = rng.choice([20, 45, 80, 150, 300])
            left, top = rng.uniform(0, 640 - side / 2), rng.uniform(0, 480 - side / 2)
            places = [(left + rng.random() * side, top + rng.random() * side) for _ in range(points)]
            visible = [0 if rng.random() < 0.3 else rng.choice([1, 2]) for _ in places]
            if rng.random() < unlabeled:
                visible = [0] * points
            numbers = [
                value
                for (x, y), v in zip(places, visible)
                for value in ((round(x, 2), round(y, 2), v) if v else (0, 0, 0))
            ]
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image["id"],
                    "category_id": 1,
                    "bbox": [round(value, 2) for value in (left, top, side, side)],
                    "area": round(side * side * rng.uniform(0.4, 0.9), 2),
                    "iscrowd": int(rng.random() < crowds),
                    "keypoints": numbers,
                    "num_keypoints": sum(v > 0 for v in visible),
                }
            )
            for _ in range(rng.choice([0, 1, 1, 2])):
                shift = rng.choice([noise / 4, noise, 3 * noise]) * side
                detection(image, [(x + rng.gauss(0, shift), y + rng.gauss(0, shift)) for x, y in places])
        for _ in range(rng.randint(0, 3)):
            detection(image, [(rng.uniform(0, 640), rng.uniform(0, 480)) for _ in range(points)])
    rng.shuffle(results)
    category = {"id": 1, "name": "person", "keypoints": [f"point {n}" for n in range(points)], "skeleton": []}
    return {
        "annotations": {"images": images, "categories": [category], "annotations": annotations},
        "detections": results,
    }


def numbers(case):
    points = len(case["annotations"]["categories"][0]["keypoints"])
    parameters = {} if points == 17 else {"kpt_oks_sigmas": np.full(points, 1 / points)}
    return summary(case, "keypoints", **parameters)


def main():
    cases = [
        case(1),
        case(2, noise=0.02, unlabeled=0),
        case(3, crowds=0.5),
        case(4, pictures=2, objects=30, noise=0.1),
        case(5, points=4),
        case(6, boxes=True),
    ]
    for each in cases:
        each["expected"] = numbers(each)
    OUTPUT.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
