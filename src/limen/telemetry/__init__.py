"""Telemetry of a job: a folder to which the job publishes its status, and from which the console reads it.

The job writes, a console reads, and neither waits for the other.
"""

import warnings

from limen.telemetry.reader import News, TaskSample, TelemetryReader
from limen.telemetry.settings import TelemetrySettings

__all__ = ["News", "TaskSample", "TelemetryReader", "TelemetrySettings"]

_OLD_NAMES = {"Told": "TaskSample", "Window": "TelemetryReader", "WindowSettings": "TelemetrySettings"}


def __getattr__(name: str) -> object:
    """Return a class by its old name, with a warning."""
    if name not in _OLD_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _OLD_NAMES[name]
    warnings.warn(f"limen.telemetry.{name} is deprecated; use {new}", DeprecationWarning, stacklevel=2)
    return globals()[new]
