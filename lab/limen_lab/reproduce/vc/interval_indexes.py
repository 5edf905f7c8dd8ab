"""What vci-vcr §2.5 compares: indexes of intervals of integers, and ours beside them."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from limen.arrays import Floats
from limen.regions.boxes import BoxIndex
from limen_lab.bench.matchers import BorderLookUp
from limen_lab.reproduce.figure import Axis, Curve, Scale, at_scale
from limen_lab.reproduce.vc.look_ups import MOST_POINTS, filled
from limen_lab.rivals.direct_list import DirectList
from limen_lab.rivals.match_index import MatchIndex
from limen_lab.rivals.skip_list import IntervalSkipList
from limen_lab.rivals.vci import VCI

R = 5_000
WIDEST = 50  # the paper does not say; 1 % of R
LONGEST = 8  # L; of 4 … 128 the fastest here, and within a sixth of the smallest

SKIP_LIST, DIRECT, SCI, LCI = "IS-list", "direct list (Dlist)", "SCI", "LCI-BV(DT)"
VCI_OURS, EDGES = "VCI by default", "edge lists"
CURVES = (
    Curve(SKIP_LIST), Curve(DIRECT), Curve(SCI), Curve(LCI), Curve(VCI_OURS, ours=True), Curve(EDGES, ours=True),
)  # fmt: skip
QUERIES = Axis("number of queries n", log=True)
ENOUGH = 32_000  # queries, from which on a claim is judged in earnest


def sizes(scale: Scale) -> tuple[int, ...]:
    """Return the numbers of queries."""
    return at_scale(
        scale,
        full=(1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000),
        quick=(1_000, 4_000, 16_000, 32_000),
        tiny=(1_000, 8_000),
    )


def intervals(n: int) -> Floats:
    """Draw intervals (n, 1, 2) between integers, their widths even from 1 to W, anywhere in R."""
    rng = np.random.default_rng((6, n))
    width = rng.integers(1, WIDEST + 1, n)
    lower = rng.integers(0, R - width + 1)
    return np.stack([lower, lower + width], axis=1).astype(np.float64)[:, None, :]


def values() -> Floats:
    """Draw values (1, n), anywhere in R and no integers."""
    return np.random.default_rng(7).uniform(0, R, (1, MOST_POINTS))


def indexes(bounds: Floats) -> dict[str, MatchIndex]:
    """Fill the indexes that are compared; a cell of theirs is an integer, where the paper has it so."""
    domain = 0.0, float(R)
    median = float(np.quantile(bounds[:, 0, 1] - bounds[:, 0, 0], 0.5, method="nearest"))
    constructs = partial(VCI, lists="by id", longest=LONGEST, cells=R, domain=domain)
    makers: Mapping[str, Callable[[], MatchIndex]] = {
        SKIP_LIST: IntervalSkipList,
        DIRECT: lambda: DirectList(cells_a_box=median, cells_for_each=R),
        SCI: partial(constructs, constructs="simple"),
        LCI: constructs,
        VCI_OURS: VCI,
        EDGES: lambda: BorderLookUp(1, BoxIndex(1)),
    }
    return filled(makers, bounds)


def setting(scale: Scale) -> str:
    """Say what is measured."""
    several = ", ".join(f"{n:,}" for n in sizes(scale))
    return (
        f"R = {R:,}; widths even from 1 to {WIDEST} (the paper's are not in its text); L = {LONGEST}; n = {several}; "
        "values anywhere, looked up in blocks whose answers stay in the cache"
    )
