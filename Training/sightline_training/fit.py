"""Makes the classifier or the labeler of a trained detector: fits a last layer to what it sees, and calibrates it on
photos kept aside. For an exported detector, chooses the confidence from which on it shows each name, and packs it into
the file.
"""

import argparse
import pathlib
from collections.abc import Sequence

from . import data
from .log import Log
from .prepare import DEFAULT_WORK


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m sightline_training fit", description=__doc__)
    parser.add_argument("model", choices=["classifier", "labeler", "detector"])
    parser.add_argument("--data", help="the data folder; without it SIGHTLINE_TEST_DATA")
    parser.add_argument("--work", type=pathlib.Path, default=DEFAULT_WORK)
    parser.add_argument(
        "--photos", type=pathlib.Path, help="classifier, labeler: the folder of everyday photos that prepare was given"
    )
    parser.add_argument("--initial", type=pathlib.Path, help="classifier, labeler: the detector's weights (.pt)")
    parser.add_argument("--file", type=pathlib.Path, help="detector: the exported .tflite file, which is rewritten")
    parser.add_argument(
        "--people", type=pathlib.Path, help="detector: a COCO-style folder of photos with boxes by people to choose by"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    log = Log(options.work / "fit.log")
    if options.model == "detector":
        if not options.file or not options.people:
            parser.error("the detector needs --file and --people.")
        from . import fit_detector

        fit_detector.fit(options.file, data.annotated(options.people), log)
        return
    if not options.photos or not options.initial:
        parser.error(f"the {options.model} needs --photos and --initial.")
    import torch

    torch.set_num_threads(options.threads)
    from . import fit_classifier, fit_labeler, learned

    known = learned.of(data.data_folder(options.data), options.photos, options.work)
    if options.model == "classifier":
        fit_classifier.fit(options.work, options.initial, known, options.seed, log)
    else:
        fit_labeler.fit(options.work, options.initial, known, log)
