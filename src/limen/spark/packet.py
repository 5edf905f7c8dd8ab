"""What travels to a shard: rows, or changes of queries, in Arrow's own format as one binary value."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from limen.model.columns import Columns
from limen.runtime.admission import Arrivals
from limen.runtime.rows import Rows

_TIME = pa.field("time", pa.int64())
_ID = pa.field("id", pa.string())


def stream_bytes(table: pa.Table) -> bytes:
    """Return a table in Arrow's stream format, as one binary value."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


@dataclass(frozen=True, slots=True)
class Packet:
    """A part of a batch.

    Attributes
    ----------
    arrivals
        The rows that go to this shard, with the times of the whole part, so that every shard knows how far the batch
        goes: a heartbeat. Where each shard has a part of the rows, the packet of one of them has the counts of all.
    changes
        Changes of queries, each as its JSON.
    """

    arrivals: Arrivals = field(default_factory=Arrivals)
    changes: list[str] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """Write it."""
        part = self.arrivals
        facts = json.dumps([part.spans.tolist(), part.total, part.rejected, self.changes])
        columns, fields = [], []
        if part.rows is not None and len(part.rows):
            rows = part.rows
            columns = [rows.ids, pa.array(rows.time), *map(pa.array, rows.values), *rows.attributes]
            fields = [
                _ID,
                _TIME,
                *(pa.field(f"v{v}", pa.float64()) for v in range(len(rows.values))),
                *(pa.field(f"a{a}", column.type) for a, column in enumerate(rows.attributes)),
            ]
        schema = pa.schema(fields, {"limen": facts})
        return stream_bytes(pa.Table.from_arrays(columns, schema=schema))

    @classmethod
    def from_bytes(cls, content: bytes, columns: Columns) -> Packet:
        """Read it; the rows are not copied."""
        with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
            spans, total, rejected, changes = json.loads(reader.schema.metadata[b"limen"])
            batch = reader.read_next_batch() if len(reader.schema) else None
        rows = None
        if batch is not None:
            width = len(columns.values)
            rows = Rows(
                batch.column(0),
                batch.column(1).to_numpy(),
                np.stack([batch.column(2 + v).to_numpy() for v in range(width)]),
                tuple(batch.columns[2 + width :]),
            )
        return cls(Arrivals(rows, np.array(spans, np.int64).reshape(-1, 3), total, rejected), changes)
