"""Telemetry of a task of a batch: rows of sampled streams, events, and the query changes that arrived."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from limen.arrays import Mask
from limen.runtime.rows import Rows
from limen.telemetry.atomic_files import read_object, write_table
from limen.telemetry.failures import OF_THIS_PROCESS
from limen.telemetry.folder_files import CHANGES_FOLDER, EVENTS_FOLDER, ROWS_FOLDER, SAMPLE, TaskFile
from limen.telemetry.sample import FEWEST, Sample
from limen.telemetry.settings import TelemetrySettings

#: The maximum number of rows in one file, which holds the rows of a task.
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
class TaskPublisher:
    """Publish the telemetry of one task."""

    settings: TelemetrySettings
    batch: int
    partition: int
    _parts: int = 0
    _rows: Sample | None = None
    _seen: int = 0

    def add_rows(self, rows: Rows, seen: int) -> None:
        """Add rows for the next `write_rows`; `seen` is how many arrived, with the rejected ones."""
        with OF_THIS_PROCESS.suppressed():
            if self._rows is None:
                self._rows = Sample(MOST_ROWS, self._one_of())
            self._seen += seen
            self._rows.add(rows.ids, lambda which: _table(rows if which.all() else rows.take(which)))

    def write_rows(self) -> None:
        """Write the rows that were added, in one file: few files are less work for the console than many."""
        if self._rows is not None:
            with OF_THIS_PROCESS.suppressed():
                facts = {"rows": self._seen, "one_of": self._rows.one_of}
                self._write(ROWS_FOLDER, self._rows.table(), facts)
            self._rows, self._seen = None, 0

    def rows(self, rows: Rows, seen: int) -> None:
        """Add rows and write them at once."""
        self.add_rows(rows, seen)
        self.write_rows()

    def events(self, batches: Iterator[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
        """Pass events through, and write a sample of them at the end."""
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
        """Write the query changes that arrived, with the columns of `ARRIVED`."""
        if arrived:
            with OF_THIS_PROCESS.suppressed():
                table = pa.Table.from_pylist(arrived, ARRIVED)
                self._write(CHANGES_FOLDER, table, {"changes": len(arrived)})

    def _write(self, folder: str, table: pa.Table, facts: dict[str, int]) -> None:
        part = TaskFile(self.batch, self.partition, self._parts)
        self._parts += 1
        write_table(Path(self.settings.folder) / folder / part.name, table, facts)

    def _one_of(self) -> int:
        """Return the sampling rate that the driver, which knows the number of streams, has published."""
        sample = read_object(Path(self.settings.folder) / SAMPLE) or {}  # empty until the driver has published it
        one_of = sample.get("one_of")
        return one_of if isinstance(one_of, int) and 0 < one_of <= FEWEST and one_of & (one_of - 1) == 0 else 1


def _filtered(table: pa.Table, which: Mask) -> pa.Table:
    return table if which.all() else table.filter(pa.array(which))


def _table(rows: Rows) -> pa.Table:
    columns = {"stream_id": rows.ids.cast(pa.string()), "time": pa.array(rows.time).cast(_TIME)}
    columns |= {f"v{number}": pa.array(values) for number, values in enumerate(rows.values)}
    columns |= {f"a{number}": column.cast(pa.string()) for number, column in enumerate(rows.attributes)}
    return pa.table(columns)
