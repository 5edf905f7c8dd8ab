"""What a job is to tell, and where."""

from __future__ import annotations

from dataclasses import dataclass

STREAMS, EVENTS = 20_000, 5_000


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """Where a job tells of itself, and how much.

    Attributes
    ----------
    folder
        On a disk that the job, its workers and whoever looks can see.
    streams
        Of about so many streams all rows are told.
    events
        So many events of a batch at most.
    """

    folder: str
    streams: int = STREAMS
    events: int = EVENTS
