"""Shapes with the cells of their borders, and larger cells to look points up in: one level of a border grid."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Array, Floats, Ints, Mask, Slots
from limen.regions.cells import FINER, Cells, levels_for
from limen.regions.kernels.candidates import candidates_crossed, candidates_stabbed
from limen.regions.kernels.cells import FAR
from limen.regions.kernels.passing import candidates_passed, passed
from limen.regions.kernels.pieces import PIECE, crossed_pieces, set_flags
from limen.regions.kernels.plain_borders import crossed_plain
from limen.regions.kernels.stabbing import jumped, stabbed
from limen.regions.kernels.tracing import trace_edges, trace_plain
from limen.regions.moves import MoveBatch
from limen.regions.pairs import PairBuffer, Pairs, collect
from limen.regions.shapes import Shapes
from limen.regions.stored_shapes import StoredShapes

FINENESS = 1.0  # a cell's side, at most, as part of a region's; half of that costs memory, and time as well
FINEST = -490  # of cells' sides, as a power of two: squares of what is smaller are no numbers to compare
BORDERS_A_CELL = 8
ENTRIES_A_BOX = 12  # in cells, at most, where cells are finer than boxes are large …
ENTRIES = 1 << 20  # … but so many in all at least
FINER_POLYGONS = 4  # octaves: levels of polygons have finer cells in any case, for their edges
EDGES_A_CELL = 4
WORLD = 360.0  # degrees; a circle with such bounds may lie on both sides of the antimeridian, or round a pole
LONG = 8  # cells that a move may pass before it counts as a jump
MANY = 10_000  # shapes of a level that does not fit into the nearest memory, so that the order of moves matters
NO_SEGMENTS = np.empty(0, np.int32)


class GridLevel:
    """Shapes, each the region of a query.

    Parameters
    ----------
    shapes : Shapes
    slots : int32 array (n,)
        The query of each shape.
    lonlat : bool
        Whether coordinates are degrees, and radiuses metres.
    """

    def __init__(self, shapes: Shapes, slots: Slots, *, lonlat: bool) -> None:
        order, extent = near_each_other(shapes.bounds)
        self.extent = extent if len(shapes) >= MANY else None
        self.stored = StoredShapes(shapes.take(order), lonlat=lonlat)
        self.slots = slots[order]
        self._arrange()

    # ---- look-up -----------------------------------------------------------------------------------------------------

    def crossings(self, moves: MoveBatch, alive: Mask, buffer: PairBuffer, found: Pairs) -> int:
        """Find what moves enter and leave; returns how many entries were looked at."""
        stored, looked = self.stored, 0
        queries = self.slots, alive
        args: tuple[Any, ...]
        if len(self.plain_entry):
            args = (
                moves.records, self.reach, *self.plain.arrays, self.plain_entry, *queries,
                *stored.arrays[:4],
            )  # fmt: skip
            looked += collect(crossed_plain, args, len(moves), buffer, found)
        if len(self.piece) > 1:
            args = (
                moves.records, self.reach, *self.rough.arrays, self.piece, self.piece_edge, *queries,
                *stored.arrays,
            )  # fmt: skip
            looked += collect(crossed_pieces, args, len(moves), buffer, found)
        if moves.furthest > self.reach and len(self.corner_entry):
            args = (
                moves.records, self.reach, *self.corners.arrays, self.corner_entry, *queries,
                *stored.arrays,
            )  # fmt: skip
            looked += collect(jumped, args, len(moves), buffer, found)
        if len(self.everywhere):
            args = (moves.records, NO_SEGMENTS, self._all_of_them, self.everywhere, *queries, *stored.arrays)
            looked += collect(candidates_crossed, args, len(moves), buffer, found)
        return looked

    def containing(self, stream: Slots, x: Floats, y: Floats, alive: Mask, buffer: PairBuffer, found: Pairs) -> None:
        """Find what contains points."""
        queries = self.slots, alive
        args: tuple[Any, ...]
        if len(self.corner_entry):
            args = (x, y, *self.corners.arrays, self.corner_entry, *queries, *self.stored.arrays)
            collect(stabbed, args, len(x), buffer, found)
        if len(self.everywhere):
            args = (stream, x, y, NO_SEGMENTS, self._all_of_them, self.everywhere, *queries, *self.stored.arrays)
            collect(candidates_stabbed, args, len(x), buffer, found)

    def passings(self, moves: MoveBatch, alive: Mask, buffer: PairBuffer, found: Pairs) -> None:
        """Find what moves pass through, from outside to outside."""
        queries = self.slots, alive
        args: tuple[Any, ...]
        if len(self.corner_entry):
            args = (moves.records, *self.corners.arrays, self.corner_entry, *queries, *self.stored.arrays)
            collect(passed, args, len(moves), buffer, found)
        if len(self.everywhere):
            args = (moves.records, NO_SEGMENTS, self._all_of_them, self.everywhere, *queries, *self.stored.arrays)
            collect(candidates_passed, args, len(moves), buffer, found)

    # ---- arrangement -------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        stored = self.stored
        box, part = stored.box, stored.part
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.maximum(box[:, 1] - box[:, 0], box[:, 3] - box[:, 2])
        limited = np.isfinite(box).all(axis=1) & (size > 1e-200) & (size < 1e200)
        if stored.lonlat:
            limited &= (part <= 0) | (size < WORLD)
        exponent = np.zeros(len(part), np.int64)
        exponent[limited] = np.floor(np.log2(FINENESS * size[limited])).astype(np.int64)
        plain = np.flatnonzero(limited & (part >= 0))
        exponent[plain] = np.minimum(exponent[plain], crowded(box[plain]))
        exponent[limited] = np.maximum(exponent[limited], FINEST)
        level = np.zeros(len(part), np.int16)
        rows, scales = [], []
        for which, finer in ((part >= 0, FINER), (part < 0, FINER_POLYGONS)):
            chosen = np.flatnonzero(limited & which).astype(np.int32)
            level[chosen], cells_a_unit = levels_for(exponent[chosen], finer)
            if finer == FINER_POLYGONS:
                cells_a_unit = self._few_edges_a_cell(~part[chosen], level[chosen], cells_a_unit)
            # Cells end FAR from the origin. A region that reaches that far is tested by every move.
            near = np.abs(box[chosen]).max(axis=1, initial=0) * cells_a_unit[level[chosen]] < FAR / 2
            rows.append(chosen[near])
            scales.append(cells_a_unit)
        self._arrange_plain(rows[0], level, scales[0])
        self._arrange_pieces(rows[1], level, scales[1])
        listed = np.concatenate(rows)
        self._arrange_corners(listed, size)
        unlisted = np.ones(len(part), np.bool_)
        unlisted[listed] = False
        self.everywhere = np.flatnonzero(unlisted).astype(np.int32)
        self._all_of_them = np.array([0, len(self.everywhere)])
        finest = max((scale.max() for scale in scales if len(scale)), default=1.0)
        self.reach = LONG / finest

    def _few_edges_a_cell(self, polygon: Slots, level: npt.NDArray[np.int16], cells_a_unit: Floats) -> Floats:
        """Return finer cells where polygons have many edges, so that a few edges are in each cell of their borders."""
        if not len(polygon):
            return cells_a_unit
        outline, edge = self.stored.outline[polygon], self.stored.edge
        length = np.cumsum(np.append(0.0, np.hypot(edge[:, 2] - edge[:, 0], edge[:, 3] - edge[:, 1])))
        around = length[outline["first"] + outline["count"]] - length[outline["first"]]
        edges = np.bincount(level, outline["count"], minlength=len(cells_a_unit))
        polygons = np.bincount(level, minlength=len(cells_a_unit))
        side = np.bincount(level, around, minlength=len(cells_a_unit)) / (6 * polygons + edges / EDGES_A_CELL)
        side = np.maximum(side, np.ldexp(1.0, -20) / cells_a_unit)  # polygons may have no edges that count
        finest: Floats = np.maximum(cells_a_unit, np.ldexp(1.0, -np.floor(np.log2(side)).astype(np.int64)))
        return finest

    def _arrange_plain(self, rows: Slots, level: npt.NDArray[np.int16], cells_a_unit: Floats) -> None:
        stored = self.stored
        args = rows, level[rows], stored.box, stored.part, stored.circle, stored.lonlat, cells_a_unit
        row, x, y = traced(trace_plain, args, (np.int32, np.int64, np.int64), 10 * len(rows))
        self.plain, order = Cells.listing(x, y, level[row], cells_a_unit)
        entry = row[order]
        self.plain_entry = np.where(stored.part[entry] > 0, ~entry, entry)

    def _arrange_pieces(self, rows: Slots, level: npt.NDArray[np.int16], cells_a_unit: Floats) -> None:
        stored = self.stored
        args = rows, level[rows], stored.part, stored.outline, stored.edge, cells_a_unit
        kinds = np.int32, np.int32, np.int64, np.int64
        row, which, x, y = traced(trace_edges, args, kinds, 4 * len(rows) + 2 * len(stored.edge))
        cells, order = Cells.listing(x, y, level[row], cells_a_unit)
        row, which, x, y = row[order], which[order], x[order], y[order]
        # Entries come by cell, and in a cell by polygon, since they were traced polygon by polygon.
        new = np.append(True, (row[1:] != row[:-1]) | (x[1:] != x[:-1]) | (y[1:] != y[:-1]))[: len(row)]
        new[cells.start[:-1]] = True
        number = np.cumsum(new) - 1
        edge = stored.edge[which]
        right = ((x + 1) / cells_a_unit[level[row]])[:, None]
        reaching = ~(edge[:, ::2] >= right).all(axis=1)
        self.piece_edge = edge[reaching]
        self.piece = np.zeros(int(new.sum()) + 1, PIECE)
        self.piece["row"][:-1] = row[new]
        self.piece["first"][1:] = np.cumsum(np.bincount(number[reaching], minlength=len(self.piece) - 1))
        starts = np.append(number, len(self.piece) - 1)[cells.start].astype(np.int32)
        self.rough = Cells(cells.cells_a_unit, cells.block, starts)
        set_flags(x[new], y[new], level[row[new]], cells_a_unit, self.piece, self.piece_edge, *stored.arrays)

    def _arrange_corners(self, rows: Slots, size: Floats) -> None:
        # A little larger than the regions: a lower and an upper end are then in the same cell, or in neighbours.
        exponent = np.frexp(size[rows] * (1 + 1e-9))[1].astype(np.int64)
        sides, level = np.unique(exponent, return_inverse=True)
        cells_a_unit = np.ldexp(1.0, -sides)
        low = np.floor(self.stored.box[rows][:, ::2] * cells_a_unit[level][:, None]).astype(np.int64)
        x, y = np.ascontiguousarray(low.T)
        self.corners, order = Cells.listing(x, y, level.astype(np.int16), cells_a_unit)
        self.corner_entry = rows[order]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = (
            self.slots, self.plain_entry, self.piece, self.piece_edge, self.corner_entry, self.everywhere,
        )  # fmt: skip
        held = self.stored, self.plain, self.rough, self.corners
        return sum(array.nbytes for array in arrays) + sum(each.nbytes for each in held)


def crowded(box: Floats) -> int:
    """Return how fine cells may be for boxes (n, 4), as a power of two, so that few borders pass through each.

    Where they are crowded, cells finer than the boxes are worth their memory, as far as that goes.
    """
    if not len(box):
        return 0
    sides = box[:, 1::2] - box[:, ::2]
    middle = box[:, ::2] + sides / 2
    low, high = np.quantile(middle, [0.02, 0.98], axis=0)
    length = 2 * sides.sum()
    area = float(np.prod((high - low) / 0.96 + sides.mean(axis=0)))
    side = max(BORDERS_A_CELL * area / length, length / max(ENTRIES_A_BOX * len(box), ENTRIES))
    return int(np.round(np.log2(side)))


def traced(kernel: Callable[..., Any], args: tuple[Any, ...], kinds: tuple[type, ...], guess: int) -> tuple[Array, ...]:
    """Call a kernel of `limen.regions.kernels.tracing` until all rows are traced, and return its outputs."""
    room, first, rows = max(guess, 64), 0, args[0]
    parts: list[list[Array]] = []
    while first < len(rows) or not parts:
        out: list[Array] = [np.empty(room, kind) for kind in kinds]
        first, count = kernel(*args, first, *out)
        parts.append([column[:count] for column in out])
        room *= 2
    if len(parts) == 1:
        return tuple(parts[0])
    return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))


def near_each_other(bounds: Floats) -> tuple[Ints, Floats]:
    """Return an order of boxes in which those near each other are close, and the extent (2, 2) of most of them.

    The order is along a curve that goes through the halves of the plane, and their halves, one after another.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # bounds may be infinite, on both sides
        middle = np.clip(np.nan_to_num(bounds.sum(axis=2) / 2), -1e300, 1e300)
    # a few that are far off must not make all others one
    low, high = np.quantile(middle, [0.001, 0.999], axis=0)
    steps = np.clip((middle - low) / np.maximum(high - low, 1e-300) * 65535, 0, 65535).astype(np.int64)
    for shift in (8, 4, 2, 1):
        steps = (steps | steps << shift) & ((1 << 32) - 1) // ((1 << shift) + 1)
    return np.argsort(steps[:, 0] | steps[:, 1] << 1, kind="stable"), np.stack([low, high])
