"""Arrange streams by their moves: one look-up around a query finds all streams that may enter or leave it.

A stream that moved no further than the reach is stored at its new position; look-ups extend by the reach. A stream that
moved further, or is gone, is also stored at its old position: it can only leave there, and only enter at the new one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels._jit import inner_kernel
from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.object_grid import ARRANGED, LINKED, NOWHERE, cell_of, count_by_cell
from limen.queries.answer.kernels.quantized import HERE, THERE, quantize, quantized_scale

EITHER, COMES, GOES = 0, 1, -1  # which changes a stream can cause in a place
FEW = 32  # one in so many streams may have gone further than the reach
SAMPLE = 4096


@by_reference
class MovedStreams(NamedTuple):
    """Streams by place, the streams of a cell consecutively, with room for two places per stream.

    The fields of one stream are adjacent; quantized coordinates are stored by column, to compare many at once.
    """

    where: npt.NDArray[np.float64]  # (places, 4): x and y of where it is, x and y of where it was
    slots_at: npt.NDArray[np.int32]  # (places, 3): the stream, its row in the batch, which changes it can cause
    quantized: npt.NDArray[np.int16]  # (4, places and LANES more): where it is and was


@inner_kernel
def has_gone_far(old, o, new, n, reach):
    """Return whether a stream moved further than the reach, or is gone."""
    return not (abs(new[n, 0] - old[o, 0]) <= reach and abs(new[n, 1] - old[o, 1]) <= reach)


@inner_kernel
def usual_reach(frame, position, entries, old_point, first):
    """Estimate from a sample how far most streams moved; two widths of a cell at most."""
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


@inner_kernel
def arrange_moves(grid, entries, rows, old_point, first, reach, moves):
    """Sort streams by cell, each with its new position, its old position, and the changes it can cause."""
    start, position, frame, cells = grid.start, grid.position, grid.frame, grid.cell
    where, slots_at, quantized = moves.where, moves.slots_at, moves.quantized
    here_x, here_y, there_x, there_y = quantized[HERE], quantized[HERE + 1], quantized[THERE], quantized[THERE + 1]
    begin_x, begin_y, scale_x, scale_y = frame[0, 0], frame[1, 0], quantized_scale(frame, 0), quantized_scale(frame, 1)
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
            slots_at[at, 0], slots_at[at, 1], slots_at[at, 2] = i, rows[i], EITHER
            if far:
                slots_at[at, 2] = COMES if turn == 0 else GOES
            here_x[at], here_y[at] = quantize(begin_x, scale_x, x), quantize(begin_y, scale_y, y)
            there_x[at], there_y[at] = quantize(begin_x, scale_x, old_x), quantize(begin_y, scale_y, old_y)
    for cell in range(1, start.size):
        start[cell - 1] = start[cell]
    start[start.size - 1] = places
    grid.state[ARRANGED] = 0  # this order serves sweeps only
    grid.state[LINKED] = 0
