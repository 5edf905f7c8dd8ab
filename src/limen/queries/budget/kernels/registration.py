"""Register and remove queries of a shared buffer, restore objects, and look up answers."""

import numpy as np

from limen.kernels._jit import kernel
from limen.queries.answer.kernels.around import NEAREST
from limen.queries.answer.kernels.emit import with_columns
from limen.queries.budget.kernels.areas import find_cells, interest
from limen.queries.budget.kernels.buffer_grid import hide, put_in_cell, show
from limen.queries.budget.kernels.ghost_entries import evict
from limen.queries.budget.kernels.layout import CLOCK, FREE, IN, STORED
from limen.queries.budget.kernels.refresh import MOVED_ON, become, compare, copy_query, renew, take_object


@kernel
def initialize(buffer, some, out):
    """Evaluate new queries, without emitting changes."""
    buffer.accounting.counts[CLOCK] += 1
    now, loose = buffer.accounting.counts[CLOCK], 0
    for at in range(some.size):
        loose, out, _ = renew(buffer, some[at], now, loose, 0, MOVED_ON, out, 0)
    return out


@kernel
def detach_queries(buffer, some, out):
    """Drop the references of queries about to be removed, silently, and evict insignificant objects."""
    queries = buffer.queries
    buffer.accounting.counts[CLOCK] += 1
    now, loose = buffer.accounting.counts[CLOCK], 0
    for at in range(some.size):
        q = some[at]
        copy_query(queries, q)
        hide(buffer, q)
        queries["center"][q, 0] = np.nan
        find_cells(buffer, q)
        loose, out, _ = compare(buffer, q, now, loose, 0, MOVED_ON, out, 0)
    for at in range(loose):
        evict(buffer, buffer.scratch.loose[at])
    return out


@kernel
def lay(buffer):
    """Insert all objects and evaluated queries into an empty grid."""
    queries, objects = buffer.queries, buffer.objects
    for o in range(objects.size):
        if objects[o]["mode"] != FREE and objects[o]["cell"] >= 0:
            put_in_cell(buffer, o)
    for q in range(queries.size - 1):
        if queries[q]["kind"] >= 0 and queries["cells"][q, 0] <= queries["cells"][q, 1]:
            show(buffer, q)


@kernel
def put_objects(buffer, stream, name, points, seen, looked_for, mode):
    """Restore objects before queries are evaluated; `stream` is -1 where it is not known."""
    objects = buffer.objects
    for at in range(stream.size):
        o = take_object(buffer, stream[at])
        become(buffer, o, mode)
        objects[o]["name"], objects[o]["seen"], objects[o]["looked_for"] = name[at], seen[at], looked_for[at]
        for axis in range(points.shape[1]):
            objects["point"][o, axis] = points[at, axis]
        if looked_for[at]:
            put_in_cell(buffer, o)


@kernel
def evict_some(buffer, some):
    """Evict those of some streams that have become insignificant."""
    for at in range(some.size):
        if buffer.streams[some[at]]["object"] >= 0:
            evict(buffer, buffer.streams[some[at]]["object"])


@kernel
def answers_of(buffer, some, out):
    """Find the answers of some queries: columns of a query's place among them and a stream, and how many there are."""
    queries, objects, cells = buffer.queries, buffer.objects, buffer.cells
    count, columns = 0, int(cells.frame[0, 2])
    for at in range(some.size):
        q = some[at]
        if queries[q]["kind"] == NEAREST:
            out = with_columns(out, count, queries[q]["member_count"])
            for place in range(queries[q]["member_first"], queries[q]["member_first"] + queries[q]["member_count"]):
                out[0, count], out[1, count] = at, objects[buffer.members[place]]["stream"]
                count += 1
            continue
        for row in range(queries["cells"][q, 2], queries["cells"][q, 3] + 1):
            for cell in range(row * columns + queries["cells"][q, 0], row * columns + queries["cells"][q, 1] + 1):
                o = cells.head[cell]
                while o >= 0:
                    if objects[o]["mode"] == STORED and interest(buffer, q, o) == IN:
                        out = with_columns(out, count, 1)
                        out[0, count], out[1, count] = at, objects[o]["stream"]
                        count += 1
                    o = objects[o]["after"]
    return count, out
