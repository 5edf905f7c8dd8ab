"""Boxes, circles and polygons of two dimensions, indexed for border crossings: the border grid.

Cells of the plane list the queries whose border passes through them, and nothing else: storage goes with the length
of borders, and a move looks at the cells on its way. Changes go to small levels beside the large one, which are merged
as they grow, so that every query is moved a few times only. A deregistered query stays listed, marked dead, until its
level is merged. Streams leave nothing behind here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from limen.index.bound_level import BoundLevel
from limen.index.exact_ways import way_meets
from limen.index.grid_level import GridLevel
from limen.index.moves import MoveBuffer
from limen.index.owners import Owners
from limen.index.pairs import LOWER_HALF, PairBuffer, Pairs, as_pairs
from limen.index.shapes import Shapes
from limen.kernels.distances import far_from_figures

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

NOWHERE = -1
WORLD, HALF_ROUND = 360.0, 180.0  # degrees


class BorderGrid:
    """An index of shapes; it is used as a `BoxIndex` is.

    Parameters
    ----------
    lonlat : bool
        Whether the two dimensions are degrees of longitude and latitude, and radiuses metres.
    bound : bool
        Whether each query is about streams of its own. A tuple then tests what is bound to its stream.
    """

    SMALL = 256  # a level with no more queries is always merged with what is new …
    RATIO = 16  # … and a larger one when what is new has grown to this part of it
    MOST_PENDING = 512  # insertions kept aside for the next look-up; many single ones would become many small arrays

    def __init__(self, *, lonlat: bool = False, bound: bool = False) -> None:
        self.lonlat = lonlat
        self.bound = bound
        self.alive = np.empty(0, np.bool_)
        self.owners = Owners()  # the streams of each query, when bound
        self.looked = 0  # entries looked at by `crossings` so far
        self._row = np.empty(0, np.int32)  # of each slot in its level
        self._used = 0  # slots handed out
        self._living = 0
        self._free: list[int] = []
        self._pending: list[tuple[Shapes, Slots]] = []  # not yet in a level
        self._levels: list[GridLevel | BoundLevel] = []  # the largest first
        self._buffer = PairBuffer()
        self._moves = MoveBuffer()

    def __len__(self) -> int:
        return self._living

    # ---- changes -----------------------------------------------------------------------------------------------------

    def insert(self, shapes: Shapes, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Add shapes and return their slots.

        A bound index takes the streams of all shapes one after another in `owners`, and how many each has.
        """
        slots = self._new_slots(len(shapes))
        self.alive[slots] = True
        self._row[slots] = NOWHERE
        self._living += len(slots)
        if self.bound:
            assert owners is not None
            assert owner_counts is not None
            self.owners.put(slots, owners, owner_counts)
        self._pending.append((shapes, slots))
        if len(self._pending) > self.MOST_PENDING:
            self._up_to_date()
        return slots

    def remove(self, slots: Slots) -> None:
        """Take queries out."""
        self.alive[slots] = False
        self._living -= len(slots)
        if self.bound:
            self.owners.drop(slots)
        for level, rows, _ in self._found(slots):
            level.dead += len(rows)

    def regions(self, slots: Slots) -> Shapes:
        """Return shapes as they are inserted."""
        self._up_to_date()
        number = np.full(len(self.alive), NOWHERE, np.int32)
        number[slots] = np.arange(len(slots))
        parts, which = [], []
        for level, rows, _ in self._found(slots):
            parts.append(level.figures.shapes(rows))
            which.append(number[level.slot_of[rows]])
        return Shapes.joined(parts).take(np.argsort(np.concatenate([np.empty(0, np.int32), *which])))

    def subset(self, slots: Slots) -> BorderGrid:
        """Build an index of some of the queries; its slot i is `slots[i]`."""
        part = BorderGrid(lonlat=self.lonlat, bound=self.bound)
        part.insert(self.regions(slots), *(self.owners.of(slots) if self.bound else ()))
        return part

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        self.owners.renumber(number)
        for level in self._levels:
            assert isinstance(level, BoundLevel)
            level.bind(*self.owners.of(level.slot_of))

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
        found, levels = Pairs(), self._up_to_date()
        if not levels:
            return found
        (x, y), largest = columns, levels[0]
        extent = largest.extent if isinstance(largest, GridLevel) else None
        in_order = True
        for first in range(0, len(slot), self._moves.MOST):
            moves = self._moves.fill(slot, (before[x], before[y]), (after[x], after[y]), first, extent)
            in_order &= moves.in_order
            for level in levels:
                self.looked += level.crossings(moves, self.alive, self._buffer, found)
        return found if in_order else in_several_parts(found)

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) with the row's point inside the query; rows with a NaN are in none."""
        found = Pairs()
        for level in self._up_to_date():
            level.containing(slot, points[columns[0]], points[columns[1]], self.alive, self._buffer, found)
        return found

    def passings(self, slot: Slots, before: Floats, after: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) of moves that begin and end outside the query and pass through it.

        See `limen.kernels.segments` for what counts. In degrees, moves go the short way round the world.
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
        levels, some = self._up_to_date(), Pairs()
        for first in range(0, len(slot) if levels else 0, self._moves.MOST):
            moves = self._moves.fill(slot, before, after, first, None)
            for level in levels:
                level.passings(moves, self.alive, self._buffer, some)
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

    def distant(self, slots: Slots, points: Floats, columns: Ints, margin: Floats) -> npt.NDArray[np.bool_]:
        """Tell of pairs of a query and a point (value columns, n) outside if they are further apart than a margin."""
        self._up_to_date()
        far = np.zeros(len(slots), np.bool_)
        for level, rows, here in self._found(slots):
            x, y = (points[column][here] for column in columns)
            own = np.empty(len(rows), np.bool_)
            args = rows, x, y, margin[here], *level.figures.arrays, own
            far_from_figures(*args)
            far[here] = own
        return far

    # ---- levels ------------------------------------------------------------------------------------------------------

    def _up_to_date(self) -> list[GridLevel | BoundLevel]:
        """Put what is new into a level, leave out what is dead where it is much, and return the levels."""
        for number, level in enumerate(self._levels):
            if level.dead > max(self.SMALL, len(level) // 4):
                self._merge(number, [])
        if self._pending:
            pending, self._pending = self._pending, []
            size = sum(len(slots) for _, slots in pending)
            number = len(self._levels)
            while number:
                last = len(self._levels[number - 1])
                if last > max(self.SMALL, self.RATIO * size):
                    break
                size += last
                number -= 1
            self._merge(number, pending)
        return self._levels

    def _merge(self, number: int, parts: list[tuple[Shapes, Slots]]) -> None:
        """Make one level of parts and all levels from `number` on, leaving out the dead, whose slots become free."""
        for level in self._levels[number:]:
            living = self.alive[level.slot_of]
            self._free.extend(level.slot_of[~living].tolist())
            parts.append((level.figures.shapes(np.flatnonzero(living)), level.slot_of[living]))
        del self._levels[number:]
        shapes, slots = Shapes.joined([part for part, _ in parts]), np.concatenate([slots for _, slots in parts])
        living = self.alive[slots]
        if not living.all():
            self._free.extend(slots[~living].tolist())
            shapes, slots = shapes.take(np.flatnonzero(living)), slots[living]
        if not len(slots):
            return
        merged = (
            BoundLevel(shapes, slots, *self.owners.of(slots), lonlat=self.lonlat)
            if self.bound
            else GridLevel(shapes, slots, lonlat=self.lonlat)
        )
        self._row[merged.slot_of] = np.arange(len(merged), dtype=np.int32)
        self._levels.append(merged)

    def _found(self, slots: Slots) -> list[tuple[GridLevel | BoundLevel, Slots, npt.NDArray[np.bool_]]]:
        """Return the levels of queries, their rows there and which queries they are; those in none are left out."""
        found, rows = [], self._row[slots]
        for level in self._levels:
            here = (rows >= 0) & (rows < len(level))
            here[here] = level.slot_of[rows[here]] == slots[here]
            if here.any():
                found.append((level, rows[here], here))
        return found

    def _new_slots(self, count: int) -> Slots:
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))] if self._free else []
        fresh = count - len(reused)
        if self._used + fresh > len(self.alive):
            more = max(self._used + fresh, self._used * 5 // 4) - len(self.alive)
            self.alive = np.concatenate([self.alive, np.zeros(more, np.bool_)])
            self._row = np.concatenate([self._row, np.full(more, NOWHERE, np.int32)])
        slots = np.arange(self._used, self._used + fresh, dtype=np.int32)
        self._used += fresh
        return np.concatenate([np.array(reused, np.int32), slots]) if reused else slots

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        own = self.alive.nbytes + self._row.nbytes + self.owners.nbytes
        return own + sum(level.nbytes_queries for level in self._levels)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams: none do."""
        return 0


def in_several_parts(pairs: Pairs) -> Pairs:
    """Return pairs that are not in the order of their rows in more than one part, which says that they are not."""
    parts = Pairs()
    for row, query in pairs.chunks():
        middle = len(row) // 2
        parts.append(row[:middle], query[:middle])
        parts.append(row[middle:], query[middle:])
    return parts
