"""The attributes and own values of each stream's last row, for the `where` of queries registered later.

A query skips a row in which all its columns are missing, so "the last row" depends on the query's columns. As long as
every row has all its values, one copy serves all. Once a row comes with only some of them, a copy is kept for each
value column: the last row in which that column was present. For a query on several columns it is the latest of
theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Array, Floats, Ints, Mask, Slots
from limen.checkpoint.codec import Sections, array_of
from limen.growable import with_rows
from limen.model.columns import Columns
from limen.runtime.ids import Ids
from limen.runtime.kernels.streams import NEVER


class AttributeMemory:
    """The last value of one attribute for each stream: an array of numbers, or of numbered strings."""

    def __init__(self, kind: pa.DataType, slots: int) -> None:
        self.kind = kind
        self.strings = Ids() if pa.types.is_string(kind) else None
        self.values = np.zeros(slots, _storage(kind))
        self.known = np.zeros(slots, np.bool_)

    def put(self, slots: Slots, column: pa.Array) -> None:
        """Remember the values of rows; where a stream has several, the last counts."""
        known = pc.is_valid(column).to_numpy(zero_copy_only=False)
        self.known[slots] = known
        if self.strings is not None:
            self._keep_strings_few()
            numbers = self.strings.slots(column.fill_null("") if column.null_count else column)
        else:
            number_type = pa.int64() if pa.types.is_timestamp(self.kind) else self.kind
            column = column.cast(number_type)
            zero = pa.scalar(0, pa.int64()).cast(number_type)
            numbers = (column.fill_null(zero) if column.null_count else column).to_numpy(zero_copy_only=False)
        self.values[slots] = numbers

    def take(self, slots: Slots) -> pa.Array:
        """Return the values of streams."""
        values, missing = self.values[slots], ~self.known[slots]
        if self.strings is None:
            column = pa.array(values, mask=missing)
            return column.cast(self.kind) if pa.types.is_timestamp(self.kind) else column
        if not len(self.strings):
            return pa.nulls(len(slots), pa.string())
        return pc.if_else(pa.array(missing), pa.scalar(None, pa.string()), self.strings.take(values))

    def resize(self, slots: int) -> None:
        """Make room for so many streams."""
        self.values, self.known = with_rows(self.values, slots), with_rows(self.known, slots)

    def choose(self, slots: Slots) -> None:
        """Keep some streams only, renumbered in this order."""
        self.values, self.known = self.values[slots], self.known[slots]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.values.nbytes + self.known.nbytes + (self.strings.nbytes if self.strings is not None else 0)

    def _keep_strings_few(self) -> None:
        """Forget strings that no stream has any more, when they have become many: attributes may be free text."""
        if self.strings is not None and len(self.strings) > 4 * len(self.values) + 1024:
            used, self.values = np.unique(self.values, return_inverse=True)
            self.strings = Ids.of(self.strings.take(used.astype(np.int32)))
            self.values = self.values.astype(np.int32)


def _storage(kind: pa.DataType) -> npt.DTypeLike:
    if pa.types.is_string(kind):
        return np.int32
    if pa.types.is_boolean(kind):
        return np.bool_
    return np.float64 if pa.types.is_floating(kind) else np.int64


class Layer:
    """The last row of each stream in which a certain column was present."""

    def __init__(self, columns: Columns, types: dict[str, pa.DataType], slots: int) -> None:
        self.attributes = {name: AttributeMemory(types[name], slots) for name in columns.attributes if name in types}

    def add_types(self, types: dict[str, pa.DataType], slots: int) -> None:
        """Begin to remember attributes whose type has become known."""
        for name in types.keys() - self.attributes.keys():
            self.attributes[name] = AttributeMemory(types[name], slots)


class RowMemory:
    """What is remembered of the last row of each stream.

    Parameters
    ----------
    columns : Columns
    types : dict
        Arrow types of the attributes known so far; shared with the reader of batches.
    """

    def __init__(self, columns: Columns, types: dict[str, pa.DataType]) -> None:
        self.columns = columns
        self.types = types
        self.slots = 0
        self.layers = [Layer(columns, types, 0)]
        self.own: list[Floats] = []  # own values (slots, columns) of each layer's row, once layered
        self.present_at: list[Ints] = []  # its time

    @property
    def layered(self) -> bool:
        """Whether rows with only some of their values have come."""
        return bool(self.own)

    def copy(self) -> RowMemory:
        """Return a memory of the same; types that become known are known to both."""
        return deepcopy(self, {id(self.types): self.types})

    def resize(self, slots: int) -> None:
        """Make room for so many streams."""
        for layer in self.layers:
            for memory in layer.attributes.values():
                memory.resize(slots)
        self.own = [with_rows(own, slots, np.nan) for own in self.own]
        self.present_at = [with_rows(at, slots, NEVER) for at in self.present_at]
        self.slots = slots

    def choose(self, slots: Slots) -> None:
        """Keep some streams only, renumbered in this order."""
        for layer in self.layers:
            for memory in layer.attributes.values():
                memory.choose(slots)
        self.own = [own[slots] for own in self.own]
        self.present_at = [at[slots] for at in self.present_at]
        self.slots = len(slots)

    def dump(self, slots: Slots) -> dict[str, Array | pa.Array]:
        """Return what is remembered of some streams as named arrays, for `load`."""
        arrays: dict[str, Array | pa.Array] = {}
        for c, layer in enumerate(self.layers):
            arrays |= {f"{c}/{name}": memory.take(slots) for name, memory in layer.attributes.items()}
        for c, (own, present_at) in enumerate(zip(self.own, self.present_at, strict=True)):
            arrays |= {f"{c}/own": own[slots], f"{c}/present_at": present_at[slots]}
        return arrays

    def load(self, slots: Slots, part: Sections) -> None:
        """Set what is remembered of some streams."""
        if f"{len(self.columns.values) - 1}/own" in part and not self.layered:
            self._split(np.full((self.slots, len(self.columns.values)), np.nan))
        for c, layer in enumerate(self.layers):
            layer.add_types(self.types, self.slots)
            for name, memory in layer.attributes.items():
                if f"{c}/{name}" in part:
                    memory.put(slots, part[f"{c}/{name}"])
        for c in range(len(self.own)):
            self.own[c][slots] = array_of(part, f"{c}/own", np.float64, (-1, len(self.columns.values)))
            self.present_at[c][slots] = array_of(part, f"{c}/present_at", np.int64)

    def remember(
        self,
        slots: Slots,
        time: Ints,
        values: Floats,
        attributes: tuple[pa.Array, ...],
        known_before: Callable[[], Floats],
    ) -> None:
        """Remember rows that have been processed. `known_before` returns the values of all streams before them."""
        for layer in self.layers:
            layer.add_types(self.types, self.slots)
        missing = np.isnan(values)
        in_part = missing.any(axis=0) != missing.all(axis=0)
        if not self.layered and bool(np.any(in_part)):
            self._split(known_before())
        for c, layer in enumerate(self.layers):
            here = ~(missing[c] if self.layered else missing.all(axis=0))
            rows = slice(None) if here.all() else np.flatnonzero(here)
            for name, column in zip(self.columns.attributes, attributes, strict=True):
                if name in layer.attributes:
                    chosen = column if isinstance(rows, slice) else column.take(pa.array(rows))
                    layer.attributes[name].put(slots[rows], chosen.cast(self.types[name]))
            if self.layered:
                self.own[c][slots[rows]] = values.T[rows]
                self.present_at[c][slots[rows]] = time[rows]

    def _split(self, last: Floats) -> None:
        """Begin to keep a copy for each value column; all begin with what the one copy had."""
        whole = self.layers[0]
        for _ in self.columns.values[1:]:
            layer = Layer(self.columns, self.types, self.slots)
            for name, memory in whole.attributes.items():
                copied = layer.attributes[name]
                copied.values, copied.known = memory.values.copy(), memory.known.copy()
                if memory.strings is not None:
                    copied.strings = Ids.of(memory.strings.all())
            self.layers.append(layer)
        self.own = [last.copy() for _ in self.layers]
        # The copies are alike, so it does not matter which is taken for the latest until a new row comes.
        self.present_at = [np.full(self.slots, NEVER) for _ in self.layers]

    def table(self, slots: Slots, columns: Ints, known: Floats, names: tuple[str, ...]) -> dict[str, pa.Array]:
        """Return the columns `names` of the last row of each stream that a query on value columns `columns` saw.

        `known` (n, value columns) are the values known then. As long as no row lacked some of its values they are the
        row's own.
        """
        if not self.layered:
            own = known
            sources = [(np.ones(len(slots), np.bool_), self.layers[0])]
        else:
            times = np.stack([self.present_at[c][slots] for c in columns])
            latest = np.asarray(columns)[times.argmax(axis=0)]
            own = np.empty((len(slots), len(self.columns.values)))
            for c in np.unique(latest):
                own[latest == c] = self.own[c][slots[latest == c]]
            sources = [(latest == c, self.layers[c]) for c in np.unique(latest)]
        out: dict[str, pa.Array] = {}
        for name in names:
            if name in self.columns.values:
                out[name] = pa.array(np.ascontiguousarray(own[:, self.columns.values.index(name)]))
            else:
                out[name] = self._attribute(name, slots, sources)
        return out

    def _attribute(self, name: str, slots: Slots, sources: list[tuple[Mask, Layer]]) -> pa.Array:
        if name not in self.types:
            return pa.nulls(len(slots))
        column = pa.nulls(len(slots), self.types[name])
        for here, layer in sources:
            if name in layer.attributes:
                column = pc.if_else(pa.array(here), layer.attributes[name].take(slots), column)
        return column

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        attributes = sum(memory.nbytes for layer in self.layers for memory in layer.attributes.values())
        return attributes + sum(array.nbytes for array in (*self.own, *self.present_at))
