"""Growth of pictures: runs of detect and label, similar pictures, models with many labels, trained labelers."""

import material
from bench import BLOCK_DETECTOR, FIXTURES, Bench, Row
from costs import MOST_OF_PAIRS, Cost, Word, of_program

# The network that sees the photos.
NETWORK = FIXTURES / "models/float_network.tflite"


def pictures(bench: Bench, count: int) -> dict[str, Cost]:
    folder = material.photos(bench.folder / "photos", count)
    found = bench.folder / "found.jsonl"
    label: list[Word] = [bench.sightline, "label", folder, "--output", found]
    detect: list[Word] = [bench.sightline, "detect", folder, "--model", BLOCK_DETECTOR, "--threshold", "0.01"]
    return {
        "label": of_program(label),
        "label --resume, all done": of_program([*label, "--resume"]),
        "detect --format coco": of_program([*detect, "--format", "coco", "--output", bench.folder / "coco.json"]),
        "detect --format yolo": of_program([*detect, "--format", "yolo", "--output", bench.folder / "yolo"]),
    }


def likeness(bench: Bench, count: int) -> dict[str, Cost]:
    folder = material.photos(bench.folder / "photos", count)
    photo = bench.folder / "photo.png"
    photo.write_bytes(material.photo(count + 1)[1])
    similar: list[Word] = [bench.sightline, "similar", photo, folder, "--start", NETWORK, "--format", "jsonl"]
    return {
        "similar, a new index": of_program(similar),
        "similar, a known index": of_program(similar),
        # Each picture may be a copy of each; what grows with the square is a product of 64 bytes.
        "similar --duplicates": of_program([bench.sightline, "similar", folder, "--duplicates"]).may(MOST_OF_PAIRS),
    }


def evaluation(bench: Bench, count: int) -> dict[str, Cost]:
    annotations, found = material.boxes(bench.folder, count)
    return {
        "evaluate boxes": of_program(
            [bench.sightline, "evaluate", "boxes", annotations, "--detections", found, "--format", "json"]
        ),
    }


def training(bench: Bench, count: int) -> dict[str, Cost]:
    folder = material.photos(bench.folder / "photos", count, by_label=True)
    words: list[Word] = ["train", "labels", folder, "--output", bench.folder / "model", "--start", NETWORK]
    variables = {"XDG_CACHE_HOME": str(bench.folder / "cache")}
    return {"train labels": of_program([bench.sightline, *words], variables=variables)}


def labels(bench: Bench, count: int) -> dict[str, Cost]:
    model, names = material.classifier(bench.folder, count)
    folder = material.photos(bench.folder / "photos", 200)
    label: list[Word] = [bench.sightline, "label", folder, "--model", model, "--labels", names, "--threshold", "0"]
    return {
        "inspect": of_program([bench.sightline, "inspect", model, "--labels", names]),
        "label 200 pictures": of_program([*label, "--format", "jsonl"]),
        "label them, all labels": of_program([*label, "--format", "jsonl", "--max-labels", str(count)]),
    }


ROWS = [
    Row("pictures", "pictures", (100, 1000, 10_000), (10, 100), pictures),
    Row("labels", "labels of a model", (100, 1000, 10_000), (10, 100), labels),
    Row("evaluation", "evaluated pictures of 5 boxes", (100, 1000, 10_000), (10, 100), evaluation),
    Row("training", "pictures of a training", (100, 1000, 10_000), (30, 100), training),
    Row("likeness", "pictures of a folder", (100, 1000, 10_000), (10, 100), likeness),
]
