"""Metrics of each batch, for charts: rates, latency, sizes."""

from collections import deque
from typing import Any

from limen.errors import LimenError
from limen.formats.query_json import Plain
from limen.model.time import to_micros

#: The maximum number of batches kept.
ROOM = 2_000


class Series:
    """Metrics of the last batches, and totals since the first known one."""

    def __init__(self, room: int = ROOM) -> None:
        self._points: deque[Plain] = deque(maxlen=room)
        self.batches: dict[int, int | None] = {}  # the watermark after each batch
        self.totals = {"rows": 0, "events": 0, "late": 0, "rejected": 0}
        self.problems: deque[Plain] = deque(maxlen=50)

    def add(self, line: Plain) -> Plain | None:
        """Add a line of `batches.jsonl`; return its point, None for a batch that is known."""
        batch = int(line["batch"])
        if batch in self.batches:
            return None
        counters = line.get("counters") or {}
        written = read_time(line.get("written"))
        watermark = read_time(counters.get("watermark"))
        self.batches[batch] = watermark
        if len(self.batches) > 20_000:
            del self.batches[next(iter(self.batches))]
        previous = self.latest["written"] if self.latest else None
        took = float(line.get("milliseconds") or 0)
        # The rate is measured from one batch to the next; of the first batch only its own duration is known.
        seconds = (written - previous) / 1e6 if written and previous and written > previous else took / 1000
        rows, events = int(counters.get("rows", 0)), sum((counters.get("events") or {}).values())
        late, rejected = int(counters.get("late", 0)), sum((counters.get("rejected") or {}).values())
        kept = counters.get("kept") or {}
        point = {
            "batch": batch,
            "written": written,
            "rows": rows,
            "events": events,
            "rows_per_second": rows / seconds if seconds else 0.0,
            "events_per_second": events / seconds if seconds else 0.0,
            "milliseconds": took,
            "lag": (written - watermark) / 1e6 if written and watermark else None,
            "late": late,
            "rejected": rejected,
            "held": counters.get("held", 0),
            "streams": counters.get("streams", 0),
            "queries": counters.get("queries", 0),
            "state_bytes": counters.get("state_bytes", 0),
            "accuracy": kept.get("least_accuracy"),
            "watermark": watermark,
        }
        for name in self.totals:
            self.totals[name] += int(point[name])
        self.problems += [{"batch": batch, "text": text} for text in counters.get("problems") or ()]
        self._points.append(point)
        return point

    @property
    def latest(self) -> Plain | None:
        """The metrics of the last batch."""
        return self._points[-1] if self._points else None

    def since(self, batch: int | None, limit: int = 600) -> list[Plain]:
        """Return the points after a batch, at most the last `limit`."""
        points = list(self._points)[-limit:]
        return points if batch is None else [point for point in points if point["batch"] > batch]

    def watermark_before(self, batch: int) -> int | None:
        """Return the watermark at the start of a batch: rows before it were late."""
        return self.batches.get(batch - 1)


def read_time(time: Any) -> int | None:
    """Return a time of the telemetry in microseconds since 1970; None if there is none that can be read."""
    try:
        return None if time is None else to_micros(time)
    except LimenError:
        return None
