"""An interval skip list: the ends of intervals in a skip list whose edges are marked with the intervals over them.

A node of height h has an edge to the next node on each of its levels 0 … h - 1: the next node that is as high. An edge
from a to b covers [a, b). An interval marks the edges it covers, unless an edge above it is covered too; so its edges
lie end to end from one of its ends to the other, and a value is under exactly one of them. A search for a value
follows all edges over it, one a level, and collects their marks: that is the answer, and nothing is left to compare.
(The original also marks nodes, since its edges are open at both ends and its intervals may be closed.)

A node is named by the number of its lowest edge, the one of level l has the number node + l. The arrays are
`next_key`, `next_node` by edge, `key`, `height` and `uses` (how many ends there are) by node; marks are the lists of
`extents`, by edge. HEAD is at -inf and TAIL at +inf, both as high as can be.

References ---------- E. N. Hanson, T. Johnson, *Selection Predicate Indexing for Active Databases Using Interval Skip
Lists*, Information Systems 21(3), 1996.
"""

import numpy as np

from limen.kernels._jit import kernel
from limen_lab.rivals.kernels.extents import copy_out

LEVELS = 12  # with a node in four going up a level, for some ten million ends
HEAD = 0
TAIL = LEVELS


@kernel
def link_in_order(keys, heights, next_key, next_node, key, height):
    """Make a list of nodes with rising keys. Writes the nodes of `keys` behind HEAD and TAIL; no edge is marked."""
    last = np.zeros(LEVELS, np.int64)  # the node whose edge of a level leads nowhere yet
    key[HEAD], key[TAIL] = -np.inf, np.inf
    height[HEAD], height[TAIL] = LEVELS, LEVELS
    node = TAIL + LEVELS
    for i in range(keys.size):
        key[node] = keys[i]
        height[node] = heights[i]
        for level in range(heights[i]):
            next_key[last[level] + level] = keys[i]
            next_node[last[level] + level] = node
            last[level] = node
        node += heights[i]
    for level in range(LEVELS):
        next_key[last[level] + level] = np.inf
        next_node[last[level] + level] = TAIL


@kernel
def find_before(x, next_key, next_node, before):
    """Write the last node below x on each level into `before` (LEVELS,), and return the one that follows."""
    node = HEAD
    for level in range(LEVELS - 1, -1, -1):
        while next_key[node + level] < x:
            node = next_node[node + level]
        before[level] = node
    return next_node[node]


@kernel
def find_node(x, next_key, next_node):
    """Find the node of a key that is there."""
    if x == -np.inf:
        return HEAD
    node = HEAD
    level = LEVELS - 1
    while next_key[node + level] != x:
        if next_key[node + level] < x:
            node = next_node[node + level]
        else:
            level -= 1
    return next_node[node + level]


@kernel
def marked_edges(slots, bounds, next_key, next_node, height, first, out_edge, out_slot):
    """List the pairs (edge, slot) of the edges that intervals `slots[first:]` mark; their ends are nodes.

    One that contains nothing marks none. Returns the first interval not done and the number of pairs.
    """
    count = 0
    for i in range(first, slots.size):
        lower, upper = bounds[slots[i], 0, 0], bounds[slots[i], 0, 1]
        if not lower < upper:
            continue
        begin = count
        node = find_node(lower, next_key, next_node)
        level = 0
        at = lower
        while at < upper:
            while level + 1 < height[node] and next_key[node + level + 1] <= upper:
                level += 1
            while next_key[node + level] > upper:
                level -= 1
            if count == out_edge.size:
                return i, begin
            out_edge[count] = node + level
            out_slot[count] = slots[i]
            count += 1
            at = next_key[node + level]
            node = next_node[node + level]
    return slots.size, count


@kernel
def under_edges(points, next_key, next_node, extent, pool, first, out_row, out_slot):
    """List the pairs (row, slot) with point [first, …) inside the interval; points (1, n), a NaN is in none.

    Returns the first row not done and the number of pairs.
    """
    count = 0
    for i in range(first, points.shape[1]):
        x = points[0, i]
        if not x < np.inf:  # nor is infinity itself in any interval
            continue
        begin = count
        node = HEAD
        for level in range(LEVELS - 1, -1, -1):
            edge = node + level
            while next_key[edge] <= x:
                node = next_node[edge]
                edge = node + level
            count = copy_out(edge, extent, pool, count, out_slot)
            if count < 0:
                return i, begin
        for m in range(begin, count):
            out_row[m] = i
    return points.shape[1], count
