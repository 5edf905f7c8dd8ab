"""Hypothesis strategies for boxes and moves: few distinct numbers, so that bounds coincide and are hit."""

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from limen.arrays import Floats, Ints, Mask, Slots

LARGEST = 1.7976931348623157e308
GRID = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
EDGE_CASES = (5e-324, -5e-324, -1.0, math.nextafter(2, 3), math.nextafter(2, 0), 1e300, LARGEST, -LARGEST)
NUMBERS = st.sampled_from(GRID * 4 + EDGE_CASES)
INFINITE = st.sampled_from((-math.inf, math.inf))


@dataclass(frozen=True)
class Case:
    """Boxes, and rows that move streams over them; a query may be bound to streams."""

    boxes: Floats  # (queries, dimensions, 2)
    alive: Mask
    owners: list[list[int]] | None
    slot: Slots
    before: Floats  # (columns, rows)
    after: Floats
    columns: Ints
    streams: int


@st.composite
def intervals(draw: st.DrawFn) -> tuple[float, float]:
    lo, hi = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=2, unique=True)))
    end = draw(st.sampled_from(("both", "both", "both", "no lower", "no upper", "none")))
    return (
        -math.inf if end in ("no lower", "none") else lo,
        math.inf if end in ("no upper", "none") else hi,
    )


@st.composite
def boxes(draw: st.DrawFn, dimensions: int, max_size: int = 30) -> Floats:
    drawn = draw(st.lists(st.lists(intervals(), min_size=dimensions, max_size=dimensions), max_size=max_size))
    return np.array(drawn, np.float64).reshape(-1, dimensions, 2)


@st.composite
def points(draw: st.DrawFn, columns: int, rows: int, missing: bool = True) -> Floats:
    numbers = st.one_of(*[NUMBERS] * 7, st.just(math.nan)) if missing else NUMBERS
    cells = draw(st.lists(numbers, min_size=columns * rows, max_size=columns * rows))
    return np.array(cells, np.float64).reshape(columns, rows)


@st.composite
def cases(draw: st.DrawFn, max_dimensions: int = 3) -> Case:
    dimensions = draw(st.integers(1, max_dimensions))
    width = draw(st.integers(dimensions, max_dimensions))
    drawn = draw(boxes(dimensions))
    streams = 3
    owners = None
    if draw(st.booleans()):
        some = st.lists(st.integers(0, streams - 1), min_size=1, max_size=2, unique=True)
        owners = draw(st.lists(some, min_size=len(drawn), max_size=len(drawn)))
    rows = draw(st.integers(0, 12))
    return Case(
        boxes=drawn,
        alive=np.array(draw(st.lists(st.booleans(), min_size=len(drawn), max_size=len(drawn))), np.bool_),
        owners=owners,
        slot=np.array(draw(st.lists(st.integers(0, streams), min_size=rows, max_size=rows)), np.int32),
        before=draw(points(width, rows)),
        after=draw(points(width, rows)),
        columns=np.array(draw(st.permutations(range(width)))[:dimensions], np.int64),
        streams=streams + 1,  # one stream is nobody's
    )
