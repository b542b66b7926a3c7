"""Finds, tracks and labels objects in pictures and video with TensorFlow Lite and ONNX models.

A `Detector` or `Labeler` keeps one process of the program `sightline`, which comes with the package's wheel.

>>> import sightline
>>> with sightline.Detector() as detector:
...     len(detector.detect("scene.png")) > 0
True
"""

from .detector import Detector, Labeler, blur_faces
from .errors import PictureError, ProgramError, SightlineError, TrainingError, VideoError
from .images import Image
from .options import ModelOptions, ObjectOptions
from .pictures import PictureInput
from .program import find_program
from .results import Box, Event, Label, Labels, Mask, Object, Objects, Point, TrackedObject, VideoFrame
from .tracking import Tracker, track
from .training import TrainedLabels, TrainingStep, train_labels

__all__ = [
    "Box",
    "Detector",
    "Event",
    "Image",
    "Label",
    "Labeler",
    "Labels",
    "Mask",
    "ModelOptions",
    "Object",
    "ObjectOptions",
    "Objects",
    "PictureError",
    "PictureInput",
    "Point",
    "ProgramError",
    "SightlineError",
    "TrackedObject",
    "Tracker",
    "TrainedLabels",
    "TrainingError",
    "TrainingStep",
    "VideoError",
    "VideoFrame",
    "blur_faces",
    "find_program",
    "track",
    "train_labels",
]
__version__ = "0.1.0"
