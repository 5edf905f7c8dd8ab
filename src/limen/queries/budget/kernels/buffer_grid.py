"""The grid of a shared buffer: objects in cells, and queries in all cells that they reach into."""

from limen.kernels._jit import inner_kernel
from limen.queries.answer.kernels.linked_lists import push, unlink
from limen.queries.answer.kernels.object_grid import cell_of
from limen.queries.budget.kernels.areas import find_cells
from limen.queries.budget.kernels.layout import CELL_ENTRIES, EVERYWHERE, IN_CELLS, NOWHERE

LARGEST_PART = 4  # a query in more than one in so many of the cells is found everywhere instead


@inner_kernel
def put_in_cell(buffer, o):
    """Put an object into the cell of its point."""
    objects, cells = buffer.objects, buffer.cells
    objects[o]["cell"] = cell_of(cells.frame, objects["point"], o)
    push(cells.head, objects["after"], objects["before"], objects[o]["cell"], o)


@inner_kernel
def take_out_of_cell(buffer, o):
    """Take an object out of its cell, if it is in one."""
    objects = buffer.objects
    if objects[o]["cell"] >= 0:
        unlink(buffer.cells.head, objects["after"], objects["before"], objects[o]["cell"], o)
        objects[o]["cell"] = -1


@inner_kernel
def cells_of_query(queries, q):
    """Return the first and last column, and the first and last row, of the cells that a query reaches into."""
    cells = queries["cells"]
    return cells[q, 0], cells[q, 1], cells[q, 2], cells[q, 3]


@inner_kernel
def show(buffer, q):
    """Insert a query into the cells that it overlaps, or into the list of all cells if these are too many."""
    queries, cells = buffer.queries, buffer.cells
    find_cells(buffer, q)
    left, right, low, high = cells_of_query(queries, q)
    if right < left:
        return
    needed = (right - left + 1) * (high - low + 1)
    columns, everywhere = int(cells.frame[0, 2]), cells.query_head.size - 1
    if needed * LARGEST_PART > everywhere + LARGEST_PART or needed > cells.vacant[1]:
        push(cells.query_head, queries["after"], queries["before"], everywhere, q)
        queries[q]["found"] = EVERYWHERE
        return
    for row in range(low, high + 1):
        for cell in range(row * columns + left, row * columns + right + 1):
            entry = cells.vacant[0]
            cells.vacant[0] = cells.entries[entry]["after"]
            cells.entries[entry]["query"], cells.entries[entry]["after"] = q, cells.query_head[cell]
            cells.query_head[cell] = entry
    cells.vacant[1] -= needed
    buffer.accounting.counts[CELL_ENTRIES] += needed
    queries[q]["found"] = IN_CELLS


@inner_kernel
def hide(buffer, q):
    """Remove a query from its cells."""
    queries, cells = buffer.queries, buffer.cells
    if queries[q]["found"] == EVERYWHERE:
        unlink(cells.query_head, queries["after"], queries["before"], cells.query_head.size - 1, q)
    elif queries[q]["found"] == IN_CELLS:
        left, right, low, high = cells_of_query(queries, q)
        columns = int(cells.frame[0, 2])
        for row in range(low, high + 1):
            for cell in range(row * columns + left, row * columns + right + 1):
                entry, before = cells.query_head[cell], -1
                while cells.entries[entry]["query"] != q:
                    before, entry = entry, cells.entries[entry]["after"]
                if before >= 0:
                    cells.entries[before]["after"] = cells.entries[entry]["after"]
                else:
                    cells.query_head[cell] = cells.entries[entry]["after"]
                cells.entries[entry]["after"] = cells.vacant[0]
                cells.vacant[0] = entry
                cells.vacant[1] += 1
                buffer.accounting.counts[CELL_ENTRIES] -= 1
    queries[q]["found"] = NOWHERE


@inner_kernel
def first_query(buffer, cell):
    """Return where to begin to look for the queries of a cell: an entry, or past all of them -2 - q."""
    entry = buffer.cells.query_head[cell]
    return entry if entry >= 0 else first_everywhere(buffer)


@inner_kernel
def first_everywhere(buffer):
    """Return the first query that is found everywhere, as -2 - q; -1 if there is none."""
    head = buffer.cells.query_head
    q = head[head.size - 1]
    return -1 if q < 0 else -2 - q


@inner_kernel
def query_at(buffer, place):
    """Return the query at a place of `first_query` or `next_query`."""
    return buffer.cells.entries[place]["query"] if place >= 0 else -2 - place


@inner_kernel
def next_query(buffer, place):
    """Return the place after a place; -1 for none."""
    if place >= 0:
        entry = buffer.cells.entries[place]["after"]
        return entry if entry >= 0 else first_everywhere(buffer)
    q = buffer.queries[-2 - place]["after"]
    return -1 if q < 0 else -2 - q
