"""A road network: places, the roads between them, and how fast each road is.

Objects must be able to reach every place, so a network is one connected whole: what does not hang together with its
largest part is left out, counted, and never left out in silence.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.simulate.kernels import shortest_paths as roads

SIDE = 15_000.0  # metres: the Oldenburg of the papers is 15 km by 15 km

SMALLEST, LARGEST = 1.0, 10_000_000.0  # metres of a city's longer side, at the least and at the most
TOO_FAR = 1e100  # beyond that, lengths are no numbers

# How fast one goes on the roads of each class, 0 to 6, as a fraction of an object's speed on the fastest: from the
# motorway to the lane. Only the order is given with the data; the fractions are ours.
CLASS_SPEEDS = np.array([1.0, 0.85, 0.7, 0.55, 0.45, 0.35, 0.25])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Counts of the given nodes and roads that a network leaves out.

    Examples
    --------
    >>> print(LeftOut(isolated_nodes=2, roads_without_length=1))
    2 isolated nodes, 1 road without length
    >>> print(LeftOut())
    nothing
    """

    isolated_nodes: int = 0
    remote_nodes: int = 0
    remote_roads: int = 0
    roads_without_length: int = 0

    def __str__(self) -> str:
        parts = (
            (self.isolated_nodes, "isolated node", ""),
            (self.remote_nodes, "node", " not connected with the rest"),
            (self.remote_roads, "road", " not connected with the rest"),
            (self.roads_without_length, "road", " without length"),
        )
        texts = [f"{count:,} {what}{'s' * (count != 1)}{which}" for count, what, which in parts if count]
        return ", ".join(texts) or "nothing"


@dataclass(frozen=True, eq=False)
class RoadNetwork:
    """Nodes and the straight roads between them, connected, in metres from the lower left corner.

    Made by `road_network`, `read_roads`, `generated_roads` and `city_roads`.

    Attributes
    ----------
    xy : float array (nodes, 2)
        Where nodes are, in metres.
    ends : int array (roads, 2)
        The two nodes of each road; roads go both ways.
    road_class : int array (roads,)
        From 0, the fastest, to 6, the slowest.
    left_out : LeftOut
        What of the input is not in it.
    metres : float array (roads,)
        How long roads are.
    starts, tails, heads, twins, road : int arrays
        The same roads as arcs, one a direction, sorted by the node where they begin: those that leave node n are
        `[starts[n], starts[n + 1])`. Of each arc, the nodes between which it goes, the arc back, and its road.
    """

    name: str
    xy: NDArray[np.float64]
    ends: NDArray[np.int32]
    road_class: NDArray[np.int8]
    left_out: LeftOut = field(default_factory=LeftOut)
    metres: NDArray[np.float64] = field(init=False)
    starts: NDArray[np.int32] = field(init=False)
    tails: NDArray[np.int32] = field(init=False)
    heads: NDArray[np.int32] = field(init=False)
    twins: NDArray[np.int32] = field(init=False)
    road: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.ends)
        tails = self.ends.T.ravel()
        order = np.argsort(tails, kind="stable").astype(np.int32)
        place = np.empty_like(order)
        place[order] = np.arange(2 * count, dtype=np.int32)
        put = object.__setattr__
        put(self, "metres", np.hypot(*(self.xy[self.ends[:, 1]] - self.xy[self.ends[:, 0]]).T))
        put(self, "starts", np.searchsorted(tails[order], np.arange(len(self.xy) + 1)).astype(np.int32))
        put(self, "tails", tails[order])
        put(self, "heads", self.ends[:, ::-1].T.ravel()[order])
        put(self, "twins", place[(order + count) % (2 * count)] if count else order)
        put(self, "road", order % max(count, 1))

    @property
    def extent(self) -> NDArray[np.float64]:
        """The upper right corner, in metres."""
        corner: NDArray[np.float64] = self.xy.max(axis=0)
        return corner

    def __str__(self) -> str:
        kilometres = self.metres.sum() / 1000
        return f"{self.name}: {len(self.xy):,} nodes, {len(self.ends):,} roads, {kilometres:,.0f} km"


def road_network(
    name: str,
    xy: NDArray[np.float64],
    ends: NDArray[np.integer],
    road_class: NDArray[np.integer],
    side: float = SIDE,
) -> RoadNetwork:
    """Make a network of the largest connected part, its longer side scaled to `side` metres.

    The arrays are those of `RoadNetwork`, with positions in any unit; the shorter side keeps its proportion.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [0.0, 3.0], [4.0, 3.0], [9.0, 9.0]])
    >>> network = road_network("corner", corners, np.array([[0, 1], [1, 2]]), np.array([0, 3]), side=400.0)
    >>> print(network)
    corner: 3 nodes, 2 roads, 1 km
    >>> network.metres.tolist(), str(network.left_out)
    ([300.0, 400.0], '1 isolated node')
    """
    if not SMALLEST <= side <= LARGEST:
        raise InvalidInput(where="side", expected=f"metres, from {SMALLEST:,.0f} to {LARGEST:,.0f}", got=side)
    if not np.abs(xy).max(initial=0.0) < TOO_FAR:
        raise InvalidInput(where=name, expected=f"coordinates below {TOO_FAR:g}", got=f"{np.abs(xy).max():g}")
    long = (xy[ends[:, 0]] != xy[ends[:, 1]]).any(axis=1)
    whole = RoadNetwork(name, xy, ends[long].astype(np.int32), road_class[long].astype(np.int8))
    if not len(whole.ends):
        raise InvalidInput(where=name, expected="a road between two places", got=f"{len(ends)} roads, none with length")
    part = np.empty(len(xy), np.int32)
    roads.components(whole.starts, whole.heads, part, np.empty(len(xy), np.int32))
    isolated = np.diff(whole.starts) == 0
    node_kept = part == np.argmax(np.bincount(part))
    road_kept = node_kept[whole.ends[:, 0]]
    number = np.cumsum(node_kept) - 1
    left_out = LeftOut(
        isolated_nodes=int(isolated.sum()),
        remote_nodes=int((~node_kept & ~isolated).sum()),
        remote_roads=int((~road_kept).sum()),
        roads_without_length=int((~long).sum()),
    )
    kept = xy[node_kept] - xy[node_kept].min(axis=0)
    extent = float(kept.max())
    if extent < 1 / TOO_FAR:
        raise InvalidInput(where=name, expected="places apart from each other", got=f"{extent} from end to end")
    scaled = kept * (side / extent)
    return RoadNetwork(
        name, scaled, number[whole.ends[road_kept]].astype(np.int32), whole.road_class[road_kept], left_out
    )
