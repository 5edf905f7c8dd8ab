"""Boxes in one to n dimensions, indexed for border crossings: the stateful RS-list index.

An index has two levels. The main one is built once and only read. Changes go to a small one beside it, of the same
shape, which is merged into the main one when it has grown, so a registration costs microseconds at any size. A
deregistered query stays listed, marked dead, until the next merge. Nothing that streams remember needs repair, since
hints are only guesses.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.edges import SHARED
from limen.index.level import NOBODY, Level
from limen.index.owners import Owners
from limen.index.pairs import PairBuffer, Pairs
from limen.kernels.containing import containing
from limen.kernels.crossings import confirmed, crossed
from limen.kernels.distances import far_from_boxes
from limen.kernels.passing_boxes import passed_boxes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


class BoxIndex:
    """An index of half-open boxes.

    Parameters
    ----------
    dimensions : int
    bound : bool
        Whether each query is about streams of its own. Entries are then ordered by (stream, bound), and a tuple walks
        only what is bound to its stream.
    """

    SMALL = 256  # the second level may have this many entries always …
    LARGE = 4096  # … and never more than this many
    MOST_PENDING = 512  # insertions kept aside for the next look-up; many single ones would become many small arrays

    def __init__(self, dimensions: int, *, bound: bool = False) -> None:
        self.dimensions = dimensions
        self.bound = bound
        self.boxes = np.empty((0, dimensions, 2))
        self.alive = np.empty(0, np.bool_)
        self.owners = Owners()  # the streams of each query, when bound
        self.looked = 0  # entries and summaries looked at by `crossings` so far
        self._used = 0  # slots handed out
        self._dead = 0  # entries still listed whose query is gone
        self._dying: list[int] = []  # slots that become free with the next merge
        self._free: list[int] = []
        self._pending: list[tuple[Slots, Slots]] = []  # (queries, owners) not yet in a level
        self._main = self._level((NOBODY, NOBODY))
        self._delta: Level | None = None
        self._buffer = PairBuffer()

    def __len__(self) -> int:
        return self._used - len(self._free) - len(self._dying)

    # ---- changes -----------------------------------------------------------------------------------------------------

    def insert(self, boxes: Floats, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Add boxes (m, dimensions, 2) and return their slots.

        A bound index takes the streams of all boxes one after another in `owners`, and how many each has.
        """
        slots = self._new_slots(len(boxes))
        self.boxes[slots] = boxes
        self.alive[slots] = True
        if self.bound:
            assert owners is not None
            assert owner_counts is not None
            self.owners.put(slots, owners, owner_counts)
            self._pending.append((np.repeat(slots, owner_counts), owners))
        else:
            self._pending.append((slots, np.full(len(slots), SHARED, np.int32)))
        if len(self._pending) > self.MOST_PENDING:
            self._levels()
        return slots

    def remove(self, slots: Slots) -> None:
        """Take queries out."""
        self.alive[slots] = False
        if self.bound:
            self.owners.drop(slots)
        self._dying.extend(slots.tolist())
        self._dead += len(slots)

    def regions(self, slots: Slots) -> Floats:
        """Return boxes as they are inserted."""
        return self.boxes[slots]

    def subset(self, slots: Slots) -> BoxIndex:
        """Build an index of some of the queries; its slot i is `slots[i]`."""
        part = BoxIndex(self.dimensions, bound=self.bound)
        if self.bound:
            owners, counts = self.owners.of(slots)
            part.insert(self.boxes[slots], owners, counts)
        else:
            part.insert(self.boxes[slots])
        return part

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        self.owners.renumber(number)
        queries = np.flatnonzero(self.alive).astype(np.int32)
        owners, counts = self.owners.of(queries)
        self._pending = [(np.repeat(queries, counts), owners)]
        self._main, self._delta = self._level((NOBODY, NOBODY)), None

    # ---- look-up -----------------------------------------------------------------------------------------------------

    def crossings(self, slot: Slots, before: Floats, after: Floats, columns: Ints, slots: int) -> Pairs:
        """Find the queries that rows enter and leave, as pairs (row, query), ~query for a leave; each once.

        Parameters
        ----------
        slot : int32 array (n,)
            The stream of each row, in an order in which each stream's rows follow in time.
        before, after : float arrays (value columns, n)
            Position before and after each row; NaN where a row is not to be looked at.
        columns : int array (dimensions,)
            Which value column each dimension is.
        slots : int
            How many streams there are.
        """
        found = Pairs()
        for level in self._levels():
            for which, edges in enumerate(level.lists):
                k = which // 2
                column, following = columns[k], columns[(k + 1) % self.dimensions]
                row = 0
                while row < len(slot):
                    row, count, looked = crossed(
                        slot, before[column], after[column], before[following], after[following], which % 2 == 1,
                        *edges.arrays, level.segment_of, edges.segments, level.hints(which, slots), row,
                        self._buffer.row, self._buffer.query,
                    )  # fmt: skip
                    self.looked += looked
                    self._buffer.make_room(done=row == len(slot), count=count)
                    if self.dimensions > 1 or self._dead:
                        count = confirmed(
                            k, columns, before, after, self.boxes, self.alive, count,
                            self._buffer.row, self._buffer.query,
                        )  # fmt: skip
                    found.add(self._buffer, count)
        return found

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) with the row's point inside the query; rows with a NaN are in none."""
        found = Pairs()
        for level in self._levels():
            row = 0
            while row < len(slot):
                row, count = containing(
                    slot, points, columns, *level.lists[0].arrays, level.segment_of, level.lists[0].segments,
                    self.boxes, self.alive, row, self._buffer.row, self._buffer.query,
                )  # fmt: skip
                self._buffer.make_room(done=row == len(slot), count=count)
                found.add(self._buffer, count)
        return found

    def passings(self, slot: Slots, before: Floats, after: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) of moves that begin and end outside the query and pass through it."""
        found = Pairs()
        for level in self._levels():
            edges, row = level.lists[0], 0
            while row < len(slot):
                row, count = passed_boxes(
                    slot, before, after, columns, *edges.arrays[:3], level.segment_of, edges.segments,
                    self.boxes, self.alive, row, self._buffer.row, self._buffer.query,
                )  # fmt: skip
                found.add(self._buffer, count)
                self._buffer.make_room(done=row == len(slot), count=count)
        return found

    def distant(self, slots: Slots, points: Floats, columns: Ints, margin: Floats) -> npt.NDArray[np.bool_]:
        """Tell of pairs of a query and a point (value columns, n) whether they are further apart than a margin."""
        far = np.empty(len(slots), np.bool_)
        far_from_boxes(slots, points, columns, self.boxes, margin, far)
        return far

    # ---- levels ------------------------------------------------------------------------------------------------------

    def _levels(self) -> list[Level]:
        """Bring the levels up to date and return those that list anything."""
        pending = sum(len(queries) for queries, _ in self._pending)
        beside = pending + (self._delta.size if self._delta else 0)
        few = min(max(self.SMALL, self._main.size // 8), self.LARGE)
        if beside > few or self._dead > max(self.SMALL, self._main.size // 4):
            if self._delta is not None:
                self._pending.append(self._delta.pairs())
            self._main, self._delta = self._level(self._take_pending(), self._main), None
            self._free.extend(self._dying)
            self._dying.clear()
            self._dead = 0
        elif pending:
            self._delta = self._level(self._take_pending(), self._delta)
        return [level for level in (self._main, self._delta) if level is not None and level.size]

    def _take_pending(self) -> tuple[Slots, Slots]:
        parts, self._pending = self._pending, []
        if not parts:
            return NOBODY, NOBODY
        queries, owners = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        living = self.alive[queries]
        return queries[living], owners[living]

    def _level(self, pairs: tuple[Slots, Slots], base: Level | None = None) -> Level:
        return Level(self.boxes, self.alive, *pairs, bound=self.bound, base=base)

    def _new_slots(self, count: int) -> Slots:
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))] if self._free else []
        fresh = count - len(reused)
        if self._used + fresh > len(self.boxes):
            room = max(self._used + fresh, self._used * 5 // 4)
            boxes = np.empty((room, self.dimensions, 2))
            boxes[: self._used] = self.boxes[: self._used]
            alive = np.zeros(room, np.bool_)
            alive[: self._used] = self.alive[: self._used]
            self.boxes, self.alive = boxes, alive
        slots = np.arange(self._used, self._used + fresh, dtype=np.int32)
        self._used += fresh
        return np.concatenate([np.array(reused, np.int32), slots]) if reused else slots

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        levels = [self._main, *([self._delta] if self._delta else [])]
        return (
            self.boxes.nbytes + self.alive.nbytes + self.owners.nbytes + sum(level.nbytes_queries for level in levels)
        )

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return sum(level.nbytes_streams for level in [self._main, *([self._delta] if self._delta else [])])
