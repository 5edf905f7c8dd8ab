"""Strings numbered in order of arrival: the ids of streams and of queries."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.arrays import Array, Bytes, Ints, Slots
from limen.growable import with_rows
from limen.kernels import text

MOST_BYTES = 2**31  # that Arrow's ordinary strings can have together


def string_buffers(array: pa.Array | list[str]) -> tuple[Bytes, Array]:
    """Return the bytes of strings, none of them null, and where each begins; of an Arrow array without a copy.

    Both are read-only, and bounds have 32 bits where that is enough: kernels are compiled for one kind of array.
    """
    bounds: Array
    if isinstance(array, list):
        encoded = [string.encode() for string in array]
        data: Any = b"".join(encoded)
        bounds = np.array(list(accumulate((len(each) for each in encoded), initial=0)))
    elif len(array) == 0:
        data, bounds = b"", np.zeros(1, np.int32)
    else:
        wide = pa.types.is_large_string(array.type)
        _, starts, data = array.buffers()
        bounds = np.frombuffer(starts, np.int64 if wide else np.int32)[array.offset : array.offset + len(array) + 1]
    if bounds[-1] < MOST_BYTES:
        bounds = bounds.astype(np.int32, copy=False)
    text = np.frombuffer(data or b"", np.uint8)
    text.flags.writeable = bounds.flags.writeable = False
    return text, bounds


class Ids:
    """A growing set of strings; each has a *slot*, its number.

    Strings are kept as bytes and found by a kernel, so a million ids are a few arrays and no Python objects.

    Examples
    --------
    >>> ids = Ids()
    >>> ids.slots(pa.array(["b", "a", "b"])).tolist()
    [0, 1, 0]
    >>> ids.find(pa.array(["a", "z"])).tolist()
    [1, -1]
    >>> ids.take(np.array([1, 0], np.int32)).to_pylist()
    ['a', 'b']
    """

    def __init__(self) -> None:
        self._known = 0
        self._table = np.full(16, text.EMPTY, np.int64)
        self._heads = np.empty((8, 2), np.uint64)
        self._offsets = np.zeros(9, np.int64)
        self._stored = np.empty(128, np.uint8)
        self.hashes = np.empty((8, 2), np.uint64)
        self.longest = 0  # bytes of the longest string
        self._all: pa.Array | None = None

    def __len__(self) -> int:
        return self._known

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = (self._table, self._heads, self._offsets, self._stored, self.hashes)
        return sum(array.nbytes for array in arrays)

    def slots(self, strings: pa.Array | list[str]) -> Slots:
        """Map strings to slots; new ones get the next numbers."""
        if isinstance(strings, pa.Array) and pa.types.is_dictionary(strings.type):
            if len(strings.dictionary) > len(strings):
                return self.slots(strings.dictionary_decode())
            slots: Slots = self.slots(strings.dictionary)[strings.indices.to_numpy(zero_copy_only=False)]
            return slots
        data, bounds = string_buffers(strings)
        out = np.empty(len(strings), np.int32)
        row, before = 0, self._known
        while row < len(out):
            row, self._known = text.slots_of(
                data, bounds, row, self._table, self._heads, self._offsets, self._stored, self.hashes, self._known, out
            )
            if row < len(out):
                self._grow(len(out) - row, int(bounds[-1] - bounds[row]))
        if self._known > before:
            sizes = np.diff(self._offsets[before : self._known + 1])
            self.longest = max(self.longest, int(sizes[0] if len(sizes) == 1 else sizes.max()))
        return out

    def find(self, strings: pa.Array | list[str]) -> Slots:
        """Map strings to slots; unknown ones to -1."""
        data, bounds = string_buffers(strings)
        out = np.empty(len(strings), np.int32)
        text.look_up(data, bounds, self._table, self._heads, self._offsets, self._stored, out)
        return out

    def take(self, slots: npt.NDArray[np.integer]) -> pa.Array:
        """Return the strings of slots as an Arrow array, of large strings if together they need it."""
        strings = self.all()
        if len(slots) * self.longest >= MOST_BYTES:
            strings = strings.cast(pa.large_string())
        return strings.take(pa.array(slots))

    def all(self) -> pa.Array:
        """Return all strings in slot order."""
        if self._all is None or len(self._all) < self._known:
            # Bytes are never moved within `_stored`, only appended, so the array stays true when more come.
            wide = self._offsets[self._known] >= MOST_BYTES
            bounds = self._offsets[: self._known + 1].astype(np.int64 if wide else np.int32)
            kind = pa.LargeStringArray if wide else pa.StringArray
            self._all = kind.from_buffers(self._known, pa.py_buffer(bounds), pa.py_buffer(self._stored))
        return self._all

    def text(self) -> tuple[Ints, Bytes]:
        """Return where strings begin and end, by slot, and the bytes of all: read-only, valid until the next insert."""
        return self._offsets, self._stored

    @classmethod
    def of(cls, strings: pa.Array | Iterable[str]) -> Ids:
        """Number distinct strings in their order."""
        ids = cls()
        ids.slots(strings if isinstance(strings, pa.Array) else list(strings))
        return ids

    def _grow(self, strings: int, size: int) -> None:
        """Make room for a quarter more at least, and for what is to come unless most of it may be known already."""
        slots = self._known + max(min(strings, self._known), self._known // 4, 1024)
        if self._known + 1 >= len(self._offsets):
            self._heads, self.hashes = with_rows(self._heads, slots), with_rows(self.hashes, slots)
            self._offsets = with_rows(self._offsets, slots + 1)
        used = int(self._offsets[self._known])
        if used + size > len(self._stored):
            self._stored = with_rows(self._stored, used + max(size, used // 4))
        if 2 * (self._known + 1) > len(self._table):
            self._table = np.full(2 * len(self._table), text.EMPTY, np.int64)
            text.fill_table(self.hashes, self._offsets, self._known, self._table)
