"""Move objects through a road network: choose destinations, drive, and compute positions.

An object is on an arc, some metres along it, and follows the arcs that lead to its destination. Roads and arcs are
those of `kernels.roads`.
"""

import numpy as np

from limen.kernels._jit import kernel


@kernel
def destinations_at(start, preferred, lengths, out):
    """Choose the destination whose way is nearest in length to the one preferred, but never the start itself.

    Parameters
    ----------
    start : int array (n,)
        The node where each object begins.
    preferred : float array (n,)
        Metres it would like to go.
    lengths : float array (nodes, destinations)
        Metres from each node to each destination; at least one of every row is above nothing.
    out : int array (n,)
        Out: the number of the destination.
    """
    for i in range(start.size):
        best = np.inf
        for number in range(lengths.shape[1]):
            length = lengths[start[i], number]
            if length > 0.0 and abs(length - preferred[i]) < best:
                best = abs(length - preferred[i])
                out[i] = number


@kernel
def drive(objects, seconds, pace, toward, arc, along, heads, metres, limits, next_arc, gates, arrived):
    """Move objects along their ways, over as many arcs as their time allows; they stop at their destinations.

    Parameters
    ----------
    objects : int array (n,)
        Those that move, as numbers into the arrays of all objects.
    seconds : float array (n,)
        How long they move; out: what was left when they arrived, nothing for all others.
    pace, toward : float and int arrays (objects,)
        Metres a second on the fastest of roads, and the number of the destination.
    arc, along : int and float arrays (objects,)
        Where they are: the arc, and metres along it; updated.
    heads, metres, limits : arrays (arcs,)
        Where arcs end, their length, and how fast one goes there as a fraction of `pace`.
    next_arc : int array (destinations, nodes)
        The arc to take from a node to a destination.
    gates : int array (destinations,)
        The nodes of the destinations.
    arrived : bool array (n,)
        Out: whether they did.
    """
    for i in range(objects.size):
        k = objects[i]
        a = arc[k]
        at = along[k]
        left = seconds[i]
        arrived[i] = False
        while True:
            speed = pace[k] * limits[a]
            needed = (metres[a] - at) / speed
            if needed > left:
                at += left * speed
                left = 0.0
                break
            left -= needed
            node = heads[a]
            if node == gates[toward[k]]:
                at = metres[a]
                arrived[i] = True
                break
            a = next_arc[toward[k], node]
            at = 0.0
        arc[k] = a
        along[k] = at
        seconds[i] = left


@kernel
def places(objects, arc, along, tails, heads, metres, xy, x, y):
    """Compute the positions of objects, on the straight line of their arc.

    Parameters
    ----------
    objects : int array (n,)
        Numbers into the arrays of all objects.
    arc, along : int and float arrays (objects,)
        The arc of each object, and metres along it.
    tails, heads, metres : arrays (arcs,)
        The nodes between which arcs go, and their length.
    xy : float array (nodes, 2)
        Where the nodes are.
    x, y : float arrays (n,)
        Out: where the objects are.
    """
    for i in range(objects.size):
        k = objects[i]
        a = arc[k]
        share = min(along[k] / metres[a], 1.0)
        x[i] = xy[tails[a], 0] + share * (xy[heads[a], 0] - xy[tails[a], 0])
        y[i] = xy[tails[a], 1] + share * (xy[heads[a], 1] - xy[tails[a], 1])
