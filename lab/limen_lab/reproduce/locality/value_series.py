"""A series of the user's own, read from a CSV or Parquet file: times, if there are any, and values."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

from limen.arrays import Floats
from limen.errors import InvalidInput

FEWEST = 3  # values: two differences, the least that can be called a series
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "-"]
LONGEST_STEP = 3.0  # times the usual one: what is further apart is a gap
TIMES = ("time", "timestamp", "date", "datetime", "ts", "t")


@dataclass(frozen=True)
class ValueSeries:
    """Values in the order of time, without those that are missing.

    Attributes
    ----------
    name
        Of the column.
    times : float array (n,)
        Seconds; the numbers of rows where the file has no times.
    values : float array (n,)
    missing : int
        Rows that had no value or no time.
    timed : bool
        Whether the file has times.
    digest
        Of the file.
    """

    name: str
    times: Floats
    values: Floats
    missing: int
    timed: bool
    digest: str = ""

    @property
    def description(self) -> str:
        """The size of the series, its missing rows and its gaps, in a sentence."""
        left_out = f"; rows without a value, left out: {self.missing:,}" if self.missing else ""
        gaps = f"; gaps, over which no difference is taken: {self.gaps:,}" if self.gaps else ""
        return f"{len(self.values):,} values of {self.name}{left_out}{gaps}"

    def every(self, rows: int) -> Floats:
        """Return the differences between values that many rows apart, one after another; none over a gap."""
        at = self.times[::rows]
        without_gap = np.diff(at) <= (rows - 1) * self.usual_step + self.longest_step
        return np.diff(self.values[::rows])[without_gap]

    @property
    def usual_step(self) -> float:
        """Seconds, or rows, between a value and the next."""
        steps = np.diff(self.times)
        return float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0

    @property
    def longest_step(self) -> float:
        """What is further apart has a gap between; times may jitter, numbers of rows do not."""
        return self.usual_step * (LONGEST_STEP if self.timed else 1.0)

    @property
    def gaps(self) -> int:
        """Places where the next row comes later than it usually does."""
        return int((np.diff(self.times) > self.longest_step).sum())


def read_series(file: Path) -> ValueSeries:
    """Read a file with a column of times and one of values, or with values only.

    Raises
    ------
    InvalidInput
        If there is no such file, nothing to read in it, or not enough of it.
    """
    where = f"--series {file}"
    try:
        content = file.read_bytes()
        table = _read_table(content, parquet=file.suffix.lower() in {".parquet", ".pq"})
    except (OSError, pa.ArrowException) as error:
        problem = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InvalidInput(where=where, expected="a CSV or Parquet file", got=problem) from error
    time_column, value_column = _columns(table, where)
    values = _numbers(table[value_column])
    times = np.arange(len(values), dtype=np.float64) if time_column is None else _seconds(table[time_column], where)
    known = np.isfinite(values) & np.isfinite(times)
    missing = int(len(values) - known.sum())
    times, values = times[known], values[known]
    if len(values) < FEWEST:
        got = f"{len(values)} of them in column {value_column!r}, and {missing} rows without a number"
        raise InvalidInput(where=where, expected=f"{FEWEST} numbers or more", got=got)
    order = np.argsort(times, kind="stable")
    digest = hashlib.sha256(content).hexdigest()
    return ValueSeries(value_column, times[order], values[order], missing, time_column is not None, digest)


def _read_table(content: bytes, *, parquet: bool) -> pa.Table:
    if parquet:
        return pq.read_table(pa.BufferReader(content))
    convert = pc_csv.ConvertOptions(null_values=MISSING, strings_can_be_null=True)
    bare = _has_no_header(content)
    read = pc_csv.ReadOptions(autogenerate_column_names=bare)
    table = pc_csv.read_csv(pa.BufferReader(content), read_options=read, convert_options=convert)
    return table.rename_columns(_bare_names(table.num_columns)) if bare else table


def _has_no_header(content: bytes) -> bool:
    """Return whether the first line ends with a number rather than with a name."""
    last = content.split(b"\n", 1)[0].decode("utf-8", "replace").strip().split(",")[-1].strip('" ')
    return last in MISSING[1:] or _is_number(last)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _bare_names(columns: int) -> list[str]:
    return ["value"] if columns == 1 else ["time", "value", *(f"column {k}" for k in range(3, columns + 1))][:columns]


def _columns(table: pa.Table, where: str) -> tuple[str | None, str]:
    """Return the names of the columns of times, if there is one, and of values."""
    names = table.column_names
    if not names:
        raise InvalidInput(where=where, expected="one or two columns", got="none")
    by_name = [name for name in names if name.strip().lower() in TIMES]
    by_type = [name for name in names if pa.types.is_temporal(table[name].type)]
    time = next(iter(by_name + by_type), None)
    with_numbers = [name for name in names if np.isfinite(_numbers(table[name])).any()]
    if time is None and len(names) == 2 and names[1] in with_numbers:
        time = names[0]
    rest = [name for name in names if name != time]
    numeric = [name for name in rest if name in with_numbers]
    if not numeric:
        got = f"columns {', '.join(names)}, none with a number" if rest else f"times only, column {names[0]}"
        raise InvalidInput(where=where, expected="a column of numbers", got=got)
    return time, numeric[0]


def _numbers(column: pa.ChunkedArray) -> Floats:
    """Return a column as numbers, NaN for what is none."""
    if pa.types.is_temporal(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        number = pc.match_substring_regex(column, r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$")
        column = pc.utf8_trim_whitespace(pc.if_else(number, column, None))
    try:
        numbers: Floats = column.cast(pa.float64(), safe=False).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return np.full(len(column), np.nan)
    return numbers


def _seconds(column: pa.ChunkedArray, where: str) -> Floats:
    """Return a column of times as seconds, NaN for what is none."""
    kind = column.type
    if pa.types.is_temporal(kind):
        as_us = pa.time64("us") if pa.types.is_time(kind) else pa.timestamp("us", getattr(kind, "tz", None))
        stamps: Floats = column.cast(as_us, safe=False).cast(pa.int64()).cast(pa.float64(), safe=False).to_numpy()
        return stamps / 1e6
    seconds = _numbers(column)
    if not np.isfinite(seconds).any():
        raise InvalidInput(
            where=where, expected="times as numbers, or such as 2004-04-14 09:00:00", got=f"{column[0].as_py()!r}"
        )
    return seconds
