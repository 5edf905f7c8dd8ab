"""Boxes, circles and polygons of two dimensions, indexed for border crossings: the border grid.

Cells of the plane list the queries whose border passes through them, and nothing else: storage goes with the length
of borders, and a move looks at the cells on its way. Streams leave nothing behind here.
"""

from __future__ import annotations

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import with_rows
from limen.regions.exact_segments import way_meets
from limen.regions.grid_level import GridLevel
from limen.regions.kernels.distances import far_from_shapes
from limen.regions.levelled_index import LevelledIndex
from limen.regions.moves import MoveBuffer
from limen.regions.pairs import LOWER_HALF, PairBuffer, Pairs, as_pairs
from limen.regions.per_stream_level import BoundLevel
from limen.regions.shapes import Shapes

ALL_ALIVE = np.empty(0, np.bool_)  # all slots are alive: no look-up needed
WORLD, HALF_ROUND = 360.0, 180.0  # degrees


class BorderGrid(LevelledIndex[GridLevel | BoundLevel]):
    """An index of shapes; it is used as a `BoxIndex` is.

    Parameters
    ----------
    lonlat : bool
        Whether the two dimensions are degrees of longitude and latitude, and radiuses metres.
    bound : bool
        Whether each query is about streams of its own. A tuple then tests what is bound to its stream.
    """

    def __init__(self, *, lonlat: bool = False, bound: bool = False) -> None:
        super().__init__(bound=bound)
        self.lonlat = lonlat
        self.looked = 0  # entries looked at by `crossings` so far
        self._waiting: list[tuple[Shapes, Slots]] = []  # what is not yet in a level
        self._row = np.empty(0, np.int32)  # of each slot in its level
        self._buffer = PairBuffer()
        self._moves = MoveBuffer()

    # ---- changes -----------------------------------------------------------------------------------------------------

    def insert(self, shapes: Shapes, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Add shapes and return their slots.

        A bound index takes the streams of all shapes one after another in `owners`, and how many each has.
        """
        slots = self._new_slots(len(shapes), owners, owner_counts)
        if len(self.alive) > len(self._row):
            self._row = with_rows(self._row, len(self.alive))
        self._waiting.append((shapes, slots))
        return slots

    def regions(self, slots: Slots) -> Shapes:
        """Return shapes as they are inserted."""
        parts, places = [], [np.empty(0, np.int64)]
        for level, rows, here in self._found(slots):
            parts.append(level.stored.shapes(rows))
            places.append(np.flatnonzero(here))
        return Shapes.joined(parts).take(np.argsort(np.concatenate(places)))

    def subset(self, slots: Slots) -> BorderGrid:
        """Build an index of some of the queries; its slot i is `slots[i]`."""
        part = BorderGrid(lonlat=self.lonlat, bound=self.bound)
        part.insert(self.regions(slots), *(self.owners.of(slots) if self.bound else ()))
        return part

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        self.owners.renumber(number)
        for level in self.levels:
            assert isinstance(level, BoundLevel)
            level.bind(*self.owners.of(level.slots))

    # ---- look-up -----------------------------------------------------------------------------------------------------

    def crossings(self, slot: Slots, before: Floats, after: Floats, columns: Ints, slots: int) -> Pairs:  # noqa: ARG002
        """Find the queries that rows enter and leave, as pairs (row, query), ~query for a leave; each once.

        Parameters
        ----------
        slot : int32 array (n,)
            The stream of each row.
        before, after : float arrays (value columns, n)
            Position before and after each row; NaN where a row is not to be looked at.
        columns : int array (2,)
            Which value column each dimension is.
        slots : int
            How many streams there are; nothing is kept of them.
        """
        found, levels, alive = Pairs(), *self._current()
        if not levels:
            return found
        (x, y), largest = columns, levels[0]
        extent = largest.extent if isinstance(largest, GridLevel) else None
        in_order = True
        for first in range(0, len(slot), self._moves.MOST):
            moves = self._moves.fill(slot, (before[x], before[y]), (after[x], after[y]), first, extent)
            in_order &= moves.in_order
            for level in levels:
                self.looked += level.crossings(moves, alive, self._buffer, found)
        return found if in_order else in_several_parts(found)

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) with the row's point inside the query; rows with a NaN are in none."""
        found, levels, alive = Pairs(), *self._current()
        for level in levels:
            level.containing(slot, points[columns[0]], points[columns[1]], alive, self._buffer, found)
        return found

    def passings(self, slot: Slots, before: Floats, after: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) of moves that begin and end outside the query and pass through it.

        See `limen.regions.kernels.segments` for what counts. In degrees, moves go the short way round the world.
        """
        (x, y), found = columns, Pairs()
        turn = self._turns(before[x], after[x])
        over = np.flatnonzero(turn)
        straight = np.where(turn == 0, before[x], np.nan) if len(over) else before[x]
        self._pass(slot, (straight, before[y]), (after[x], after[y]), found)
        if len(over):
            found.append(*self._passings_round_the_world(slot[over], before[:, over], after[:, over], columns, over))
        return found

    def _turns(self, before: Floats, after: Floats) -> Floats:
        """Return the degrees that moves over the antimeridian gain by it, 0 for all others."""
        if not self.lonlat:
            return np.zeros(len(before))
        with np.errstate(invalid="ignore"):
            along = after - before
            return np.where(along > HALF_ROUND, -WORLD, np.where(along < -HALF_ROUND, WORLD, 0.0))

    def _pass(self, slot: Slots, before: tuple[Floats, Floats], after: tuple[Floats, Floats], found: Pairs) -> None:
        some, levels, alive = Pairs(), *self._current()
        for first in range(0, len(slot) if levels else 0, self._moves.MOST):
            moves = self._moves.fill(slot, before, after, first, None)
            for level in levels:
                level.passings(moves, alive, self._buffer, some)
        for row, query in some.chunks():
            doubtful = np.flatnonzero(query < 0)
            kept = query >= 0
            for at in doubtful.tolist():
                edges, here = self.regions(~query[at : at + 1]).edges, row[at]
                start, end = ((float(x[here]), float(y[here])) for x, y in (before, after))
                kept[at] = way_meets(edges, start, end)
            query[doubtful] = ~query[doubtful]
            found.append(row[kept], query[kept])

    def _passings_round_the_world(
        self, slot: Slots, before: Floats, after: Floats, columns: Ints, rows: Ints
    ) -> tuple[Slots, Slots]:
        """Find the same of moves over the antimeridian, which are seen from either side of it."""
        (x, y), found = columns, Pairs()
        turn = self._turns(before[x], after[x])
        self._pass(slot, (before[x], before[y]), (after[x] + turn, after[y]), found)
        self._pass(slot, (before[x] - turn, before[y]), (after[x], after[y]), found)
        # From each side only one end is seen where it is, and what lies on both sides is seen twice.
        passed = np.unique(as_pairs(*found.arrays()))
        for end in (before, after):
            passed = passed[~np.isin(passed, as_pairs(*self.containing(slot, end, columns).arrays()))]
        return rows[passed >> 32].astype(np.int32), (passed & LOWER_HALF).astype(np.int32)

    def distant(self, slots: Slots, points: Floats, columns: Ints, margin: Floats) -> Mask:
        """Return whether each pair of a query and an outside point (value columns, n) is beyond a margin."""
        far = np.zeros(len(slots), np.bool_)
        for level, rows, here in self._found(slots):
            x, y = (points[column][here] for column in columns)
            own = np.empty(len(rows), np.bool_)
            args = rows, x, y, margin[here], *level.stored.arrays, own
            far_from_shapes(*args)
            far[here] = own
        return far

    # ---- levels ------------------------------------------------------------------------------------------------------

    def _current(self) -> tuple[list[GridLevel | BoundLevel], Mask]:
        """Return the levels, up to date, and which slots of theirs are alive."""
        levels = self._up_to_date() if self.changed else self.levels
        return levels, self.alive if self.dead else ALL_ALIVE

    def _merge(self, number: int) -> None:
        super()._merge(number)
        self._waiting.clear()

    def _build(self, new: Slots, merged: list[tuple[GridLevel | BoundLevel, Slots]]) -> GridLevel | BoundLevel:
        waiting = Shapes.joined([shapes for shapes, _ in self._waiting])
        if len(new) < len(waiting):
            living = self.alive[np.concatenate([slots for _, slots in self._waiting])]
            waiting = waiting.take(np.flatnonzero(living))
        shapes = Shapes.joined([waiting, *(level.stored.shapes(self._row[living]) for level, living in merged)])
        slots = np.concatenate([new, *(living for _, living in merged)])
        level = (
            BoundLevel(shapes, slots, *self.owners.of(slots), lonlat=self.lonlat)
            if self.bound
            else GridLevel(shapes, slots, lonlat=self.lonlat)
        )
        self._row[level.slots] = np.arange(len(slots), dtype=np.int32)
        return level

    def _found(self, slots: Slots) -> list[tuple[GridLevel | BoundLevel, Slots, Mask]]:
        """Return the levels of queries, their rows there and which queries they are."""
        found, levels = [], self._up_to_date()
        rows = self._row[slots]
        for level in levels:
            here = rows < len(level.slots)
            here[here] = level.slots[rows[here]] == slots[here]
            if here.any():
                found.append((level, rows[here], here))
        return found

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.nbytes + self._row.nbytes


def in_several_parts(pairs: Pairs) -> Pairs:
    """Return pairs in two parts, which marks them as not ordered by row."""
    parts = Pairs()
    for row, query in pairs.chunks():
        middle = len(row) // 2
        parts.append(row[:middle], query[:middle])
        parts.append(row[middle:], query[middle:])
    return parts
