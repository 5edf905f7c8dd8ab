"""Boxes of two dimensions, in edge lists or in a border grid, whichever is faster for what they are.

The rule is measured (docs/decisions/0005-border-grid.md): a grid for many bounded boxes that are small beside what they
are spread over, lists otherwise. It is looked at again after many changes, at the next look-up, and with
different limits for coming and for going; so a change costs what it costs the index below, and a little more. Slots
stay what they are.
"""

from __future__ import annotations

import math

import numpy as np

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import grown
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.pairs import Pairs
from limen.regions.shapes import Shapes


class PlaneBoxes:
    """An index of half-open boxes in two dimensions; it is used as a `BoxIndex` is.

    Parameters
    ----------
    lonlat : bool
        Whether the two dimensions are degrees of longitude and latitude. No box crosses the antimeridian.
    bound : bool
        Whether each query is about streams of its own. Edge lists then hold them in any case: a tuple walks only what
        is bound to its stream.
    """

    FEWEST = 4_000  # boxes in a grid …
    LARGEST = 0.04  # … their side on average, as a part of what they are spread over …
    UNBOUNDED = 0.1  # … and how many may be unbounded, as a part of the root of their number: every move tests those
    SLACK = 1.5  # limits are so many times as wide for staying in a grid
    UNSEEN = 512  # changes before the rule is looked at again, at least; else half as many as there are boxes

    def __init__(self, *, lonlat: bool = False, bound: bool = False) -> None:
        self.lonlat = lonlat
        self.bound = bound
        self._within: BoxIndex | BorderGrid = BoxIndex(2, bound=bound)
        self.alive = self._within.alive
        self.owners = self._within.owners
        self._unbounded = np.empty(0, np.bool_)  # by slot
        self._unbounded_count = 0
        self._changes = 0  # since the rule was looked at

    def __len__(self) -> int:
        return len(self._within)

    # ---- changes -----------------------------------------------------------------------------------------------------

    def insert(self, boxes: Floats, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Add boxes (m, 2, 2) and return their slots; other parameters are those of `BoxIndex.insert`."""
        within = self._within
        if isinstance(within, BorderGrid):
            slots = within.insert(Shapes.boxes(boxes))
        else:
            slots = within.insert(boxes, owners, owner_counts)
        self.alive = within.alive
        self._unbounded = grown(self._unbounded, len(self.alive))
        unbounded = ~np.isfinite(boxes).all(axis=(1, 2))
        self._unbounded[slots] = unbounded
        self._unbounded_count += int(np.count_nonzero(unbounded))
        self._changes += len(slots)
        return slots

    def remove(self, slots: Slots) -> None:
        """Take queries out."""
        self._within.remove(slots)
        self._unbounded_count -= int(np.count_nonzero(self._unbounded[slots]))
        self._changes += len(slots)

    def regions(self, slots: Slots) -> Floats:
        """Return boxes as they are inserted."""
        found = self._within.regions(slots)
        return found.bounds if isinstance(found, Shapes) else found

    def subset(self, slots: Slots) -> PlaneBoxes:
        """Build an index of some of the queries; its slot i is `slots[i]`."""
        part = type(self)(lonlat=self.lonlat, bound=self.bound)
        part.insert(self.regions(slots), *(self.owners.of(slots) if self.bound else ()))
        return part

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        self._within.renumber_owners(number)

    # ---- look-up -----------------------------------------------------------------------------------------------------

    def crossings(self, slot: Slots, before: Floats, after: Floats, columns: Ints, slots: int) -> Pairs:
        """Find the queries that rows enter and leave; see `BoxIndex.crossings`."""
        return self._chosen().crossings(slot, before, after, columns, slots)

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) with the row's point inside the query; rows with a NaN are in none."""
        return self._chosen().containing(slot, points, columns)

    def passings(self, slot: Slots, before: Floats, after: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, query) of moves that begin and end outside the query and pass through it.

        On the plane both indexes mean the same. In degrees only a grid knows the short way round the world, so queries
        that need this belong into one from the beginning; the same holds for distances in metres.
        """
        return self._chosen().passings(slot, before, after, columns)

    def distant(self, slots: Slots, points: Floats, columns: Ints, margin: Floats) -> Mask:
        """Return whether each pair of a query and an outside point (value columns, n) is beyond a margin."""
        return self._within.distant(slots, points, columns, margin)

    # ---- the choice --------------------------------------------------------------------------------------------------

    @property
    def in_grid(self) -> bool:
        """Whether boxes are in a border grid at present."""
        return isinstance(self._within, BorderGrid)

    def _chosen(self) -> BoxIndex | BorderGrid:
        """Return the index that boxes are in, after a switch to the other one if the rule requires it."""
        if self.bound:
            return self._within
        many = self._changes > max(self.UNSEEN, len(self) // 2)
        # A grid in which every move tests thousands cannot wait for more changes.
        if many or (self.in_grid and self._unbounded_count > self._most_unbounded()):
            self._changes = 0
            if self._is_for_grid() != self.in_grid:
                self._change_over()
        return self._within

    def _most_unbounded(self) -> float:
        return self.UNBOUNDED * (self.SLACK if self.in_grid else 1) * math.sqrt(len(self))

    def _is_for_grid(self) -> bool:
        """Return whether the boxes that there are belong into a grid."""
        slack = self.SLACK if self.in_grid else 1
        if len(self) * slack < self.FEWEST or self._unbounded_count > self._most_unbounded():
            return False
        boxes = self.regions(np.flatnonzero(self.alive & ~self._unbounded[: len(self.alive)]).astype(np.int32))
        return part_of_spread(boxes) <= self.LARGEST * slack

    def _change_over(self) -> None:
        """Put all boxes into an index of the other kind, under the slots that they have."""
        living = np.flatnonzero(self.alive).astype(np.int32)
        # Indexes give away the slots 0, 1, 2, …: unused slots are allocated too, and released before any look-up.
        boxes = np.zeros((int(living.max(initial=-1)) + 1, 2, 2))
        boxes[living] = self.regions(living)
        gone = np.flatnonzero(~self.alive[: len(boxes)]).astype(np.int32)
        other: BoxIndex | BorderGrid
        if self.in_grid:
            other = BoxIndex(2)
            other.insert(boxes)
        else:
            other = BorderGrid(lonlat=self.lonlat)
            other.insert(Shapes.boxes(boxes))
        other.remove(gone)
        self._within, self.alive, self.owners = other, other.alive, other.owners

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self._within.nbytes_queries + self._unbounded.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return self._within.nbytes_streams


def part_of_spread(boxes: Floats) -> float:
    """Return how long the sides of bounded boxes are on average, as a part of what most of them are spread over.

    Of the two dimensions the one where they are longer counts.

    Examples
    --------
    >>> lower = np.arange(101.0)
    >>> part_of_spread(np.stack([[lower, lower + 2], [lower, lower + 4]]).transpose(2, 0, 1))
    0.04
    """
    if not len(boxes):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        side = np.mean(boxes[:, :, 1] - boxes[:, :, 0], axis=0)
        low, high = np.quantile(boxes.mean(axis=2), [0.02, 0.98], axis=0)
        part = side / ((high - low) / 0.96)
    return float(np.nan_to_num(part, nan=np.inf).max())
