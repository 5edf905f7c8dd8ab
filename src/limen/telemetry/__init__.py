"""Telemetry of a job: a folder to which the job publishes its status, and from which the console reads it.

The job writes, a console reads, and neither waits for the other.
"""

from limen.telemetry.reader import News, TaskSample, TelemetryReader
from limen.telemetry.settings import TelemetrySettings

__all__ = ["News", "TaskSample", "TelemetryReader", "TelemetrySettings"]
