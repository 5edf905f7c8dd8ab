import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.index.edges import NO_QUERY, build, edges_of
from tests.kernels.moves import LARGEST, NUMBERS, intervals


@given(interval=intervals(), x=NUMBERS, mirrored=st.booleans())
def test_edges_say_who_contains_a_point_on_either_axis(interval, x, mirrored):
    lower, upper = interval
    own, other = edges_of(np.array([lower]), np.array([upper]), mirrored)
    on_axis = -x if mirrored else x
    assert bool(own[0] <= on_axis < other[0]) == (lower <= x < upper)


@pytest.mark.parametrize(
    ("upper", "mirrored"),
    [(LARGEST, math.nextafter(-LARGEST, 0)), (-LARGEST, math.inf), (math.inf, -LARGEST), (0.0, 5e-324)],
)
def test_mirrored_edges_of_extreme_bounds_warn_of_nothing(upper, mirrored):
    own, other = edges_of(np.array([-math.inf]), np.array([upper]), mirrored=True)
    assert (own.tolist(), other.tolist()) == ([mirrored], [math.inf])


def test_segments_are_fenced_by_sentinels():
    edges = build(
        np.array([1.0, 2.0, 5.0]),
        np.array([3.0, 4.0, 6.0]),
        np.array([7, 8, 9], np.int32),
        np.array([2, 0, 1]),
    )
    assert edges.segments.tolist() == [0, 4, 6, 9]
    assert edges.own.tolist() == [-math.inf, 1, 2, math.inf, -math.inf, math.inf, -math.inf, 5, math.inf]
    assert edges.query.tolist() == [NO_QUERY, 7, 8, NO_QUERY, NO_QUERY, NO_QUERY, NO_QUERY, 9, NO_QUERY]


@pytest.mark.parametrize("size", [0, 1, 14, 15, 300, 5000])
def test_summaries_are_the_largest_of_their_blocks(size):
    other = np.random.default_rng(size).uniform(0, 1, size)
    edges = build(np.arange(size, dtype=np.float64), other, np.arange(size, dtype=np.int32), None)
    for summary, block in ((edges.far1, 16), (edges.far2, 256), (edges.far3, 4096)):
        blocks = [edges.other[at : at + block] for at in range(0, size + 2, block)]
        assert summary.tolist() == [float(each.max()) for each in blocks]
