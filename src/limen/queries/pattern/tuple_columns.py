"""Columns of tuples that patterns compare: as numbers for kernels, and in their own types for other conditions.

A comparison of two columns is made by a kernel while alerts are sought, if both can be coded as numbers. Some numbers
hold less than the column did: of integers and times beyond 2**53, and of text, which is hashed. Then that comparison
only rules out what cannot be, and another decides: of the halves of whole numbers and times, and of text of 106 bits of
its hash, which are as good as the text. Which text comes first is judged on what was found.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Floats, Ints, Slots
from limen.growable import grown
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression, load
from limen.runtime.ids import Ids
from limen.runtime.row_memory import AttributeMemory
from limen.runtime.step import Step

#: As a float; by the slot of the stream; by 53 bits of a hash; the upper and the lower half of what is whole; of a
#: condition on the tuple, which then is the name, whether it is true; and by another 53 bits of the hash.
NUMBER, SLOT, HASH, HIGH, LOW, COMPUTED, HASH_TOO = (
    "number", "slot", "hash", "high", "low", "computed", "hash too"
)  # fmt: skip
_WEAKER = {"=": "=", "<": "<=", "<=": "<=", ">": ">=", ">=": ">="}


class Coded(NamedTuple):
    """A column coded as numbers, and the coding."""

    name: str
    coding: str


def coded(
    one: str, how: str, other: str, columns: Columns, types: dict[str, pa.DataType]
) -> tuple[Coded, str, Coded, bool] | None:
    """Return how a kernel compares two columns, and whether that is exact; None where it cannot."""
    kinds = [_kind(name, columns, types) for name in (one, other)]
    if kinds == ["id", "id"] and how in ("=", "<>"):
        return Coded(one, SLOT), how, Coded(other, SLOT), True
    if set(kinds) <= {"id", "text"}:
        return (Coded(one, HASH), "=", Coded(other, HASH), False) if how == "=" else None
    if set(kinds) <= {"float", "whole"} or kinds in (["flag", "flag"], ["time", "time"]):
        exact = set(kinds) <= {"float", "flag"}
        weaker = how if exact else _WEAKER.get(how)
        return None if weaker is None else (Coded(one, NUMBER), weaker, Coded(other, NUMBER), exact)
    return None


def _kind(name: str, columns: Columns, types: dict[str, pa.DataType]) -> str:
    if name == columns.id:
        return "id"
    if name in columns.values:
        return "float"
    kind = types.get(name)
    if name == columns.time or (kind is not None and pa.types.is_timestamp(kind)):
        return "time"
    tests = (("text", pa.types.is_string), ("flag", pa.types.is_boolean), ("float", pa.types.is_floating))
    whole = "unknown" if kind is None else "whole"
    return next((word for word, test in tests if kind is not None and test(kind)), whole)


def numbers_of(column: Coded, slots: Slots, take: Callable[[str], pa.Array]) -> Floats:
    """Return a column of rows as numbers, NaN where it is missing, given their streams and how to get a column."""
    if column.coding == SLOT:
        return slots.astype(np.float64)
    if column.coding == COMPUTED:
        condition = Expression.parse(column.name)
        return condition.truth({name: load(take(name)) for name in condition.names}, len(slots))
    values = load(take(column.name))
    missing = pc.is_null(values).to_numpy(zero_copy_only=False)
    if pa.types.is_null(values.type):
        return np.full(len(slots), np.nan)
    if column.coding in (HASH, HASH_TOO):
        ids, word = Ids(), int(column.coding == HASH_TOO)
        number = ids.slots(values.fill_null(""))  # first: the array of hashes grows with them
        numbers = (ids.hashes[number, word] >> np.uint64(11)).astype(np.float64)
    else:
        plain = values.cast(pa.int64()) if pa.types.is_timestamp(values.type) else values
        zero = pa.scalar(0, pa.int64()).cast(plain.type)
        known = plain.fill_null(zero).to_numpy(zero_copy_only=False)
        if column.coding != NUMBER:
            known = known >> 32 if column.coding == HIGH else known & 0xFFFF_FFFF
        numbers = known.astype(np.float64)
    result: Floats = np.where(missing, np.nan, numbers)
    return result


class StoredColumns:
    """Columns of tuples by slot, as they are: for conditions that no kernel can evaluate."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self.values: dict[str, Floats] = {}
        self.attributes: dict[str, AttributeMemory] = {}
        self.names: set[str] = set()  # wanted; of attributes, once their type is known

    def forget_others(self) -> None:
        """Drop columns that no condition uses any more."""
        self.values = {name: kept for name, kept in self.values.items() if name in self.names}
        self.attributes = {name: kept for name, kept in self.attributes.items() if name in self.names}

    def put(self, step: Step, rows: Ints, slots: Slots, room: int) -> None:
        """Store the columns of rows."""
        for name in self.names & set(self._columns.values):
            kept = grown(self.values.get(name, np.empty(0)), room, np.nan)
            kept[slots] = step.rows.values[self._columns.values.index(name), rows]
            self.values[name] = kept
        for name in self.names & set(self._columns.attributes):
            self.put_attribute(name, step.column(name).take(pa.array(rows)), slots, room, step.streams.memory.types)

    def put_attribute(
        self, name: str, column: pa.Array, slots: Slots, room: int, types: dict[str, pa.DataType]
    ) -> None:
        """Store an attribute of tuples."""
        if name not in types:
            return
        memory = self.attributes.setdefault(name, AttributeMemory(types[name], room))
        if len(memory.values) < room:
            memory.resize(room)
        memory.put(slots, column.cast(types[name]))

    def take(self, name: str, slots: Slots) -> pa.Array:
        """Return a column of tuples; values that were not stored are missing."""
        if name in self.values:
            return pa.array(self.values[name][slots])
        if name in self.attributes:
            return self.attributes[name].take(slots)
        return pa.nulls(len(slots))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        values, attributes = self.values.values(), self.attributes.values()
        return sum(kept.nbytes for kept in values) + sum(kept.nbytes for kept in attributes)
