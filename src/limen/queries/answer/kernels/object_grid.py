"""Points in a grid: each lies in one cell.

The points of a cell are known in one of two ways. *Linked*, one to the next, so that one point can move at once. Or
*arranged*, all points cell after cell, so that reading through cells is reading through memory; that is made anew
when many have moved. A caller that needs one of the two builds it first.

The grid has a frame: where it begins, how many cells a unit has, and how many cells there are, along the first two
coordinates. What lies outside the frame belongs to the cell at its edge; so no point is lost, however far away, and a
look-up of a range finds every point in it. Points that are in no cell have the cell `NOWHERE`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import inner_kernel
from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.linked_lists import push, unlink

NOWHERE = -1
SOMEWHERE, LINKED, ARRANGED = 0, 1, 2  # places in the state
GONE, PRESENT, BARRED, SAME = 0, 1, 2, 3  # state of the point of an entry: only a present one has a position


@by_reference
class ObjectGrid(NamedTuple):
    """The arrays of a grid of points, by number of the point unless stated otherwise."""

    position: npt.NDArray[np.float64]  # (points, dimensions), NaN for a point that is nowhere
    frame: npt.NDArray[np.float64]  # (2, 3): by axis, where it begins, cells a unit, cells
    state: npt.NDArray[np.int64]  # (3,): how many points are somewhere, whether they are linked, and arranged
    # Linked:
    cell: npt.NDArray[np.int64]
    after: npt.NDArray[np.int32]  # the next point of the cell
    before: npt.NDArray[np.int32]  # and the one before, -1 for the first
    head: npt.NDArray[np.int32]  # by cell, its first point
    # Arranged; all first coordinates, then all second ones:
    start: npt.NDArray[np.int64]  # by cell, where its points begin, and after the last where they end
    slots_at: npt.NDArray[np.int32]  # by place, the point
    here: npt.NDArray[np.float64]  # (dimensions, places): where it is


@inner_kernel
def step_of(frame, axis, value):
    """Return the number of cells along an axis before the one that a coordinate is in.

    Examples
    --------
    >>> frame = np.array([[10.0, 2.0, 5.0], [0.0, 1.0, 1.0]])
    >>> [step_of(frame, 0, value) for value in (-np.inf, 10.4, 10.5, 12.4, 1e300)]
    [0, 0, 1, 4, 4]
    """
    steps, last = (value - frame[axis, 0]) * frame[axis, 1], frame[axis, 2] - 1.0
    steps = max(0.0, steps)
    return np.int64(min(last, steps))


@inner_kernel
def cell_of(frame, points, i):
    """Return the cell of a point, a row of an array."""
    return step_of(frame, 0, points[i, 0]) + step_of(frame, 1, points[i, 1]) * np.int64(frame[0, 2])


@inner_kernel
def take_out(cells, after, before, head, i):
    """Take a linked point out of its cell."""
    if cells[i] != NOWHERE:
        unlink(head, after, before, cells[i], i)
        cells[i] = NOWHERE


@inner_kernel
def put_in(cells, after, before, head, i, cell):
    """Link a point, which is in no cell, to those of a cell."""
    cells[i] = cell
    push(head, after, before, cell, i)


@inner_kernel
def move_some(grid, stream, points, code, first, last):
    """Move or remove points, by the entries `first` to `last`; see the codes."""
    position, frame, state = grid.position, grid.frame, grid.state
    cells, after, before, head = grid.cell, grid.after, grid.before, grid.head
    linked = state[LINKED] == 1
    state[ARRANGED] = 0
    for row in range(first, last):
        if code[row] == SAME:
            continue
        i, coming = stream[row], code[row] == PRESENT
        state[SOMEWHERE] += np.int64(coming) - np.int64(not np.isnan(position[i, 0]))
        for c in range(position.shape[1]):
            position[i, c] = points[row, c] if coming else np.nan
        if linked:
            cell = cell_of(frame, points, row) if coming else NOWHERE
            if cell != cells[i]:
                take_out(cells, after, before, head, i)
                if cell != NOWHERE:
                    put_in(cells, after, before, head, i, cell)


@inner_kernel
def link(grid):
    """Link the points of each cell, smallest numbers first, unless they are linked."""
    if grid.state[LINKED] == 1:
        return
    position, frame = grid.position, grid.frame
    cells, after, before, head = grid.cell, grid.after, grid.before, grid.head
    head[:] = -1
    cells[:] = NOWHERE
    for i in range(cells.size - 1, -1, -1):
        if not np.isnan(position[i, 0]):
            put_in(cells, after, before, head, i, cell_of(frame, position, i))
    grid.state[LINKED] = 1


@inner_kernel
def count_by_cell(position, frame, cells, start):
    """Find the cell of each point, and store the number of points of a cell at the next place."""
    start[:] = 0
    for i in range(len(position)):
        cells[i] = NOWHERE
        if not np.isnan(position[i, 0]):
            cells[i] = cell_of(frame, position, i)
            start[cells[i] + 1] += 1


@inner_kernel
def arrange(grid):
    """Arrange points by cell, unless they are arranged."""
    if grid.state[ARRANGED] == 1:
        return
    start, position, frame = grid.start, grid.position, grid.frame
    slots_at, here, cells = grid.slots_at, grid.here, grid.cell
    count_by_cell(position, frame, cells, start)
    for cell in range(start.size - 1):
        start[cell + 1] += start[cell]
    for i in range(len(position) - 1, -1, -1):
        if cells[i] != NOWHERE:
            # Filled from the end, so that in the end each cell's place is where it begins.
            start[cells[i] + 1] -= 1
            at = start[cells[i] + 1]
            slots_at[at] = i
            for c in range(position.shape[1]):
                here[c, at] = position[i, c]
    for cell in range(1, start.size):
        start[cell - 1] = start[cell]
    start[start.size - 1] = grid.state[SOMEWHERE]
    grid.state[ARRANGED] = 1
    grid.state[LINKED] = 0  # cells were used


@inner_kernel
def collect_cells(grid, left, right, bottom, top, found, here, count):
    """Append the points of a range of linked cells to `found`, and return the new count."""
    across, head, after, position = np.int64(grid.frame[0, 2]), grid.head, grid.after, grid.position
    for y in range(bottom, top + 1):
        for cell in range(y * across + left, y * across + right + 1):
            i = head[cell]
            while i >= 0:
                found[count] = i
                for c in range(here.shape[1]):
                    here[count, c] = position[i, c]
                count += 1
                i = after[i]
    return count


@inner_kernel
def copy_cells(grid, left, right, bottom, top, found, here, count):
    """Append the points of a range of arranged cells to `found`, and return the new count."""
    across, start, slots_at, from_here = np.int64(grid.frame[0, 2]), grid.start, grid.slots_at, grid.here
    for y in range(bottom, top + 1):
        for at in range(start[y * across + left], start[y * across + right + 1]):
            found[count] = slots_at[at]
            for c in range(here.shape[1]):
                here[count, c] = from_here[c, at]
            count += 1
    return count


@inner_kernel
def columns_of(grid, extent, round_world, columns):
    """Set the columns of cells (4,) that an extent touches: from, to, and a second range, which may be empty.

    `extent` (4,) is from, to, from, to along the two axes. With `round_world` the first axis is in degrees, and what
    reaches over the antimeridian goes on at the other side.
    """
    last = np.int64(grid.frame[0, 2]) - 1
    left, right = step_of(grid.frame, 0, extent[0]), step_of(grid.frame, 0, extent[1])
    columns[0], columns[1], columns[2], columns[3] = left, right, 0, -1
    if not round_world:
        return
    if extent[0] < -180.0:
        other = step_of(grid.frame, 0, extent[0] + 360.0)
        if other <= right:
            columns[0], columns[1] = 0, last
        else:
            columns[2], columns[3] = other, last
    elif extent[1] >= 180.0:
        other = step_of(grid.frame, 0, extent[1] - 360.0)
        if other >= left:
            columns[0], columns[1] = 0, last
        else:
            columns[2], columns[3] = 0, other


@inner_kernel
def collect(grid, extent, round_world, columns, found, here):
    """Find the points that may be in an extent, each once, and their positions; there must be room for all points."""
    bottom, top = step_of(grid.frame, 1, extent[2]), step_of(grid.frame, 1, extent[3])
    columns_of(grid, extent, round_world, columns)
    count, second = 0, columns[3] >= columns[2]
    if grid.state[ARRANGED] == 1:
        count = copy_cells(grid, columns[0], columns[1], bottom, top, found, here, count)
        if second:
            count = copy_cells(grid, columns[2], columns[3], bottom, top, found, here, count)
        return count
    count = collect_cells(grid, columns[0], columns[1], bottom, top, found, here, count)
    if second:
        count = collect_cells(grid, columns[2], columns[3], bottom, top, found, here, count)
    return count
