"""Finds, tracks and labels objects in pictures and video with TensorFlow Lite models.

A `Detector` or `Labeler` keeps one process of the program `sightline`, which comes with the package's wheel.

>>> import sightline
>>> with sightline.Detector() as detector:
...     len(detector.detect("scene.png")) > 0
True
"""

from .detector import Detector, Labeler
from .errors import PictureError, ProgramError, SightlineError, VideoError
from .pictures import PictureInput
from .program import find_program
from .results import Box, Event, Label, Labels, Object, Objects, TrackedObject, VideoFrame
from .tracking import track

__all__ = [
    "Box",
    "Detector",
    "Event",
    "Label",
    "Labeler",
    "Labels",
    "Object",
    "Objects",
    "PictureError",
    "PictureInput",
    "ProgramError",
    "SightlineError",
    "TrackedObject",
    "VideoError",
    "VideoFrame",
    "find_program",
    "track",
]
__version__ = "0.1.0"
