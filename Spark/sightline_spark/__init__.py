"""Detects, labels and tracks objects in millions of pictures with Sightline on Apache Spark."""

from sightline.engine import Engine
from sightline.errors import ProgramError, SightlineError
from sightline.frames import Picture

from .dataframe import SETTINGS, STREAM_OPTIONS, analyze, configure, detect, label, ship, track
from .errors import InputError, ModelError, OutputError, SightlineSparkError
from .models import Hub

__all__ = [
    "SETTINGS",
    "STREAM_OPTIONS",
    "Engine",
    "Hub",
    "InputError",
    "ModelError",
    "OutputError",
    "Picture",
    "ProgramError",
    "SightlineError",
    "SightlineSparkError",
    "analyze",
    "configure",
    "detect",
    "label",
    "ship",
    "track",
]
__version__ = "0.1.0"
