"""Test regions that are listed for a stream, or for all of them, one by one: what no cell would make cheaper.

`segment_of` (slots,) is the segment of `entry` that a stream looks at, -1 for none; when it is empty all look at the
only one. Segment g lists rows `entry[segments[g]:segments[g + 1]]`. The other arrays are those of `stored`.
"""

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.geometry import in_box
from limen.regions.kernels.shapes import contains, lives


@inner_kernel
def segment(stream, segment_of):
    """Return the segment of a stream, or -1."""
    if segment_of.size == 0:
        return 0
    return segment_of[stream] if stream < segment_of.size else -1


@kernel
def candidates_crossed(
    moves, segment_of, segments, entry, slot_of, alive,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, first, out_row, out_query,
):  # fmt: skip
    """Find the listed regions whose side changes in moves [first, …); results as in `plain_borders.crossed_plain`."""
    count = 0
    looked = 0
    for i in range(first, moves.size):
        move = moves[i]
        g = segment(move["stream"], segment_of)
        if g < 0:
            continue
        if count + segments[g + 1] - segments[g] > out_query.size:
            return i, count, looked
        looked += segments[g + 1] - segments[g]
        xp, yp, xq, yq = move["x0"], move["y0"], move["x1"], move["y1"]
        for at in range(segments[g], segments[g + 1]):
            row = entry[at]
            was = in_box(box, row, xp, yp)
            now = in_box(box, row, xq, yq)
            if part[row] != 0 and (was or now):
                was = contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, xp, yp)
                now = contains(row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, xq, yq)
            slot = slot_of[row]
            if was != now and lives(slot, alive):
                out_row[count] = move["row"]
                out_query[count] = slot if now else ~slot
                count += 1
    return moves.size, count, looked


@kernel
def candidates_stabbed(
    stream, points_x, points_y, segment_of, segments, entry, slot_of, alive,
    lonlat, box, part, circle, outline, edge, strip_start, strip_edge, first, out_row, out_query,
):  # fmt: skip
    """List the pairs (row, query) with point [first, …) in a listed region; a point with a NaN is in none.

    Returns the first point not done and the number of pairs.
    """
    count = 0
    for i in range(first, stream.size):
        x, y = points_x[i], points_y[i]
        g = segment(stream[i], segment_of)
        if g < 0 or x != x or y != y:
            continue
        if count + segments[g + 1] - segments[g] > out_query.size:
            return i, count
        for at in range(segments[g], segments[g + 1]):
            row = entry[at]
            slot = slot_of[row]
            if lives(slot, alive) and contains(
                row, lonlat, box, part, circle, outline, edge, strip_start, strip_edge, x, y
            ):  # fmt: skip
                out_row[count] = i
                out_query[count] = slot
                count += 1
    return stream.size, count
