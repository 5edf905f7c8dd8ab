"""Figure 19 of the border paper: one to nine dimensions."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from limen.regions.boxes import BoxIndex
from limen.simulate import box_queries, box_values
from limen_lab.reproduce.bmq.border_methods import Borders
from limen_lab.reproduce.bmq.comparison import Contender, compared, stored
from limen_lab.reproduce.bmq.journeys import Journeys
from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import Lines, growth, judged, last, quotient, range_of, smaller_scale
from limen_lab.rivals.segment_lists import SegmentLists

PAPERS = "BMQ-Processor"
ESTIMATE = "estimate (d−1)·√d·τ₁"
OURS = "border index (Limen)"
DIMENSIONS: dict[Scale, tuple[int, ...]] = {
    "full": tuple(range(1, 10)),
    "quick": (1, 2, 3, 5, 9),
    "tiny": (1, 2, 3),
}


@dataclass(frozen=True, slots=True)
class PaperBoxes:
    """Boxes and streams in any number of dimensions, as the paper has them: W = FL = 0.1 % in each."""

    queries: int = 10_000
    streams: int = 2_000
    tuples: int = 202
    runs: int = 3

    def contenders(self, dimensions: int) -> dict[str, Contender]:
        """Return the methods, ready to be run."""
        boxes = np.stack(box_queries(dimensions=dimensions, n=self.queries), axis=2)
        journeys = Journeys.of(box_values(dimensions=dimensions, streams=self.streams, tuples=self.tuples))
        return {
            PAPERS: Contender(lambda: SegmentLists(boxes, self.streams), journeys),
            OURS: Contender(lambda: Borders(BoxIndex(dimensions), boxes, self.streams), journeys),
        }


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of dimensions."""
    boxes = at_scale(
        scale,
        full=PaperBoxes(),
        quick=PaperBoxes(tuples=32, runs=2),
        tiny=PaperBoxes(queries=1_000, streams=200, tuples=12, runs=1),
    )
    for dimensions in DIMENSIONS[scale]:
        contenders = boxes.contenders(dimensions)
        measured = compared(contenders, boxes.runs)
        for name, each in measured.items():
            yield Point("a", name, dimensions, each.microseconds)
        if dimensions == 1:
            one = measured[PAPERS].microseconds
        else:
            yield Point("a", ESTIMATE, dimensions, (dimensions - 1) * math.sqrt(dimensions) * one)
        for name, megabytes in stored(contenders).items():
            yield Point("b", name, dimensions, megabytes)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.3."""
    time, memory = Lines(points, "a"), Lines(points, "b")
    several = {name: {x: y for x, y in time[name].items() if x > 1} for name in (PAPERS, OURS, ESTIMATE)}
    most = max(several[PAPERS])
    yield judged(
        "The time increases very slowly with the dimensions d, compared with (d−1)·√d",
        f"from 2 to {most:g} dimensions {growth(several[PAPERS]):.1f} × (border index {growth(several[OURS]):.1f} ×), "
        f"where (d−1)·√d grows {growth(several[ESTIMATE]):.1f} ×; from 1 to {most:g} dimensions "
        f"{growth(time[PAPERS]):.0f} × ({growth(time[OURS]):.0f} ×)",
        reached=2 * max(growth(several[PAPERS]), growth(several[OURS])) < growth(several[ESTIMATE]),
        otherwise=smaller_scale(most, 9, "dimensions"),
    )
    part = {name: quotient(time[name], time[ESTIMATE]) for name in (PAPERS, OURS)}
    yield judged(
        "Measured times are below the estimate (d−1)·√d·τ₁, where τ₁ is BMQ-Processor's time in one dimension",
        f"{range_of(part[PAPERS])} × the estimate, below it {since(part[PAPERS])}; border index {range_of(part[OURS])} "
        f"×, below it {since(part[OURS])}",
        reached=max(part[PAPERS].values()) < 1,
        otherwise="The estimate is for moves that are as long in d dimensions as in one, so that √d times as many "
        "bounds are passed; with FL = 0.1 % in every dimension, as in this experiment, d times as many are. And in one "
        "dimension there is nothing to check across: to pass 20 bounds is much cheaper than to look up 20 queries.",
    )
    by_dimension = {name: last(memory[name]) / memory[name][2] / (most / 2) for name in (PAPERS, OURS)}
    yield judged(
        "Memory increases linearly with the dimensions, and is less than 7 MB with nine",
        f"with {most:g} dimensions {last(memory[PAPERS]):.1f} MB, {growth(memory[PAPERS]):.0f} × that with one and "
        f"{last(memory[PAPERS]) / memory[PAPERS][2]:.2f} × that with two, which needs the query table too; border "
        f"index {last(memory[OURS]):.1f} MB, as its entries also hold bounds of the next dimension",
        reached=last(memory[PAPERS]) < 7 and all(0.98 < each < 1.02 for each in by_dimension.values()),
        otherwise="Memory of each dimension is what is said above.",
    )


def since(part: dict[float, float]) -> str:
    """Say from which number of dimensions on a ratio is below 1."""
    above = [x for x, y in part.items() if y >= 1]
    below = [x for x in part if x > max(above, default=0)]
    return f"from d = {min(below):g} on" if below else "nowhere"


FIGURE = Figure(
    name="bmq-19",
    title="One to nine dimensions",
    source="BMQ-Processor, Figure 19",
    panels=(
        Panel("a", "Processing time by dimensions", Axis("dimensions d"), Axis("CPU time a tuple", "µs")),
        Panel("b", "Memory by dimensions", Axis("dimensions d"), Axis("memory", "MB")),
    ),
    curves=(Curve(PAPERS), Curve(ESTIMATE), Curve(OURS, ours=True)),
    measure=measure,
    judge=judge,
    setting={
        "full": "10K queries, a domain of 100,000, W = FL = 0.1 % in each dimension, uniform; 2,000 streams × 200 "
        "tuples (the paper does not say how many); CPU time, by turns, best of 3",
        "quick": "as at full scale with 30 tuples a stream, best of 2, and fewer points",
        "tiny": "1,000 queries, 200 streams × 10 tuples, up to three dimensions; one run",
    },
    learned="From two dimensions on, time and memory grow about linearly, since a check across dimensions ends with "
    "the first that says no. The border index takes a third of the walk's time: an entry holds the next "
    "dimension's bounds.",
)
