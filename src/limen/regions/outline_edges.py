"""The edges of an outline as its border has them: horizontal ones put back, and without what cancels.

By the rule for points, edges that lie upon each other an even number of times are no border: on both sides of them it
is the same. So it is with a spike without width, and where a hole touches its shell, or a part another, along an edge.
"""

import numpy as np

from limen.arrays import Floats, Ints
from limen.regions.kernels.exact import side

ALIKE = 1e-14  # of numbers that would be equal but for rounding, and of others, which are then compared exactly


def with_horizontal_edges(edges: Floats, counts: Ints) -> tuple[Floats, Ints]:
    """Put the horizontal edges of closed outlines where the others leave them out.

    At every height, where an odd number of edges end, a horizontal one begins or ends; between the first and the
    second of such places there is one, between the third and the fourth, and so on. What lies twice over each other
    cancels, as it does in the rule for points.

    Examples
    --------
    >>> upright = np.array([[0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 2.0, 1.0]])
    >>> with_horizontal_edges(upright, np.array([2]))[0][2:].tolist()
    [[0.0, 0.0, 2.0, 0.0], [0.0, 1.0, 2.0, 1.0]]
    """
    if not len(counts):
        return np.empty((0, 4)), counts
    owner = np.repeat(np.arange(len(counts)), counts)
    sloped = edges[:, 1] != edges[:, 3]
    edges, owner = without_overlaps(edges[sloped], owner[sloped])
    ends, whose = np.concatenate([edges[:, :2], edges[:, 2:]]), np.tile(owner, 2)
    order = np.lexsort((ends[:, 0], ends[:, 1], whose))
    ends, whose = ends[order], whose[order]
    begins = np.flatnonzero(np.append(True, (ends[1:] != ends[:-1]).any(axis=1) | (whose[1:] != whose[:-1])))
    odd = begins[np.diff(np.append(begins, len(ends))) % 2 == 1]
    if len(odd) % 2 or (ends[odd[::2], 1] != ends[odd[1::2], 1]).any() or (whose[odd[::2]] != whose[odd[1::2]]).any():
        raise ValueError("edges of a polygon that is not closed")
    level = np.concatenate([ends[odd[::2]], ends[odd[1::2]]], axis=1)
    owner = np.concatenate([owner, whose[odd[::2]]])
    order = np.argsort(owner, kind="stable")
    return np.concatenate([edges, level])[order], np.bincount(owner, minlength=len(counts))


def without_overlaps(edges: Floats, owner: Ints) -> tuple[Floats, Ints]:
    """Leave out what lies an even number of times over each other, of edges that rise, and have the rest once.

    Candidates are sorted together by slope and by where their line meets the axis, both up to rounding; whether they
    lie on one line is then decided exactly.

    Examples
    --------
    >>> edges = np.array([[0.0, 0.0, 0.0, 4.0], [0.0, 1.0, 0.0, 3.0]])
    >>> without_overlaps(edges, np.zeros(2, np.int64))[0].tolist()
    [[0.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 4.0]]
    """
    edges, owner = _without_pairs(edges, owner)  # the usual case of it, and the cheap one
    if not len(edges):
        return edges, owner
    with np.errstate(over="ignore", invalid="ignore"):
        slope = (edges[:, 2] - edges[:, 0]) / (edges[:, 3] - edges[:, 1])
        line = _alike(owner, slope, np.abs(slope))
        first = slope[np.unique(line, return_index=True)[1]][line]  # one slope for all that are alike
        along = first * edges[:, 1]
        line = _alike(line, edges[:, 0] - along, _largest_of_each(line, np.abs(edges[:, 0]) + np.abs(along)))
    order = np.lexsort((edges[:, 1], line))
    upon = (line[order[1:]] == line[order[:-1]]) & (edges[order[1:], 1] < edges[order[:-1], 3])
    if not upon.any():
        return edges, owner
    begins = np.flatnonzero(np.append(True, np.diff(line[order]) != 0))
    doubtful = np.zeros(len(edges), np.bool_)
    parts, owners = [], []
    for mine in np.split(order, begins[1:]):
        if not (edges[mine[1:], 1] < edges[mine[:-1], 3]).any():
            continue
        doubtful[mine] = True
        rest = edges[mine]
        while len(rest):
            on_line = np.array([_on_line(rest[0], other) for other in rest])
            parts.append(_disjoint_pieces(rest[on_line]))
            owners.append(np.full(len(parts[-1]), owner[mine[0]]))
            rest = rest[~on_line]
    return np.concatenate([edges[~doubtful], *parts]), np.concatenate([owner[~doubtful], *owners])


def _without_pairs(edges: Floats, owner: Ints) -> tuple[Floats, Ints]:
    """Leave out edges that an outline has twice: of a spike, or between two parts."""
    order = np.lexsort((*edges.T, owner))
    same = (edges[order[1:]] == edges[order[:-1]]).all(axis=1) & (owner[order[1:]] == owner[order[:-1]])
    if not same.any():
        return edges, owner
    begins = np.flatnonzero(np.append(True, ~same))
    odd = np.diff(np.append(begins, len(edges))) % 2 == 1
    kept = np.sort(order[begins[odd]])
    return edges[kept], owner[kept]


def _alike(group: Ints, value: Floats, scale: Floats) -> Ints:
    """Number the groups of values that are alike, within groups; a value without a number is like all such."""
    value, scale = np.nan_to_num(value), np.nan_to_num(scale)
    order = np.lexsort((value, group))
    apart = np.diff(value[order]) > ALIKE * np.maximum(scale[order][1:], scale[order][:-1])
    number = np.empty(len(value), np.int64)
    number[order] = np.cumsum(np.append(0, apart | (np.diff(group[order]) != 0)))
    return number


def _largest_of_each(group: Ints, value: Floats) -> Floats:
    largest = np.zeros(int(group.max()) + 1)
    np.maximum.at(largest, group, np.nan_to_num(value))
    return largest[group]


def _on_line(edge: Floats, other: Floats) -> bool:
    xa, ya, xb, yb = edge
    return bool(side(xa, ya, xb, yb, other[0], other[1]) == 0 and side(xa, ya, xb, yb, other[2], other[3]) == 0)


def _disjoint_pieces(edges: Floats) -> Floats:
    """Cut edges of one line at each other's ends, and return the pieces that an odd number of them cover."""
    ends = np.unique(edges.reshape(-1, 2)[:, ::-1], axis=0)[:, ::-1]  # upwards
    begins = np.searchsorted(ends[:, 1], edges[:, 1])
    stops = np.searchsorted(ends[:, 1], edges[:, 3])
    change = np.zeros(len(ends), np.int64)
    np.add.at(change, begins, 1)
    np.add.at(change, stops, -1)
    covered = np.flatnonzero(np.cumsum(change) % 2 == 1)
    return np.concatenate([ends[covered], ends[covered + 1]], axis=1)
