"""The fastest ways through a network to a set of destinations."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limen.simulate.kernels import shortest_paths as roads
from limen.simulate.kernels import trips
from limen.simulate.kinds import Kind
from limen.simulate.roads import CLASS_SPEEDS, RoadNetwork

# With less than this, hardly any object could go slower than the average, and with a little less none as fast as it.
LEAST_PACE = 0.45
_SAMPLE = 20_000  # trips that estimate the pace, to about a quarter of a percent


class Routes:
    """For every node and destination, the arc to take, the time and the length of the way.

    Sixteen bytes for each of them: 25 MB for 256 destinations in a city of 6,105 nodes.

    Parameters
    ----------
    destinations : array of shape (destinations,)
        Nodes, two at least.
    limits : array of shape (roads,)
        How fast roads are, as a fraction of the fastest.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> routes = Routes(generated_roads(40, 45), np.array([3, 9]))
    >>> routes.metres.shape, routes.metres[3, 0].item()
    ((40, 2), 0.0)
    """

    def __init__(
        self, network: RoadNetwork, destinations: NDArray[np.integer], limits: NDArray[np.float64] | None = None
    ) -> None:
        self.network = network
        self.gates = destinations.astype(np.int32)
        self.limits = road_limits(network) if limits is None else limits
        self.arc_metres = network.metres[network.road]
        self.arc_limits = self.limits[network.road]
        nodes, arcs, count = len(network.xy), len(network.heads), len(destinations)
        self.next_arc = np.empty((count, nodes), np.int32)
        # By node and then by destination: a new trip compares all destinations from one node.
        self.metres = np.empty((nodes, count), np.float32)
        self.seconds = np.empty((nodes, count))
        time, length, heap_time = np.empty(nodes), np.empty(nodes), np.empty(arcs + 1)
        heap_node = np.empty(arcs + 1, np.int32)
        arc_seconds = self.arc_metres / self.arc_limits
        for number, gate in enumerate(self.gates):
            roads.fastest_to(
                gate, network.starts, network.heads, network.twins, arc_seconds, self.arc_metres,
                self.next_arc[number], time, length, heap_time, heap_node,
            )  # fmt: skip
            self.metres[:, number] = length
            self.seconds[:, number] = time

    def trips(self, rng: np.random.Generator, count: int, kind: Kind) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Draw trips: a node to begin at, any as likely as another, and a destination about as far as preferred."""
        start = rng.integers(0, len(self.network.xy), count)
        return start, self.destinations(start, kind.trips(rng, count))

    def destinations(self, start: NDArray[np.integer], preferred: NDArray[np.float64]) -> NDArray[np.int32]:
        """Choose the destinations whose ways from nodes are nearest in length to those preferred."""
        chosen = np.empty(len(start), np.int32)
        trips.destinations_at(start, preferred, self.metres, chosen)
        return chosen

    def pace(self, kind: Kind) -> float:
        """Return the average speed of trips, by time, where one on the fastest of roads is 1."""
        start, toward = self.trips(np.random.default_rng(0), _SAMPLE, kind)
        return float(self.metres[start, toward].sum(dtype=np.float64) / self.seconds[start, toward].sum())


def road_limits(network: RoadNetwork) -> NDArray[np.float64]:
    """Return how fast each road is, as a fraction of the fastest that the network has.

    Examples
    --------
    >>> from limen.simulate.generated_roads import generated_roads
    >>> road_limits(generated_roads(40, 45)).max().item()
    1.0
    """
    limits = CLASS_SPEEDS[network.road_class]
    fractions: NDArray[np.float64] = limits / limits.max()
    return fractions


def city_routes(network: RoadNetwork, destinations: NDArray[np.integer], kinds: Sequence[Kind]) -> Routes:
    """Find routes on which objects of these kinds can keep their average.

    Where nearly all ways are slow beside a few fast roads, an object that never exceeds its maximum on those would be
    too slow elsewhere. Roads are then made less different, the limits replaced by their square roots, until it can.
    """
    limits = road_limits(network)
    while True:
        routes = Routes(network, destinations, limits)
        if min(routes.pace(kind) for kind in kinds) >= LEAST_PACE:
            return routes
        limits = np.sqrt(limits)
