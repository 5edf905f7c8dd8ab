"""Refresh a query of a shared buffer: emit the objects that enter and leave its region, update its cache area.

The spare slot holds the previous version of the query, so both are tested alike. An object that was updated in the same
instant is handled by that update; except for nearest queries, which are refreshed last.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel
from limen.kernels.earth import DEGREE
from limen.queries.answer.kernels.around import NEAREST, distance, extent_around
from limen.queries.answer.kernels.emit import emit, with_columns
from limen.queries.answer.kernels.nearest import keep
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.areas import cells_of, is_about, state_of, widen
from limen.queries.budget.kernels.buffer_grid import hide, show, take_out_of_cell

MOVED_ON, SHED_OFF = 0, 1  # why a change is emitted


@inner_kernel
def emit_object(buffer, out, count, q, o, adds, entry, why):
    """Append a change: query, stream, whether it is added, the entry that caused it, the row of the stream, why."""
    out, stream = with_columns(out, count, 1), buffer.objects[o]["stream"]
    out[5, count] = why
    return out, emit(out, count, q, stream, adds, entry, buffer.streams[stream]["row"])


@inner_kernel
def is_chosen(buffer, o, halved):
    """Return whether an object stands for many when it is a ghost, after so many halvings: one in 2 ** halved does."""
    below = (np.uint64(1) << np.uint64(halved)) - np.uint64(1)
    return buffer.objects[o]["name"] & below == 0


@inner_kernel
def count_all_chosen(buffer):
    """Return how many ghosts stand for many."""
    objects, chosen = buffer.objects, 0
    for o in range(objects.size):
        chosen += objects[o]["mode"] == layout.GHOST and is_chosen(buffer, o, buffer.accounting.shedding[layout.HALVED])
    return chosen


@inner_kernel
def counts_ghost(buffer, q, o):
    """Return whether a query counts an object among its ghosts: one with a least accuracy counts all."""
    return buffer.queries[q]["least"] > 0.0 or is_chosen(buffer, o, buffer.accounting.shedding[layout.HALVED])


@inner_kernel
def note(buffer, q, o, where, by):
    """Count that an object comes to where it is for a query, by 1, or goes from there, by -1.

    A query needs no object in the rim of its area; but it misses those objects, and so refers to their ghosts.
    """
    queries, objects, tally = buffer.queries, buffer.objects, buffer.accounting.tally
    if where == layout.RIM and objects[o]["mode"] == layout.STORED:
        queries[q]["rim"] += by
        return
    before = objects[o]["references"]
    objects[o]["references"] = before + by
    if objects[o]["mode"] == layout.STORED:
        queries[q]["stored"] += by
        tally[min(before, tally.size - 1)] -= 1
        tally[min(before + by, tally.size - 1)] += 1
    elif counts_ghost(buffer, q, o):
        queries[q]["shadows"] += by


@inner_kernel
def become(buffer, o, mode):
    """Make an object stored, a ghost or free; call `note` for its queries before and after."""
    objects, count, tally = buffer.objects, buffer.accounting.counts, buffer.accounting.tally
    place = min(objects[o]["references"], tally.size - 1)
    if objects[o]["mode"] == layout.STORED:
        count[layout.OBJECTS] -= 1
        tally[place] -= 1
    elif objects[o]["mode"] == layout.GHOST:
        count[layout.GHOSTS] -= 1
    objects[o]["mode"] = mode
    if mode == layout.STORED:
        count[layout.OBJECTS] += 1
        tally[place] += 1
    elif mode == layout.GHOST:
        count[layout.GHOSTS] += 1


@inner_kernel
def take_object(buffer, stream):
    """Return a free object for a stream, in passing and in no cell."""
    objects, count = buffer.objects, buffer.accounting.counts
    o = count[layout.VACANT]
    count[layout.VACANT] = objects[o]["after"]
    objects[o]["stream"], objects[o]["references"], objects[o]["cell"] = stream, 0, -1
    objects[o]["looked_for"], objects[o]["seen"] = False, 0
    for axis in range(objects["point"].shape[1]):
        objects["point"][o, axis] = np.nan
    if stream >= 0:
        buffer.streams[stream]["object"] = o
        objects[o]["name"] = buffer.name_hashes[stream, 0]
    become(buffer, o, layout.PASSING)
    return o


@inner_kernel
def release(buffer, o):
    """Free an object without references."""
    objects, count = buffer.objects, buffer.accounting.counts
    take_out_of_cell(buffer, o)
    become(buffer, o, layout.FREE)
    if objects[o]["stream"] >= 0:
        buffer.streams[objects[o]["stream"]]["object"] = -1
    objects[o]["after"] = count[layout.VACANT]
    count[layout.VACANT] = o


@inner_kernel
def is_focal(buffer, o):
    """Return whether a query moves with the stream of an object."""
    stream = buffer.objects[o]["stream"]
    return stream >= 0 and buffer.streams[stream]["around"] >= 0


@inner_kernel
def copy_query(queries, q):
    """Copy a query to the spare slot; a query without cells is copied as none."""
    to = queries.size - 1
    queries[to] = queries[q]
    if queries["cells"][q, 1] < queries["cells"][q, 0]:
        queries[to]["kind"] = -1


@inner_kernel
def find_center(buffer, q, now):
    """Set the center of a query that moves to where its focal stream is known to be, or comes to be in this instant."""
    queries, objects = buffer.queries, buffer.objects
    o = buffer.streams[queries[q]["focal"]]["object"]
    known = o >= 0 and (objects[o]["mode"] == layout.STORED or buffer.scratch.touched[o] == now)
    for axis in range(queries["center"].shape[1]):
        queries["center"][q, axis] = objects["point"][o, axis] if known else np.nan


@inner_kernel
def compare(buffer, q, now, loose, entry, why, out, count):
    """Count and emit the differences between a query and its previous version in the last slot."""
    queries, objects, cells = buffer.queries, buffer.objects, buffer.cells
    old, nearest = queries.size - 1, queries[q]["kind"] == NEAREST
    columns = int(cells.frame[0, 2])
    for turn in range(2):
        where = q if turn else old
        left, right = queries["cells"][where, 0], queries["cells"][where, 1]
        for row in range(queries["cells"][where, 2], queries["cells"][where, 3] + 1):
            for cell in range(row * columns + left, row * columns + right + 1):
                o = cells.head[cell]
                while o >= 0:
                    touched = buffer.scratch.touched[o] == now
                    if (not touched or (nearest and turn)) and is_about(buffer, q, objects[o]["stream"]):
                        before = layout.OUT
                        if not touched:
                            before = state_of(buffer, old, objects["point"], o)
                        if (before == layout.OUT) == (turn == 1):
                            after = state_of(buffer, q, objects["point"], o)
                            if after != before:
                                if before != layout.OUT:
                                    note(buffer, q, o, before, -1)
                                if after != layout.OUT:
                                    note(buffer, q, o, after, 1)
                                if objects[o]["references"] == 0 and buffer.scratch.loosened[o] != now:
                                    buffer.scratch.loosened[o] = now
                                    buffer.scratch.loose[loose] = o
                                    loose += 1
                            if (after == layout.IN) != (before == layout.IN) and objects[o]["mode"] == layout.STORED:
                                out, count = emit_object(buffer, out, count, q, o, after == layout.IN, entry, why)
                    o = objects[o]["after"]
    return loose, out, count


@inner_kernel
def wanted_now(queries, q):
    """Return how many of the nearest are wanted: fewer when shedding leaves less than half of the area."""
    return max(math.ceil(queries[q]["wanted"] * min(2.0 * queries[q]["share"], 1.0)), 1)


@inner_kernel
def search(buffer, q, k):
    """Find the k nearest stored objects; their streams are left in `scratch.kept`. Return how many there are."""
    queries, objects, cells, scratch = buffer.queries, buffer.objects, buffer.cells, buffer.scratch
    lonlat, columns = buffer.lonlat, int(cells.frame[0, 2])
    reach = math.sqrt(float(min(k, objects.size))) / cells.frame[0, 1]
    limit = reach * DEGREE if lonlat else reach * reach
    if queries[q]["member_count"] > 0 and 0.0 < queries[q]["limit"] < np.inf:
        limit = 1.5 * queries[q]["limit"]
    part, further = np.empty((1, 4), np.int64), 4.0
    while True:
        extent_around(lonlat, queries["center"], q, limit, scratch.extent)
        cells_of(cells.frame, lonlat, scratch.extent, part, 0)
        whole = part[0, 0] == 0 and part[0, 1] == columns - 1
        whole = whole and part[0, 2] == 0 and part[0, 3] == int(cells.frame[1, 2]) - 1
        count = 0
        for row in range(part[0, 2], part[0, 3] + 1):
            for cell in range(row * columns + part[0, 0], row * columns + part[0, 1] + 1):
                o = cells.head[cell]
                while o >= 0:
                    i = objects[o]["stream"]
                    if objects[o]["mode"] == layout.STORED and is_about(buffer, q, i):
                        far = distance(lonlat, queries["center"], q, objects["point"], o)
                        if far <= limit or whole:
                            count = keep(buffer.names, far, i, k, count, scratch.kept_far, scratch.kept)
                    o = objects[o]["after"]
        if count >= k or whole:
            return count
        limit *= further
        further *= 4.0


@inner_kernel
def renew_nearest(buffer, q, now, loose, entry, why, out, count):
    """Refresh a nearest query at the position of its focal stream."""
    queries, objects, scratch, members = buffer.queries, buffer.objects, buffer.scratch, buffer.members
    copy_query(queries, q)
    hide(buffer, q)
    if queries[q]["focal"] >= 0:
        find_center(buffer, q, now)
    k, found = min(wanted_now(queries, q), scratch.kept.size), 0
    if not np.isnan(queries["center"][q, 0]):
        found = search(buffer, q, k)
    queries[q]["limit"] = scratch.kept_far[0] if found == wanted_now(queries, q) else np.inf
    widen(buffer, q)
    show(buffer, q)
    first, before = queries[q]["member_first"], queries[q]["member_count"]
    for at in range(found):
        buffer.scratch.met[buffer.streams[scratch.kept[at]]["object"]] = 2 * now
    for at in range(first, first + before):
        o = members[at]
        if buffer.scratch.met[o] == 2 * now:
            buffer.scratch.met[o] = 2 * now + 1
        else:
            dropped = objects[o]["mode"] == layout.GHOST
            out, count = emit_object(buffer, out, count, q, o, False, entry, SHED_OFF if dropped else why)
    for at in range(found):
        o = buffer.streams[scratch.kept[at]]["object"]
        if buffer.scratch.met[o] == 2 * now:
            out, count = emit_object(buffer, out, count, q, o, True, entry, MOVED_ON)
        buffer.scratch.met[o] = -1
        members[first + at] = o
    queries[q]["member_count"] = found
    buffer.accounting.counts[layout.MEMBERS] += found - before
    return compare(buffer, q, now, loose, entry, why, out, count)


@inner_kernel
def renew_range(buffer, q, now, loose, entry, why, out, count):
    """Refresh a box, circle or region at the position of its focal stream and with its current share."""
    queries = buffer.queries
    copy_query(queries, q)
    hide(buffer, q)
    if queries[q]["focal"] >= 0:
        find_center(buffer, q, now)
    widen(buffer, q)
    show(buffer, q)
    return compare(buffer, q, now, loose, entry, why, out, count)


@inner_kernel
def renew(buffer, q, now, loose, entry, why, out, count):
    """Refresh a query of any kind."""
    if buffer.queries[q]["kind"] == NEAREST:
        return renew_nearest(buffer, q, now, loose, entry, why, out, count)
    return renew_range(buffer, q, now, loose, entry, why, out, count)
