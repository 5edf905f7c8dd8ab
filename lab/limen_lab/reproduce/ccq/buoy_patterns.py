"""What Figures 5 to 7 of the paper on constraint queries share: readings of buoys, patterns, and what is measured."""

from collections.abc import Iterable, Iterator

from limen.simulate.buoy_patterns import PatternQueries
from limen.simulate.buoys import Buoys
from limen_lab.bench.pattern.suite import PatternWorkload
from limen_lab.reproduce.figure import Axis, Curve, Panel, Point, Scale, at_scale

#: As the paper calls them, by what Limen calls them.
WAYS = {"loose": "Loose", "tight": "Tight", "no-index": "NoIndex"}
CURVES = tuple(Curve(name, ours=True) for name in WAYS.values())
RATE = Axis("throughput", "events/s", log=True)
STORED = Axis("most events stored", "% of all", log=True)
SETTING: dict[Scale, str] = {
    "full": "300,000 readings of TAO's buoys, a third of the paper's 900,000 (178,080, a day and buoy each, taken "
    "several times with other times of day and a little noise; made where they are not at hand); events a second of "
    "processor time",
    "quick": "100,000 readings",
    "tiny": "4,000 readings",
}


def readings(scale: Scale) -> Buoys:
    """Return the stream."""
    return Buoys(rows=at_scale(scale, full=300_000, quick=100_000, tiny=4_000), made=scale == "tiny")


def panels(axis: Axis) -> tuple[Panel, Panel]:
    """Return the two panels of each figure."""
    return Panel("a", "Processing rate", axis, RATE), Panel("b", "Memory", axis, STORED)


def measured(scale: Scale, settings: Iterable[tuple[float, PatternQueries]]) -> Iterator[Point]:
    """Measure each setting for the three ways to keep tuples."""
    stream = readings(scale)
    for x, queries in settings:
        watched = PatternWorkload(stream, queries)
        for expiry, name in WAYS.items():
            # CPU time: on an otherwise idle core it equals wall time.
            runs = [watched.run(expiry) for _ in range(2)]
            counts = runs[0].counters
            yield Point("a", name, x, max(run.rate for run in runs))
            yield Point("b", name, x, 100 * max(counts["most_stored"], 1) / counts["rows"])
