"""The measure `diff` of `limen bench border`: an index of borders beside look-ups and the difference of sets."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.plane_boxes import PlaneBoxes
from limen.regions.shapes import Shapes
from limen.simulate import box_queries, box_values
from limen.simulate.bounds import Widths
from limen_lab.bench.fence_workloads import CityFences
from limen_lab.bench.prices import Prices
from limen_lab.bench.record import Record, side_by_side
from limen_lab.bench.walks import Walks
from limen_lab.rivals.cei import CEI
from limen_lab.rivals.ces import CES
from limen_lab.rivals.diff import DiffRMQ
from limen_lab.rivals.direct_list import DirectList
from limen_lab.rivals.match_index import MatchIndex
from limen_lab.rivals.skip_list import IntervalSkipList

BorderIndex = BoxIndex | BorderGrid | PlaneBoxes

NS = "ns a tuple (CPU)"
MB = "MB with what is remembered"
LEAST = 5  # times faster than DiffRMQ
PAPERS_STREAMS = 2_000


def diff() -> Iterator[Record]:
    """The border index beside DiffRMQ: look up, and compare with what was remembered. CPU time on the same batches."""
    kinds: tuple[Widths, ...] = ("constant", "exponential")
    for streams in (100_000, PAPERS_STREAMS):
        for widths in kinds:
            # the paper's few streams move often, so that there is enough to measure
            prices = Prices(widths=widths, streams=streams, ticks=7 if streams > PAPERS_STREAMS else 60)
            yield from _in_one_dimension(prices)
    yield from _in_two_dimensions(*_boxes())
    city = CityFences()
    yield from _in_two_dimensions(city.workload, city.boxes, Walks(city.path))


def _in_one_dimension(prices: Prices) -> Iterator[Record]:
    boxes = np.stack(prices.bounds, axis=1)[:, None, :].copy()
    walks = Walks([at[None] for at in prices.values])
    rivals = {"CEI": _diff(CEI(), boxes), "IS-list": _diff(IntervalSkipList(), boxes)}
    beside = {"direct list": _diff(DirectList(), boxes)}
    lists = BoxIndex(1)
    lists.insert(boxes)
    best = _measured(5, {"ours": (lists, walks)}, {name: (rival, walks) for name, rival in (rivals | beside).items()})
    ours, others = best.pop("ours"), _named(best)
    reached = min(best[name] for name in rivals) >= LEAST * ours
    claim = f"{LEAST} × CEI and IS-list"
    yield Record("difference of sets", prices.workload, NS, ours, others, claim, reached)
    held = _named({name: rival.nbytes / 1e6 for name, rival in (rivals | beside).items()})
    yield Record("memory of differences", prices.workload, MB, _border_bytes(lists, walks) / 1e6, held)


def _in_two_dimensions(workload: dict[str, Any], boxes: Floats, walks: Walks) -> Iterator[Record]:
    from limen_lab.rivals.rtree import DynamicTree, PackedTree  # noqa: PLC0415  # of the extra `bench`

    few = walks.first(walks.streams // 20)  # trees are slow
    rivals = {
        "CES": (_diff(CES(), boxes), walks),
        "STR-tree": (_diff(PackedTree(2), boxes), few),
        "R-tree": (_diff(DynamicTree(2), boxes), few),
    }
    borders: dict[str, tuple[BorderIndex, Walks]] = {
        "ours": (PlaneBoxes(), walks),  # it chooses one of the others, as the engine does
        "border grid": (BorderGrid(), walks),
        "RS lists": (BoxIndex(2), walks),
    }
    for index, _ in borders.values():
        if isinstance(index, BorderGrid):
            index.insert(Shapes.boxes(boxes))
        else:
            index.insert(boxes)
    best = _measured(3, borders, rivals)
    alone = {name: best[name] for name in borders}
    workload = {**workload, "streams of trees": few.streams}
    others = _named({name: best[name] for name in rivals}) | alone
    yield Record("difference of sets in the plane", workload, NS, others.pop("ours"), others)
    for rival, way in rivals.values():
        if way is few:  # for its memory, all streams have to be remembered
            walks.remembered_by(rival)
    held = _named({name: rival.nbytes / 1e6 for name, (rival, _) in rivals.items()})
    held |= {name: _border_bytes(index, walks) / 1e6 for name, (index, _) in borders.items()}
    yield Record("memory of differences in the plane", workload, MB, held.pop("ours"), held)


def _boxes() -> tuple[dict[str, Any], Floats, Walks]:
    """Boxes of which some ten contain a point."""
    workload = {
        "dimensions": 2, "queries": 100_000, "width": 0.01, "widths": "exponential", "fluctuation": 0.0001,
        "streams": 100_000, "ticks": 6, "order of streams": "random",
    }  # fmt: skip
    boxes = np.stack(box_queries(dimensions=2, n=100_000, width=0.01, widths="exponential"), axis=2)
    values = box_values(dimensions=2, streams=100_000, tuples=6, fluctuation=0.0001)
    return workload, boxes, Walks([at.T for at in values])


def _diff(index: MatchIndex, boxes: Floats) -> DiffRMQ:
    rival = DiffRMQ(index)
    rival.insert(boxes)
    return rival


def _measured(
    runs: int,
    borders: Mapping[str, tuple[BorderIndex, Walks]],
    rivals: Mapping[str, tuple[DiffRMQ, Walks]],
) -> dict[str, float]:
    """Return nanoseconds a tuple, and see to it that all on the same way find as many events."""
    events: dict[int, set[int]] = {}

    def counted(through: Callable[[Any], float], index: Any, walks: Walks) -> float:
        taken = through(index)
        events.setdefault(walks.streams, set()).add(walks.events)
        return taken

    takers: dict[str, Callable[[], float]] = {
        name: partial(counted, walks.through_border, index, walks) for name, (index, walks) in borders.items()
    }
    takers |= {
        name: partial(counted, walks.through_difference, rival, walks) for name, (rival, walks) in rivals.items()
    }
    best = side_by_side(runs, **takers)
    assert all(len(counts) == 1 for counts in events.values()), events
    return {name: 1e9 * taken for name, taken in best.items()}


def _named(figures: dict[str, float]) -> dict[str, float]:
    return {f"DiffRMQ with {name}": figure for name, figure in figures.items()}


def _border_bytes(index: BorderIndex, walks: Walks) -> int:
    return int(index.nbytes_queries + index.nbytes_streams + walks.nbytes_last)
