"""COCO-style annotations, detections and the score over them, shared by the accuracy scripts."""

import contextlib
import io
import os
import pathlib

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

DETECTIONS_PER_IMAGE = 100


def data_folder(argument: str | None = None) -> pathlib.Path:
    """The folder of real data: the argument, SIGHTLINE_TEST_DATA, or ../shared/data beside the checkout."""
    default = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
    return pathlib.Path(argument or os.environ.get("SIGHTLINE_TEST_DATA") or default)


class Annotations:
    """The ground truth: pictures by file name, categories by name."""

    def __init__(self, path: pathlib.Path) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.coco = COCO(str(path))
        self.image_ids = {image["file_name"]: image["id"] for image in self.coco.dataset["images"]}
        self.category_ids = {category["name"]: category["id"] for category in self.coco.dataset["categories"]}

    def score(self, detections: list[dict]) -> dict[str, float]:
        """mAP@[.5:.95], mAP@.5 and the recall with 100 detections, in per cent, over all pictures."""
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation = COCOeval(self.coco, self.coco.loadRes(detections), "bbox")
            evaluation.params.maxDets = [1, 10, DETECTIONS_PER_IMAGE]
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return {
            "mAP@[.5:.95]": evaluation.stats[0] * 100,
            "mAP@.5": evaluation.stats[1] * 100,
            "recall": evaluation.stats[8] * 100,
        }


def describe(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
