"""Search the k nearest points of a grid, and emit the changes since the last search.

The candidates are a heap with the furthest point at its top, ordered by distance and, for equal distances, by id.
"""

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.kernels.earth import DEGREE
from limen.kernels.text import precedes
from limen.queries.answer.kernels.around import distance, extent_around
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.object_grid import SOMEWHERE, collect

FEW_TOO_MANY = 32


@inner_kernel
def is_closer(names, far, i, other_far, j):
    """Return whether point i, at the distance `far`, is closer than point j at `other_far`."""
    if far != other_far:
        return far < other_far
    return precedes(names.starts, names.text, i, j)


@inner_kernel
def keep(names, far, i, k, count, kept_far, kept):
    """Add a point to the k nearest so far if it belongs to them, and return the new count."""
    if count < k:
        at = count
        count += 1
        while at > 0:
            parent = (at - 1) >> 1
            if not is_closer(names, kept_far[parent], kept[parent], far, i):
                break
            kept_far[at], kept[at] = kept_far[parent], kept[parent]
            at = parent
    else:
        if not is_closer(names, far, i, kept_far[0], kept[0]):
            return count
        at = 0
        while 2 * at + 1 < count:
            child = 2 * at + 1
            if child + 1 < count and is_closer(
                names, kept_far[child], kept[child], kept_far[child + 1], kept[child + 1]
            ):
                child += 1
            if not is_closer(names, far, i, kept_far[child], kept[child]):
                break
            kept_far[at], kept[at] = kept_far[child], kept[child]
            at = child
    kept_far[at], kept[at] = far, i
    return count


@inner_kernel
def furthest_of(names, count, kept_far, kept):
    """Return the place of the furthest candidate; there must be at least one."""
    furthest, far = 0, kept_far[0]
    for at in range(1, count):
        if kept_far[at] < far:
            continue
        if kept_far[at] > far or precedes(names.starts, names.text, kept[furthest], kept[at]):
            furthest, far = at, kept_far[at]
    return furthest


@inner_kernel
def leave_nearest(names, k, count, kept_far, kept):
    """Reduce candidates to the k nearest, in any order but the furthest first; return the new count.

    Mostly there are only a few too many, and searching for these is faster than making a heap.
    """
    if count - k > FEW_TOO_MANY:
        many, count = count, 0
        for at in range(many):
            count = keep(names, kept_far[at], kept[at], k, count, kept_far, kept)
        return count
    while count > k:
        furthest = furthest_of(names, count, kept_far, kept)
        count -= 1
        kept_far[furthest], kept[furthest] = kept_far[count], kept[count]
    if count > 0:
        furthest = furthest_of(names, count, kept_far, kept)
        far, i = kept_far[furthest], kept[furthest]
        kept_far[furthest], kept[furthest] = kept_far[0], kept[0]
        kept_far[0], kept[0] = far, i
    return count


@inner_kernel
def is_nowhere(grid, i):
    """Return whether a point has no position."""
    return np.isnan(grid.position[i, 0])


@inner_kernel
def keep_some(names, center, q, k, focal, limit, whole, found, lonlat, scratch):
    """Keep the k nearest of the points found, within a limit or at any distance; return their number."""
    slots_at, here, kept_far, kept, count = scratch.found, scratch.found_here, scratch.kept_far, scratch.kept, 0
    for at in range(found):
        if slots_at[at] != focal:
            far = distance(lonlat, center, q, here, at)
            if far <= limit or whole:
                count = keep(names, far, slots_at[at], k, count, kept_far, kept)
    return count


@inner_kernel
def listed_somewhere(queries, grid, listed, q, scratch):
    """Find the points that a query lists and that have a position, and return their number."""
    count, first, found, here = 0, queries.listed_first[q], scratch.found, scratch.found_here
    for at in range(first, first + queries.listed_count[q]):
        i = listed.stream[at]
        if not is_nowhere(grid, i):
            found[count] = i
            for c in range(here.shape[1]):
                here[count, c] = grid.position[i, c]
            count += 1
    return count


@inner_kernel
def search(grid, queries, q, listed, names, lonlat, scratch):
    """Search the nearest streams of a query with a known center into `scratch.kept`; return how many there are.

    Looks a little further than the furthest member was, and further and further until there are enough.
    """
    k, focal, center = queries.wanted[q], queries.focal[q], queries.center
    if queries.listed_count[q] >= 0:
        found = listed_somewhere(queries, grid, listed, q, scratch)
        return keep_some(names, center, q, k, focal, 0.0, True, found, lonlat, scratch)
    limit, further = queries.limit[q], 4.0
    if queries.member_count[q] == k and 0.0 < limit < np.inf:
        limit *= 1.5
    else:
        # As far as holds k points if they lie as densely as they would, evenly spread over the frame.
        reach = np.sqrt(float(min(k, len(grid.position)))) / grid.frame[0, 1]
        limit = reach * DEGREE if lonlat else reach * reach
    while True:
        extent_around(lonlat, center, q, limit, scratch.extent)
        found = collect(grid, scratch.extent, lonlat, scratch.columns, scratch.found, scratch.found_here)
        whole = found == grid.state[SOMEWHERE]
        count = keep_some(names, center, q, k, focal, limit, whole, found, lonlat, scratch)
        if count >= k or whole:
            return count
        limit *= further
        further *= 4.0  # ever faster, for a center may be very far away


@inner_kernel
def take_nearest(queries, members, q, found, entry, scratch, out, count):
    """Replace the members of a query by the streams kept; emit the streams added and removed."""
    first, before = queries.member_first[q], queries.member_count[q]
    kept, met, rows = scratch.kept, scratch.met, scratch.row
    scratch.clock[0] += 2
    now = scratch.clock[0]
    for at in range(found):
        met[kept[at]] = now
    out = with_columns(out, count, before + found)
    for at in range(first, first + before):
        i = members[at]
        if met[i] == now:
            met[i] = now + 1
        else:
            count = emit(out, count, q, i, False, entry, rows[i])
    for at in range(found):
        i = kept[at]
        if met[i] == now:
            count = emit(out, count, q, i, True, entry, rows[i])
        members[first + at] = i
    scratch.clock[0] += 1
    queries.member_count[q] = found
    queries.limit[q] = scratch.kept_far[0] if found == queries.wanted[q] else np.inf
    return count, out


@inner_kernel
def look_for_nearest(queries, grid, members, listed, names, q, entry, lonlat, scratch, out, count):
    """Search the nearest streams of a query again, emit the differences, and store the members."""
    found = 0
    if not np.isnan(queries.center[q, 0]):
        found = search(grid, queries, q, listed, names, lonlat, scratch)
    return take_nearest(queries, members, q, found, entry, scratch, out, count)
