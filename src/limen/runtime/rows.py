"""Rows of a batch as arrays, and their canonical order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Array, Floats, Ints
from limen.model.columns import Columns


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as columns.

    Attributes
    ----------
    ids : pa.Array of strings
    time : int64 array (n,)
        Microseconds since 1970.
    values : float64 array (value columns, n)
        NaN where missing.
    attributes : tuple of pa.Array
    """

    ids: pa.Array
    time: Ints
    values: Floats
    attributes: tuple[pa.Array, ...]

    def __len__(self) -> int:
        return len(self.time)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(
            self.ids.nbytes + self.time.nbytes + self.values.nbytes + sum(each.nbytes for each in self.attributes)
        )

    def take(self, which: Array) -> Rows:
        """Return some rows, by a mask or by positions."""
        positions = pa.array(np.flatnonzero(which) if which.dtype == np.bool_ else which)
        return Rows(
            self.ids.take(positions),
            self.time[which],
            self.values[:, which],
            tuple(column.take(positions) for column in self.attributes),
        )

    def slice(self, first: int, last: int) -> Rows:
        """Return rows [first, last) without copying them."""
        return Rows(
            self.ids.slice(first, last - first),
            self.time[first:last],
            self.values[:, first:last],
            tuple(column.slice(first, last - first) for column in self.attributes),
        )

    def until(self, newest: int | None) -> tuple[Rows, int]:
        """Return the rows up to a time, none for None, and the number of the others."""
        if newest is None:
            return self.slice(0, 0), len(self)
        beyond = self.time > newest
        count = int(beyond.sum())
        return (self.take(~beyond) if count else self), count

    def canonical(self) -> Rows:
        """Order rows by (time, stream, values…, attributes…), missing last."""
        keys = {"time": pa.array(self.time), "id": _plain_strings(self.ids)}
        keys |= {f"v{c}": pa.array(column, from_pandas=True) for c, column in enumerate(self.values)}
        for a, column in enumerate(self.attributes):
            key = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column
            if not pa.types.is_null(column.type):
                keys[f"a{a}"] = key
        table = pa.table(keys)
        return self.take(pc.sort_indices(table, sort_keys=[(name, "ascending") for name in keys]).to_numpy())

    @classmethod
    def empty(cls, columns: Columns) -> Rows:
        """Return no rows."""
        nothing = tuple(pa.nulls(0) for _ in columns.attributes)
        return cls(pa.array([], pa.string()), np.empty(0, np.int64), np.empty((len(columns.values), 0)), nothing)

    @classmethod
    def joined(cls, parts: list[Rows]) -> Rows:
        """Put rows one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            pa.concat_arrays([_plain_strings(part.ids) for part in parts]),
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.values for part in parts], axis=1),
            tuple(pa.concat_arrays(columns) for columns in zip(*(part.attributes for part in parts), strict=True)),
        )


def with_attribute_types(rows: Rows, columns: Columns, types: dict[str, pa.DataType]) -> Rows:
    """Give attributes that had no value yet the types that later rows brought."""
    if not any(pa.types.is_null(column.type) for column in rows.attributes):
        return rows
    typed = (
        column.cast(types[name]) if pa.types.is_null(column.type) and name in types else column
        for name, column in zip(columns.attributes, rows.attributes, strict=True)
    )
    return replace(rows, attributes=tuple(typed))


def _plain_strings(ids: pa.Array) -> pa.Array:
    return ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
