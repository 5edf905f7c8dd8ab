"""Queries on the traffic of a city, kept in one shared buffer, and what it counts; from arrays to arrays."""

from dataclasses import dataclass, field

import numpy as np

from limen.arrays import Floats, Ints, Slots
from limen.queries.answer.centered_queries import Changes
from limen.queries.answer.kernels.around import BOX
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.kernels.object_grid import PRESENT
from limen.queries.budget.buffer_rules import CELLS_A_SIDE, BudgetRules
from limen.queries.budget.buffered_queries import BufferedQueries
from limen.queries.budget.kernels import layout
from limen.queries.budget.shared_buffer import SharedBuffer
from limen_lab.reproduce.sole.sole_traffic import MICROSECONDS, MileTraffic, Second

ALL = -1  # streams, instead of a list of them
USUAL_CACHE = 0.25  # the paper's, where it does not vary it


def squares(
    sides: Floats, margin: float, *, focal: Slots | None = None, corner: Floats | None = None, least: float = 0.0
) -> BufferedQueries:
    """Return square queries: around their focal streams, or with a corner in the city."""
    n = len(sides)
    bounds = np.empty((n, 2, 2))
    bounds[:] = -np.inf, np.inf
    if corner is not None:
        bounds[:, :, 0], bounds[:, :, 1] = corner, corner + sides[:, None]
    return BufferedQueries(
        kind=np.full(n, BOX if corner is None else layout.FIXED, np.int8),
        focal=np.full(n, -1, np.int32) if focal is None else focal,
        center=np.full((n, 2), np.nan),
        half=np.repeat(sides[:, None] / 2, 2, axis=1),
        limit=np.full(n, np.inf),
        wanted=np.zeros(n, np.int64),
        bounds=bounds,
        edges=np.empty((0, 4)),
        edge_counts=np.zeros(n, np.int64),
        margin=np.full(n, margin),
        least=np.full(n, least),
        listed=np.empty(0, np.int32),
        counts=np.full(n, ALL, np.int64),
    )


def focals(traffic: MileTraffic, n: int, seed: int = 1) -> Slots:
    """Draw streams to move with; the first of many are those of few."""
    rng = np.random.default_rng((seed, 19))
    everyone = rng.permutation(traffic.objects).astype(np.int32)
    return everyone[np.arange(n) % traffic.objects]


def corners(seconds: list[Second], focal: Slots, sides: Floats) -> Floats:
    """Return the lower left corners of squares that stay, each somewhere over the place where a stream begins.

    They are as dense as streams are. A stream is not in the middle of its square, where shedding would find it last.
    """
    stream, first = np.unique(np.concatenate([each.stream for each in seconds]), return_index=True)
    place = np.concatenate([each.point for each in seconds])[first[np.searchsorted(stream, focal)]]
    return place - np.random.default_rng(20).random(place.shape) * sides[:, None]


@dataclass
class WatchedBuffer:
    """A buffer with the traffic it is played.

    The memory is counted in objects unless `rules` say otherwise: so is the load in the paper.

    Attributes
    ----------
    traffic : MileTraffic
    cache : float
        How much of the cache area there is: 1 is as wide as an object can come between two reports.
    memory, shedding
        Objects that may be stored, and what is shed when there are more.
    """

    traffic: MileTraffic
    cache: float = USUAL_CACHE
    memory: float = np.inf
    shedding: int = layout.NO_SHEDDING
    cells_a_side: int = CELLS_A_SIDE
    buffer: SharedBuffer = field(init=False)
    slots: Slots = field(init=False)
    position: Floats = field(init=False)  # of all streams, as they have reported

    def __post_init__(self) -> None:
        interval = self.traffic.interval * MICROSECONDS
        rules = BudgetRules(
            self.traffic.speed, interval, interval, self.memory, self.shedding, object_bytes=1, ghost_bytes=0,
            query_bytes=0, entry_bytes=0, member_bytes=0, cells_a_side=self.cells_a_side,
        )  # fmt: skip
        self.buffer = SharedBuffer(2, rules)
        self.slots = np.empty(0, np.int32)
        self.position = np.full((self.traffic.objects, 2), np.nan)

    @property
    def margin(self) -> float:
        """Miles that cache areas reach beyond regions."""
        return self.cache * self.traffic.reach

    def moving(self, sides: Floats, focal: Slots, least: float = 0.0) -> None:
        """Add squares that move with streams."""
        self._insert(squares(sides, self.margin, focal=focal, least=least))

    def staying(self, sides: Floats, corner: Floats, least: float = 0.0) -> None:
        """Add squares that stay."""
        self._insert(squares(sides, self.margin, corner=corner, least=least))

    def _insert(self, queries: BufferedQueries) -> None:
        new = self.buffer.insert(queries, self.traffic.ids, self.traffic.objects)
        self.slots = np.concatenate([self.slots, new])

    def see(self, second: Second) -> None:
        """Store the positions of streams, to measure accuracy by; the buffer does not get them."""
        self.position[second.stream] = second.point

    def play(self, second: Second) -> Changes:
        """Take what is reported in a second; each second is an instant."""
        n = len(second.stream)
        line = PositionTimeline(
            np.zeros(n, np.int64), second.stream, np.full(n, PRESENT, np.int8), np.arange(n), second.point
        )
        self.see(second)
        return self.buffer.play(line, np.full(n, second.time), self.traffic.ids, self.traffic.objects)

    # ---- figures -----------------------------------------------------------------------------------------------------

    def count(self, place: int) -> int:
        """Return what the books say: a place of `Accounting.counts`."""
        return int(self.buffer.accounting.counts[place])

    @property
    def stored(self) -> int:
        """Objects in the buffer, each once."""
        return self.count(layout.OBJECTS)

    @property
    def assessed(self) -> Floats:
        """By query (n, 5): objects in region and cache area, shadows, accuracy, share of the area, locked."""
        return self.buffer.assess(self.slots)

    def accuracy(self) -> float:
        """Return the mean accuracy of queries in percent, as the paper has it: what is stored of what is due."""
        return float(self.assessed[:, 2].mean())

    def measured(self) -> Floats:
        """Return by query how accurate its answer is, in percent, beside where all streams are."""
        due, there = self.buffer.measure(self.slots, self.position).T
        accuracy: Floats = 100 * np.where(due > 0, there, 1) / np.maximum(due, 1)
        return accuracy

    def answers(self) -> tuple[Ints, Slots]:
        """Return the answers of all queries: places of queries, and streams."""
        return self.buffer.answers(self.slots)
