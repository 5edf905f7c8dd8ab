"""An engine fed with a few rows, and its events in brief, to be compared with events worked out by hand."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from limen import Columns, Engine, sort_events

LINE = Columns("s", "t", "x", "kind", time_unit="s")
PLANE = Columns("s", "t", ("x", "y"), "kind", time_unit="s")
TYPES = {"s": pa.string(), "t": pa.int64(), "x": pa.float64(), "y": pa.float64(), "kind": pa.string()}

Brief = tuple[int, str, str, str, str]


class SmallEngine:
    """An engine; rows are (stream, second, values…, kind), where the kind may be left out."""

    def __init__(self, *queries: Any, columns: Columns = LINE, **options: Any) -> None:
        self.engine = Engine(columns, queries, **options)

    def process(self, *rows: tuple[Any, ...]) -> list[Brief]:
        return _brief(self.process_in_full(*rows))

    def process_in_full(self, *rows: tuple[Any, ...]) -> pa.Table:
        columns = self.engine.columns
        names = [columns.id, columns.time, *columns.values, *columns.attributes]
        cells = zip(*(row + (None,) * (len(names) - len(row)) for row in rows), strict=True) if rows else [()] * 9
        return self.engine.process(
            pa.table({name: pa.array(column, TYPES[name]) for name, column in zip(names, cells, strict=False)})
        )

    def register(self, *queries: Any, at: int | None = None) -> list[Brief]:
        return _brief(self.engine.register(queries, at=at))

    def deregister(self, query_id: str, at: int | None = None) -> list[Brief]:
        return _brief(self.engine.deregister(query_id, at=at))

    def advance(self, second: int) -> list[Brief]:
        return _brief(self.engine.advance(second))

    def close(self) -> list[Brief]:
        return _brief(self.engine.close())

    def restart(self) -> None:
        """Go on with what a snapshot restores."""
        self.engine = Engine.restore(self.engine.snapshot())

    @property
    def counters(self) -> dict[str, Any]:
        return self.engine.counters


def assert_a_restart_changes_nothing(make: Callable[[], SmallEngine], *batches: list[tuple[Any, ...]]) -> None:
    """Process batches with a restart before each, and with none."""
    steady, restarted = make(), make()
    emitted = 0
    for rows in batches:
        restarted.restart()
        expected = steady.process_in_full(*rows)
        assert sort_events(restarted.process_in_full(*rows)).equals(sort_events(expected))
        emitted += len(expected)
    restarted.restart()
    assert restarted.close() == steady.close()
    assert emitted, "batches without events test nothing"


def _brief(events: pa.Table) -> list[Brief]:
    """Events in canonical order: (second, query, kind, stream, reason)."""
    return [
        (int(each["time"].timestamp()), each["query_id"], each["kind"], each["stream_id"], each["reason"])
        for each in sort_events(events).to_pylist()
    ]
