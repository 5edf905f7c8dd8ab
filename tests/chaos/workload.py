"""Input of any length from a seed: rows out of order, late ones and bad ones among them, and queries that change.

File `i` of rows and file `i` of changes are functions of the seed and of `i` alone. Spark takes one of each a batch, so
the in-process engine can be fed with the very same batches.
"""

import json
import os
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import limen
from limen.errors import InvalidQuery
from limen.formats.query_json import change_from_json
from limen.model.change import Advance, Register
from limen.model.time import from_micros

COLUMNS = limen.Columns(id="vehicle", time="at", values=("x", "y"), attributes=("kind",))
OPTIONS = {"order": "event", "lateness": "10 seconds", "expire_after": "25 seconds"}

SCHEMA = pa.schema(
    [
        ("vehicle", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("kind", pa.string()),
    ]
)
SECOND = 1_000_000
BEGIN = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * SECOND
FILE_SPAN = 10 * SECOND  # of time that a file covers
MOST_DELAY = 8 * SECOND  # less than the lateness, so that rows out of order by it are in time
ROWS = 200
STREAMS = 80
QUERIES = 24


class Workload:
    """The input in a folder, and the events that an undisturbed engine makes of it.

    Parameters
    ----------
    folder : Path
        Gets the folders `rows` and `changes`, whose files grow in number by `publish`.
    seed : int
        All of the input follows from it.
    answers : bool
        Whether some of the queries keep answers.
    """

    def __init__(self, folder: Path, seed: int, *, answers: bool = False) -> None:
        self.folder = folder
        self._answers = answers
        self.published = 0
        self._seed = seed
        self._engine = limen.Engine(COLUMNS, **OPTIONS)
        self._events: list[pa.Table] = []
        for name in ("rows", "changes"):
            (folder / name).mkdir(parents=True)

    def publish(self, count: int) -> None:
        """Make the next files."""
        for number in range(self.published, self.published + count):
            rng = np.random.default_rng([self._seed, number])
            self._add(_rows(rng, number), _changes(rng, number, answers=self._answers))

    def close(self) -> None:
        """Make a last file, which completes all times, so that nothing stays pending."""
        to = from_micros(_begin_of(self.published + 10))
        self._add(SCHEMA.empty_table(), [json.dumps({"op": "advance", "to": to})])

    @property
    def events(self) -> pa.Table:
        """What the engine makes of all that is published."""
        return pa.concat_tables(self._events)

    def _add(self, rows: pa.Table, changes: list[str]) -> None:
        number = self.published
        with _appearing(self.folder / "rows" / f"{number:05}.parquet", number) as path:
            pq.write_table(rows, path)
        with _appearing(self.folder / "changes" / f"{number:05}.jsonl", number) as path:
            path.write_text("\n".join(changes))
        self._feed(rows, changes)
        self.published += 1

    def _feed(self, rows: pa.Table, changes: list[str]) -> None:
        """Let the engine take a batch as the specification has it: changes without a time hold after it."""
        read = []
        for text in changes:
            with suppress(InvalidQuery):  # rejected, and the stream runs on
                read.append(change_from_json(text))
        timed = [change for change in read if not isinstance(change, Advance) and change.at is not None]
        self._events += [self._change(change) for change in timed]
        self._events.append(self._engine.process(rows))
        self._events += [self._change(change) for change in read if change not in timed]

    def _change(self, change: Any) -> pa.Table:
        try:
            if isinstance(change, Advance):
                return self._engine.advance(_moment(change.to))
            at = None if change.at is None else _moment(change.at)
            if isinstance(change, Register):
                return self._engine.register(change.query, at=at)
            return self._engine.deregister(change.id, at=at)
        except InvalidQuery:
            return limen.SCHEMA.empty_table()


class _appearing:  # noqa: N801  # used as a verb
    """A file that Spark sees once it is whole; its time of modification puts it into its place among the others."""

    def __init__(self, path: Path, number: int) -> None:
        self._path, self._hidden, self._number = path, path.with_name("." + path.name), number

    def __enter__(self) -> Path:
        return self._hidden

    def __exit__(self, *_: object) -> None:
        modified = BEGIN // SECOND + self._number
        os.utime(self._hidden, (modified, modified))
        self._hidden.rename(self._path)


def _begin_of(number: int) -> int:
    return BEGIN + number * FILE_SPAN


def _moment(micros: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)


def _rows(rng: np.random.Generator, number: int) -> pa.Table:
    # Four files with a stream, three without it: long enough to be forgotten.
    awake = [stream for stream in range(STREAMS) if (stream + number) % 7 < 4]
    stream = rng.choice(awake, ROWS)
    time = _begin_of(number) + rng.integers(0, FILE_SPAN, ROWS) - rng.integers(0, MOST_DELAY, ROWS)
    late = rng.random(ROWS) < 0.03
    time[late] -= rng.integers(20 * SECOND, 40 * SECOND, int(late.sum()))
    place = rng.uniform(0, 100, (2, ROWS))
    place[rng.random((2, ROWS)) < 0.02] = np.nan
    place[rng.random((2, ROWS)) < 0.005] = np.inf
    nobody = rng.random(ROWS) < 0.01
    return pa.table(
        {
            "vehicle": pa.array([f"vehicle {each}" for each in stream], mask=nobody),
            "at": pa.array(time).cast(pa.timestamp("us", "UTC")),
            "x": place[0],
            "y": place[1],
            "kind": pa.array([("bus", "tram", "ferry")[each % 3] for each in stream]),
        },
        schema=SCHEMA,
    )


def _changes(rng: np.random.Generator, number: int, *, answers: bool) -> list[str]:
    if number == 0:
        first = [_query(rng, each, answers=answers) for each in range(QUERIES)]
        return [json.dumps({"op": "register", "query": query, "at": from_micros(BEGIN)}) for query in first]
    # Each query at most once a file, so that what happens does not hang on the order within it.
    changed = rng.choice(QUERIES, 4, replace=False).tolist()
    lines = [json.dumps(_change(rng, each, number, answers=answers)) for each in changed]
    if number % 4 == 1:
        bad = (
            '{"op": "register"',
            '{"op": "register", "query": {"type": "match", "id": 7, "region": {"type": "range", "lo": 2, "hi": 1}}}',
            '{"op": "deregister", "id": "never registered"}',
            '{"op": "rename", "id": "query 1"}',
        )
        lines.append(bad[number // 4 % len(bad)])
    return lines


def _change(rng: np.random.Generator, query: int, number: int, *, answers: bool) -> dict[str, Any]:
    """A registration, which mostly replaces a query, or a deregistration: in time, without a time, or late."""
    change: dict[str, Any] = (
        {"op": "register", "query": _query(rng, query, answers=answers)}
        if rng.random() < 0.7
        else {"op": "deregister", "id": f"query {query}"}
    )
    when = rng.random()
    if when < 0.8:
        soon = _begin_of(number) + int(rng.integers(0, 3 * FILE_SPAN))
        change["at"] = from_micros(soon if when < 0.7 else soon - 10 * FILE_SPAN)
    return change


def _query(rng: np.random.Generator, number: int, *, answers: bool) -> dict[str, Any]:
    if answers and number % 6 == 5:
        return _pattern(rng, number)
    if answers and number % 3 == 2:
        return _answer(rng, number)
    lo = rng.uniform(0, 70, 2)
    hi = lo + rng.uniform(5, 30, 2)
    kind = {0: "match", 3: "transition"}.get(number % 6, "border")
    query: dict[str, Any] = {"id": f"query {number}", "type": kind}
    if kind == "transition":  # from shorter than a file's time to longer than the silence that ends a stream
        query["within"] = int(rng.integers(5, 40))
    if kind != "match" and number % 3 == 1:  # confirmed by rows, or by time that passes in another file
        query |= {"margin": 2, "confirm": int(rng.integers(1, 4)), "min_stay": int(rng.integers(0, 30))}
    if kind == "border" and number % 2:
        query["crossings"] = True
    if number % 4 == 0:
        query |= {"on": ["x"], "region": {"type": "range", "lo": lo[0], "hi": hi[0]}}
    else:
        query["region"] = {"type": "box", "lo": lo.tolist(), "hi": hi.tolist()}
    if query["type"] == "border" and rng.random() < 0.6:
        query["initial"] = "report"
    if number % 5 == 1:
        query["where"] = "kind = 'bus' or x > 60"
    if number % 5 == 2:
        query["streams"] = [f"vehicle {each}" for each in range(0, STREAMS, 3)]
    return query


def _answer(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """Make a query around a place or a vehicle."""
    focal, size = {"focal": f"vehicle {rng.integers(STREAMS)}"}, float(rng.uniform(5, 30))
    of_a_kind: tuple[dict[str, Any], ...] = (
        {"type": "nearest", "k": int(rng.integers(1, 8)), **focal},
        {"type": "nearest", "k": int(rng.integers(1, 8)), "center": rng.uniform(0, 100, 2).tolist()},
        {"type": "within", "radius": size, **focal},
        {"type": "within", "width": size, "height": size / 2, **focal},
    )
    query = {"id": f"query {number}", **of_a_kind[number % 4]}
    return query | ({"where": "kind = 'bus' or x > 60"} if number % 5 == 0 else {})


def _pattern(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """Make a pattern: vehicles that meet, of two kinds or of one, or one that is seen here and then there."""
    span, near = int(rng.integers(4, 25)), float(rng.uniform(4, 12))
    pair = {"a": "a", "b": "b", "after": [0, span]}
    if number % 4 == 1:
        variables = [{"name": "a", "where": "kind = 'bus'"}, {"name": "b", "where": "kind = 'tram'"}]
        pairs = [{**pair, "distance": near}]
    elif number % 4 == 3:
        variables = [{"name": "a", "where": "x < 30"}, {"name": "b", "where": "x > 60"}]
        pairs = [{**pair, "where": "a.vehicle = b.vehicle"}]
    else:
        variables = [{"name": name, "where": "y > 50"} for name in "abc"]
        pairs = [
            {"a": one, "b": other, "after": [-span, span], "distance": near / 2, "where": f"{one}.kind = {other}.kind"}
            for one, other in ("ab", "ac", "bc")
        ]
    return {"type": "pattern", "id": f"query {number}", "variables": variables, "pairs": pairs, "cap": 3}


def assert_same_events(expected: pa.Table, got: pa.Table, context: str) -> None:
    """Compare two sets of events to the last column, and say which are missing, unexpected or changed."""
    expected = expected.sort_by("event_id")
    got = got.sort_by("event_id").cast(expected.schema)
    if expected.equals(got):
        return
    wanted, found = (Counter(table["event_id"].to_pylist()) for table in (expected, got))
    told = f"{_told(expected, wanted - found)} missing, {_told(got, found - wanted)} too many"
    raise AssertionError(f"{context}: of {len(expected)} events {told}; others with one id may differ in content")


def _told(events: pa.Table, ids: Counter[str]) -> str:
    """Say how many, and by their times and kinds where to look: a file of input, a shard, a query, the end."""
    if not ids:
        return "0"
    those = events.filter(pc.is_in(events["event_id"], pa.array(sorted(ids))))
    span = pc.min_max(those["time"]).as_py()
    names = ("kind", "reason", "query_id")
    common = ", ".join(f"{value} {count}" for name in names for value, count in _most(those[name].to_pylist()))
    return f"{ids.total()} {sorted(ids)[:3]} (from {span['min']} to {span['max']}: {common})"


def _most(values: list[str]) -> list[tuple[str, int]]:
    return Counter(values).most_common(3)
