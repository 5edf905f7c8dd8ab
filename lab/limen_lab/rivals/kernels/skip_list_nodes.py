"""Put nodes into an interval skip list and take them out, and keep every interval's marks as high as they can be.

A node cuts the edges that pass over it. What marks such an edge marks both parts now, or else, since the node has edges
of its own on higher levels, a higher edge that begins or ends at the node; then its marks below that edge go. Taking a
node out is the same backwards. At most one of the sides of a node can be marked higher than the cut edge was, so each
side is looked after alone, level by level, with the intervals that go up (or down) carried along.

Arrays are those of `skip_list`. `bounds` (slots, 1, 2); `before` (LEVELS,), the last node in front of the one in
question on each level; `carried` (slots,) and `stamp` (slots,), all zero, are room to work in.
"""

import numpy as np

from limen.kernels._jit import kernel
from limen_lab.rivals.kernels.extents import LENGTH, START, append, clear, sift
from limen_lab.rivals.kernels.skip_list import HEAD, find_before

NO_NODE = -1


@kernel
def unmark(node, stop, level, next_node, carried, count, stamp, extent, pool):
    """Take the first `count` of `carried` off the edges of a level from a node to another."""
    for c in range(count):
        stamp[carried[c]] = 1
    while node != stop:
        sift(node + level, stamp, extent, pool)
        node = next_node[node + level]
    for c in range(count):
        stamp[carried[c]] = 0


@kernel
def mark_right(node, height, before, bounds, next_key, next_node, carried, stamp, extent, grade, free, pool):
    """Mark the edges out of a new node with what marks the cut edges; returns the pool."""
    count = 0
    for level in range(height):
        cut = before[level] + level
        higher = next_key[node + level + 1] if level + 1 < height else np.nan
        carrying = 0
        for c in range(count + extent[cut, LENGTH]):
            slot = carried[c] if c < count else pool[extent[cut, START] + c - count]
            if bounds[slot, 0, 1] >= higher:  # never, when there is no higher edge
                carried[carrying] = slot
                carrying += 1
            else:
                pool = append(node + level, slot, extent, grade, free, pool)
        count = carrying
        if count:
            stop = next_node[node + level + 1]
            unmark(next_node[node + level], stop, level, next_node, carried, count, stamp, extent, pool)
    return pool


@kernel
def mark_left(height, before, bounds, key, next_node, carried, stamp, extent, grade, free, pool):
    """Mark the edges into a new node with what marks the cut edges, which become them; returns the pool."""
    count = 0
    for level in range(height):
        cut = before[level] + level
        higher = key[before[level + 1]] if level + 1 < height else np.nan
        came = count
        kept = extent[cut, START]
        for m in range(extent[cut, START], extent[cut, START] + extent[cut, LENGTH]):
            slot = pool[m]
            if bounds[slot, 0, 0] <= higher:
                carried[count] = slot
                count += 1
            else:
                pool[kept] = slot
                kept += 1
        extent[cut, LENGTH] = kept - extent[cut, START]
        carrying = 0
        for c in range(count):
            slot = carried[c]
            if c >= came or bounds[slot, 0, 0] <= higher:
                carried[carrying] = slot
                carrying += 1
            else:
                pool = append(cut, slot, extent, grade, free, pool)
        count = carrying
        if count:
            unmark(before[level + 1], before[level], level, next_node, carried, count, stamp, extent, pool)
    return pool


@kernel
def insert_nodes(
    slots, bounds, heights, next_key, next_node, key, height, uses, unused,
    before, carried, stamp, extent, grade, free, pool,
):  # fmt: skip
    """Make nodes of the ends of intervals; returns the pool.

    An end that is a node already is counted there. `heights` (2 slots.size,) are those of new nodes, of which none is
    kept for later; `unused` (LEVELS + 2,) has the first unused node of each height and, at 0, the end of the edges.
    """
    for i in range(2 * slots.size):
        slot = slots[i >> 1]
        x = bounds[slot, 0, i & 1]
        if not bounds[slot, 0, 0] < bounds[slot, 0, 1]:
            continue
        node = HEAD
        if x > -np.inf:
            node = find_before(x, next_key, next_node, before)
            if key[node] != x:
                high = heights[i]
                node = unused[high]
                if node != NO_NODE:
                    unused[high] = next_node[node]
                else:
                    node = unused[0]
                    unused[0] += high
                key[node] = x
                height[node] = high
                uses[node] = 0
                for level in range(high):
                    next_key[node + level] = next_key[before[level] + level]
                    next_node[node + level] = next_node[before[level] + level]
                pool = mark_right(
                    node, high, before, bounds, next_key, next_node, carried, stamp, extent, grade, free, pool
                )
                pool = mark_left(high, before, bounds, key, next_node, carried, stamp, extent, grade, free, pool)
                for level in range(high):
                    next_key[before[level] + level] = x
                    next_node[before[level] + level] = node
        uses[node] += 1
    return pool


@kernel
def lower_marks(node, before, bounds, next_key, key, next_node, carried, level, counts, extent, grade, free, pool):
    """Bring down, from a level to the one below, what marks an edge beside a node and will not when it is gone.

    `carried` (2, slots) and `counts` (2,) are what has been brought down so far on either side; returns the pool. What
    stays on the level is left on the edge into the node.
    """
    into = before[level] + level
    beyond = next_key[node + level]
    came = counts[0]
    kept = extent[into, START]
    for m in range(extent[into, START], extent[into, START] + extent[into, LENGTH]):
        slot = pool[m]
        if bounds[slot, 0, 1] < beyond:
            carried[0, counts[0]] = slot
            counts[0] += 1
        else:
            pool[kept] = slot
            kept += 1
    extent[into, LENGTH] = kept - extent[into, START]
    carrying = 0
    for c in range(counts[0]):
        slot = carried[0, c]
        if c >= came or bounds[slot, 0, 1] < beyond:
            carried[0, carrying] = slot
            carrying += 1
        else:
            pool = append(into, slot, extent, grade, free, pool)
    counts[0] = carrying
    carrying = 0
    for c in range(counts[1] + extent[node + level, LENGTH]):
        slot = carried[1, c] if c < counts[1] else pool[extent[node + level, START] + c - counts[1]]
        if bounds[slot, 0, 0] > key[before[level]]:
            carried[1, carrying] = slot
            carrying += 1
    counts[1] = carrying
    for side in range(2):
        if counts[side]:
            at = before[level] if side == 0 else next_node[node + level - 1]
            stop = before[level - 1] if side == 0 else next_node[node + level]
            while at != stop:
                for c in range(counts[side]):
                    pool = append(at + level - 1, carried[side, c], extent, grade, free, pool)
                at = next_node[at + level - 1]
    return pool


@kernel
def remove_nodes(
    slots, bounds, next_key, next_node, key, height, uses, unused, before, carried, extent, grade, free, pool
):
    """Take out the nodes that were ends of these intervals only; their marks are gone already. Returns the pool.

    `carried` is (2, slots) here.
    """
    counts = np.zeros(2, np.int64)
    for i in range(2 * slots.size):
        slot = slots[i >> 1]
        x = bounds[slot, 0, i & 1]
        if not bounds[slot, 0, 0] < bounds[slot, 0, 1]:
            continue
        node = find_before(x, next_key, next_node, before) if x > -np.inf else HEAD
        uses[node] -= 1
        if uses[node] or abs(x) == np.inf:
            continue
        counts[:] = 0
        for level in range(height[node] - 1, -1, -1):
            pool = lower_marks(
                node, before, bounds, next_key, key, next_node, carried, level, counts, extent, grade, free, pool
            )
        for level in range(height[node]):
            clear(node + level, extent, grade, free, pool)
            next_key[before[level] + level] = next_key[node + level]
            next_node[before[level] + level] = next_node[node + level]
        next_node[node] = unused[height[node]]
        unused[height[node]] = node
    return pool
