"""Events: their columns, their vocabulary and their order."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MICROS = pa.timestamp("us", tz="UTC")
_BINDING = pa.struct([("variable", pa.string()), ("stream_id", pa.string()), ("time", MICROS)])

#: The columns of every table of events.
SCHEMA = pa.schema(
    [
        ("event_id", pa.string()),
        ("query_id", pa.string()),
        ("kind", pa.string()),
        ("stream_id", pa.string()),
        ("time", MICROS),
        ("started_at", MICROS),
        ("reason", pa.string()),
        ("values", pa.list_(pa.float64())),
        ("bindings", pa.list_(_BINDING)),
    ]
)

#: The kinds of events. Arrays hold the position of a kind in this tuple, so new kinds go to the end.
KINDS = ("enter", "exit", "match", "cross", "passed", "returned", "stayed", "gone", "add", "remove", "alert")
ENTER, EXIT, MATCH, CROSS, PASSED, RETURNED, STAYED, GONE, ADD, REMOVE, ALERT = range(len(KINDS))

#: The reasons of events. Arrays hold the position of a reason in this tuple, so new reasons go to the end.
REASONS = ("moved", "appeared", "registered", "changed", "deregistered", "expired", "timer", "shed")
MOVED, APPEARED, REGISTERED, CHANGED, DEREGISTERED, EXPIRED, TIMER, SHED = range(len(REASONS))

# At one time, changes of queries come first, then rows, then what falls due.
_PHASES = (
    ("registered", "changed", "deregistered"),
    ("moved", "appeared"),
    ("timer", "expired", "shed"),
)
_EXIT_LIKE = ("exit", "remove", "passed", "gone")


def sort_events(table: pa.Table) -> pa.Table:
    """Put events into their canonical order.

    By time, phase (changes of queries, then rows, then what falls due), exits before enters, stream, query,
    kind, start and bindings; text by its UTF-8 bytes, missing last.
    """
    keys = {
        "time": table["time"],
        "phase": phases(table["reason"]),
        # A false sorts before a true, so what ends comes before what begins; Arrow sorts no booleans.
        "begins": pc.invert(pc.is_in(table["kind"], value_set=pa.array(_EXIT_LIKE))).cast(pa.int8()),
        "stream_id": table["stream_id"],
        "query_id": table["query_id"],
        "kind": table["kind"],
        "started_at": table["started_at"],
        "bindings": _binding_rank(table["bindings"]),
        # Only events that are alike in all else get here; a counter in their ids distinguishes them.
        "event_id": table["event_id"],
    }
    order = pc.sort_indices(
        pa.table(keys),
        sort_keys=[(name, "ascending") for name in keys],
    )
    return table.take(order)


def phases(reasons: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the phase of each reason: 0 for changes of queries, 1 for rows, 2 for what falls due."""
    phase_of = [next(i for i, phase in enumerate(_PHASES) if reason in phase) for reason in REASONS]
    return pc.take(pa.array(phase_of, pa.int8()), pc.index_in(reasons, value_set=pa.array(REASONS)))


def _binding_rank(bindings: pa.ChunkedArray) -> pa.Array:
    """Rank lists of bindings, which Arrow itself does not sort."""
    rank = np.zeros(len(bindings), np.int64)
    bound = pc.is_valid(bindings).to_numpy()
    if bound.any():
        lists = [
            [(each["variable"], each["stream_id"], each["time"]) for each in binding]
            for binding in bindings.filter(pa.array(bound)).to_pylist()
        ]
        in_order = {tuple(key): position for position, key in enumerate(sorted(lists))}
        rank[bound] = [in_order[tuple(key)] for key in lists]
    return pa.array(rank, mask=~bound)
