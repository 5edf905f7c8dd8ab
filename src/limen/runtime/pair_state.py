"""State of pairs of a query and a stream: found by both, chained by stream, and released."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from limen.arrays import Array, Ints, Mask, Slots
from limen.growable import grown
from limen.regions.edges import NO_STREAMS as NO_SLOTS
from limen.runtime.kernels.pair_state import (
    FREE,
    LIVE,
    MARKS,
    NO_ENTRY,
    START,
    USED,
    add_some,
    count_of,
    entries_of,
    list_all,
    remove_of,
    remove_some,
)


class PairState:
    """At most one entry a query and stream, of type START; subclasses define its meaning."""

    #: The arrays of a part, and their types; all but `count` have one value an entry.
    PART: ClassVar[dict[str, type]] = {}
    FEWEST: ClassVar[int] = 4096  # free entries, and stale deadlines, that are never worth tidying up

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._entries = np.empty(0, START)
        self._chain = np.empty(0, np.int32)
        self._table = np.full(2, NO_ENTRY, np.int32)
        self._marks = np.zeros(MARKS, np.int64)
        self._marks[FREE] = NO_ENTRY

    def __len__(self) -> int:
        return int(self._marks[LIVE])

    def discard(self, queries: Slots) -> Slots:
        """Forget the entries of queries, and return the streams that had one."""
        if not len(self) or not len(queries):
            return NO_SLOTS
        handed_out = self._entries[: self._marks[USED]]
        entries = np.flatnonzero(np.isin(handed_out["query"], queries))  # free ones belong to no query
        streams: Slots = handed_out["stream"][entries]
        self._remove(entries)
        return streams

    # ---- all of them, or some streams', as arrays --------------------------------------------------------------------

    def dump(self, slots: Slots) -> dict[str, Array]:
        """Return the entries of some streams as arrays, for `load`: how many each has, and all in a row.

        Without any entry there are no arrays.
        """
        if not len(self):
            return {}
        count, own = self._entries_of(slots)
        entries = self._entries[own]
        # Equal entries are written as equal bytes, in whatever order they were added.
        entries = entries[np.lexsort((entries["query"], np.repeat(np.arange(len(slots)), count)))]
        return {"count": count, **{name: entries[name].copy() for name in self.PART if name != "count"}}

    def load(self, slots: Slots, part: Mapping[str, Array]) -> None:
        """Set the entries of some streams."""
        if len(self):
            self._make_room(0, int(slots.max(initial=-1)) + 1)
            remove_of(slots, *self._arrays, self._marks)
        if part and len(part["query"]):
            own = {name: column for name, column in part.items() if name != "count"}
            self._put(stream=np.repeat(slots, part["count"]), **own)

    def tidy(self) -> None:
        """Give back room, when most of it is not needed any more."""
        if len(self._entries) > 4 * len(self) + self.FEWEST:
            self.renumber()

    def renumber(self, queries: Slots | None = None, streams: Slots | None = None) -> None:
        """Follow a renumbering of queries or streams: the new number of each old one, -1 for those that are gone."""
        entries = self._entries[self._live()]
        query = entries["query"] if queries is None else queries[entries["query"]]
        stream = entries["stream"] if streams is None else streams[entries["stream"]]
        kept = (query >= 0) & (stream >= 0)
        self._clear()
        others = {name: entries[name][kept] for name in self.PART if name not in ("count", "query")}
        self._put(query=query[kept], stream=stream[kept], **others)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._arrays) if len(self._chain) else 0

    # ---- room --------------------------------------------------------------------------------------------------------

    @property
    def _arrays(self) -> tuple[Array, Slots, Slots]:
        return self._entries, self._chain, self._table

    def _live(self) -> Ints:
        return np.flatnonzero(self._entries["query"][: self._marks[USED]] != NO_ENTRY)

    def _entries_of(self, slots: Slots) -> tuple[Slots, Slots]:
        """Return how many entries each of some streams has, and all of them in a row."""
        self._make_room(0, int(slots.max(initial=-1)) + 1)
        count = np.empty(len(slots), np.int32)
        own = np.empty(count_of(slots, self._entries, self._chain, count), np.int32)
        entries_of(slots, self._entries, self._chain, own)
        return count, own

    def _put(
        self,
        query: Slots,
        stream: Slots,
        at: Ints,
        leaves: Mask,
        over: Mask | None = None,
        rows: Slots | None = None,
    ) -> Slots:
        """Add entries, and return where they are."""
        self._make_room(len(query), int(stream.max(initial=-1)) + 1)
        over = np.zeros(len(query), np.bool_) if over is None else over
        rows = np.zeros(len(query), np.int32) if rows is None else rows
        entries = np.empty(len(query), np.int32)
        add_some(query, stream, at, leaves, over, rows, entries, *self._arrays, self._marks)
        return entries

    def _remove(self, entries: npt.NDArray[np.integer]) -> None:
        remove_some(entries, *self._arrays, self._marks)

    def _make_room(self, more: int, slots: int) -> None:
        """Make room for more entries and so many streams."""
        self._chain = grown(self._chain, slots, NO_ENTRY)
        needed = int(self._marks[LIVE]) + more
        self._entries = grown(self._entries, needed)
        if 2 * needed > len(self._table):
            self._table = np.full(1 << (2 * needed - 1).bit_length(), NO_ENTRY, np.int32)
            list_all(self._entries, self._table, self._marks)
