"""Replay of the last rows of streams through an engine with a single query."""

import pyarrow as pa

from limen.console.live_state import LiveState
from limen.engine import Engine
from limen.errors import LimenError
from limen.formats.query_json import Plain, query_from_dict
from limen.model.columns import Columns
from limen.model.event import sort_events


class RowReplay:
    """Run queries over kept rows, as `Trails.table` returns them."""

    def __init__(self, live: LiveState, table: pa.Table) -> None:
        columns = live.columns
        # Telemetry has timestamps, whatever type the data had.
        self._columns = Columns(columns.id, columns.time, columns.values, columns.attributes, columns.crs)
        self._table = table

    def matches(self, place: Plain) -> int | None:
        """Return how many rows are in a region and meet a condition; None if they cannot be replayed."""
        everywhere = {"type": "box", "lo": [None] * len(self._columns.values)}
        found = self.play({"region": everywhere, **place, "type": "match", "id": "m"})
        return None if found is None else len(found)

    def events(self, query: Plain) -> list[str] | None:
        """Return the kinds of the events of a query over the rows; None if the rows cannot be replayed."""
        found = self.play(query)
        if found is None:
            return None
        kinds: list[str] = found["kind"].to_pylist()
        return kinds

    def play(self, query: Plain) -> pa.Table | None:
        """Return the events of a query over the rows, in order; None if the rows cannot be replayed."""
        for table in (self._typed(), self._table):
            try:
                engine = Engine(self._columns, [query_from_dict(query)])
                events = pa.concat_tables([engine.process(table), engine.close()])
            except LimenError:  # attributes are text here, and may have another type in the query
                continue
            return sort_events(events)
        return None

    def _typed(self) -> pa.Table:
        """Return the rows with attributes cast to numbers or booleans where all values allow it."""
        table = self._table
        for name in self._columns.attributes:
            for kind in (pa.int64(), pa.float64(), pa.bool_()):
                try:
                    column = table[name].cast(kind)
                except pa.ArrowInvalid:
                    continue
                table = table.set_column(table.column_names.index(name), name, column)
                break
        return table
