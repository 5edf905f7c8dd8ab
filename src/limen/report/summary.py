"""Aggregates of events, computed incrementally in bounded memory."""

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Array
from limen.model.event import KINDS
from limen.report.counting import COUNT, Grid, NameCounts

#: Cells along each side of the map, and bars of the timeline.
MAP_CELLS, BARS = 128, 128
#: Steps of a length of stay, for each time that it doubles.
STEPS = 2


@dataclass
class Stays:
    """How long it was from the start of transitions to their end, by kind."""

    steps: dict[str, Counter[int]] = field(default_factory=dict)
    least: dict[str, float] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)
    total: dict[str, float] = field(default_factory=dict)

    def add(self, kind: str, seconds: Array) -> None:
        """Count lengths."""
        step = np.floor(STEPS * np.log2(np.maximum(seconds, 2.0**-20))).astype(int)
        found = self.steps.setdefault(kind, Counter())
        for place, count in zip(*np.unique(step, return_counts=True), strict=True):
            found[int(place)] += int(count)
        self.least[kind] = min(self.least.get(kind, math.inf), float(seconds.min()))
        self.most[kind] = max(self.most.get(kind, -math.inf), float(seconds.max()))
        self.total[kind] = self.total.get(kind, 0.0) + float(seconds.sum())

    def median(self, kind: str) -> float:
        """Return the middle of the step that has the median, within what there was."""
        steps = self.steps[kind]
        passed, half = 0, steps.total() / 2
        for step in sorted(steps):
            passed += steps[step]
            if passed >= half:
                middle = float(2.0 ** ((step + 0.5) / STEPS))
                return min(max(middle, self.least[kind]), self.most[kind])
        raise AssertionError


class Summary:
    """A summary of events.

    Attributes
    ----------
    events, untimed
        How many there were, and how many more without a time, which are in nothing else.
    queries, kinds, reasons, streams
        How many of each query and kind, of each kind, of each reason, and of each stream.
    first, last
        The earliest and the latest time, in seconds since 1970.
    timeline
        Events by second, or a longer while, and by the place of their kind in `kind_names`.
    places
        Where they happened; of streams of one value, how often which.
    """

    def __init__(self) -> None:
        self.events = self.untimed = self.placed = 0
        self.queries, self.streams = NameCounts("query_id", "kind"), NameCounts("stream_id")
        self.kinds: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.first, self.last = math.inf, -math.inf
        self.timeline = Grid(BARS, least=1.0)
        self.kind_names = list(KINDS)
        self.places: dict[int, Grid] = {}
        self.stays = Stays()

    def add(self, events: pa.Table) -> None:
        """Take in more events."""
        timed = events.filter(pc.and_(pc.is_valid(events["time"]), pc.is_valid(events["kind"])))
        self.untimed += len(events) - len(timed)
        if not len(timed):
            return
        self.events += len(timed)
        for name, count in _counted(timed, "kind"):
            self.kinds[name] += count
            if name not in self.kind_names:
                self.kind_names.append(name)
        for name, count in _counted(timed, "reason"):
            self.reasons[name or "none"] += count
        self.queries.add(timed)
        self.streams.add(timed.filter(pc.is_valid(timed["stream_id"])))
        self._add_times(timed)
        self._add_places(timed["values"].combine_chunks())

    def _add_times(self, events: pa.Table) -> None:
        seconds = _seconds(events["time"])
        self.first, self.last = min(self.first, float(seconds.min())), max(self.last, float(seconds.max()))
        code = pc.index_in(events["kind"], value_set=pa.array(self.kind_names)).to_numpy()
        self.timeline.add(np.column_stack([seconds, code]))
        began = events.filter(pc.is_valid(events["started_at"]))
        for kind in pc.unique(began["kind"]).to_pylist():
            own = began.filter(pc.equal(began["kind"], kind))
            self.stays.add(kind, _seconds(own["time"]) - _seconds(own["started_at"]))

    def _add_places(self, values: pa.Array) -> None:
        length = np.minimum(pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False), 2)
        flat = values.values.to_numpy(zero_copy_only=False)
        start = np.asarray(values.offsets)[:-1]
        for axes in (1, 2):
            own = start[length == axes]
            if own.size:
                grid = self.places.setdefault(axes, Grid(MAP_CELLS, axes))
                grid.add(np.column_stack([flat[own + axis] for axis in range(axes)]))

    def by_query(self, most: int) -> list[tuple[str, Counter[str]]]:
        """Return the queries with the most events, and how many of each kind they have."""
        counts = self.queries.counts()
        total = counts.group_by("query_id").aggregate([(COUNT, "sum")])
        first = total.sort_by([(f"{COUNT}_sum", "descending"), ("query_id", "ascending")]).slice(0, most)["query_id"]
        found: dict[str, Counter[str]] = {query: Counter() for query in first.to_pylist()}
        for row in counts.filter(pc.is_in(counts["query_id"], value_set=first.combine_chunks())).to_pylist():
            found[row["query_id"]][row["kind"]] = row[COUNT]
        return list(found.items())


def _counted(table: pa.Table, name: str) -> list[tuple[str, int]]:
    found = table.group_by(name).aggregate([([], "count_all")])
    return list(zip(found[name].to_pylist(), found["count_all"].to_pylist(), strict=True))


def _seconds(times: pa.ChunkedArray) -> Array:
    seconds: Array = times.cast(pa.int64()).to_numpy() / 1e6
    return seconds
