"""`limen bench match`: what contains a point, by our indexes, by R-trees of libraries, and by a scan."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.simulate import box_queries, box_values
from limen_lab.bench.matchers import ours, rivals
from limen_lab.bench.record import Record, side_by_side
from limen_lab.bench.walks import cpu_seconds
from limen_lab.rivals.match_index import MatchIndex

BATCH = 1_000_000
PILOT = 1_000  # tuples, to find out which indexes are slow
PATIENCE = 1.5  # seconds a run: an index that needs longer for a batch gets fewer tuples
ONE_BY_ONE = 1_000


@dataclass(frozen=True)
class Boxes:
    """Boxes of mixed widths, one in ten thousand around a point on average, and points anywhere."""

    dimensions: int
    queries: int
    share: float = 0.0001
    widths: str = "exponential"

    @property
    def workload(self) -> dict[str, Any]:
        """Everything needed to make it again."""
        return {
            "dimensions": self.dimensions, "queries": self.queries, "width": round(self.width, 6),
            "widths": self.widths, "tuples": BATCH,
        }  # fmt: skip

    @property
    def width(self) -> float:
        """How wide boxes are on average, as a part of the domain."""
        return float(self.share ** (1 / self.dimensions))

    def bounds(self, n: int, seed: int = 0) -> Floats:
        """Draw boxes (n, dimensions, 2)."""
        drawn = box_queries(n=n, dimensions=self.dimensions, width=self.width, widths="exponential", seed=seed)
        return np.stack(drawn, axis=2)

    @cached_property
    def points(self) -> Floats:
        """Points (dimensions, BATCH)."""
        return np.ascontiguousarray(box_values(dimensions=self.dimensions, streams=BATCH, tuples=1)[0].T)


def _measure(dimensions: int) -> Iterator[Record]:
    for queries in (1_000, 32_000, 100_000):
        yield from _matched(Boxes(dimensions, queries))


def one() -> Iterator[Record]:
    """Intervals of one column."""
    return _measure(1)


def two() -> Iterator[Record]:
    """Rectangles."""
    return _measure(2)


def four() -> Iterator[Record]:
    """Boxes of four columns."""
    return _measure(4)


def _matched(boxes: Boxes) -> Iterator[Record]:
    """Measure all indexes on the same boxes and points; ours is the best of ours, and named in the workload."""
    mine, makers = ours(boxes.dimensions), ours(boxes.dimensions) | rivals(boxes.dimensions)
    bounds, new = boxes.bounds(boxes.queries), boxes.bounds(ONE_BY_ONE, seed=1)
    building, inserting, indexes = {}, {}, {}
    for name, make in makers.items():
        _built(make, bounds)  # to compile
        building[name] = 1e3 * min(_built(make, bounds)[0] for _ in range(2))
        _, indexes[name] = _built(make, bounds)
        inserting[name] = _one_by_one(_built(make, bounds)[1], new)
    held = {name: index.nbytes / boxes.queries for name, index in indexes.items()}
    batches = {name: _batch(index, boxes.points) for name, index in indexes.items()}
    _agree(boxes, indexes)
    takers: dict[str, Callable[[], float]] = {
        name: partial(_looked_up, index, batches[name]) for name, index in indexes.items()
    }
    best = {name: 1e9 * taken for name, taken in side_by_side(3, **takers).items()}
    chosen = min(mine, key=lambda name: best[name])
    fewer = {name: rows.shape[1] for name, rows in batches.items() if rows.shape[1] < BATCH}
    workload = {**boxes.workload, "ours": chosen, "fewer tuples": fewer}
    for bench, unit, figures in (
        ("match", "ns a tuple (CPU)", best),
        ("match, memory", "bytes a box", held),
        ("match, build", "ms (CPU)", building),
        ("match, insert", "µs a box (CPU)", inserting),
    ):
        figure = figures.pop(chosen)
        yield Record(bench, workload, unit, figure, figures)


def _built(make: Callable[[], MatchIndex], bounds: Floats) -> tuple[float, MatchIndex]:
    """Return the CPU seconds from boxes to the first answer, and the index."""
    index = make()
    point = np.zeros((index.dimensions, 1))

    def build() -> None:
        index.insert(bounds)
        index.match(point)

    return cpu_seconds(build), index


def _one_by_one(index: MatchIndex, new: Floats) -> float:
    """Return the CPU microseconds of an insertion, with a look-up after every hundred, so that no one puts it off."""
    point = np.zeros((index.dimensions, 1))

    def insert() -> None:
        for number in range(len(new)):
            index.insert(new[number : number + 1])
            if number % 100 == 99:
                index.match(point)

    return 1e6 * cpu_seconds(insert) / len(new)


def _batch(index: MatchIndex, points: Floats) -> Floats:
    """Return as many of the points as an index can look up in a reasonable time."""
    index.match(points[:, :PILOT])
    each = cpu_seconds(lambda: index.match(points[:, :PILOT])) / PILOT
    rows = int(min(max(PATIENCE / max(each, 1e-9), PILOT), BATCH))
    digits = 10 ** (len(str(rows)) - 1)
    return np.ascontiguousarray(points[:, : rows // digits * digits])


def _looked_up(index: MatchIndex, batch: Floats) -> float:
    """Return the CPU seconds a tuple takes."""
    return cpu_seconds(lambda: index.match(batch)) / int(batch.shape[1])


def _agree(boxes: Boxes, indexes: dict[str, MatchIndex]) -> None:
    """See to it that what is compared is the same."""
    counts = {name: len(index.match(boxes.points[:, :PILOT]).arrays()[0]) for name, index in indexes.items()}
    assert len(set(counts.values())) == 1, counts


#: The measures by name, in the order in which they run.
MEASURES: dict[str, Callable[[], Iterator[Record]]] = {measure.__name__: measure for measure in (one, two, four)}
