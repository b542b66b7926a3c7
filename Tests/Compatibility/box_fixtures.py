"""Makes Tests/Fixtures/boxes/cases.json: small generated annotations and detections with the numbers that pycocotools
gives them.

python3 -m pip install -r Benchmarks/requirements.txt
python3 Tests/Compatibility/box_fixtures.py
"""

import json
import pathlib
import random

from coco_numbers import evaluated, summaries

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "Fixtures" / "boxes" / "cases.json"


def case(seed, pictures=8, objects=7, noise=0.25, digits=2, crowds=0.15):
    """Objects of all sizes, some of them crowds; detections near them, doubled, of other categories, and out of
    nothing.
    """
    rng = random.Random(seed)
    categories = [{"id": number, "name": f"kind {number}"} for number in (1, 2, 3, 5, 9)]
    ids = [1, 2, 3, 5]  # nothing is of category 9
    images = [
        {"id": 10 * number + seed % 7, "file_name": f"{number}.jpg", "width": 400, "height": 300}
        for number in range(pictures)
    ]
    rng.shuffle(images)
    annotations, results = [], []
    for image in images:
        for _ in range(rng.randint(0, objects)):
            side = rng.choice([12, 25, 60, 90, 150, 240])
            w, h = side * rng.uniform(0.7, 1.3), side * rng.uniform(0.7, 1.3)
            box = [round(value, 2) for value in (rng.uniform(0, 400 - w / 2), rng.uniform(0, 300 - h / 2), w, h)]
            crowd = int(rng.random() < crowds)
            category = rng.choice(ids)
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image["id"],
                    "category_id": category,
                    "bbox": box,
                    "area": round(box[2] * box[3] * rng.uniform(0.5, 1), 2),
                    "iscrowd": crowd,
                }
            )
            for _ in range(rng.choice([0, 1, 1, 2, 3]) + 3 * crowd):
                shift = rng.choice([0, noise / 4, noise])
                near = [
                    box[0] + rng.gauss(0, shift) * w,
                    box[1] + rng.gauss(0, shift) * h,
                    w * max(0.2, 1 + rng.gauss(0, shift)),
                    h * max(0.2, 1 + rng.gauss(0, shift)),
                ]
                results.append(
                    {
                        "image_id": image["id"],
                        "category_id": category if rng.random() < 0.8 else rng.choice(ids),
                        "bbox": [round(value, 3) for value in near],
                        "score": round(rng.random(), digits),
                    }
                )
        for _ in range(rng.randint(0, 4)):
            results.append(
                {
                    "image_id": image["id"],
                    "category_id": rng.choice(ids + [9]),
                    "score": round(rng.random(), digits),
                    "bbox": [round(rng.uniform(1, 200), 3) for _ in range(4)],
                }
            )
    rng.shuffle(results)
    return {
        "annotations": {"images": images, "categories": categories, "annotations": annotations},
        "detections": results,
    }


def numbers(case):
    precision = evaluated(case, "bbox").eval["precision"][:, :, :, 0, 2]
    categories = [float(precision[:, :, index].mean()) for index in range(precision.shape[2])]
    both = summaries(case, "bbox")
    return {"summary": both["summary"], "categories": categories, "classAgnostic": both["classAgnostic"]}


def main():
    cases = [
        case(1),
        case(2, digits=1),
        case(3, crowds=0.6),
        case(4, pictures=3, objects=40, noise=0.1),
        case(5, noise=0.02, crowds=0),
    ]
    # More than a hundred detections in one picture.
    many = case(6, pictures=2, objects=12)
    rng = random.Random(60)
    for _ in range(150):
        many["detections"].append(
            {
                "image_id": many["annotations"]["images"][0]["id"],
                "category_id": 1,
                "bbox": [round(rng.uniform(0, 150), 2) for _ in range(4)],
                "score": round(rng.random(), 2),
            }
        )
    cases.append(many)
    for each in cases:
        each["expected"] = numbers(each)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
