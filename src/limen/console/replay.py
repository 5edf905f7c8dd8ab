"""The last rows of streams, played through an engine of this process with one query alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from limen.engine import Engine
from limen.errors import LimenError
from limen.model.columns import Columns
from limen.model.event import sort_events
from limen.model.wire import query_from_dict

if TYPE_CHECKING:
    from limen.console.live import Live

Plain = dict[str, Any]


class Replay:
    """Kept rows, as `Trails.table` gives them, and what queries say of them."""

    def __init__(self, live: Live, table: pa.Table) -> None:
        columns = live.columns
        # The window has times as times, whatever the data had.
        self._columns = Columns(columns.id, columns.time, columns.values, columns.attributes, columns.crs)
        self._table = table

    def matches(self, place: Plain) -> int | None:
        """Return how many rows are in a region and meet a condition; None if that cannot be told."""
        everywhere = {"type": "box", "lo": [None] * len(self._columns.values)}
        found = self.play({"region": everywhere, **place, "type": "match", "id": "m"})
        return None if found is None else len(found)

    def events(self, query: Plain) -> list[str] | None:
        """Return the kinds of events that follow from the rows; None if they cannot be played through the query."""
        found = self.play(query)
        if found is None:
            return None
        kinds: list[str] = found["kind"].to_pylist()
        return kinds

    def play(self, query: Plain) -> pa.Table | None:
        """Return the events that follow from the rows, in order; None if they cannot be played through the query."""
        for table in (self._typed(), self._table):
            try:
                engine = Engine(self._columns, [query_from_dict(query)])
                events = pa.concat_tables([engine.process(table), engine.close()])
            except LimenError:  # attributes come as text, and may be something else to the query
                continue
            return sort_events(events)
        return None

    def _typed(self) -> pa.Table:
        """Return the rows with attributes as what they look like: numbers, or true and false."""
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
