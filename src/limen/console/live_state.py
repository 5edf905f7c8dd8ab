"""The live state of a job: its telemetry, folded into positions, events, memberships and metrics."""

import json
import os
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Array, Floats
from limen.console.feed import EventFeed
from limen.console.health import health
from limen.console.inside import BEFORE, BEGINS, ENDS, Inside
from limen.console.query_table import GONE, QueryTable
from limen.console.requests import Requests
from limen.console.series import Series
from limen.console.slot_table import NEVER
from limen.console.trails import Trails
from limen.formats.query_json import Plain
from limen.kernels.earth import EARTH_RADIUS
from limen.model.columns import Columns
from limen.model.event import sort_events
from limen.telemetry import News, TaskSample, TelemetryReader
from limen.telemetry.sample import buckets

_AT_ONCE = 20_000  # queries
_SPARE = 500  # known streams beyond those that the job has
_LATELY = 120  # files of rows, of which a batch has a few
_WORTH = 0.95  # of the known streams: evicting fewer than the rest is not worth the work
_COUNTED = pa.array([*BEGINS, *ENDS])
_BEGINS, _BEFORE = pa.array(BEGINS), pa.array(BEFORE)


class LiveState:
    """The live state of a job, built from its telemetry.

    One thread updates it by `refresh`; others read with the `lock` held. Until a job has written, `trails` and
    `query_table` have default columns.

    Attributes
    ----------
    turn, look
        Incremented by each `refresh` that found news; a random id of this console process.
    numbering
        Incremented when streams get other slots, since some were evicted.
    job, health
        The published status of the job, and its health.
    trails, query_table, inside, feed, series, requests
        Streams, queries, memberships, events, metrics, and requested changes.
    sample
        The sampling rate of streams, and how many events were published of how many.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = str(folder)
        self.lock = threading.RLock()
        self.reader = TelemetryReader(folder)
        self.turn = self.numbering = 0
        self.look = os.urandom(8).hex()  # another console numbers streams and queries differently
        self._begin(None)

    def _begin(self, job: Plain | None) -> None:
        """Reset all state, and start with a job."""
        self.job = job
        self.columns = Columns.from_dict(job["columns"]) if job else Columns("id", "time", ("x", "y"))
        self.trails, self.query_table, self.inside = Trails(self.columns), QueryTable(self.columns), Inside()
        self.feed, self.series, self.requests = EventFeed(), Series(), Requests()
        self.health: Plain = health(job, alive=False, series=self.series)
        self.sample: Plain = {"one_of": 1, "events_told": 0, "events_seen": 0, "events_one_of": 1}
        self._recent: list[tuple[int, set[str]]] = []  # ids of events of the last batches
        self._applied: set[int] = set()  # hashes of applied changes: a compacted log is read again
        self._reading: Iterator[Plain] | None = None
        self._pending: News | None = None

    @property
    def stream(self) -> str | None:
        """The stream name that statements must use; None for any."""
        return self.job.get("stream") if self.job else None

    def distances(self, center: Floats) -> Floats:
        """Return the distances of all streams from a point, in metres for `lonlat`; infinite where not known."""
        places = self.trails.place[: len(self.trails)]
        if self.columns.crs == "lonlat":
            a, b = np.radians(places), np.radians(center)
            half = np.sin((a[:, 1] - b[1]) / 2) ** 2
            half += np.cos(a[:, 1]) * np.cos(b[1]) * np.sin((a[:, 0] - b[0]) / 2) ** 2
            away = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
        else:
            away = np.hypot(places[:, 0] - center[0], places[:, 1] - center[1])
        return np.where(np.isnan(away), np.inf, away)

    @property
    def shown(self) -> int:
        """How many streams are in the sample."""
        one_of = int(self.sample["one_of"])
        if one_of == 1:
            return self.trails.streams_with_rows
        with_rows = np.flatnonzero(self.trails.time[: len(self.trails)] != NEVER)
        return int(np.count_nonzero(buckets(self.trails.ids.take(with_rows.astype(np.int32))) % one_of == 0))

    def refresh(self) -> bool:
        """Read new telemetry, or the next queries of the start if there are many; return whether anything is new."""
        if self._reading is None:
            news = self.reader.look()
            with self.lock:
                if not news.anew and (self.job is not None or news.job is None):
                    return self._take(news)
                self._begin(news.job)
                self._reading, self._pending = self.reader.queries(), news
        return self._read_on(self._reading)

    def _read_on(self, queries: Iterator[Plain]) -> bool:
        chunk = list(islice(queries, _AT_ONCE))  # without the lock, so that requests are served meanwhile
        with self.lock:
            self.query_table.read(chunk)
            self.turn += 1
            if len(chunk) == _AT_ONCE:
                return True
            for query in self.reader.paused():
                self.query_table.pause(query)
            news, self._reading, self._pending = self._pending, None, None
            return news is None or self._take(news) or True

    @property
    def reading(self) -> bool:
        """Whether queries of the start are still to be read."""
        return self._reading is not None

    def _take(self, news: News) -> bool:
        state = None if news.job is None else (news.job.get("run"), news.job.get("state"), news.job.get("reason"))
        before = None if self.job is None else (self.job.get("run"), self.job.get("state"), self.job.get("reason"))
        self.job = news.job or self.job
        for line in news.batches:
            self.series.add(line)
        for change in news.changes:
            self._change(change)
        for sample in news.rows:
            self.trails.add(sample.table, sample.batch)
            self.sample["one_of"] = sample.one_of
        for sample in news.events:
            self._events(sample)
        self._forget_streams()
        now = health(self.job, alive=news.alive, series=self.series)
        fresh = bool(state != before or news.batches or news.rows or news.events or news.changes)
        fresh = fresh or now["state"] != self.health["state"]
        self.health = now
        self.turn += fresh
        return fresh

    def _forget_streams(self) -> None:
        """Keep about as many streams as the job does, and all that had recent rows or are in a query.

        A job with a memory limit keeps fewer streams than it reads.
        """
        of_job = (self.series.latest or {}).get("streams", 0) / self.sample["one_of"]
        if not of_job or len(self.trails) < 1.2 * of_job + _SPARE:
            return
        changed = self.trails.changed[: len(self.trails)]
        keep = np.zeros(len(changed), np.bool_)
        keep[np.argsort(changed, kind="stable")[-int(1.02 * of_job) :]] = True
        keep[(changed > 0) & (changed > self.trails.turn - _LATELY)] = True
        keep[self.inside.streams()] = True
        if keep.mean() > _WORTH:
            return
        kept = np.flatnonzero(keep)
        slots = np.full(len(changed), -1)
        slots[kept] = np.arange(len(kept))
        self.trails = self.trails.only(kept)
        self.inside.renumber(slots)
        self.numbering += 1

    def _change(self, change: Plain) -> None:
        mark = hash(json.dumps(change, sort_keys=True))
        if mark in self._applied:
            return
        self._applied.add(mark)
        if change.get("batch") is None:  # of an edited job file, in force from the next batch
            change = {**change, "batch": self.series.latest["batch"] + 1 if self.series.latest else 0}
        self.requests.answered(change)
        if change.get("error") or change["op"] not in ("register", "deregister"):
            return
        if change["op"] == "register":
            query = self.requests.query_of(change)
            if query is not None:
                self._forget(self.query_table.register(query, change["batch"]))
            return
        paused = any(each["id"] == change["id"] for each in self.reader.paused())
        self._forget(self.query_table.deregister(change["id"], change["batch"], paused=paused))

    def _forget(self, slot: int) -> None:
        # A replaced border emits its members only with `initial="report"`, so the count starts from zero.
        self.inside.forget(slot)
        self.query_table.inside[slot] = 0
        self.query_table.counted[slot] = self.turn + 1

    def _events(self, sample: TaskSample) -> None:
        events = self._unknown(sample)
        self.sample["events_told"] += len(events)
        self.sample["events_seen"] += sample.seen
        self.sample["events_one_of"] = sample.one_of
        if not len(events):
            return
        events = sort_events(events)
        self.feed.add(events, sample.batch)
        queries = self.query_table.slots(events["query_id"].combine_chunks())
        time = events["time"].cast(pa.int64()).to_numpy()
        np.add.at(self.query_table.events, queries, 1)
        np.maximum.at(self.query_table.last, queries, time)
        counted = pc.and_(pc.is_in(events["kind"], value_set=_COUNTED), pc.is_valid(events["stream_id"]))
        which = counted.to_numpy()
        if which.any():
            self._fold(events.filter(counted), queries[which])

    def _fold(self, events: pa.Table, queries: Array) -> None:
        streams = self.trails.ids.slots(events["stream_id"].combine_chunks())
        self.trails.make_room()
        kinds = events["kind"]
        began = pc.is_in(kinds, value_set=_BEGINS).to_numpy()
        since = pc.if_else(pc.is_in(kinds, value_set=_BEFORE), events["started_at"], events["time"])
        holds = self.query_table.state[queries] != GONE
        changed, by = self.inside.fold(
            queries[holds], streams[holds], began[holds], since.cast(pa.int64()).to_numpy()[holds]
        )
        self.query_table.inside[changed] += by
        self.query_table.counted[changed] = self.turn + 1

    def _unknown(self, sample: TaskSample) -> pa.Table:
        """Return the events that are new: a batch that is repeated after a restart publishes its events again."""
        ids = sample.table["event_id"].to_pylist()
        known = set().union(*(each for batch, each in self._recent if batch >= sample.batch)) if self._recent else set()
        fresh = [each not in known for each in ids]
        self._recent.append((sample.batch, set(ids)))
        while self._recent and self._recent[0][0] < sample.batch - 3:
            self._recent.pop(0)
        return sample.table if all(fresh) else sample.table.filter(pa.array(fresh))
