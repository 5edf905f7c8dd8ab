"""The slow and obvious fold of changes, for `limen.changes` to agree with; and histories to fold."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pyarrow as pa

import limen
from tests.folding import canonical
from tests.subject import Event

Rows = list[dict[str, Any]]
SIGNS = {"add": 1, "enter": 1, "remove": -1, "exit": -1}


class Naive:
    """Members with the time and the values of their adds; after every instant all numbers are worked out anew."""

    def __init__(self) -> None:
        self.members: dict[tuple[str, str], Event] = {}

    def instants(self, events: Iterable[Event]) -> Iterable[int]:
        """Go on with events, instant by instant."""
        events = [event for event in events if event["kind"] in SIGNS]
        for time in sorted({event["time"] for event in events}):
            self._apply(sorted((event for event in events if event["time"] == time), key=canonical))
            yield time

    def _apply(self, events: list[Event]) -> None:
        for member in {(event["query_id"], event["stream_id"]) for event in events}:
            own = [event for event in events if (event["query_id"], event["stream_id"]) == member]
            there = (member in self.members) + sum(SIGNS[event["kind"]] for event in own)
            assert there in (0, 1)
            self.members.pop(member, None)
            if there:
                adds = [event for event in own if SIGNS[event["kind"]] > 0]
                self.members[member] = adds[-1]

    def numbers(self, helper: str) -> dict[str, float | None]:
        """Return the number of each query that has members."""
        by_query: dict[str, list[Fraction]] = {}
        for (query_id, _), event in self.members.items():
            by_query.setdefault(query_id, []).append(Fraction(event["values"][0]))
        if helper == "count":
            return {query_id: len(values) for query_id, values in by_query.items()}
        sums = {query_id: float(sum(values)) for query_id, values in by_query.items()}
        return sums if helper == "sum" else {query_id: sums[query_id] / len(by_query[query_id]) for query_id in sums}

    def streams(self) -> set[str]:
        return {stream_id for _, stream_id in self.members}


NOTHING = {"count": 0, "sum": 0.0, "average": None}
ARGUMENTS: dict[str, tuple[Any, ...]] = {"count": (), "sum": (0,), "average": (0,)}


def naive_rows(naive: Naive, helper: str, events: Iterable[Event]) -> Rows:
    """Tell each change of a number, as the helper should."""
    told, before = [], naive.numbers(helper)
    for time in naive.instants(events):
        now = naive.numbers(helper)
        for query_id in sorted({*before, *now}, key=str.encode):
            number = now.get(query_id, NOTHING[helper])
            if number != before.get(query_id, NOTHING[helper]):
                told.append({"query_id": query_id, "time": time, helper: number})
        before = now
    return told


def naive_distinct(naive: Naive, events: Iterable[Event]) -> Rows:
    told: Rows = []
    before = naive.streams()
    for time in naive.instants(events):
        now = naive.streams()
        told += [
            {"stream_id": stream_id, "time": time, "sign": 1 if stream_id in now else -1}
            for stream_id in sorted(before ^ now, key=str.encode)
        ]
        before = now
    return told


def naive_answer(naive: Naive) -> Rows:
    return [
        {"query_id": query_id, "stream_id": stream_id, "since": event["time"], "values": event["values"]}
        for (query_id, stream_id), event in sorted(naive.members.items(), key=lambda pair: [*map(str.encode, pair[0])])
    ]


def plain(table: pa.Table) -> Rows:
    """Return rows with times in microseconds."""
    for name in ("time", "since"):
        if name in table.schema.names:
            assert table.schema.field(name).type == pa.timestamp("us", "UTC")
            table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(pa.int64()))
    rows: Rows = table.to_pylist()
    return rows


def as_table(events: Iterable[Event]) -> pa.Table:
    parts = {field.name: [event[field.name] for event in events] for field in limen.SCHEMA}
    return pa.table({name: pa.array(part, limen.SCHEMA.field(name).type) for name, part in parts.items()})


# ---- histories -------------------------------------------------------------------------------------------------------


def history(query: limen.Query, rows: list[tuple[int, str, float]]) -> pa.Table:
    seconds, cars, xs = zip(*rows, strict=True)
    engine = limen.Engine(limen.Columns("car", "t", "x", time_unit="s"), queries=[query])
    return engine.process(pa.table({"car": cars, "t": seconds, "x": pa.array(xs, pa.float64())}))


def as_events(table: pa.Table) -> list[Event]:
    position = table.schema.get_field_index("time")
    events: list[Event] = table.set_column(position, "time", table["time"].cast(pa.int64())).to_pylist()
    return events


def table(*rows: tuple[Any, ...], names: tuple[str, ...] = ("query_id", "stream_id", "sign", "time")) -> pa.Table:
    parts = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    times = pa.array([second * 1_000_000 for second in parts.pop("time")], pa.timestamp("us", "UTC"))
    return pa.table({**parts, "time": times})


GATE = limen.Within("gate", limen.Range(0, 10))
VISITS = [(1, "bus", 3), (2, "van", 4), (3, "bus", 8), (4, "bus", 20), (5, "van", 30)]
