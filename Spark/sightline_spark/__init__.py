"""Detects, labels and tracks objects in millions of pictures with Sightline on Apache Spark."""

from .dataframe import SETTINGS, STREAM_OPTIONS, analyze, configure, detect, label, ship, track
from .engine import Engine, Picture
from .errors import EngineError, InputError, ModelError, OutputError, SightlineSparkError
from .models import Hub

__all__ = [
    "SETTINGS",
    "STREAM_OPTIONS",
    "Engine",
    "EngineError",
    "Hub",
    "InputError",
    "ModelError",
    "OutputError",
    "Picture",
    "SightlineSparkError",
    "analyze",
    "configure",
    "detect",
    "label",
    "ship",
    "track",
]
__version__ = "0.1.0"
