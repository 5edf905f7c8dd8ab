"""Settings of a job's telemetry."""

from dataclasses import dataclass

STREAMS, EVENTS = 20_000, 5_000


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Where a job publishes its telemetry, and how much of it.

    Attributes
    ----------
    folder
        On a disk that the driver, the workers and the console share.
    streams
        About how many streams are sampled; all rows of a sampled stream are published.
    events
        The maximum number of events of a batch.
    """

    folder: str
    streams: int = STREAMS
    events: int = EVENTS
