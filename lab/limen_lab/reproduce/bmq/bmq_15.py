"""Figure 15 of the border paper: one dimension, the number of streams."""

from collections.abc import Iterator
from dataclasses import replace

from limen_lab.reproduce.bmq.comparison import WARM, compared, stored
from limen_lab.reproduce.bmq.one_dimension import BY_CEI, BY_SKIP_LIST, CURVES, OURS, PAPERS, papers_prices
from limen_lab.reproduce.figure import Axis, Figure, Panel, Point, Points, Scale, Verdict
from limen_lab.reproduce.judging import SHORT_RUNS, Lines, growth, judged, last, least, quotient, range_of, spread

STREAMS: dict[Scale, tuple[int, ...]] = {
    "full": (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000),
    "quick": (1_000, 8_000, 64_000),
    "tiny": (100, 200, 400),
}
TUPLES: dict[Scale, int] = {"full": 256_000, "quick": 64_000, "tiny": 800}  # in all, of which each stream has its share

PAPERS_STREAMS = 2_000  # in the other experiments
FEW = WARM + 2  # tuples of a stream, after which memory is taken


def measure(scale: Scale) -> Iterator[Point]:
    """Vary the number of streams."""
    for streams in STREAMS[scale]:
        tuples = WARM + max(TUPLES[scale] // streams, 1)
        prices = replace(papers_prices(scale), streams=streams, tuples=tuples, tuples_of_rivals=tuples)
        contenders = prices.contenders()
        for name, measured in compared(contenders, prices.runs).items():
            yield Point("a", name, streams, 1000 * streams * measured.seconds)
        few = replace(prices, tuples=FEW, tuples_of_rivals=FEW)
        for name, megabytes in stored(few.contenders()).items():
            yield Point("b", name, streams, megabytes)


def judge(points: Points) -> Iterator[Verdict]:
    """Hold the points against section 7.1.4."""
    time, memory = Lines(points, "a"), Lines(points, "b")
    a_tuple = {curve.name: {x: 1e6 * y / x for x, y in time[curve.name].items()} for curve in CURVES}
    span = max(time[OURS]) / min(time[OURS])
    yield judged(
        "The time for a tuple of each stream grows linearly with the streams: the time of a tuple does not change",
        f"with {span:g} × the streams a tuple takes {growth(a_tuple[PAPERS]):.2f} × the time, "
        f"{range_of(a_tuple[PAPERS])} ns (border index {growth(a_tuple[OURS]):.2f} ×, {range_of(a_tuple[OURS])} ns); "
        f"DiffRMQ with CEI {growth(a_tuple[BY_CEI]):.2f} ×, with IS-list {growth(a_tuple[BY_SKIP_LIST]):.2f} ×",
        reached=max(growth(a_tuple[OURS]), growth(a_tuple[PAPERS])) < 1.4
        and max(spread(a_tuple[OURS]), spread(a_tuple[PAPERS])) < 1.7,
        otherwise="Batches of few streams are dominated by what a batch costs, and many streams no longer fit into the "
        "processor's cache.",
    )
    rivals = least(time[BY_CEI], time[BY_SKIP_LIST])
    ratio = {name: quotient(rivals, time[name]) for name in (OURS, PAPERS)}
    both = {rival: quotient(time[rival], time[OURS]) for rival in (BY_CEI, BY_SKIP_LIST)}
    yield judged(
        "That of DiffRMQ is 6.8 × as large",
        f"beside the border index {range_of(both[BY_CEI])} × with CEI, {range_of(both[BY_SKIP_LIST])} × with IS-list; "
        f"beside BMQ-Processor {range_of(ratio[PAPERS])} × by the faster of the two; 6.8 × "
        f"or more {since(ratio[OURS])}",
        reached=min((y for x, y in ratio[OURS].items() if x >= PAPERS_STREAMS), default=0) >= 6.8,
        otherwise="DiffRMQ's cells are chosen for speed here, and what it remembers of few streams stays in the cache. "
        + ("" if max(time[OURS]) >= 128_000 else SHORT_RUNS),
    )
    yield judged(
        "The gap does not change with the number of streams",
        f"the faster DiffRMQ takes {range_of(ratio[OURS])} × the border index's time",
        reached=spread(ratio[OURS]) < 1.5,
        otherwise="It widens: what DiffRMQ remembers, 100 queries a stream, leaves the processor's cache as streams "
        "become more, and a border index remembers a few bytes of each.",
    )
    more = {name: last(memory[name]) - memory[name][min(memory[name])] for name in (OURS, PAPERS, BY_CEI, BY_SKIP_LIST)}
    streams = max(time[OURS]) - min(time[OURS])
    each = {name: 1e6 * added / streams for name, added in more.items()}
    yield judged(
        "BMQ-Processor takes the least memory and hardly more with more streams; DiffRMQ's grows with their sets",
        f"{each[PAPERS]:.0f} bytes a stream (border index {each[OURS]:.0f}), DiffRMQ {each[BY_CEI]:.0f}; with "
        f"{max(time[OURS]):,.0f} streams {last(memory[PAPERS]):.2g} MB ({last(memory[OURS]):.2g} MB), with CEI "
        f"{last(memory[BY_CEI]):.2g} MB, with IS-list {last(memory[BY_SKIP_LIST]):.2g} MB",
        reached=10 * max(each[OURS], each[PAPERS]) < min(each[BY_CEI], each[BY_SKIP_LIST])
        and all(y < memory[BY_CEI][x] and y < memory[BY_SKIP_LIST][x] for x, y in memory[PAPERS].items()),
        otherwise="The fewer queries there are, the fewer contain a stream.",
    )


def since(ratio: dict[float, float]) -> str:
    """Say from how many streams on a ratio is what the paper claims."""
    lower = [x for x, y in ratio.items() if y < 6.8]
    reached = [x for x in ratio if x > max(lower, default=0)]
    return f"from {min(reached):,.0f} streams on" if reached else "nowhere"


FIGURE = Figure(
    name="bmq-15",
    title="One dimension: scalability with the number of streams",
    source="BMQ-Processor, Figure 15",
    panels=(
        Panel(
            "a",
            "Time for a tuple of each stream",
            Axis("streams", log=True),
            Axis("CPU time for a tuple of each stream", "ms", log=True),
        ),
        Panel("b", "Memory", Axis("streams", log=True), Axis("memory", "MB", log=True)),
    ),
    curves=CURVES,
    measure=measure,
    judge=judge,
    setting={
        "full": "100K queries, W = 0.1 %, FL = 0.01 %; 1K to 128K streams, a domain of 1,000,000; 256,000 tuples in "
        "all, so that many streams have fewer each; CPU time, by turns, best of 3",
        "quick": "1K, 8K and 64K streams and 64,000 tuples in all; otherwise as at full scale, best of 2",
        "tiny": "5K queries, 100 to 400 streams and 800 tuples in all; one run",
    },
    learned="A tuple costs about the same with 128K streams as with 1K, and a stream 12 to 16 bytes. DiffRMQ "
    "remembers 570 bytes a stream, and takes twice as long once they no longer fit into the processor's "
    "cache.",
)
