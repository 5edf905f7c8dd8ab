"""What the figures of one dimension share: prices, ranges of prices, and the methods they are given to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from limen.arrays import Floats
from limen.regions.boxes import BoxIndex
from limen.simulate import price_queries, price_values
from limen.simulate.walk import Distribution
from limen_lab.reproduce.bmq.border_methods import Borders, Differences
from limen_lab.reproduce.bmq.comparison import Contender, compared
from limen_lab.reproduce.bmq.journeys import Journeys
from limen_lab.reproduce.figure import Axis, Curve, Panel, Point, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import Lines, judged, smaller_scale
from limen_lab.rivals.cei import CEI
from limen_lab.rivals.segment_lists import SegmentLists
from limen_lab.rivals.skip_list import IntervalSkipList

PAPERS = "BMQ-Processor"
BY_CEI = "DiffRMQ (CEI)"
BY_SKIP_LIST = "DiffRMQ (IS-list)"
OURS = "border index (Limen)"
CURVES = (Curve(PAPERS), Curve(BY_CEI), Curve(BY_SKIP_LIST), Curve(OURS, ours=True))
CLAIMED = 6.8  # times as long as the border index, by DiffRMQ

EFFICIENCY = Axis("processing efficiency", "%")
TIME = Axis("CPU time a tuple", "µs")


@dataclass(frozen=True, slots=True)
class PaperPrices:
    """Streams of prices and ranges of prices; widths and steps are in per cent of the domain, as the paper has them.

    Attributes
    ----------
    tuples, tuples_of_rivals : int
        How many tuples each stream has, and how many of them DiffRMQ is given.
    runs : int
        Of which the best counts.
    """

    queries: int = 100_000
    width: float = 0.1
    fluctuation: float = 0.01
    streams: int = 2_000
    tuples: int = 1_000
    tuples_of_rivals: int = 200
    data: Distribution = "uniform"
    ranges: Distribution = "uniform"
    runs: int = 3

    @property
    def boxes(self) -> Floats:
        """Bounds (queries, 1, 2)."""
        lower, upper = price_queries(n=self.queries, width=self.width / 100, distribution=self.ranges)
        return np.stack([lower, upper], axis=1)[:, None, :].copy()

    @property
    def journeys(self) -> Journeys:
        """The prices."""
        values = price_values(
            streams=self.streams, tuples=self.tuples, fluctuation=self.fluctuation / 100, start=self.data
        )
        return Journeys.of(values[:, :, None])

    def contenders(self) -> dict[str, Contender]:
        """Return the methods, ready to be run."""
        boxes, streams, journeys = self.boxes, self.streams, self.journeys
        few = journeys.first(self.tuples_of_rivals)
        return {
            PAPERS: Contender(lambda: SegmentLists(boxes, streams), journeys),
            BY_CEI: Contender(lambda: Differences(CEI(), boxes, streams), few),
            BY_SKIP_LIST: Contender(lambda: Differences(IntervalSkipList(), boxes, streams), few),
            OURS: Contender(lambda: Borders(BoxIndex(1), boxes, streams), journeys),
        }

    def points(self, x: float) -> Iterator[Point]:
        """Measure efficiency for panel a and time for panel b."""
        for name, measured in compared(self.contenders(), self.runs).items():
            yield Point("a", name, x, measured.efficiency)
            yield Point("b", name, x, measured.microseconds)


def papers_prices(scale: Scale) -> PaperPrices:
    """Return the paper's workload; smaller scales have fewer streams and tuples, the smallest fewer queries too."""
    return at_scale(
        scale,
        full=PaperPrices(),
        quick=PaperPrices(tuples=40, tuples_of_rivals=40, runs=2),
        tiny=PaperPrices(queries=5_000, streams=100, tuples=16, tuples_of_rivals=16, runs=1),
    )


def panels(x: Axis, what: str, categories: tuple[str, ...] = ()) -> tuple[Panel, Panel]:
    """Return the two panels that most of these figures have."""
    return (
        Panel("a", f"Processing efficiency by {what}", x, EFFICIENCY, categories),
        Panel("b", f"Processing time by {what}", x, TIME, categories),
    )


QUERY_COUNTS: dict[Scale, tuple[int, ...]] = {
    "full": tuple(range(10_000, 100_001, 10_000)),
    "quick": (10_000, 40_000, 100_000),
    "tiny": (1_000, 2_000, 5_000),
}
WIDTHS: dict[Scale, tuple[float, ...]] = {
    "full": tuple(round(0.01 * step, 2) for step in range(1, 11)),
    "quick": (0.01, 0.02, 0.05, 0.1),
    "tiny": (0.01, 0.02, 0.05, 0.1),
}


def by_queries(scale: Scale) -> Iterator[tuple[float, PaperPrices]]:
    """Go through numbers of queries."""
    prices = papers_prices(scale)
    return ((float(count), replace(prices, queries=count)) for count in QUERY_COUNTS[scale])


def by_width(scale: Scale) -> Iterator[tuple[float, PaperPrices]]:
    """Go through widths in per cent."""
    prices = papers_prices(scale)
    return ((width, replace(prices, width=width)) for width in WIDTHS[scale])


def setting(fixed: str) -> dict[Scale, str]:
    """Say what the workload is, at each scale."""
    return {
        "full": f"{fixed}; 2,000 streams × 1,000 tuples, a domain of 1,000,000; DiffRMQ is given the first 200 tuples "
        "of each stream; CPU time, by turns, best of 3",
        "quick": f"{fixed}; 2,000 streams × 40 tuples, a domain of 1,000,000; CPU time, by turns, best of 2",
        "tiny": f"{fixed}, with 5,000 queries at most; 100 streams × 16 tuples, a domain of 1,000,000; one run",
    }


def times_faster(time: Lines, x: float, claim: str) -> Verdict:
    """Hold the time of the border index against that of the faster DiffRMQ, at an x."""
    ours, papers, cei, skip_list = (time[name][x] for name in (OURS, PAPERS, BY_CEI, BY_SKIP_LIST))
    return judged(
        claim,
        f"border index {1000 * ours:.0f} ns; DiffRMQ with CEI {cei / ours:.1f} ×, with IS-list {skip_list / ours:.1f} "
        f"×; {cei / papers:.1f} × and {skip_list / papers:.1f} × BMQ-Processor's {1000 * papers:.0f} ns",
        reached=min(cei, skip_list) >= CLAIMED * ours,
        otherwise=smaller_scale(x, 100_000, "queries")
        + "DiffRMQ's cells are chosen for speed here, and what it remembers of few streams stays in the processor's "
        "cache; bmq-15 has the ratio with more streams.",
    )
