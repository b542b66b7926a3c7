"""The numbers that pycocotools gives generated annotations and detections, for the makers of fixtures."""

import contextlib
import copy
import io

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def evaluated(case, kind, **parameters):
    """The evaluation of a case, with its summary.

    - Parameters:
      - kind: bbox, segm or keypoints.
      - parameters: those of pycocotools that differ from its defaults.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = copy.deepcopy(case["annotations"])
        known.createIndex()
        evaluation = COCOeval(known, known.loadRes(copy.deepcopy(case["detections"])), kind)
        for name, value in parameters.items():
            setattr(evaluation.params, name, value)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def summary(case, kind, **parameters):
    return [float(value) for value in evaluated(case, kind, **parameters).stats]


def summaries(case, kind):
    """The summaries with and without categories."""
    return {"summary": summary(case, kind), "classAgnostic": summary(case, kind, useCats=0)}
