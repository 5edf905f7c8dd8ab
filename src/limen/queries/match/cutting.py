"""Plan how boxes are cut: which columns get an axis, the number of cells of each, and the length of constructs.

Estimates for a sample of the boxes, and for points that are anywhere in the domain: how many lists are read for a
point, how many boxes compared, and how many entries and lists there are in memory. Finer cells mean fewer boxes to
compare and more entries; longer constructs mean fewer entries and more lists to read. The paper leaves L to experiments
(vci-vcr §3.5) and has cells given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from limen.arrays import Floats, Ints
from limen.queries.match.axis import CellAxis, Domain

SAMPLE = 256
MOST_AXES = 4
MOST_RUNS = 64
MOST_ENTRIES = 12.0  # a box, on average
MOST_PIECES = 64  # of a box; larger ones are better off in a level with larger cells
LISTS_A_BOX, FEW_LISTS = 8, 1 << 10
FINENESS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # cells that a typical box is long
LONGEST = (1, 2, 4, 8)
# Nanoseconds, measured once; only their ratio matters.
READ, READ_FAR, COMPARE = 5.0, 15.0, 3.0
NEAR = 1 << 17  # lists that fit into a fast cache


@dataclass(frozen=True)
class CuttingPlan:
    """Columns in the order in which they are compared, those first that get an axis; the axes; and L."""

    columns: tuple[int, ...]
    axes: tuple[CellAxis, ...]
    longest: int
    cost: float = 0.0

    def coarser(self) -> CuttingPlan:
        """Return the same with half as many cells along each axis."""
        axes = []
        for axis in self.axes:
            cells = max((axis.cells - 2) // 2, self.longest) + 2
            axes.append(CellAxis(axis.origin, axis.cells_a_unit / 2, cells) if cells < axis.cells else axis)
        return replace(self, axes=tuple(axes))

    def pieces(self, bounds: Floats) -> Floats:
        """Return how many pieces boxes (n, dimensions, 2) are cut into."""
        pieces = np.ones(len(bounds))
        for axis, column in zip(self.axes, self.columns, strict=False):
            first, stop, _ = axis.cells_of(bounds, column)
            pieces *= pieces_of(stop - first, self.longest)
        return pieces


def make_plan(
    bounds: Floats, domains: list[Domain], axes: range, *, cells: tuple[int, ...] | None = None,
    longest: int | None = None, most_pieces: float = MOST_PIECES,
) -> CuttingPlan:  # fmt: skip
    """Choose the cheapest plan for boxes (n, dimensions, 2), with a number of axes out of a range.

    Boxes of more than `most_pieces` pieces count as if they were elsewhere. With `cells`, one number a dimension, all
    columns get an axis in their order and only L is chosen.
    """
    count = len(bounds)
    sample = bounds[:: count // SAMPLE + 1]
    shares, open_ends = shares_of(sample, domains), np.isinf(sample).sum(axis=2)
    typical = np.exp(np.log(shares).mean(axis=0))  # a few that take all must not make cells large for all
    few = count <= SAMPLE  # then choosing would take longer than any choice saves
    columns = np.argsort(shares.mean(axis=0), kind="stable") if cells is None else np.arange(len(domains))
    numbers = (axes[:1] if few else axes) if cells is None else (len(cells),)
    finenesses = FINENESS if cells is None and not few else (1.0,)
    lengths = (longest,) if longest else (1,) if few and cells is None else LONGEST
    best = None
    for number, fineness, length in product(numbers, finenesses, lengths):
        first = columns[:number]
        cut = np.array(cells) if cells is not None else _cells_for(fineness, typical[first], length, count)
        cost = estimate(count, shares[:, first], open_ends[:, first], cut, length, most_pieces)
        if best is None or cost < best.cost:
            chosen = tuple(CellAxis.over(domains[k], int(n)) for k, n in zip(first, cut, strict=True))
            best = CuttingPlan(tuple(columns.tolist()), chosen, length, cost)
    assert best is not None
    return best


def _cells_for(fineness: float, typical: Floats, longest: int, count: int) -> Ints:
    """Return how many cells make a typical box so many cells long, or as many as are worth their lists."""
    cells = np.clip(fineness / typical, longest, max(4 * count, 8, longest)).astype(np.int64)
    while prod((cells + 2 + longest).tolist()) > LISTS_A_BOX * count + FEW_LISTS and cells.max() > longest:
        cells = np.maximum(cells * 3 // 4, longest)
    return cells


def shares_of(bounds: Floats, domains: list[Domain]) -> Floats:
    """Return which part of each domain boxes take, (n, dimensions), and never nothing."""
    shares = np.empty(bounds.shape[:2])
    for k, (lo, hi) in enumerate(domains):
        half = hi / 2 - lo / 2  # the whole might be more than a number can be
        within = np.clip(bounds[:, k], lo, hi) / 2
        shares[:, k] = (within[:, 1] - within[:, 0]) / half if half > 0 else 1.0
    return np.clip(np.nan_to_num(shares), 1e-9, 1.0)


def estimate(count: int, shares: Floats, open_ends: Ints, cells: Ints, longest: int, most_pieces: float) -> float:
    """Return nanoseconds a point, with a penalty for what should not be."""
    sizes = longest.bit_length()
    runs = sizes * (2 * longest - 1) ** (len(cells) - 1)
    lists = sizes ** len(cells) * prod((cells + 2 + longest).tolist())
    pieces = pieces_of((shares * cells + 1).astype(np.int64) + open_ends, longest).prod(axis=1)
    elsewhere = pieces > most_pieces
    entries = pieces[~elsewhere].mean() if not elsewhere.all() else 0.0
    compared = count * np.minimum(shares + 1 / cells, 1.0).prod(axis=1)[~elsewhere].sum() / len(shares)
    cost = runs * (READ if lists <= NEAR else READ_FAR) + compared * COMPARE
    # what is elsewhere is looked up in another level, whose boxes are few for its cells
    cost += elsewhere.any() * 50.0 + COMPARE * count * shares[elsewhere].prod(axis=1).sum() / len(shares)
    excess = max(entries / MOST_ENTRIES, lists / (LISTS_A_BOX * count + FEW_LISTS), runs / MOST_RUNS)
    return float(cost * max(excess, 1.0) ** 2)


def pieces_of(width: Ints, longest: int) -> Ints:
    """Return how many constructs of lengths 1, 2, 4, … L make a number of cells.

    Examples
    --------
    >>> pieces_of(np.array([0, 7, 8, 23]), 8)
    array([0, 3, 1, 5])
    """
    return width // longest + np.bitwise_count(width % longest)
