"""Figure 18 of the border paper: two dimensions, memory."""

from collections.abc import Iterator
from dataclasses import replace

from limen_lab.reproduce.bmq.border_methods import Differences
from limen_lab.reproduce.bmq.comparison import Contender, stored
from limen_lab.reproduce.bmq.in_the_plane import BY_CES, GRID, METHODS, OURS, PAPERS, PaperCity, by_queries, by_width
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import Lines, best_rate, growth, judged, last, quotient, short, smaller_scale, spread
from limen_lab.rivals.ces import CES

BY_FINE_CES = "DiffRMQ (CES, cells of 15 m)"
CELL = 0.015  # km
POSITIONS = 4  # of each object; few, so that hardly any object arrives and memory is that of the objects under way
MEMORY = Axis("memory", "MB", log=True)


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries, then their width."""
    for panel, settings in (("a", by_queries(scale)), ("b", by_width(scale))):
        for x, city in settings:
            held = stored(contenders(replace(city, positions=POSITIONS)))
            yield from (Point(panel, name, x, megabytes) for name, megabytes in held.items())


def contenders(city: PaperCity) -> dict[str, Contender]:
    """Return the usual ones for fast objects, and CES with small cells whatever queries are like."""
    usual = {name.removesuffix(", fast"): contender for name, contender in city.contenders("fast").items()}
    boxes, journeys = city.boxes, usual[BY_CES].journeys

    def fine() -> Differences:
        index = CES(cells_a_box=city.width / CELL, k=3, cells_for_each=float("inf"))
        return Differences(index, boxes, journeys.streams)

    return {**usual, BY_FINE_CES: Contender(fine, journeys)}


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.2.3."""
    by_count, by_wide = Lines(points, "a"), Lines(points, "b")
    smaller = smaller_scale(max(by_count[PAPERS]), 5_000, "queries")
    best = {
        (rival, name): f"1/{short(best_rate(points, rival, name))}"
        for rival in (BY_CES, BY_FINE_CES)
        for name in (PAPERS, OURS, GRID)
    }
    fine, rough = by_count[BY_FINE_CES], by_count[BY_CES]
    yield judged(
        "BMQ-Processor takes down to 1/100 of the memory of DiffRMQ with CES",
        f"with cells of 15 m {best[BY_FINE_CES, PAPERS]} at best (Limen's choice {best[BY_FINE_CES, OURS]}, border "
        f"grid {best[BY_FINE_CES, GRID]}) and 1/{short(last(quotient(fine, by_count[PAPERS])))} with most queries "
        f"(1/{short(last(quotient(fine, by_count[OURS])))}); with cells chosen for speed {best[BY_CES, PAPERS]} at "
        f"best ({best[BY_CES, OURS]}, {best[BY_CES, GRID]})",
        reached=min(best_rate(points, BY_FINE_CES, name) for name in (PAPERS, OURS)) >= 100,
        otherwise=smaller + "The paper does not say how large its cells are.",
    )
    yield judged(
        "From 500 to 5,000 queries, CES grows from 63.5 to 203 MB, and BMQ-Processor stays below 1 MB",
        f"from {short(fine[min(fine)])} to {short(last(fine))} MB with cells of 15 m, from "
        f"{short(rough[min(rough)])} to {short(last(rough))} MB with cells chosen for speed; BMQ-Processor "
        f"{last(by_count[PAPERS]):.2f} MB, Limen's choice {last(by_count[OURS]):.2f} MB, border grid "
        f"{last(by_count[GRID]):.2f} MB",
        reached=last(by_count[PAPERS]) < 1 and growth(fine) > 2,
        otherwise=smaller + "The paper does not say how large its cells are.",
    )
    yield judged(
        "With wider squares BMQ-Processor's memory is constant, and that of CES increases considerably",
        f"from the narrowest to the widest {growth(by_wide[PAPERS]):.2f} × (Limen's choice {growth(by_wide[OURS]):.2f} "
        f"×, border grid {growth(by_wide[GRID]):.1f} ×); CES {growth(by_wide[BY_FINE_CES]):.1f} × with cells of 15 m, "
        f"{growth(by_wide[BY_CES]):.1f} × with cells chosen for speed",
        reached=max(spread(by_wide[PAPERS]), spread(by_wide[OURS])) < 1.05 and growth(by_wide[BY_FINE_CES]) > 1.5,
        otherwise=smaller,
    )


FIGURE = Figure(
    name="bmq-18",
    title="Two dimensions: memory",
    source="BMQ-Processor, Figure 18",
    panels=(
        Panel("a", "Memory by number of queries", Axis("queries"), MEMORY),
        Panel("b", "Memory by width of queries", Axis("width of queries W", "km"), MEMORY),
    ),
    curves=(*METHODS[:2], Curve(BY_FINE_CES), *METHODS[2:]),
    measure=measure,
    judge=judge,
    setting={
        "full": "a: 500 to 5,000 squares of 5 km; b: 5,000 squares of 0.5 to 5 km; after 4 positions of 1,000 fast "
        "objects; bytes of queries and streams, last positions and remembered sets among them",
        "quick": "as at full scale, with fewer points",
        "tiny": "100 to 500 squares of 5 km, and 500 squares of 0.5 to 5 km; after 4 positions of 100 objects",
    },
    learned="Lists hold a square in 120 bytes (the paper's) to 190 (Limen's), whatever its width. Cells hold it as "
    "often as it is large; cells of its border alone, in the border grid, are in between.",
)
