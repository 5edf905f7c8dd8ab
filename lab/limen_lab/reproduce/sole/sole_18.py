"""SOLE, Figure 18: how fine the grid of a shared buffer should be."""

from collections.abc import Iterator

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import SHORT_RUNS, growth, judged, rises
from limen_lab.reproduce.sole.sole_sharing import response, shared

PAPERS_CHOICE = 30
SIZES = {"0.01 % of the city": 0.0001, "0.1 %": 0.001, "1 %": 0.01}


def size(scale: Scale) -> tuple[int, int]:
    """Return how many objects and queries there are."""
    return at_scale(scale, full=(11_000, 5_000), quick=(5_500, 2_500), tiny=(1_000, 400))


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of cells."""
    objects, queries = size(scale)
    sizes = at_scale(scale, full=SIZES, quick=SIZES, tiny={"0.01 % of the city": 0.0001, "1 %": 0.01})
    for cells in at_scale(scale, full=(10, 20, 30, 64, 100, 150, 200), quick=(10, 30, 64, 100, 200), tiny=(5, 30, 100)):
        for name, share in sizes.items():
            found = response(*shared(objects, queries, share, cells_a_side=cells))
            yield Point("a", name, cells, found.entries)
            yield Point("b", name, cells, found.microseconds)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.4."""
    entries = {name: curve for name in SIZES if (curve := points.curve("a", name))}
    time = {name: points.curve("b", name) for name in entries}
    yield judged(
        "The finer the grid, the more often a query is listed",
        "; ".join(f"{name}: {growth(curve):.1f} × from the coarsest to the finest" for name, curve in entries.items()),
        reached=all(rises(curve) for curve in entries.values()),
    )
    best = {name: min(curve, key=lambda cells: curve[cells]) for name, curve in time.items()}
    small = time[next(iter(time))]
    coarse = small[min(small)] / min(small.values())
    yield judged(
        "A finer grid answers faster, up to a point",
        f"fastest with {', '.join(f'{cells:g} cells a side for {name}' for name, cells in best.items())}; the coarsest "
        f"grid takes {coarse:.1f} × as long for the smallest queries",
        reached=coarse > 1 and best[next(iter(time))] > min(small),
        otherwise=SHORT_RUNS,
    )
    late = {name: curve[max(curve)] / min(curve.values()) for name, curve in time.items()}
    yield judged(
        "With more than 100 cells a side it degrades: queries that move are written into too many cells",
        f"with {max(small):g} a side " + ", ".join(f"{late[name]:.1f} × the best for {name}" for name in late),
        reached=max(late.values()) > 1.2,
        otherwise=SHORT_RUNS,
    )
    near = min(small, key=lambda cells: abs(cells - PAPERS_CHOICE))
    beside = {name: curve[near] / min(curve.values()) for name, curve in time.items()}
    yield judged(
        "30 cells a side are a good compromise",
        f"with {near:g} a side " + ", ".join(f"{y:.1f} × the best time for {name}" for name, y in beside.items()),
        reached=max(beside.values()) <= 2,
        otherwise="Small queries want smaller cells: a cell of nearly a mile has many queries that are not met.",
    )


_CELLS = Axis("cells a side", log=True)

FIGURE = Figure(
    name="sole-18",
    title="The grid of a shared buffer: redundancy and response time",
    source="SOLE, Figure 18 (§7.4)",
    panels=(
        Panel("a", "Cells in which a query is listed", _CELLS, Axis("entries a query", log=True)),
        Panel("b", "CPU time of a report", _CELLS, Axis("CPU time", "µs", log=True)),
    ),
    curves=tuple(Curve(name) for name in SIZES),
    measure=measure,
    judge=judge,
    setting={
        scale: f"{size(scale)[1]:,} moving queries on {size(scale)[0]:,} objects, in the proportion of the paper's "
        "50,000 and 110,000; one interval of reports after two to warm up; time is CPU time of a report, all queries "
        "that it moves included"
        for scale in ("full", "quick", "tiny")
    },
    learned="The best grid has cells about as large as queries. Limen's 64 a side lie between what small and what "
    "large queries want.",
)
