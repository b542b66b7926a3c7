"""The options that detectors, labelers, trackers and `track` have in common, each documented once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from .arguments import PathInput


class ModelOptions(TypedDict, total=False):
    """The options of everything that runs a model.

    Attributes:
        labels: a text file with one label on each line, for the model or, if there is one, the classifier.
        threshold: objects or labels below this confidence, 0 to 1, are dropped; None for the model's threshold.
        allow: report only these labels.
        deny: never report these labels.
        threads: the threads for each run of the model; None for one per core, and for a video file for one.
        options: further options of the command, such as `["--roi", "0,0,640,480"]`.
    """

    labels: PathInput | None
    threshold: float | None
    allow: Iterable[str]
    deny: Iterable[str]
    threads: int | None
    options: Sequence[str]


class ObjectOptions(ModelOptions, total=False):
    """The options of everything that finds objects, beside those of `ModelOptions`.

    Attributes:
        classifier: a model that labels each object from its part of the picture.
        label_threshold: names below this confidence, 0 to 1, are dropped; None for the model's thresholds.
        max_objects: the largest number of objects for a picture or frame, of those that are allowed; None for 100.
    """

    classifier: PathInput | None
    label_threshold: float | None
    max_objects: int | None
