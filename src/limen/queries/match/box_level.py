"""Boxes cut into virtual constructs of two axes and more."""

from math import inf

import numpy as np

from limen.arrays import Floats, Mask, Slots
from limen.queries.match.axis import Domain, domain_of
from limen.queries.match.constructs import ConstructLists, Constructs, logarithmic
from limen.queries.match.cutting import MOST_ENTRIES, MOST_PIECES, CuttingPlan, make_plan
from limen.queries.match.kernels.covering import covered_boxes
from limen.queries.match.pair_chunks import PairChunks
from limen.regions.pairs import Pairs

MOST_PARTS = 4
FAR_TOO_MANY = 4 * MOST_ENTRIES
ENTRIES_TO_SPARE = 2  # a box, that large boxes may take before they are worth cells of their own


class BoxLevel:
    """Boxes (n, dimensions, 2) with their slots, cut as planned.

    Boxes are numbered by the cells in which they begin: those of one list lie near each other in memory.
    """

    def __init__(
        self, bounds: Floats, slots: Slots, plan: CuttingPlan, *, overlapped: bool = False, by_shape: bool = True
    ) -> None:
        self.plan = plan
        cells = [axis.cells_of(bounds, column) for axis, column in zip(plan.axes, plan.columns, strict=False)]
        first, stop = np.stack([each for each, _, _ in cells], axis=1), np.stack([each for _, each, _ in cells], axis=1)
        sure = np.stack([each for _, _, each in cells], axis=1)
        order = np.lexsort(first.T)
        self.constructs = Constructs(tuple(axis.cells for axis in plan.axes), logarithmic(plan.longest), by_shape)
        self.lists = ConstructLists(
            self.constructs, first[order], stop[order], sure[order], split=False, overlapped=overlapped
        )
        self._columns = np.array(plan.columns)
        self._box = np.ascontiguousarray(bounds[order][:, self._columns])
        self._slot_of = slots[order]
        self._origin = np.array([axis.origin for axis in plan.axes])
        self._cells_a_unit = np.array([axis.cells_a_unit for axis in plan.axes])
        self._cells = np.array([axis.cells for axis in plan.axes])

    def match(self, points: Floats, alive: Mask, *, any_dead: bool, chunks: PairChunks, found: Pairs) -> None:
        """Find the pairs (row, slot) of living boxes that contain a point."""
        constructs, lists = self.constructs, self.lists

        def find(row: int, out_row: Slots, out_slot: Slots) -> tuple[int, int]:
            done: tuple[int, int] = covered_boxes(
                points, self._columns, self._origin, self._cells_a_unit, self._cells, constructs.position_step,
                constructs.runs, lists.start, lists.entry, lists.own, self._box, self._slot_of,
                alive, any_dead, row, out_row, out_slot,
            )  # fmt: skip
            return done

        chunks.collect(points.shape[1], find, found)

    @property
    def entries(self) -> int:
        """How many pieces boxes were cut into."""
        return len(self.lists.entry)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.lists.nbytes + self._box.nbytes + self._slot_of.nbytes


class BoxParts:
    """Boxes in one level, or in several with cells as large as the boxes need.

    A box that is much larger than a cell has very many pieces. Where such boxes would take much room, they are put
    apart, with cells of their own, and so on: no box costs more than a few entries, whatever mixture there is.

    Parameters
    ----------
    bounds, slots : arrays (n, dimensions, 2) and (n,)
    axes : range
        How many of the columns may get an axis.
    domains : list of (float, float), optional
        Where cells are, for each dimension.
    cells : tuple of int, optional
        How many cells the boxes that are not much larger than these are put into, for each dimension.
    longest : int, optional
        L.
    overlapped, by_shape : bool
    """

    def __init__(
        self, bounds: Floats, slots: Slots, axes: range, *, domains: list[Domain] | None = None,
        cells: tuple[int, ...] | None = None, longest: int | None = None, overlapped: bool = False,
        by_shape: bool = True,
    ) -> None:  # fmt: skip
        self.parts: list[BoxLevel] = []
        for part in range(MOST_PARTS):
            last = part == MOST_PARTS - 1
            plan = make_plan(
                bounds, domains or [domain_of(bounds[:, k]) for k in range(bounds.shape[1])], axes,
                cells=None if part else cells, longest=longest,
                most_pieces=inf if last or (cells and not part) else MOST_PIECES,
            )  # fmt: skip
            pieces = plan.pieces(bounds)
            large = pieces > MOST_PIECES
            if last or pieces[large].sum() <= ENTRIES_TO_SPARE * len(bounds) + MOST_PIECES**2:
                large[:] = False
            # A plan is made by a sample, which may mislead.
            while (part or not cells) and pieces[~large].sum() > FAR_TOO_MANY * len(bounds) + MOST_PIECES**2:
                plan, before = plan.coarser(), plan
                if plan.axes == before.axes:
                    break
                pieces = plan.pieces(bounds)
            here = bounds[~large], slots[~large]
            self.parts.append(BoxLevel(*here, plan, overlapped=overlapped, by_shape=by_shape))
            bounds, slots = bounds[large], slots[large]
            if not len(bounds):
                break

    def match(self, points: Floats, alive: Mask, *, any_dead: bool, chunks: PairChunks, found: Pairs) -> None:
        """Find the pairs (row, slot) of living boxes that contain a point."""
        for part in self.parts:
            part.match(points, alive, any_dead=any_dead, chunks=chunks, found=found)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(part.nbytes for part in self.parts)
