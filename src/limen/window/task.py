"""What a task of a batch tells: rows of sampled streams, events, and which changes came."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from limen.window.files import write_table
from limen.window.layout import CHANGES_FOLDER, EVENTS_FOLDER, ROWS_FOLDER, SAMPLE, Part
from limen.window.sample import FEWEST, Sample
from limen.window.trouble import OF_THIS_PROCESS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from limen.operators.rows import Rows
    from limen.window.settings import WindowSettings

#: Rows in one file, which are those of a task.
MOST_ROWS = 1 << 16
_TIME = pa.timestamp("us", "UTC")
ARRIVED = pa.schema(
    [
        ("op", pa.string()),
        ("id", pa.string()),
        ("seq", pa.int64()),
        ("at", pa.int64()),
        ("change", pa.string()),
        ("error", pa.string()),
    ]
)


@dataclass(slots=True)
class TaskWindow:
    """The window as a task has it."""

    settings: WindowSettings
    batch: int
    partition: int
    _parts: int = 0
    _rows: Sample | None = None
    _seen: int = 0

    def take_rows(self, rows: Rows, seen: int) -> None:
        """Take rows to tell of in the end; `seen` came, with those that were rejected."""
        with OF_THIS_PROCESS.suppressed():
            if self._rows is None:
                self._rows = Sample(MOST_ROWS, self._one_of())
            self._seen += seen
            self._rows.add(rows.ids, lambda which: _table(rows if which.all() else rows.take(which)))

    def tell_rows(self) -> None:
        """Tell of the rows that were taken, in one file: for who looks, few files are less work than many."""
        if self._rows is not None:
            with OF_THIS_PROCESS.suppressed():
                facts = {"rows": self._seen, "one_of": self._rows.one_of}
                self._write(ROWS_FOLDER, self._rows.table(), facts)
            self._rows, self._seen = None, 0

    def rows(self, rows: Rows, seen: int) -> None:
        """Tell of rows at once."""
        self.take_rows(rows, seen)
        self.tell_rows()

    def events(self, batches: Iterator[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
        """Pass events on, and tell of them in the end."""
        sample = Sample(most)
        for batch in batches:
            if batch.num_rows:
                with OF_THIS_PROCESS.suppressed():
                    sample.add(batch.column("stream_id"), partial(_filtered, pa.Table.from_batches([batch])))
            yield batch
        if sample:
            with OF_THIS_PROCESS.suppressed():
                self._write(EVENTS_FOLDER, sample.table(), {"events": sample.seen, "one_of": sample.one_of})

    def changes(self, arrived: list[dict[str, object]]) -> None:
        """Tell which changes of queries came, with the columns of `ARRIVED`."""
        if arrived:
            with OF_THIS_PROCESS.suppressed():
                table = pa.Table.from_pylist(arrived, ARRIVED)
                self._write(CHANGES_FOLDER, table, {"changes": len(arrived)})

    def _write(self, folder: str, table: pa.Table, facts: dict[str, int]) -> None:
        part = Part(self.batch, self.partition, self._parts)
        self._parts += 1
        write_table(Path(self.settings.folder) / folder / part.name, table, facts)

    def _one_of(self) -> int:
        """Read what the driver, which knows how many streams there are, says of the sample."""
        try:
            said = json.loads((Path(self.settings.folder) / SAMPLE).read_bytes())["one_of"]
        except (OSError, ValueError, KeyError, TypeError):
            return 1  # before it has said anything
        return said if isinstance(said, int) and 0 < said <= FEWEST and said & (said - 1) == 0 else 1


def _filtered(table: pa.Table, which: npt.NDArray[np.bool_]) -> pa.Table:
    return table if which.all() else table.filter(pa.array(which))


def _table(rows: Rows) -> pa.Table:
    columns = {"stream_id": rows.ids.cast(pa.string()), "time": pa.array(rows.time).cast(_TIME)}
    columns |= {f"v{number}": pa.array(values) for number, values in enumerate(rows.values)}
    columns |= {f"a{number}": column.cast(pa.string()) for number, column in enumerate(rows.attributes)}
    return pa.table(columns)
