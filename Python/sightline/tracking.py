"""Tracks the objects of videos."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence

from .arguments import PathInput, model_arguments
from .errors import VideoError
from .program import find_program
from .results import VideoFrame, frame_of
from .videos import lines_of_video


def track(
    video: PathInput,
    model: PathInput | None = None,
    *,
    classifier: PathInput | None = None,
    labels: PathInput | None = None,
    threshold: float | None = None,
    label_threshold: float | None = None,
    max_objects: int | None = None,
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
    every: int | None = None,
    workers: int | None = None,
    threads: int | None = None,
    options: Sequence[str] = (),
    limit: float | None = None,
) -> Iterator[VideoFrame]:
    """The frames of a video, a camera or a stream, each with its objects and their identities.

    A `sightline` process runs from the first frame that is asked for to the last, or until the iterator is closed.

    Args:
        video: a file; a folder or pattern of pictures; a camera such as `/dev/video0`; or an rtsp or http address.
        model: a path, or the name of an installed model; None for the built-in detector.
        classifier: a model that labels each object from its part of the picture.
        labels: a text file with one label on each line, for the model or, if there is one, the classifier.
        threshold: objects below this confidence, 0 to 1, are dropped; None for the model's threshold.
        label_threshold: names below this confidence, 0 to 1, are dropped; None for the model's thresholds.
        max_objects: the largest number of objects for a frame; None for 100.
        allow: report only these labels.
        deny: never report these labels.
        every: run the detector on about every Nth frame, where decoding is cheap, and predict boxes between.
        workers: how many frames of a file are processed at the same time; None for one per core, at most 4.
        threads: the threads for each run of the model.
        options: further options of `sightline track`, such as `["--line", "320,0,320,480"]`.
        limit: the seconds without a new frame after which the video is given up; None if frames may come at any time.

    Raises:
        ProgramError: the program is missing, or does not know an option.
        VideoError: the video cannot be read, or ends early; the frames before that were given.

    >>> frames = list(track("street.mp4"))
    >>> len(frames), frames[1].index, frames[1].time
    (20, 1, 0.1)
    """
    name = os.fsdecode(video)
    arguments = model_arguments(
        model=model,
        classifier=classifier,
        labels=labels,
        threshold=threshold,
        label_threshold=label_threshold,
        max_objects=max_objects,
        allow=allow,
        deny=deny,
        every=every,
        workers=workers,
        threads=threads,
        options=options,
    )
    return _frames([find_program(), "track", "--format", "jsonl", *arguments, "--", name], limit)


def _frames(command: Sequence[str], limit: float | None) -> Iterator[VideoFrame]:
    for line in lines_of_video(command, limit):
        if isinstance(line, str):
            raise VideoError(line)
        yield frame_of(json.loads(line))
