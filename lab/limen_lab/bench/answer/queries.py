"""The queries of `limen bench answer`, as the index, the engine and their rivals take them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from limen.arrays import Floats, Slots
from limen.model.nearest import Nearest
from limen.model.query import Query
from limen.model.region import Box
from limen.model.within import Within
from limen.queries.answer.centered_queries import Centered
from limen.queries.answer.kernels.around import BOX, NEAREST
from limen_lab.bench.answer.traffic import CityTraffic

SIDE = 0.01  # of the city's side: a range is 0.01 % of its area

ANYWHERE, ON_ROADS, MOVING = "anywhere", "where streams are", "around streams"


@dataclass(frozen=True)
class CityQueries:
    """Ranges or nearest, of one kind and one size.

    Attributes
    ----------
    traffic : CityTraffic
    count : int
    place : {ANYWHERE, ON_ROADS, MOVING}
        Where they are: spread evenly over the city; where one in several streams begins; moving with a stream.
    nearest : int
        How many nearest they look for; 0 for ranges.
    """

    traffic: CityTraffic
    count: int = 50_000
    place: str = MOVING
    nearest: int = 0

    @property
    def workload(self) -> dict[str, Any]:
        """Everything needed to make them again."""
        what = {"k": self.nearest} if self.nearest else {"side": f"{SIDE:.0%} of the city's"}
        return {**self.traffic.workload, "queries": self.count, "queries are": self.place, **what}

    @property
    def half(self) -> Floats:
        """Half the sides of a range."""
        return self.traffic.extent * SIDE / 2

    @cached_property
    def _chosen(self) -> Slots:
        rng = np.random.default_rng((self.traffic.seed, 2))
        return rng.permutation(self.traffic.streams)[: self.count].astype(np.int32)

    @property
    def focal(self) -> Slots:
        """The stream that each moves with, -1 for none."""
        return self._chosen if self.place == MOVING else np.full(self.count, -1, np.int32)

    @cached_property
    def center(self) -> Floats:
        """Where they are that do not move."""
        if self.place == ANYWHERE:
            rng = np.random.default_rng((self.traffic.seed, 3))
            return rng.uniform(0, 1, (self.count, 2)) * self.traffic.extent
        # Beside a stream rather than upon it, so that no distance is 0.
        return self.traffic.path[0][self._chosen] + 1.0

    def centers(self, position: Floats) -> Floats:
        """Where they are when streams are at a position."""
        return position[self.focal] if self.place == MOVING else self.center

    @property
    def boxes(self) -> Floats:
        """Bounds (count, 2, 2) of ranges that do not move."""
        return np.stack([self.center - self.half, self.center + self.half], axis=2)

    def centered(self) -> Centered:
        """Return them as the index takes them."""
        n = self.count
        return Centered(
            kind=np.full(n, NEAREST if self.nearest else BOX, np.int8),
            focal=self.focal,
            center=np.full((n, 2), np.nan) if self.place == MOVING else self.center,
            half=np.tile(self.half, (n, 1)),
            limit=np.full(n, np.inf),
            wanted=np.full(n, self.nearest, np.int64),
            listed=np.empty(0, np.int32),
            counts=np.full(n, -1, np.int64),
        )

    def queries(self) -> list[Query]:
        """Return them as the engine takes them; the number of a query is what follows the first letter of its id."""
        if self.place == MOVING:
            focals = [f"V{number}" for number in self.focal.tolist()]
            if self.nearest:
                return [Nearest(f"Q{number}", self.nearest, focal=focal) for number, focal in enumerate(focals)]
            width, height = (2 * self.half).tolist()
            return [
                Within(f"Q{number}", focal=focal, width=width, height=height) for number, focal in enumerate(focals)
            ]
        if self.nearest:
            centers = enumerate(self.center.tolist())
            return [Nearest(f"Q{number}", self.nearest, center=center) for number, center in centers]
        bounds = zip(self.boxes[:, :, 0].tolist(), self.boxes[:, :, 1].tolist(), strict=True)
        return [Within(f"Q{number}", Box(lower, upper)) for number, (lower, upper) in enumerate(bounds)]
