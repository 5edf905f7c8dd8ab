"""Events: arrays inside the shard, an Arrow table on output, never a Python object per event."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Bytes, Codes, Floats, Ints, Slots
from limen.kernels.hashing import event_ids
from limen.model.event import KINDS, MICROS, REASONS, SCHEMA
from limen.runtime.bindings import Bindings
from limen.runtime.ids import Ids

_NO_START = -(2**63)
_CHUNK = 1 << 16  # events a record batch: small enough to stay in the cache while its columns are made …
_BYTES = 1 << 30  # … and for their ids to fit into Arrow's strings, however long they are


@cache
def _kinds() -> Ids:
    return Ids.of(KINDS)  # not at import, which would have a kernel compiled


@dataclass(frozen=True, slots=True)
class Events:
    """Events of one kind of cause, as columns.

    Attributes
    ----------
    query, stream : int32 arrays
        The query in the catalogue, the slot of the stream.
    kind, reason : int8 array, int
    time : int64 array
    values : function
        Returns the known values (value columns, n) of events [first, last), so that they are gathered in pieces.
    repeat : int64 array, optional
        How often the same event came before at the same time.
    bindings : Bindings, optional
        Of alerts, which have them in place of a stream and of values.
    started : int64 array, optional
        When it began, of events that have a beginning; `runtime.kernels.streams.NEVER` for the others.
    """

    query: Slots
    stream: Slots
    kind: Codes
    reason: int
    time: Ints
    values: Callable[[int, int], Floats]
    repeat: Ints | None = None
    started: Ints | None = None
    bindings: Bindings | None = None

    def __len__(self) -> int:
        return len(self.query)

    def count_kinds(self) -> dict[str, int]:
        """Count events by kind."""
        counts = np.bincount(self.kind, minlength=len(KINDS))
        return {KINDS[code]: int(count) for code, count in enumerate(counts) if count}


def table_of(found: list[Events], queries: Ids, streams: Ids) -> pa.Table:
    """Make the table of events."""
    chunk = max(1, min(_CHUNK, _BYTES // max(queries.longest, streams.longest, 1)))
    batches = [
        _batch(events, first, min(first + chunk, len(events)), queries, streams)
        for events in found
        for first in range(0, len(events), chunk)
    ]
    return pa.Table.from_batches(batches, SCHEMA)


def _batch(events: Events, first: int, last: int, queries: Ids, streams: Ids) -> pa.RecordBatch:
    n = last - first
    query, stream = events.query[first:last], events.stream[first:last]
    kind, time = events.kind[first:last], np.ascontiguousarray(events.time[first:last])
    code = kind.astype(np.int64) | events.reason << 8
    if events.repeat is not None:
        code |= events.repeat[first:last] << 16
    started = np.full(n, _NO_START) if events.started is None else np.ascontiguousarray(events.started[first:last])
    digits = np.empty((n, 4), "<u8")
    hashes, subject = streams.hashes, stream
    if events.bindings is not None:  # alerts have bindings in place of a stream
        hashes, subject = events.bindings.hashes(first, last, streams), np.arange(n, dtype=np.int32)
    event_ids(queries.hashes, query, hashes, subject, time, started, code, digits)
    alerts = events.bindings
    columns = [
        _fixed_width(digits.view(np.uint8).reshape(-1), 32),
        queries.take(query),
        _kinds().take(kind),
        streams.take(stream) if alerts is None else pa.nulls(n, pa.string()),
        _times(time),
        _started(started),
        _fixed_width(np.frombuffer(REASONS[events.reason].encode() * n, np.uint8), len(REASONS[events.reason])),
        _lists(events.values(first, last)) if alerts is None else pa.nulls(n, SCHEMA.field("values").type),
        pa.nulls(n, SCHEMA.field("bindings").type) if alerts is None else alerts.column(first, last, streams),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _started(micros: Ints) -> pa.Array:
    """Make times of which some or all are missing."""
    missing = micros == _NO_START
    if missing.all():
        return pa.nulls(len(micros), MICROS)
    times = _times(micros)
    return pc.if_else(pa.array(~missing), times, None) if missing.any() else times


def _times(micros: Ints) -> pa.Array:
    return pa.Array.from_buffers(MICROS, len(micros), [None, pa.py_buffer(micros)])


def _fixed_width(data: Bytes, width: int) -> pa.StringArray:
    bounds = np.arange(0, len(data) + 1, width, dtype=np.int32)
    return pa.StringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds), pa.py_buffer(data))


def _lists(values: Floats) -> pa.ListArray:
    """Make a list of each column of (width, n); what was never known is null."""
    width, n = values.shape
    flat = np.ascontiguousarray(values.T).reshape(-1)
    unknown = np.isnan(flat)
    if unknown.any():
        items = pa.array(flat, mask=unknown)
    else:
        items = pa.Array.from_buffers(pa.float64(), len(flat), [None, pa.py_buffer(flat)])
    bounds = pa.py_buffer(np.arange(0, width * n + 1, width, dtype=np.int32))
    return pa.Array.from_buffers(SCHEMA.field("values").type, n, [None, bounds], children=[items])
