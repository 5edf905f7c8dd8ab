"""Moving objects: the arc, the destination and the speed of each."""

import numpy as np
from numpy.typing import NDArray

from limen.simulate.fastest_routes import Routes
from limen.simulate.kernels import trips
from limen.simulate.kinds import KMH


class Fleet:
    """Objects on their routes, as arrays: 24 bytes each.

    `speed` is what each drives on the fastest of roads, in metres a second.
    """

    def __init__(self, routes: Routes, speed: NDArray[np.float64]) -> None:
        self.routes = routes
        self.speed = speed
        self.arc = np.zeros(len(speed), np.int32)
        self.along = np.zeros(len(speed))
        self.toward = np.zeros(len(speed), np.int32)

    def set_out(self, objects: NDArray[np.int64], start: NDArray[np.integer], toward: NDArray[np.integer]) -> None:
        """Place objects at nodes, on their way to destinations elsewhere."""
        self.toward[objects] = toward
        self.arc[objects] = self.routes.next_arc[toward, start]
        self.along[objects] = 0.0

    def turn(self, objects: NDArray[np.int64], toward: NDArray[np.integer]) -> None:
        """Turn objects round where they are, towards new destinations."""
        arc = self.arc[objects]
        self.along[objects] = self.routes.arc_metres[arc] - self.along[objects]
        self.arc[objects] = self.routes.network.twins[arc]
        self.toward[objects] = toward

    def drive(self, objects: NDArray[np.int64], seconds: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Move objects; return which arrived. `seconds` becomes the time they have left, and 0 for the others."""
        arrived = np.empty(len(objects), np.bool_)
        routes, heads = self.routes, self.routes.network.heads
        trips.drive(
            objects, seconds, self.speed, self.toward, self.arc, self.along,
            heads, routes.arc_metres, routes.arc_limits, routes.next_arc, routes.gates, arrived,
        )  # fmt: skip
        return arrived

    def places(self, objects: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the positions of objects, x and y in metres."""
        x, y = np.empty(len(objects)), np.empty(len(objects))
        network = self.routes.network
        trips.places(
            objects, self.arc, self.along, network.tails, network.heads, self.routes.arc_metres, network.xy, x, y
        )
        return x, y

    def kmh(self, objects: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the speed of objects at their positions."""
        return self.speed[objects] * self.routes.arc_limits[self.arc[objects]] / KMH
