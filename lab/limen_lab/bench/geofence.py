"""`limen bench geofence`: fences of all kinds in a border grid, beside edge lists and beside shapely."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from limen.arrays import Floats
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.shapes import Shapes
from limen_lab.bench.fence_workloads import XY, CityFences, FenceWorkload, Zones, through_index
from limen_lab.bench.fenced_streams import FencedStreams
from limen_lab.bench.record import Record, side_by_side
from limen_lab.bench.stabbing import Stabbing, through_stabbing

NS, RATE = "ns an update", "M updates/s"
MILLION = 1_000_000
SMALLER_BATCH = 100_000  # rows


def grid_of(shapes: Shapes, *, lonlat: bool = False) -> BorderGrid:
    """Build a grid, ready to be searched."""
    grid = BorderGrid(lonlat=lonlat)
    grid.insert(shapes)
    nowhere = np.full((2, 1), np.nan)
    grid.crossings(np.zeros(1, np.int32), nowhere, nowhere, XY, 1)
    return grid


def lists_of(boxes: Floats) -> BoxIndex:
    """Build edge lists of boxes."""
    lists = BoxIndex(2)
    lists.insert(boxes)
    return lists


def million() -> Iterator[Record]:
    """A million fences and a million streams through the index and the engine: updates a second, and bytes a fence."""
    fences = FenceWorkload()
    grid, streams = grid_of(Shapes.boxes(fences.boxes)), FencedStreams.of_boxes(fences)
    best = side_by_side(
        4,
        grid=lambda: through_index(grid, fences.path),
        engine=streams.through_engine,
        smaller=lambda: streams.through_engine(SMALLER_BATCH),
    )
    index, engine, smaller = (1 / best[name] / MILLION for name in ("grid", "engine", "smaller"))
    yield Record("a million fences", fences.workload, RATE, index, {}, "≥ 3 M/s", index >= 3)
    events = {"events an update": streams.events_an_update, "order of streams": "random"}
    workload = {**fences.workload, **events, "rows a batch": fences.streams}
    beside = {"index alone": index}
    yield Record("a million fences, engine", workload, RATE, engine, beside, "≥ 0.8 M/s", engine >= 0.8)
    workload |= {"rows a batch": SMALLER_BATCH}
    yield Record("a million fences, engine", workload, RATE, smaller, {"a tick a batch": engine})
    each, in_all = grid.nbytes_queries / fences.fences, streams.engine._shard.catalogue.nbytes / fences.fences
    beside = {"all the engine has of it, its id aside": in_all}
    yield Record("memory a fence", fences.workload, "bytes", each, beside, "≤ 120", max(each, in_all) <= 120)


def city() -> Iterator[Record]:
    """Large squares that overlap much, in a city: border grid, edge lists with cross-check, look-ups and difference."""
    fences = CityFences()
    grid, lists, tree = grid_of(Shapes.boxes(fences.boxes)), lists_of(fences.boxes), Stabbing.boxes(fences.boxes)
    few = [at[:, : fences.vehicles // 10] for at in fences.path]  # it is slow
    best = side_by_side(
        3,
        grid=lambda: through_index(grid, fences.path),
        lists=lambda: through_index(lists, fences.path),
        tree=lambda: through_stabbing(tree.by_boxes, few)[0],
    )
    ours, rs, stabbing = (1e9 * best[name] for name in ("grid", "lists", "tree"))
    others = {"RS lists with cross-check": rs, "STRtree and difference": stabbing}
    yield Record("city", fences.workload, NS, ours, others)


def zones() -> Iterator[Record]:
    """Real polygons: the best vectorised way of shapely, and its tree with a predicate."""
    workload = Zones()
    grid, streams = grid_of(workload.shapes, lonlat=True), FencedStreams.of_zones(workload)
    tree = Stabbing.polygons(workload.named_rings[1])
    few = [at[:, : workload.streams // 10] for at in workload.path]  # it is slow
    best = side_by_side(
        3,
        grid=lambda: through_index(grid, workload.path),
        engine=streams.through_engine,
        strong=lambda: through_stabbing(tree.by_boxes_then_containment, workload.path)[0],
        predicate=lambda: through_stabbing(tree.by_predicate, few)[0],
    )
    ours, strong, weak = (1e9 * best[name] for name in ("grid", "strong", "predicate"))
    beside = {"STRtree, then contains_xy": strong}
    yield Record("zones", workload.workload, NS, ours, beside, "5 × shapely's best", strong / ours >= 5)
    beside = {"STRtree with predicate": weak}
    yield Record("zones", workload.workload, NS, ours, beside, "40 × the predicate", weak / ours >= 40)
    beside = {"index alone": ours, "STRtree, then contains_xy": strong, "STRtree with predicate": weak}
    events = {"events an update": streams.events_an_update, "order of streams": "random"}
    yield Record("zones, engine", {**workload.workload, **events}, NS, 1e9 * best["engine"], beside)


def growth() -> Iterator[Record]:
    """A thousand to a million fences, equally dense; what grows is what no cache holds."""
    takers: dict[str, Callable[[], float]] = {}
    sizes = [FenceWorkload(fences=count) for count in (1_000, 10_000, 100_000, 1_000_000)]
    for fences in sizes:
        grid = grid_of(Shapes.boxes(fences.boxes))
        takers[str(fences.fences)] = partial(through_index, grid, fences.path)
    best = side_by_side(3, **takers)
    first = 1e9 * best[str(sizes[0].fences)]
    for fences in sizes:
        ours = 1e9 * best[str(fences.fences)]
        claim = "≤ 2 × a thousand" if fences is sizes[-1] else ""
        others = {"a thousand fences": first}
        yield Record("growth", fences.workload, NS, ours, others, claim, ours <= 2 * first if claim else None)


def choice() -> Iterator[Record]:
    """Boxes in two dimensions by grid and by edge lists: the rule by which one of them is chosen."""
    streams = 50_000
    for count in (100, 1_000, 2_000, 4_000, 10_000, 100_000):
        for side in (0.002, 0.02, 0.04, 0.08, 0.2):  # of the square's side
            for step in (0.0002, 0.002, 0.02):
                extent = 100 * count**0.5
                fences = FenceWorkload(count, streams, side * extent, step * extent, ticks=3)
                yield _chosen(fences, fences.boxes, fences.path, side, step)


def _chosen(fences: FenceWorkload, boxes: Floats, path: Sequence[Floats], side: float, step: float) -> Record:
    grid, lists = grid_of(Shapes.boxes(boxes)), lists_of(boxes)
    best = side_by_side(2, grid=lambda: through_index(grid, path), lists=lambda: through_index(lists, path))
    workload = {**fences.workload, "side": side, "step": step}
    return Record("choice", workload, NS, 1e9 * best["grid"], {"RS lists": 1e9 * best["lists"]})


#: The measures by name, in the order in which they run.
MEASURES: dict[str, Callable[[], Iterator[Record]]] = {
    measure.__name__: measure for measure in (million, city, zones, growth, choice)
}
