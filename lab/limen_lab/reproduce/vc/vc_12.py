"""vci-vcr, Figure 12: how long constructs should be, by search time and by storage."""

from collections.abc import Callable, Iterator
from functools import partial

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict, at_scale
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.vc.look_ups import filled, microseconds
from limen_lab.reproduce.vc.rectangle_indexes import PaperVCR, lists_read, positions, rectangles
from limen_lab.rivals.match_index import MatchIndex
from limen_lab.rivals.vcr import VCR

WIDEST = {"a": 20, "b": 40}
BEST_BY_STORAGE = {"a": 8, "b": 16}
BEST_BY_TIME = {"a": 16, "b": 16}
LENGTHS = (1, 2, 4, 8, 16, 32)
FEWER_LENGTHS = LENGTHS[:-1]


def sizes(scale: Scale) -> tuple[int, ...]:
    """Return the numbers of queries; the paper does not say which it takes."""
    return at_scale(scale, full=(32_000, 128_000, 256_000), quick=(32_000, 192_000), tiny=(2_000, 8_000))


def papers(n: int) -> str:
    """Name the paper's curve."""
    return f"VCR, n = {n:,}"


def ours(n: int) -> str:
    """Name our curve: one value, whatever L is, since L is chosen."""
    return f"VCR as Limen cuts, n = {n:,}"


def measure(scale: Scale) -> Iterator[Point]:
    """Yield search time and storage for each L, and the number of lists that a point reads."""
    runs, count = at_scale(scale, full=(5, 4_000), quick=(2, 1_500), tiny=(1, 250))
    lengths = at_scale(scale, full=LENGTHS, quick=LENGTHS, tiny=FEWER_LENGTHS)
    points = positions(count)
    for longest in lengths:
        yield Point("c", "lists read", longest, lists_read(longest))
    for letter, widest in WIDEST.items():
        for n in sizes(scale):
            makers: dict[str, Callable[[], MatchIndex]] = {
                str(longest): partial(PaperVCR, longest) for longest in lengths
            }
            indexes = filled(makers | {"ours": VCR}, rectangles(n, widest))
            taken = microseconds(indexes, points, runs)
            for longest in lengths:
                for curve, name in ((papers(n), str(longest)), (ours(n), "ours")):
                    yield Point(f"{letter}-time", curve, longest, taken[name])
                    yield Point(f"{letter}-storage", curve, longest, indexes[name].nbytes / 1e6)
                if n == max(sizes(scale)):
                    entries = indexes[str(longest)]
                    assert isinstance(entries, PaperVCR)
                    yield Point("d", f"pieces, W = {widest}", longest, entries.entries / n)


def judge(points: Points) -> Iterator[Verdict]:
    """Say which L is best, by storage and by time."""
    measured = [n for n in ALL_SIZES if points.curve("a-time", papers(n))]
    for letter, widest in WIDEST.items():
        claimed = BEST_BY_STORAGE[letter]
        best = {n: _best(points.curve(f"{letter}-storage", papers(n))) for n in measured}
        yield judged(
            f"W = {widest}: the best L by storage is {claimed}",
            ", ".join(f"{length} at n = {n:,}" for n, length in best.items()),
            reached=claimed in best.values(),
            otherwise="the best L grows with n: the table of lists costs (log₂ L + 1)² places for each of 60,000 "
            f"cells whatever n is, the pieces of a query {_said(points.curve('d', f'pieces, W = {widest}'))}; the "
            "paper's n is not in its text" + (", and this run is too small for it" if max(measured) < 128_000 else ""),
        )
    for letter, widest in WIDEST.items():
        claimed = BEST_BY_TIME[letter]
        times = {n: points.curve(f"{letter}-time", papers(n)) for n in measured}
        slower = times[max(measured)][claimed] / min(times[max(measured)].values())
        yield judged(
            f"W = {widest}: the best L by search time is {claimed}",
            ", ".join(f"{_best(each)} at n = {n:,}" for n, each in times.items()),
            reached=claimed in {_best(each) for each in times.values()},
            otherwise=f"L = {claimed} takes {slower:.1f} × the time of the best here. Whatever L is, a point's answer "
            f"is read once; but it is read from (2 L − 1)² lists, {lists_read(claimed)} of them at L = {claimed}, and "
            "straight through from 1 at L = 1. Fewer activated constructs, by which the paper explains its best L, "
            "save memory here and not time",
        )
    for letter, widest in WIDEST.items():
        length = BEST_BY_STORAGE[letter]
        gains = {
            n: points.curve(f"{letter}-time", papers(n))[length] / points.curve(f"{letter}-time", ours(n))[1]
            for n in measured
        }
        yield judged(
            f"W = {widest}: VCR as Limen cuts, cells and L chosen by a sample, is not slower than with the paper's L",
            ", ".join(f"{gain:.1f} × as fast at n = {n:,}" for n, gain in gains.items()),
            reached=min(gains.values()) >= 1,
            otherwise="the paper's cells are integers, as are the bounds of these queries, so that all that is read is "
            "found; ours are chosen for any bounds, and some of what they read lies beside the point",
        )


def _best(curve: dict[float, float]) -> int:
    return int(min(curve, key=lambda length: curve[length]))


def _said(pieces: dict[float, float]) -> str:
    return ", ".join(f"{count:.1f}" for count in pieces.values()) + " places at L = 1, 2, 4, …"


ALL_SIZES = sorted({n for scale in ("full", "quick", "tiny") for n in sizes(scale)})
_TIME, _STORAGE = Axis("CPU time a point", "µs", log=True), Axis("storage", "MB")
_LENGTH = Axis("longest side L of a construct", "cells", log=True)

FIGURE = Figure(
    name="vc-12",
    title="Search time and storage, by the longest side of constructs",
    source="VCI/VCR paper, Figure 12 (§3.5)",
    panels=(
        Panel("a-time", "Search time, W = 20", _LENGTH, _TIME),
        Panel("a-storage", "Storage, W = 20", _LENGTH, _STORAGE),
        Panel("b-time", "Search time, W = 40", _LENGTH, _TIME),
        Panel("b-storage", "Storage, W = 40", _LENGTH, _STORAGE),
        Panel("c", "Not in the paper: lists that a point reads", _LENGTH, Axis("lists a point", log=True)),
        Panel("d", "Not in the paper: pieces that a query is cut into", _LENGTH, Axis("pieces a query", log=True)),
    ),
    curves=(
        *(Curve(papers(n)) for n in ALL_SIZES),
        Curve("lists read"),
        Curve("pieces, W = 20"),
        Curve("pieces, W = 40"),
        *(Curve(ours(n), ours=True) for n in ALL_SIZES),
    ),
    measure=measure,
    judge=judge,
    setting={
        scale: "Rx · Ry = 300 · 200 = 60,000; sides of queries even from 1 to W; simple decomposition, lists by id; "
        f"n = {', '.join(f'{n:,}' for n in sizes(scale))}; points anywhere"
        for scale in ("full", "quick", "tiny")
    },
    learned="By storage there is a best L in the middle, and it grows with the widths, as the paper says; it grows "
    "with the number of queries as well. By time the shortest constructs are best on today's machines, which is why "
    "Limen cuts rectangles into cells of a chosen size rather than into long constructs.",
)
