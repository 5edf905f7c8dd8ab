"""Small batches to read, and what reading them gives."""

from typing import Any

import pyarrow as pa
import pytest

from limen import Columns, InvalidInput
from limen.runtime.batch_reader import read
from limen.runtime.rows import Rows

COLUMNS = Columns("s", "t", "x", time_unit="us")
KIND = Columns("s", "t", "x", "kind", time_unit="us")


def table(**columns: Any) -> pa.Table:
    """A batch of two good rows, with some columns in place of theirs or beside them."""
    return pa.table({"s": ["a", "b"], "t": [1, 2], "x": [1.0, 2.0], **columns})


def rows_of(batch: Any, columns: Columns = COLUMNS, types: dict[str, pa.DataType] | None = None) -> Rows:
    """Read a batch of good rows."""
    rows, rejected = read(batch, columns, {} if types is None else types)
    assert rejected == {}
    return rows


def error_of(batch: Any, columns: Columns = COLUMNS, types: dict[str, pa.DataType] | None = None) -> str:
    """Tell what is said of a batch that cannot be read."""
    with pytest.raises(InvalidInput) as caught:
        read(batch, columns, {} if types is None else types)
    return str(caught.value)


def rows(*cells: tuple[str, int, float | None]) -> Rows:
    """Rows of COLUMNS from (stream, microsecond, x); None where x is missing."""
    ids, times, values = zip(*cells, strict=True)
    return rows_of(pa.table({"s": ids, "t": pa.array(times, pa.int64()), "x": pa.array(values, pa.float64())}))
