"""Figure 14 of the border paper: one dimension, memory."""

from collections.abc import Iterator
from dataclasses import replace

from limen_lab.reproduce.bmq.border_methods import Differences
from limen_lab.reproduce.bmq.comparison import Contender, stored
from limen_lab.reproduce.bmq.one_dimension import (
    BY_CEI,
    BY_SKIP_LIST,
    CURVES,
    OURS,
    PAPERS,
    PaperPrices,
    by_queries,
    by_width,
)
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import Lines, best_rate, growth, judged, last, quotient, short, smaller_scale, spread
from limen_lab.rivals.cei import CEI

BY_FINE_CEI = "DiffRMQ (CEI, cells of 1)"
UNITS_A_PER_CENT = 10_000  # of the domain of 1,000,000
TUPLES = 6  # a stream; what is remembered grows with streams and not with their tuples
MEMORY = Axis("memory", "MB", log=True)


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of queries, then their width."""
    for panel, settings in (("a", by_queries(scale)), ("b", by_width(scale))):
        for x, prices in settings:
            held = stored(contenders(replace(prices, tuples=TUPLES, tuples_of_rivals=TUPLES)))
            yield from (Point(panel, name, x, megabytes) for name, megabytes in held.items())


def contenders(prices: PaperPrices) -> dict[str, Contender]:
    """Return the usual ones, and CEI with cells of one unit of price in segments of 16, whatever queries are like."""
    usual, boxes = prices.contenders(), prices.boxes

    def fine() -> Differences:
        index = CEI(cells_a_box=prices.width * UNITS_A_PER_CENT, k=4, cells_for_each=float("inf"))
        return Differences(index, boxes, prices.streams)

    return {**usual, BY_FINE_CEI: Contender(fine, usual[BY_CEI].journeys)}


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.1.3."""
    by_count, by_wide = Lines(points, "a"), Lines(points, "b")
    queries = max(by_count[OURS])
    smaller = smaller_scale(queries, 100_000, "queries") + "Beside few queries, the cells themselves count."
    best = {name: best_rate(points, BY_FINE_CEI, name) for name in (OURS, PAPERS)}
    fine = {name: last(quotient(by_count[BY_FINE_CEI], by_count[name])) for name in (OURS, PAPERS)}
    yield judged(
        "BMQ-Processor takes down to 1/10 of the memory of DiffRMQ with CEI",
        f"with cells of one unit of price, 1/{short(fine[PAPERS])} at {queries:,.0f} queries (border index "
        f"1/{short(fine[OURS])}) and 1/{short(best[PAPERS])} at best (1/{short(best[OURS])}); with cells chosen for "
        f"speed, 1/{best_rate(points, BY_CEI, PAPERS):.1f} at best (1/{best_rate(points, BY_CEI, OURS):.1f})",
        reached=min(best.values()) >= 10,
        otherwise=smaller,
    )
    tree = {name: last(quotient(by_count[BY_SKIP_LIST], by_count[name])) for name in (OURS, PAPERS)}
    yield judged(
        "It takes much less than both DiffRMQs, especially than the one with CEI",
        f"at {queries:,.0f} queries {last(by_count[PAPERS]):.2g} MB (border index {last(by_count[OURS]):.2g} MB); "
        f"IS-list {short(tree[PAPERS])} × that, CEI with cells of one unit {short(fine[PAPERS])} ×",
        reached=min(tree.values()) > 2 and fine[PAPERS] > tree[PAPERS],
        otherwise=smaller,
    )
    yield judged(
        "With wider queries it is constant, with CEI it rises rapidly, with the IS-list it rises less",
        f"narrowest to widest {growth(by_wide[PAPERS]):.2f} × (border index {growth(by_wide[OURS]):.2f} ×); "
        f"CEI with cells of one unit {growth(by_wide[BY_FINE_CEI]):.2f} ×, with a grid chosen for speed "
        f"{growth(by_wide[BY_CEI]):.2f} ×, IS-list {growth(by_wide[BY_SKIP_LIST]):.2f} ×",
        reached=max(spread(by_wide[PAPERS]), spread(by_wide[OURS])) < 1.01
        and growth(by_wide[BY_FINE_CEI]) > growth(by_wide[BY_SKIP_LIST]),
        otherwise=smaller,
    )


FIGURE = Figure(
    name="bmq-14",
    title="One dimension: memory",
    source="BMQ-Processor, Figure 14; BMQ-Index, Figure 9, is the same experiment",
    panels=(
        Panel("a", "Memory by number of queries", Axis("queries"), MEMORY),
        Panel("b", "Memory by width of queries", Axis("width of queries W", "% of the domain"), MEMORY),
    ),
    curves=(*CURVES[:3], Curve(BY_FINE_CEI), *CURVES[3:]),
    measure=measure,
    judge=judge,
    setting={
        "full": "a: 10K to 100K queries, W = 0.1 %; b: 100K queries, W = 0.01 % to 0.1 %; after 6 tuples of 2,000 "
        "streams, with FL = 0.01 %; bytes of queries and streams, last values and remembered sets among them",
        "quick": "as at full scale, with fewer points",
        "tiny": "1K to 5K queries, and 5K queries of different widths; after 6 tuples of 100 streams",
    },
    learned="A border index holds a query twice: in 42 bytes (the paper's) or 58 (Limen's), whatever its width. CEI "
    "takes hardly more where its cells are chosen for speed, and 10 to 14 × as much with cells of one unit of "
    "price.",
)
