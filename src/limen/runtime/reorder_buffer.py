"""The reorder buffer: rows wait here until their time is complete."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from limen.model.columns import Columns
from limen.runtime.kernels.streams import is_sorted
from limen.runtime.rows import Rows, with_attribute_types

#: Parts kept before some are joined, so that neither every batch is copied again nor batches become too many.
MOST_PARTS = 64


@dataclass(slots=True)
class Part:
    """Held rows in order of time, and the page of the state that has them, once they are written."""

    rows: Rows
    page: int | None = None

    def __len__(self) -> int:
        return len(self.rows)


class ReorderBuffer:
    """Held rows in parts, each sorted by time, so that what is complete is the beginning of each."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.parts: list[Part] = []

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def add(self, rows: Rows) -> None:
        """Hold rows."""
        if len(rows):
            # The times may be the caller's own memory, which may be overwritten before they are read.
            self.parts.append(Part(replace(rows, time=rows.time.copy()) if is_sorted(rows.time) else _sorted(rows)))

    def take_before(self, time: int | None, types: dict[str, pa.DataType]) -> Rows:
        """Take out the rows before a time, or all; attributes whose type was not known get the one in `types`."""
        taken, left = [], []
        for part in self.parts:
            split = len(part) if time is None else int(np.searchsorted(part.rows.time, time, side="left"))
            if split:
                taken.append(with_attribute_types(part.rows.slice(0, split), self.columns, types))
            if split < len(part):
                left.append(Part(part.rows.slice(split, len(part)), part.page) if split else part)
        self.parts = left if len(left) <= MOST_PARTS else self._smaller_half_joined(left, types)
        return Rows.joined(taken) if taken else Rows.empty(self.columns)

    def _smaller_half_joined(self, parts: list[Part], types: dict[str, pa.DataType]) -> list[Part]:
        """Join the smaller half, so that a row is copied a few times only, however long it is held."""
        parts = sorted(parts, key=len)
        small, large = parts[: len(parts) // 2], parts[len(parts) // 2 :]
        rows = Rows.joined([with_attribute_types(part.rows, self.columns, types) for part in small])
        return [*large, Part(_sorted(rows))]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(part.rows.nbytes for part in self.parts)


def _sorted(rows: Rows) -> Rows:
    return rows.take(np.argsort(rows.time, kind="stable"))
