"""Connected components of a road network, and the fastest ways from all nodes to a destination.

A network is a graph of nodes and arcs; every road is two arcs, one a direction, each other's twin. Arcs are sorted by
the node where they begin: those that leave node n are `[starts[n], starts[n + 1])`.
"""

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.heap import pop, push

NOWHERE = -1  # the arc to take from the destination itself, or from where no way leads to it


@kernel
def components(starts, heads, component, stack):
    """Number the connected components, in the order of their first nodes.

    Parameters
    ----------
    starts, heads : int arrays (nodes + 1,), (arcs,)
        The arcs that leave each node, and where they end.
    component : int array (nodes,)
        Out: the part of each node.
    stack : int array (nodes,)
        Scratch.

    Returns
    -------
    int
        How many there are.
    """
    component[:] = NOWHERE
    count = 0
    for first in range(component.size):
        if component[first] != NOWHERE:
            continue
        component[first] = count
        stack[0] = first
        height = 1
        while height > 0:
            height -= 1
            node = stack[height]
            for arc in range(starts[node], starts[node + 1]):
                other = heads[arc]
                if component[other] == NOWHERE:
                    component[other] = count
                    stack[height] = other
                    height += 1
        count += 1
    return count


@kernel
def fastest_to(destination, starts, heads, twins, seconds, metres, next_arc, time, length, heap_time, heap_node):
    """Find the fastest way to a destination from everywhere: Dijkstra's algorithm, from the destination outwards.

    Both arcs of a road take the same time, so a way found outwards is the way back as well.

    Parameters
    ----------
    destination : int
        A node.
    starts, heads, twins : int arrays (nodes + 1,), (arcs,), (arcs,)
        The arcs that leave each node, where they end, and the same road in the other direction.
    seconds, metres : float arrays (arcs,)
        How long an arc takes, and its length.
    next_arc : int array (nodes,)
        Out: the arc to take from each node; `NOWHERE` at the destination and where no way leads to it.
    time, length : float arrays (nodes,)
        Out: how long the way takes, infinite where there is none, and its length.
    heap_time, heap_node : arrays (arcs + 1,)
        Scratch: an arc makes its end known at most once, when its beginning is settled.
    """
    next_arc[:] = NOWHERE
    time[:] = np.inf
    length[:] = np.inf
    time[destination] = 0.0
    length[destination] = 0.0
    heap_time[0] = 0.0
    heap_node[0] = destination
    size = 1
    while size > 0:
        reached, node = heap_time[0], heap_node[0]
        pop(size, heap_time, heap_node)
        size -= 1
        if reached > time[node]:
            continue  # a faster way was found after this one had been put on the heap
        for arc in range(starts[node], starts[node + 1]):
            other = heads[arc]
            faster = reached + seconds[arc]
            if faster < time[other]:
                time[other] = faster
                length[other] = length[node] + metres[arc]
                next_arc[other] = twins[arc]
                push(faster, other, size, heap_time, heap_node)
                size += 1


@kernel
def passers(farthest_first, next_arc, heads, passing, through):
    """Count over which arcs one object from every node comes to the destination.

    Parameters
    ----------
    farthest_first : int array (nodes,)
        The nodes, sorted so that a node comes before the next one on its way.
    next_arc, heads : int arrays (nodes,), (arcs,)
        The arc to take from each node, as `fastest_to` finds it, and where arcs end.
    passing : int array (arcs,)
        The objects on each arc are added to it.
    through : int array (nodes,)
        Scratch.
    """
    through[:] = 1
    for node in farthest_first:
        arc = next_arc[node]
        if arc != NOWHERE:
            passing[arc] += through[node]
            through[heads[arc]] += through[node]
