"""Positions of streams and their last rows, in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Array, Floats, Ints, Slots
from limen.console.slot_table import NEVER, SlotTable
from limen.model.columns import Columns

#: The maximum number of rows kept of a stream.
LENGTH = 64
_NO_BATCH = -1


class Trail(NamedTuple):
    """The last rows of one stream, oldest first."""

    time: Ints
    values: Floats
    attributes: list[list[str | None]]
    batch: Ints


class Trails(SlotTable):
    """The latest position and the last rows, at most `length`, of every sampled stream.

    Attributes
    ----------
    time, place, heading
        When and where each stream was last, by the slot of its id; the place by the first two value columns.
    changed
        The number of the last `add` that moved the stream.
    """

    def __init__(self, columns: Columns, length: int = LENGTH) -> None:
        self.columns, self.length, self.turn = columns, length, 0
        self._words: dict[str, int] = {}
        self._vocabulary: list[str] = []
        arrays = {
            "time": ((), np.int64, NEVER), "place": ((2,), np.float64, np.nan), "changed": ((), np.int64, 0),
            "_written": ((), np.int64, 0), "_time": ((length,), np.int64, 0),
            "_values": ((length, len(columns.values)), np.float64, np.nan),
            "_codes_of": ((length, len(columns.attributes)), np.int32, -1),
            "_batch": ((length,), np.int32, _NO_BATCH),
        }  # fmt: skip
        super().__init__(1024, arrays)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, table: pa.Table, batch: int) -> None:
        """Add published rows: `stream_id`, `time`, values from `v0` on and attributes from `a0` on."""
        self.turn += 1
        if not len(table):
            return
        slots = self.ids.slots(table["stream_id"].combine_chunks()).astype(np.int64)
        self.make_room()
        time = pc.cast(table["time"], pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_numpy()
        values = np.column_stack([table[f"v{n}"].cast(pa.float64()) for n in range(len(self.columns.values))])
        codes = [self._codes(table[f"a{n}"]) for n in range(len(self.columns.attributes))]
        order = np.lexsort((time, slots))
        slots, time, values = slots[order], time[order], values[order]
        first = np.flatnonzero(np.append(True, slots[1:] != slots[:-1]))
        size = np.diff(np.append(first, len(slots)))
        rank = np.arange(len(slots)) - np.repeat(first, size)
        left_out = np.repeat(np.maximum(size - self.length, 0), size)
        kept = rank >= left_out
        at = (self._written[slots] + rank - left_out)[kept] % self.length
        owners = slots[kept]
        self._time[owners, at], self._values[owners, at], self._batch[owners, at] = time[kept], values[kept], batch
        for number, coded in enumerate(codes):
            self._codes_of[owners, at, number] = coded[order][kept]
        self._written[slots[first]] += np.minimum(size, self.length)
        self._move(slots[first + size - 1], time[first + size - 1], values[first + size - 1])

    def _move(self, slots: Ints, time: Ints, values: Floats) -> None:
        newer = time >= self.time[slots]  # late rows do not move a stream
        slots, time, values = slots[newer], time[newer], values[newer]
        new = values[:, :2] if values.shape[1] > 1 else np.column_stack([slots.astype(np.float64), values[:, 0]])
        old = self.place[slots]
        place = np.where(np.isnan(new), old, new)  # a missing value is unchanged
        self.time[slots], self.place[slots], self.changed[slots] = time, place, self.turn

    @property
    def streams_with_rows(self) -> int:
        """How many streams have rows; others are known from events alone."""
        return int(np.count_nonzero(self.time[: len(self.ids)] != NEVER))

    @property
    def now(self) -> int | None:
        """The time of the newest row, None if there is none."""
        newest = int(self.time[: len(self.ids)].max(initial=NEVER))
        return None if newest == NEVER else newest

    def only(self, slots: Ints) -> Trails:
        """Return the trails of some streams, which have new slots in this order."""
        kept = Trails(self.columns, self.length)
        kept.ids.slots(self.ids.take(slots.astype(np.int32)))
        kept.make_room()
        kept.turn, kept._words, kept._vocabulary = self.turn, self._words, self._vocabulary
        for name in self._initial:
            getattr(kept, name)[: len(slots)] = getattr(self, name)[slots]
        return kept

    def trail(self, slot: int) -> Trail:
        """Return the last rows of a stream."""
        at = np.flatnonzero(self._batch[slot] != _NO_BATCH)
        at = at[np.argsort(self._time[slot, at], kind="stable")]
        attributes = [
            [None if code < 0 else self._vocabulary[code] for code in row] for row in self._codes_of[slot, at].tolist()
        ]
        return Trail(self._time[slot, at], self._values[slot, at], attributes, self._batch[slot, at].astype(np.int64))

    def table(self, slots: Array) -> pa.Table:
        """Return the last rows of streams with the user's own column names, for an engine to replay."""
        owners, at = np.nonzero(self._batch[slots] != _NO_BATCH)
        return self._named(np.asarray(slots)[owners], at)

    def _named(self, owners: Array, at: Array) -> pa.Table:
        columns = self.columns
        time = pa.array(self._time[owners, at], pa.timestamp("us", tz="UTC"))
        values = self._values[owners, at]
        named = {columns.id: self.ids.take(owners.astype(np.int32)), columns.time: time}
        named |= {name: pa.array(values[:, n], from_pandas=True) for n, name in enumerate(columns.values)}
        words = pa.array(self._vocabulary, pa.string())
        for n, name in enumerate(columns.attributes):
            codes = self._codes_of[owners, at, n]
            named[name] = words.take(pa.array(codes, mask=codes < 0))
        return pa.table(named).take(pc.sort_indices(time))

    def latest(self) -> pa.Table:
        """Return the last row of every stream, as `table` does."""
        kept = self._batch[: len(self.ids)] != _NO_BATCH
        owners = np.flatnonzero(kept.any(axis=1))
        return self._named(owners, np.where(kept[owners], self._time[owners], NEVER).argmax(axis=1))

    def place_at(self, slot: int, time: int) -> list[float] | None:
        """Return where a stream was at a time, if that row is kept."""
        at = np.flatnonzero((self._time[slot] == time) & (self._batch[slot] != _NO_BATCH))
        place = self._values[slot, at[0], :2] if len(at) else np.array([np.nan])
        return None if np.isnan(place).any() else [float(value) for value in place]

    def since(self, turn: int) -> Ints:
        """Return the slots of streams that have moved after a turn."""
        return np.flatnonzero(self.changed[: len(self.ids)] > turn)

    @property
    def bounds(self) -> list[float] | None:
        """Where most streams are: west, south, east, north; single strays are left aside."""
        known = self.place[: len(self.ids)]
        known = known[~np.isnan(known).any(axis=1)]
        if not len(known):
            return None
        low, high = np.quantile(known, [0.002, 0.998], axis=0)
        return [*map(float, low), *map(float, high)]

    def _codes(self, column: pa.ChunkedArray) -> Slots:
        coded = column.combine_chunks().dictionary_encode()
        codes = np.empty(len(coded.dictionary) + 1, np.int32)
        codes[-1] = -1
        for at, word in enumerate(coded.dictionary.to_pylist()):
            if word not in self._words:
                self._words[word] = len(self._vocabulary)
                self._vocabulary.append(word)
            codes[at] = self._words[word]
        found: Slots = codes[coded.indices.fill_null(len(codes) - 1).to_numpy(zero_copy_only=False)]
        return found

    # Arrays of the slot table, declared for the type checker.
    time: Ints
    place: Floats
    changed: Ints
    _written: Ints
    _time: Ints
    _values: Floats
    _codes_of: Slots
    _batch: Slots
