"""Makes the classifier, the labeler or the namer of a trained backbone: fits its last layer anew, and calibrates it on
photos kept aside.
"""

import argparse
import pathlib
from collections.abc import Sequence

from . import data
from .log import Log
from .prepare import DEFAULT_WORK, RESOURCES


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training fit", description=__doc__)
    parser.add_argument("model", choices=["classifier", "labeler", "namer"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument(
        "--photos", type=pathlib.Path, required=True, help="the folder of everyday photos that prepare was given"
    )
    parser.add_argument("--initial", type=pathlib.Path, required=True, help="the backbone's weights (.pt)")
    parser.add_argument(
        "--localizer", type=pathlib.Path, default=RESOURCES / "object_localizer.tflite", help="namer: finds the boxes"
    )
    parser.add_argument(
        "--classifier",
        type=pathlib.Path,
        default=RESOURCES / "coarse_classifier.tflite",
        help="namer: the exported classifier of the same backbone whose classes it also tells",
    )
    parser.add_argument(
        "--people", type=pathlib.Path, help="namer: a COCO-style folder with boxes by people to choose by, too"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(options.threads)
    log = Log(options.work / "fit.log")
    if options.model == "namer":
        from . import fit_namer

        drawn = [photo for photo in data.everyday_photos(options.photos) if len(photo.boxes)]
        people = data.annotated(options.people) if options.people else []
        fit_namer.fit(options.work, options.initial, drawn, options.localizer, options.classifier, people, log)
        return
    from . import fit_classifier, fit_labeler, learned

    known = learned.of(data.data_folder(options.data), options.photos, options.work)
    if options.model == "classifier":
        fit_classifier.fit(options.work, options.initial, known, options.seed, log)
    else:
        fit_labeler.fit(options.work, options.initial, known, log)
