"""SOLE, Figure 19: how many queries a memory supports when they share a buffer, and when each has its own."""

from collections.abc import Iterator

from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.kernels.layout import CELL_ENTRIES, CELL_ENTRY
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged, last, rises
from limen_lab.reproduce.sole.sole_sharing import SHARES, shared
from limen_lab.reproduce.sole.sole_traffic import PAPERS_OBJECTS

SHARED, EACH_ITS_OWN, RATIO = "shared", "each its own", "shared by each its own"
PAPERS_QUERIES = 60_000  # of the smallest size, in the paper's memory


def measure(scale: Scale) -> Iterator[Point]:
    """Count for each size what a query takes, and how many fit into the memory of the paper's number of small ones."""
    sample = at_scale(scale, full=2_000, quick=500, tiny=100)
    objects = at_scale(scale, full=PAPERS_OBJECTS, quick=PAPERS_OBJECTS, tiny=5_500)
    sizes = at_scale(scale, full=SHARES, quick=SHARES, tiny=(0.0001, 0.01))
    rules = BudgetRules(0.0, 0, 0)
    memory = 0.0
    for share in sizes:
        watched, seconds = shared(objects, sample, share, moving=0.0)
        for second in seconds[: watched.traffic.interval]:
            watched.play(second)
        wanted = float(watched.assessed[:, 0].mean())  # objects in region and cache area
        a_query = rules.query_bytes + CELL_ENTRY.itemsize * watched.count(CELL_ENTRIES) / sample
        everyone = objects * rules.object_bytes  # as if queries wanted all of them: more than sharing needs
        memory = memory or everyone + PAPERS_QUERIES * objects / PAPERS_OBJECTS * a_query
        together, apart = (memory - everyone) / a_query, memory / (rules.query_bytes + wanted * rules.object_bytes)
        yield Point("a", RATIO, 100 * share, together / apart)
        yield Point("b", SHARED, 100 * share, together)
        yield Point("b", EACH_ITS_OWN, 100 * share, apart)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.5."""
    ratio, together, apart = points.curve("a", RATIO), points.curve("b", SHARED), points.curve("b", EACH_ITS_OWN)
    first = min(ratio)
    yield judged(
        "Sharing supports 8 times the queries of 0.01 % of the city",
        f"{ratio[first]:.1f} × ({together[first]:,.0f} beside {apart[first]:,.0f})",
        reached=ratio[first] >= 8,
        otherwise="A query counts for "
        f"{BudgetRules(0.0, 0, 0).query_bytes} bytes here and an object for "
        f"{BudgetRules(0.0, 0, 0).object_bytes}: of so small a "
        "query its own record is a good part, and that is not shared. The paper does not say what it counts.",
    )
    yield judged(
        "… and 20 times those of 1 %",
        f"{last(ratio):.0f} × ({last(together):,.0f} beside {last(apart):,.0f})",
        reached=last(ratio) >= 20,
        otherwise="With fewer objects a query has fewer, and there is less to share.",
    )
    yield judged(
        "The gain grows with the size of queries",
        f"from {ratio[first]:.1f} × to {last(ratio):.0f} ×",
        reached=rises(ratio),
    )


_SIZE = Axis("size of queries", "% of the city", log=True)

FIGURE = Figure(
    name="sole-19",
    title="How many queries a memory supports, shared and not shared",
    source="SOLE, Figure 19 (§7.5)",
    panels=(
        Panel("a", "Queries supported by sharing, as a multiple of those without", _SIZE, Axis("ratio", log=True)),
        Panel("b", "Queries supported", _SIZE, Axis("queries", log=True)),
    ),
    curves=(Curve(RATIO), Curve(SHARED), Curve(EACH_ITS_OWN)),
    measure=measure,
    judge=judge,
    setting={
        "full": "110,000 objects on roads in 28 by 28 miles, 25 % cache; what 2,000 queries of each size take is "
        "counted in a real buffer, and from it how many fit into the memory in which 60,000 of the smallest do. A "
        "buffer for all counts every object once, a list entry for each cell, and every query; without sharing each "
        "query counts for itself and all of its objects",
        "quick": "110,000 objects, and 500 queries of each size to count by",
        "tiny": "5,500 objects, and 100 queries of each size to count by",
    },
    learned="What is shared are streams: the more of them a query wants, the more sharing saves. The gain is larger "
    "than the paper's, since queries are where streams are: the smallest have some 120 with their cache areas, where "
    "even spreading gives 22.",
)
