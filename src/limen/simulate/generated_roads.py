"""A road network of the size and kind of a city's, for where no map is at hand.

A grid of cells, one crossroads somewhere in each, is squeezed towards the middle, as cities are. Streets join
neighbours: main streets across the city, a random tree, so that every place can be reached, and some more that make
blocks of houses. Streets bend at nodes between crossroads, and those that many ways use are the fast ones.
"""

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.simulate.kernels import shortest_paths as roads
from limen.simulate.roads import SIDE, RoadNetwork, road_network

NODES, EDGES = 6_105, 7_035  # of Oldenburg
CLASS_SHARES = np.array([57, 619, 566, 4_312, 706, 673, 102]) / EDGES  # likewise, from class 0 to class 6
CROSSROADS = 0.47  # of the nodes; the others are bends of a street, as 53 % of Oldenburg's nodes are
ASPECT = 0.875  # width of the city by its height
MIDDLE = 0.1  # the smaller, the closer together are streets in the middle, beside those at the rim
MAIN_STREETS = 8  # cells from one main street to the next
ROADS = 3  # added to a seed: separates the random sequence of roads from others
_SAMPLE = 60  # destinations whose routes show which streets are used most


def generated_roads(nodes: int = NODES, edges: int = EDGES, side: float = SIDE, seed: int = 0) -> RoadNetwork:
    """Make a connected, irregular network of streets; size and classes are Oldenburg's by default.

    Parameters
    ----------
    nodes, edges : int
        How many places, at least 10, and roads between them: between one fewer and about a third more.
    side : float
        Metres of the longer side.

    Examples
    --------
    >>> print(generated_roads(nodes=100, edges=115))
    generated: 100 nodes, 115 roads, 108 km
    """
    if nodes < 10:
        raise InvalidInput(where="nodes", expected="10 or more", got=nodes)
    rng = np.random.default_rng((seed, ROADS))
    xy, neighbours, is_main = _crossroads(rng, round(CROSSROADS * nodes))
    bends = nodes - len(xy)
    most = bends + len(neighbours)
    if not nodes - 1 <= edges <= most:
        raise InvalidInput(where="edges", expected=f"{nodes - 1} to {most} for {nodes} nodes", got=edges)
    streets = _streets(rng, xy, neighbours, is_main, edges - bends)
    metres = np.hypot(*(xy[streets[:, 1]] - xy[streets[:, 0]]).T)
    pieces = 1 + rng.multinomial(bends, metres / metres.sum())
    road_class = _classes(rng, RoadNetwork("streets", xy, streets, np.zeros(len(streets), np.int8)), pieces)
    all_xy, ends = _bent(rng, xy, streets, pieces)
    return road_network("generated", all_xy, ends, np.repeat(road_class, pieces), side)


def _crossroads(
    rng: np.random.Generator, count: int
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]:
    """Place crossroads in the cells of a grid that are nearest to its middle.

    Returns the positions, the pairs of neighbours, and which pairs are on one main street.
    """
    # An oval of so many cells, and a little room around it.
    rows = int(1.2 * np.sqrt(count / ASPECT)) + 3
    columns = int(1.2 * np.sqrt(count * ASPECT)) + 3
    cell = np.stack(np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"), axis=-1).reshape(-1, 2)
    middle = np.array([(columns - 1) / 2, (rows - 1) / 2])
    away = np.hypot(*((cell - middle) / [ASPECT, 1.0]).T)
    cell = cell[np.sort(np.argsort(away, kind="stable")[:count])]
    number = np.full((columns + 1, rows + 1), -1, np.int32)
    number[cell[:, 0], cell[:, 1]] = np.arange(count)
    right = np.column_stack([np.arange(count), number[cell[:, 0] + 1, cell[:, 1]]])
    up = np.column_stack([np.arange(count), number[cell[:, 0], cell[:, 1] + 1]])
    neighbours = np.concatenate([right, up])
    line = (cell - middle.astype(int)) % MAIN_STREETS
    is_main = np.concatenate([line[:, 1] == 0, line[:, 0] == 0])
    exist = neighbours[:, 1] >= 0
    # Within the inner part of its cell, so that no street runs into a cell that is not one of its ends'.
    from_middle = cell + rng.uniform(-0.38, 0.38, (count, 2)) - middle
    distance = np.hypot(*from_middle.T)[:, None] / rows
    return from_middle * (MIDDLE + distance**2), neighbours[exist].astype(np.int32), is_main[exist]


def _streets(
    rng: np.random.Generator,
    xy: NDArray[np.float64],
    neighbours: NDArray[np.int32],
    is_main: NDArray[np.bool_],
    count: int,
) -> NDArray[np.int32]:
    """Choose streets among neighbours: main ones, a tree over all nodes, of short ones rather, and more for rings."""
    metres = np.hypot(*(xy[neighbours[:, 1]] - xy[neighbours[:, 0]]).T)
    order = np.lexsort([metres * rng.uniform(0.5, 1.5, len(metres)), ~is_main])
    ordered, main = neighbours[order].tolist(), is_main[order]
    part = list(range(len(xy)))
    built = np.array([_join(part, one, other) for one, other in ordered])
    degree = np.bincount(neighbours[order][built].ravel(), minlength=len(xy))
    # Main streets are not interrupted. Else, most crossroads join three streets and dead ends are common: nodes
    # with two streets get a third before other nodes do.
    missing = count - int(built.sum())
    for only_main, degrees in ((True, {1, 2, 3}), (False, {2}), (False, {1, 2, 3})):
        for street in rng.permutation(np.flatnonzero(~built & (main | (not only_main)))):
            if missing and degrees.issuperset(degree[ordered[street]].tolist()):
                built[street] = True
                degree[ordered[street]] += 1
                missing -= 1
    streets: NDArray[np.int32] = neighbours[order][built]
    return streets


def _join(part: list[int], one: int, other: int) -> bool:
    """Join the parts of two nodes; return whether they were separate. One node of a part represents it."""
    ends = []
    for end in (one, other):
        node = end
        while part[node] != node:
            part[node] = part[part[node]]  # path compression, for later lookups
            node = part[node]
        ends.append(node)
    part[ends[0]] = ends[1]
    return ends[0] != ends[1]


def _classes(rng: np.random.Generator, streets: RoadNetwork, pieces: NDArray[np.int64]) -> NDArray[np.int8]:
    """Give the fast classes to the streets that are on most of the shortest ways, in Oldenburg's shares."""
    nodes, arcs = len(streets.xy), len(streets.heads)
    next_arc, heap_node = np.empty(nodes, np.int32), np.empty(arcs + 1, np.int32)
    time, length, heap_time = np.empty(nodes), np.empty(nodes), np.empty(arcs + 1)
    passing, through = np.zeros(arcs, np.int64), np.empty(nodes, np.int64)
    metres = streets.metres[streets.road]
    for destination in rng.choice(nodes, min(_SAMPLE, nodes), replace=False):
        roads.fastest_to(
            destination, streets.starts, streets.heads, streets.twins, metres, metres,
            next_arc, time, length, heap_time, heap_node,
        )  # fmt: skip
        roads.passers(np.argsort(-time, kind="stable"), next_arc, streets.heads, passing, through)
    used = np.bincount(streets.road, passing)
    order = np.argsort(-used, kind="stable")
    share = np.cumsum(pieces[order]) / pieces.sum()
    road_class = np.empty(len(order), np.int8)
    road_class[order] = np.minimum(np.searchsorted(np.cumsum(CLASS_SHARES), share), len(CLASS_SHARES) - 1)
    return road_class


def _bent(
    rng: np.random.Generator, xy: NDArray[np.float64], streets: NDArray[np.int32], pieces: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Cut streets into pieces that swing a little to one side; return all nodes, and the ends of all pieces."""
    street = np.repeat(np.arange(len(streets)), pieces)
    first_piece = np.cumsum(pieces) - pieces
    step = np.arange(len(street)) - first_piece[street]
    is_bend = step > 0
    number = np.cumsum(is_bend) - 1 + len(xy)
    share = (step / pieces[street])[:, None]
    from_xy, way = xy[streets[street, 0]], xy[streets[street, 1]] - xy[streets[street, 0]]
    aside = np.column_stack([-way[:, 1], way[:, 0]])
    swing = rng.uniform(-0.12, 0.12, len(streets))[street][:, None] * np.sin(np.pi * share)
    bends = (from_xy + share * way + swing * aside)[is_bend]
    one = np.where(is_bend, number, streets[street, 0])
    is_last = step == pieces[street] - 1
    other = np.where(is_last, streets[street, 1], np.roll(number, -1))
    return np.concatenate([xy, bends]), np.column_stack([one, other])
