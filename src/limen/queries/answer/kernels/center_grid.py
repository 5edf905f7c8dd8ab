"""Grid of regions by their centers, to find the regions that may contain a point.

A region that moves would have to be taken out of all cells it overlaps and put into others. So it is kept in one cell
only, that of its center, of a grid with cells as wide as the region reaches, or up to twice that: there is a grid for
each power of two. What may contain a point is then in nine cells of each grid that is in use. Cells are found by
hashing, so a grid has no edge.

Two more lists hold what is in no grid: regions that reach everywhere, and those that are `OPEN`, which have no reach
yet and are not found by any point.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import inner_kernel
from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.linked_lists import push, unlink

LOWEST, HIGHEST = -1000, 1000  # powers of two of the reaches there can be
EVERYWHERE, OPEN, UNPLACED = HIGHEST + 1, HIGHEST + 2, HIGHEST + 3
WIDEST_IN_DEGREES = 30.0  # beyond, neighbours would be met twice on the way round the world
FARTHEST = 2.0**60  # cells
PART = (1 << 28) - 1  # of a coordinate, so that products stay within 64 bits


@by_reference
class CenterGrid(NamedTuple):
    """The arrays of a grid of centers, by number of the region unless stated otherwise."""

    level: npt.NDArray[np.int32]  # which grid it is in
    column: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    after: npt.NDArray[np.int32]  # the next region with the same hash
    before: npt.NDArray[np.int32]  # and the one before
    head: npt.NDArray[np.int32]  # by hash, the first region; a power of two
    used: npt.NDArray[np.int64]  # by level from LOWEST on, how many regions are in it
    span: npt.NDArray[np.int64]  # (2,): no level outside of these is in use
    stale: npt.NDArray[np.int64]  # (1,): whether regions have moved and were not put elsewhere yet


@inner_kernel
def level_of(reach, round_world):
    """Return the level of the grid for regions with a reach.

    Examples
    --------
    >>> level_of(3.0, False), level_of(4.0, False), level_of(math.inf, False) == EVERYWHERE
    (2, 3, True)
    """
    if not reach < 1e300 or (round_world and reach >= WIDEST_IN_DEGREES):
        return EVERYWHERE
    if reach < 1e-300:
        return LOWEST
    return math.frexp(reach)[1]  # the power of two just above


@inner_kernel
def step_at(value, level):
    """Return the number of the cell that contains a coordinate along an axis."""
    steps = np.floor(float(value) * math.ldexp(1.0, -int(level)))
    return np.int64(min(max(steps, -FARTHEST), FARTHEST))


@inner_kernel
def bucket_of(size, level, column, row):
    """Return the bucket of a cell in a hash table of a size; neighbouring cells of a row are adjacent."""
    mixed = ((row & PART) * 0x9E3779B1) ^ ((column >> 2 & PART) * 0x85EBCA77) ^ (np.int64(level) * 0xC2B2AE3D)
    mixed ^= mixed >> 29
    return ((mixed << 2) | (column & 3)) & (size - 1)


@inner_kernel
def take_out(grid, q):
    """Remove a region."""
    level = grid.level[q]
    if level == UNPLACED:
        return
    bucket = bucket_of(grid.head.size, level, grid.column[q], grid.row[q])
    unlink(grid.head, grid.after, grid.before, bucket, q)
    grid.used[level - LOWEST] -= 1
    grid.level[q] = UNPLACED


@inner_kernel
def put_in(grid, q, level, x, y):
    """Insert a region with its center at (x, y), or move it there."""
    column = row = np.int64(0)
    if level < EVERYWHERE:
        column, row = step_at(x, level), step_at(y, level)
    if grid.level[q] == level and grid.column[q] == column and grid.row[q] == row:
        return
    take_out(grid, q)
    grid.level[q], grid.column[q], grid.row[q] = level, column, row
    push(grid.head, grid.after, grid.before, bucket_of(grid.head.size, level, column, row), q)
    grid.used[level - LOWEST] += 1
    if level < EVERYWHERE:
        grid.span[0] = min(grid.span[0], level)
        grid.span[1] = max(grid.span[1], level)


@inner_kernel
def collect_cell(grid, level, column, row, found, count):
    """Append the regions of a cell to `found`, and return the new count."""
    q = grid.head[bucket_of(grid.head.size, level, column, row)]
    while q >= 0:
        if grid.level[q] == level and grid.column[q] == column and grid.row[q] == row:
            found[count] = q
            count += 1
        q = grid.after[q]
    return count


@inner_kernel
def collect(grid, x, y, round_world, found):
    """Find the regions that may contain a point, each once; `found` has room for all regions.

    With `round_world` the first axis is in degrees, and centers are from -180 on to below 180.
    """
    used, count = grid.used, 0
    if used[EVERYWHERE - LOWEST] > 0:
        count = collect_cell(grid, EVERYWHERE, 0, 0, found, count)
    for level in range(grid.span[0], grid.span[1] + 1):
        if used[level - LOWEST] == 0:
            continue
        row = step_at(y, level)
        for turn in range(-1, 2):
            if turn != 0 and not (round_world and abs(x + 360.0 * turn) <= 180.0 + 2.0 * math.ldexp(1.0, level)):
                continue
            column = step_at(x + 360.0 * turn, level)
            for j in range(row - 1, row + 2):
                for i in range(column - 1, column + 2):
                    count = collect_cell(grid, level, i, j, found, count)
    return count


@inner_kernel
def is_seen_alike(grid, x, y, other_x, other_y, round_world):
    """Return whether two points certainly find the same regions: they are in the same cell of each grid in use."""
    for level in range(grid.span[0], grid.span[1] + 1):
        if grid.used[level - LOWEST] == 0:
            continue
        if step_at(x, level) != step_at(other_x, level) or step_at(y, level) != step_at(other_y, level):
            return False
        if round_world and max(abs(x), abs(other_x)) >= 180.0 - 3.0 * math.ldexp(1.0, level):
            return False  # where centers of both sides of the antimeridian may be near
    return True


@inner_kernel
def collect_open(grid, found):
    """Find the regions of the level OPEN."""
    if grid.used[OPEN - LOWEST] == 0:
        return 0
    return collect_cell(grid, OPEN, 0, 0, found, 0)
