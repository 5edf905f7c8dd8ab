"""Find the regions that moves pass through from outside to outside.

Candidates are regions whose lower left corner is in a cell from which they can reach the way: the cells of `stabbing`
over the way's bounds, and one more to the left and below. Every region is listed there once.
"""

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.candidates import segment
from limen.regions.kernels.cells import cell_at, number_of
from limen.regions.kernels.segments import MEETS, MISSES, segment_meets
from limen.regions.kernels.shapes import contains, lives


@inner_kernel
def passes(
    row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x0, y0, x1, y1
):  # fmt: skip
    """Return whether a way begins and ends outside a region and meets it: MEETS, MISSES or DOUBTFUL."""
    if max(x0, x1) < box[row, 0] or min(x0, x1) >= box[row, 1]:
        return MISSES
    if max(y0, y1) < box[row, 2] or min(y0, y1) >= box[row, 3]:
        return MISSES
    if contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x0, y0) or contains(
        row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x1, y1
    ):
        return MISSES
    return segment_meets(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x0, y0, x1, y1)


@kernel
def passed(
    moves, cells_a_unit, block, start, entry, slot_of, alive,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, first, out_row, out_query,
):  # fmt: skip
    """List the pairs (row, query) of moves [first, …) that pass through the query's region; ~query where in doubt.

    Arrays are those of `stabbing.stabbed`, moves those of `moves`. Where a way spans more cells than there are entries,
    all entries are tried. Returns the first move not done and the number of pairs.
    """
    count = 0
    for i in range(first, moves.size):
        move = moves[i]
        x0, y0, x1, y1 = move["x0"], move["y0"], move["x1"], move["y1"]
        begin = count
        # The first level has the smallest cells: where they are more than entries, so nearly are all.
        wide = float(cell_at(max(x0, x1), cells_a_unit[0]) - cell_at(min(x0, x1), cells_a_unit[0]) + 2)
        high = float(cell_at(max(y0, y1), cells_a_unit[0]) - cell_at(min(y0, y1), cells_a_unit[0]) + 2)
        everything = wide * high > entry.size
        for level in range(1 if everything else cells_a_unit.size):
            left, right = cell_at(min(x0, x1), cells_a_unit[level]) - 1, cell_at(max(x0, x1), cells_a_unit[level])
            bottom, top = cell_at(min(y0, y1), cells_a_unit[level]) - 1, cell_at(max(y0, y1), cells_a_unit[level])
            columns = right - left + 1
            for cell in range(1 if everything else columns * (top - bottom + 1)):
                head, tail = 0, entry.size
                if not everything:
                    c = number_of(block, left + cell % columns, bottom + cell // columns, level)
                    if c < 0:
                        continue
                    head, tail = start[c], start[c + 1]
                if count + tail - head > out_query.size:
                    return i, begin
                for at in range(head, tail):
                    slot = slot_of[entry[at]]
                    how = passes(
                        entry[at], lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x0, y0, x1, y1
                    )  # fmt: skip
                    if how != MISSES and lives(slot, alive):
                        out_row[count] = move["row"]
                        out_query[count] = slot if how == MEETS else ~slot
                        count += 1
    return moves.size, count


@kernel
def candidates_passed(
    moves, segment_of, segments, entry, slot_of, alive,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, first, out_row, out_query,
):  # fmt: skip
    """List the same among regions that are listed for a stream, or for all of them; see `candidates`."""
    count = 0
    for i in range(first, moves.size):
        move = moves[i]
        g = segment(move["stream"], segment_of)
        if g < 0:
            continue
        if count + segments[g + 1] - segments[g] > out_query.size:
            return i, count
        for at in range(segments[g], segments[g + 1]):
            slot = slot_of[entry[at]]
            how = passes(
                entry[at], lonlat, box, part, circle, outline, edge, strip_start, strip_edge,
                move["x0"], move["y0"], move["x1"], move["y1"],
            )  # fmt: skip
            if how != MISSES and lives(slot, alive):
                out_row[count] = move["row"]
                out_query[count] = slot if how == MEETS else ~slot
                count += 1
    return moves.size, count
