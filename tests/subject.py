"""The engine behind the oracle's interface, so that one script runs on either and the answers compare."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

import limen
from limen.formats.query_json import query_from_dict

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROS_UTC = pa.timestamp("us", "UTC")
# Every attribute that a test may use; a column without a single value still has its type.
ATTRIBUTE_TYPES = {"kind": pa.string(), "level": pa.int64(), "flag": pa.bool_(), "score": pa.float64()}

Event = dict[str, Any]


class Subject:
    """`limen.Engine`, fed with and answering in plain Python values."""

    def __init__(self, columns: Mapping[str, Any], queries: Iterable[Mapping[str, Any]] = (), **options: Any):
        self.columns = columns
        self.engine = limen.Engine(
            limen.Columns(**columns), queries=[query_from_dict(form) for form in queries], **options
        )

    def process(self, rows: Sequence[Mapping[str, Any]]) -> list[Event]:
        return _plain(self.engine.process(_table(rows, self.columns)))

    def register(self, query: Mapping[str, Any], at: int | None = None) -> list[Event]:
        return _plain(self.engine.register(query_from_dict(query), at=_datetime(at)))

    def deregister(self, query_id: str, at: int | None = None) -> list[Event]:
        return _plain(self.engine.deregister(query_id, at=_datetime(at)))

    def advance(self, to: int) -> list[Event]:
        return _plain(self.engine.advance(_datetime(to)))

    def close(self) -> list[Event]:
        return _plain(self.engine.close())

    def restart(self) -> None:
        """Go on with what a snapshot restores."""
        self.engine = limen.Engine.restore(self.engine.snapshot())

    @property
    def counters(self) -> dict[str, Any]:
        counters = self.engine.counters
        changes = counters["changes"]
        return {
            "rows": counters["rows"],
            "late": counters["late"],
            "rejected": {reason: count for reason, count in counters["rejected"].items() if count},
            "changes_late": changes["late"],
            "changes_superseded": changes["superseded"],
            "changes_rejected": changes["rejected"],
            "left_out": counters["left_out"],
        }


def event_key(event: Event) -> tuple[Any, ...]:
    """All of an event that the specification fixes, its id apart."""
    names = ("query_id", "kind", "stream_id", "time", "started_at", "reason")
    values, bindings = event["values"], event.get("bindings")
    bound = None if bindings is None else tuple(tuple(each.values()) for each in bindings)
    return (*(event[name] for name in names), None if values is None else tuple(values), bound)


def assert_same_events(expected: Iterable[Event], got: Iterable[Event], context: str) -> None:
    """Compare two multisets of events and say what is missing and what should not be there."""
    wanted, found = Counter(map(event_key, expected)), Counter(map(event_key, got))
    assert found == wanted, (
        f"{context}\n  missing:    {sorted((wanted - found).elements(), key=repr)}"
        f"\n  unexpected: {sorted((found - wanted).elements(), key=repr)}"
    )


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> pa.Table:
    types = {
        columns["id"]: pa.string(),
        columns["time"]: MICROS_UTC,
        **dict.fromkeys(columns["values"], pa.float64()),
        **{name: ATTRIBUTE_TYPES[name] for name in columns.get("attributes", ())},
    }
    # Arrow keeps NaN and null apart here, and the engine must take both for missing.
    return pa.table({name: pa.array([row[name] for row in rows], type) for name, type in types.items()})


def _plain(events: pa.Table) -> list[Event]:
    """Turn an event table into dictionaries with times in microseconds."""
    for name in ("time", "started_at"):
        position = events.schema.get_field_index(name)
        assert events.schema.field(position).type == MICROS_UTC
        events = events.set_column(position, name, events[name].cast(pa.int64()))
    plain: list[Event] = events.to_pylist()
    for event in plain:
        for each in event["bindings"] or ():
            each["time"] = (each["time"] - EPOCH) // timedelta(microseconds=1)
    return plain


def _datetime(micros: int | None) -> datetime | None:
    return None if micros is None else EPOCH + timedelta(microseconds=micros)
