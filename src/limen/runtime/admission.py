"""Admission of rows: accept or reject the rows of a batch, and count both.

A batch may come in parts that were read elsewhere (on Spark, by the tasks that pack rows). Each part carries its good
rows, its counts and the spans of its times, so that shards which see only their part of a batch agree on its limits.

One wrong clock must not make all other rows late, so `max_ahead` limits how far a batch may be ahead. A batch is
described by its *spans*: its times sorted, and cut wherever the next one is more than `max_ahead` later. The spans of
the parts together give the spans of the whole, so no shard needs to see all times of the batch.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Ints
from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.model.options import Options
from limen.runtime.batch_reader import read
from limen.runtime.rows import Rows

NONE: Ints = np.empty((0, 3), np.int64)  # a row a span: its first time, its last, and how many rows lie in it


@dataclass(frozen=True, slots=True)
class Arrivals:
    """A part of a batch as it was read.

    Attributes
    ----------
    rows : Rows or None
        The good rows.
    spans : int64 array
        The times of the whole part, of which other shards may have rows; see `spans_of`.
    total : int
        Rows that came, good or bad; 0 where another shard counts them.
    rejected : dict
        How many of them were bad, by reason.
    """

    rows: Rows | None = None
    spans: Ints = field(default_factory=lambda: NONE)
    total: int = 0
    rejected: dict[str, int] = field(default_factory=dict)


def read_arrivals(batch: Any, columns: Columns, types: dict[str, pa.DataType], max_ahead: int | None) -> Arrivals:
    """Read a batch, or a part of one, as users have it; types of attributes seen for the first time are added."""
    rows, rejected = read(batch, columns, types)
    return Arrivals(rows, spans_of(rows.time, max_ahead), len(rows.time) + sum(rejected.values()), rejected)


class Admission:
    """Accept rows for a shard, and count them.

    Attributes
    ----------
    rows : int
        Rows that came.
    rejected : dict
        Rows that were rejected, by reason.
    counts_rows : bool
        Whether rows are counted here, and not by another shard that has them too.
    """

    def __init__(self, columns: Columns, options: Options) -> None:
        self._columns, self._options = columns, options
        self.rows = 0
        self.rejected: dict[str, int] = {}
        self.counts_rows = True

    def newest(self, parts: list[Arrivals], known: int | None) -> int | None:
        """Return the largest time that a batch may have by `max_ahead`; None when no row of it is accepted."""
        spans = joined([part.spans for part in parts], self._options.max_ahead)
        return newest_accepted(spans, known, self._options.max_ahead)

    def admit(self, parts: list[Arrivals], newest: int | None) -> Rows:
        """Return the rows up to a time, and count all; with `on_bad_row="fail"` bad rows are an error instead."""
        # Parts that begin early come first: mostly that is all there is to sort.
        found = [part.rows for part in parts if part.rows is not None and len(part.rows.time)]
        if len(found) == 1:
            rows = found[0]
        else:
            rows = Rows.joined(sorted(found, key=_first_time)) if found else Rows.empty(self._columns)
        rows, ahead = (rows, 0) if self._options.max_ahead is None else rows.until(newest)
        rejected = Counter[str]()
        for part in parts:
            rejected.update(part.rejected)
        if ahead:
            rejected["too_far_ahead"] = ahead
        if rejected and self._options.on_bad_row == "fail":
            raise _bad_rows(rejected)
        if self.counts_rows:
            self.rows += sum(part.total for part in parts)
            for reason, count in rejected.items():
                self.rejected[reason] = self.rejected.get(reason, 0) + count
        return rows


def _first_time(rows: Rows) -> int:
    return int(rows.time[0])


def _bad_rows(counts: dict[str, int]) -> InvalidInput:
    found = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    return InvalidInput(
        where="batch", expected="good rows only", got=found, hint='on_bad_row="count" counts them and goes on'
    )


def spans_of(times: Ints, max_ahead: int | None) -> Ints:
    """Describe the times of rows. Without a limit there is one span.

    Examples
    --------
    >>> spans_of(np.array([7, 1, 2, 9, 1]), 3).tolist()
    [[1, 2, 3], [7, 9, 2]]
    """
    if not len(times):
        return NONE
    if max_ahead is None:
        return np.array([[times.min(), times.max(), len(times)]])
    ordered = np.sort(times)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(ordered) > max_ahead) + 1])
    ends = np.append(starts[1:], len(ordered))
    return np.stack([ordered[starts], ordered[ends - 1], ends - starts], axis=1)


def joined(parts: list[Ints], max_ahead: int | None) -> Ints:
    """Describe a batch whose parts are described."""
    spans = np.concatenate([NONE, *parts])
    if not len(spans):
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    reached = np.maximum.accumulate(spans[:, 1])
    apart = np.zeros(len(spans) - 1, np.bool_) if max_ahead is None else spans[1:, 0] - reached[:-1] > max_ahead
    starts = np.concatenate([[0], np.flatnonzero(apart) + 1])
    return np.stack(
        [spans[starts, 0], np.maximum.reduceat(spans[:, 1], starts), np.add.reduceat(spans[:, 2], starts)], axis=1
    )


def newest_accepted(spans: Ints, known: int | None, max_ahead: int | None) -> int | None:
    """Return the largest time of a batch that is not too far ahead, None when there is none.

    `known` is the largest time before the batch. Without one the batch's own median stands in for it: a wrong clock
    does not make the others wrong.
    """
    if not len(spans):
        return None
    if max_ahead is None:
        return int(spans[-1, 1])
    if known is None:
        rows = np.cumsum(spans[:, 2])
        median = int(np.searchsorted(rows, (rows[-1] - 1) // 2, side="right"))
        return int(spans[median, 1])
    newest = None
    for first, last, _ in spans.tolist():
        # Within a span, steps are short; one that begins behind `known` may still end too far beyond it only by
        # such steps, which carry `known` along.
        if first > known + max_ahead:
            break
        newest = last
        known = max(known, last)
    return newest
