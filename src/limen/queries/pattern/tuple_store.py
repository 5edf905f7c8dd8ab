"""Index of the tuples that may still become part of an alert.

There are three ways of expiry, all exact. ``"loose"`` stores a tuple while any other tuple might follow in an alert;
``"tight"`` only until the first missing tuple is overdue. Both store a tuple once, and find tuples by time and place:
an index of cells for each variable. ``"no-index"`` is tight and has no cells: it scans all tuples of a variable.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from limen.arrays import Floats, Ints, Slots
from limen.growable import with_rows
from limen.model.options import EXPIRIES
from limen.queries.pattern.kernels import layout
from limen.queries.pattern.kernels import play as kernels
from limen.queries.pattern.kernels.entries import expire, rebuild
from limen.queries.pattern.tables import PatternRules, tables_of
from limen.runtime.ids import Ids

TIGHT, LOOSE, NO_INDEX = EXPIRIES
MOST_VARIABLES = 12
CHUNK = 1 << 14  # rows played at once, so that alerts are emitted before their tuples are evicted
PORTION = 1 << 20  # alerts handed over at once, unless one row completes more


class StoredEntries(NamedTuple):
    """Stored entries, the oldest first: the tuple's slot, the variable, and when it expires."""

    tuple: Slots
    variable: Slots
    until: Ints


class PatternIndex:
    """Tuples by slot, and the variables that each is a candidate for.

    Parameters
    ----------
    dimensions : int
        Of places; 0 where no pattern has distances.
    lonlat : bool
        Whether places are longitude and latitude.
    expiry : str
        How long tuples are stored.
    """

    def __init__(self, dimensions: int, expiry: str, *, lonlat: bool) -> None:
        self.lonlat, self.expiry = lonlat, expiry
        self._indexed, self._tight = expiry != NO_INDEX, expiry != LOOSE
        self.patterns = tables_of([], lonlat=lonlat)
        self.tuples = layout.Tuples(np.empty(0, layout.TUPLE), np.empty((0, dimensions)), np.empty((0, 0)))
        self._measure = layout.ON_EARTH if lonlat else layout.IN_SPACE if dimensions <= 3 else layout.OF_COLUMNS
        self.taken = np.empty(0, np.bool_)  # by slot
        self._age = 0
        self.entries = _entries(16, 0, 16)
        self._search = _search(64, 1)
        self._found = np.empty((64, 2 + MOST_VARIABLES), np.int32)

    # ---- patterns ----------------------------------------------------------------------------------------------------

    def set_patterns(self, rules: list[PatternRules], number: Slots) -> None:
        """Replace the patterns; `number` is the new variable of each old one, NONE for a removed one."""
        kept = self.kept()
        variable = number[kept.variable] if len(kept.variable) else kept.variable
        stays = variable >= 0
        self.patterns = tables_of(rules, lonlat=self.lonlat)
        self.put(StoredEntries(kept.tuple[stays], variable[stays], kept.until[stays]))

    def set_links(self, columns: int) -> None:
        """Set the number of compared columns; new columns of stored tuples are missing."""
        if columns > self.tuples.link.shape[1]:
            wider = np.ascontiguousarray(with_rows(self.tuples.link.T, columns, np.nan).T)
            self.tuples = self.tuples._replace(link=wider)

    @property
    def variables(self) -> int:
        """The number of variables of all patterns."""
        return len(self.patterns.variable)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def take_slots(self, count: int) -> Slots:
        """Allocate slots for tuples; `release` frees the slots of tuples that are not stored."""
        free = np.flatnonzero(~self.taken)
        if len(free) < count:
            room = max(len(self.taken) * 3 // 2, len(self.taken) + count)
            self.tuples = layout.Tuples(*(with_rows(column, room) for column in self.tuples))
            self.taken = with_rows(self.taken, room)
            free = np.flatnonzero(~self.taken)
        slots = free[:count].astype(np.int32)
        self.taken[slots] = True
        return slots

    def set_tuples(self, slots: Slots, time: Ints, stream: Slots, place: Floats, link: Floats) -> None:
        """Write tuples to their slots, in the order of `play`: `place` (n, dimensions), `link` (n, columns)."""
        record = np.zeros(len(slots), layout.TUPLE)
        record["time"], record["stream"] = time, stream
        record["x"], record["y"], record["z"] = self._spots(place)
        record["age"] = self._age + np.arange(len(slots))
        self._age += len(slots)
        self.tuples.record[slots] = record
        self.tuples.place[slots], self.tuples.link[slots] = place, link

    def _spots(self, place: Floats) -> Floats:
        if self.lonlat:
            longitude, latitude = np.radians(place[:, :2]).T
            level = np.cos(latitude)
            return np.stack([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)])
        spot = np.zeros((3, len(place)))
        spot[: min(3, place.shape[1])] = place[:, :3].T
        return spot

    def play(self, slots: Slots, task_start: Ints, task: Slots, ids: Ids) -> Iterator[Slots]:
        """Process tuples in canonical order, each a candidate for the variables of its tasks; yield alerts.

        An alert is a row of the position of the tuple that completes it, the pattern, and a slot for each variable.
        Alerts that one tuple completes come together. The slots are what they were until `release`.
        """
        names, count, row = layout.StreamNames(*ids.text()), 0, 0
        most_tasks = int(np.diff(task_start).max(initial=0))
        if most_tasks > len(self._search.until):
            self._search = _search(len(self._search.entry), most_tasks)
        while row < len(slots):
            row, count, why, needed = kernels.play(
                self.patterns, names, self.tuples, self.entries, self._indexed, self._measure, self._tight,
                slots, task_start, task, row, self._search, self._found, count,
            )  # fmt: skip
            if why == kernels.NO_ENTRIES:
                self._arrange(self.kept(), needed)
            elif why == kernels.NO_CANDIDATES:
                self._search = _search(2 * needed, len(self._search.until))
            elif why == kernels.NO_ALERTS and count > 0 and len(self._found) >= PORTION:
                yield self._found[:count]
                count = 0
            elif why == kernels.NO_ALERTS:
                self._found = with_rows(self._found, 2 * needed, layout.NONE)
        if count > 0:
            yield self._found[:count]

    def release(self) -> None:
        """Release the slots of tuples that are not stored."""
        self.taken &= self.tuples.record["uses"] > 0

    def expire(self, time: int) -> None:
        """Evict the tuples that expired before a time."""
        expire(self.tuples, self.entries, time)

    # ---- state -------------------------------------------------------------------------------------------------------

    def kept(self) -> StoredEntries:
        """Return the stored entries, the oldest first."""
        entries, state = self.entries, self.entries.state
        alive = np.ones(int(state[layout.USED]), np.bool_)
        alive[entries.free[: state[layout.FREE]]] = False
        chosen = np.flatnonzero(alive)
        chosen = chosen[np.argsort(self.tuples.record["age"][entries.record["tuple"][chosen]], kind="stable")]
        return StoredEntries(*(entries.record[name][chosen] for name in StoredEntries._fields))

    def put(self, kept: StoredEntries) -> None:
        """Replace the entries; their slots must be taken and their tuples set."""
        self._arrange(kept, 0)
        self.release()

    def _arrange(self, kept: StoredEntries, more: int) -> None:
        """Rebuild the lists from entries, with room for some more."""
        count, old = len(kept.tuple), self.entries.state
        room = max(16, count * 3 // 2, count + more)
        self.entries = _entries(room, self.variables, 1 << int(room).bit_length())
        entries, state = self.entries, self.entries.state
        for name, column in kept._asdict().items():
            entries.record[name][:count] = column
        self.tuples.record["uses"] = np.bincount(kept.tuple, minlength=len(self.tuples.record))
        for counted in (layout.MOST_ENTRIES, layout.MOST_TUPLES, layout.LEFT_OUT):
            state[counted] = old[counted]
        state[layout.ENTRIES] = state[layout.USED] = count
        state[layout.TUPLES] = int((self.tuples.record["uses"] > 0).sum())
        rebuild(self.patterns, self.tuples, entries, self._indexed, count)

    # ---- counts ------------------------------------------------------------------------------------------------------

    @property
    def stored(self) -> int:
        """The number of stored tuples; without an index, a tuple counts once for each of its variables."""
        return int(self.entries.state[layout.TUPLES if self._indexed else layout.ENTRIES])

    @property
    def most_stored(self) -> int:
        """The largest number of stored tuples so far."""
        return int(self.entries.state[layout.MOST_TUPLES if self._indexed else layout.MOST_ENTRIES])

    @property
    def left_out(self) -> int:
        """The number of alerts that a cap left out."""
        return int(self.entries.state[layout.LEFT_OUT])

    @property
    def nbytes_streams(self) -> int:
        """Bytes held for tuples."""
        return sum(column.nbytes for column in (*self.tuples, *self.entries, self.taken))

    @property
    def nbytes_queries(self) -> int:
        """Bytes held for patterns."""
        return sum(column.nbytes for column in self.patterns)


def _entries(room: int, variables: int, buckets: int) -> layout.Entries:
    return layout.Entries(
        record=np.zeros(room, layout.ENTRY),
        head=np.full(variables, layout.NONE, np.int32),
        near_head=np.full(buckets, layout.NONE, np.int32),
        free=np.zeros(room, np.int32),
        due=np.zeros(room, np.int64),
        due_entry=np.zeros(room, np.int32),
        state=np.zeros(layout.COUNTS, np.int64),
    )


def _search(candidates: int, tasks: int) -> layout.Search:
    return layout.Search(
        entry=np.empty(candidates, np.int32), ruled_out=np.empty(candidates, np.int8),
        start=np.zeros(MOST_VARIABLES, np.int64), stop=np.zeros(MOST_VARIABLES, np.int64),
        at=np.zeros(MOST_VARIABLES, np.int64), sequence=np.zeros(MOST_VARIABLES, np.int64),
        chosen=np.zeros(MOST_VARIABLES, np.int32), until=np.empty(tasks, np.int64),
    )  # fmt: skip
