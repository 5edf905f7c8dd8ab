"""Streams arranged by their moves: one look at the cells around a query finds all that may come into it, or go.

A stream that has not gone far lies where it is; what was within some reach of it before is looked for a little further
out. Who came from afar, or is nowhere now, lies also where it was: there it can only go, and where it is only come.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import kernel
from limen.kernels.coarse import HERE, THERE, coarse_of, coarse_scale
from limen.kernels.object_grid import ARRANGED, LINKED, NOWHERE, cell_of, count_by_cell

EITHER, COMES, GOES = 0, 1, -1  # what can be told of a stream in a place
FEW = 32  # one in so many streams may have gone further than the reach
SAMPLE = 4096


class Moves(NamedTuple):
    """Streams by place, those of a cell after each other; there is room for two places a stream.

    What is looked at of one stream lies together; but coarse numbers, which are compared many at once, by column.
    """

    where: npt.NDArray[np.float64]  # (places, 4): x and y of where it is, x and y of where it was
    who: npt.NDArray[np.int32]  # (places, 3): the stream, its row in the batch, what can be told of it
    coarse: npt.NDArray[np.int16]  # (4, places and LANES more): where it is and was


@kernel
def has_gone_far(old, o, new, n, reach):
    """Tell whether a stream was somewhere else than within the reach of where it is now, or is nowhere."""
    return not (abs(new[n, 0] - old[o, 0]) <= reach and abs(new[n, 1] - old[o, 1]) <= reach)


@kernel
def usual_reach(frame, position, entries, old_point, first):
    """Return how far streams have gone, but for a few, as a sample of them tells; two cells' width at most."""
    reach, sample = 0.125 / max(frame[0, 1], frame[1, 1]), max(len(position) // SAMPLE, 1)
    for _ in range(4):
        far = moved = 0
        for i in range(0, len(position), sample):
            mine = entries[i] - first
            if mine >= 0:
                moved += 1
                far += has_gone_far(old_point, mine, position, i, reach)
        if FEW * far <= moved:
            return reach
        reach *= 2.0
    return reach


@kernel
def arrange_moves(grid, entries, rows, old_point, first, reach, moves):
    """Arrange streams by cells, each with where it is here, where it was there, and what can be told of it."""
    start, position, frame, cells = grid.start, grid.position, grid.frame, grid.cell
    where, who, coarse = moves.where, moves.who, moves.coarse
    here_x, here_y, there_x, there_y = coarse[HERE], coarse[HERE + 1], coarse[THERE], coarse[THERE + 1]
    begin_x, begin_y, scale_x, scale_y = frame[0, 0], frame[1, 0], coarse_scale(frame, 0), coarse_scale(frame, 1)
    count_by_cell(position, frame, cells, start)
    for i in range(len(position)):
        mine = entries[i] - first
        if mine >= 0 and not np.isnan(old_point[mine, 0]) and has_gone_far(old_point, mine, position, i, reach):
            start[cell_of(frame, old_point, mine) + 1] += 1
    for cell in range(start.size - 1):
        start[cell + 1] += start[cell]
    places = start[start.size - 1]
    for i in range(len(position) - 1, -1, -1):
        mine = entries[i] - first
        x, y = position[i, 0], position[i, 1]
        old_x, old_y = x, y
        if mine >= 0:
            old_x, old_y = old_point[mine, 0], old_point[mine, 1]
        far = mine >= 0 and not np.isnan(old_x) and has_gone_far(old_point, mine, position, i, reach)
        for turn in range(2):
            if turn == 0:
                if cells[i] == NOWHERE:
                    continue
                cell = cells[i]
            else:
                if not far:
                    continue
                cell = cell_of(frame, old_point, mine)
            # Filled from the end, so that in the end each cell's place is where it begins.
            start[cell + 1] -= 1
            at = start[cell + 1]
            where[at, 0], where[at, 1], where[at, 2], where[at, 3] = x, y, old_x, old_y
            who[at, 0], who[at, 1], who[at, 2] = i, rows[i], EITHER
            if far:
                who[at, 2] = COMES if turn == 0 else GOES
            here_x[at], here_y[at] = coarse_of(begin_x, scale_x, x), coarse_of(begin_y, scale_y, y)
            there_x[at], there_y[at] = coarse_of(begin_x, scale_x, old_x), coarse_of(begin_y, scale_y, old_y)
    for cell in range(1, start.size):
        start[cell - 1] = start[cell]
    start[start.size - 1] = places
    grid.state[ARRANGED] = 0  # in this way, nobody else can use it
    grid.state[LINKED] = 0
