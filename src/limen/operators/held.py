"""Rows that wait until their time is complete."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from limen.kernels.streams import is_sorted
from limen.operators.rows import Rows, with_attribute_types

if TYPE_CHECKING:
    import pyarrow as pa

    from limen.model.columns import Columns

#: Parts kept before they are joined, so that neither every batch is copied again nor batches become too many.
MOST_PARTS = 64


class HeldRows:
    """Held rows in parts, each sorted by time, so that what is complete is the beginning of each."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.parts: list[Rows] = []

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def add(self, rows: Rows) -> None:
        """Hold rows."""
        if len(rows):
            # The times may be the caller's own memory, which he may use again before they are looked at.
            self.parts.append(replace(rows, time=rows.time.copy()) if is_sorted(rows.time) else _sorted(rows))

    def take_before(self, time: int | None, types: dict[str, pa.DataType]) -> Rows:
        """Take out the rows before a time, or all; attributes whose type was not known get the one in `types`."""
        taken, left = [], []
        for part in self.parts:
            split = len(part) if time is None else int(np.searchsorted(part.time, time, side="left"))
            if split:
                taken.append(with_attribute_types(part.slice(0, split), self.columns, types))
            if split < len(part):
                left.append(part.slice(split, len(part)) if split else part)
        if len(left) > MOST_PARTS:
            left = [_sorted(Rows.joined([with_attribute_types(part, self.columns, types) for part in left]))]
        self.parts = left
        return Rows.joined(taken) if taken else Rows.empty(self.columns)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(part.nbytes for part in self.parts)


def _sorted(rows: Rows) -> Rows:
    return rows.take(np.argsort(rows.time, kind="stable"))
