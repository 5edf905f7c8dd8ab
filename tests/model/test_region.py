# texts of errors are quoted whole
import math
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidQuery
from limen.model import Box, Range

finite = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.floats() | st.integers(-(2**60), 2**60)


@given(numbers, numbers)
def test_a_range_exists_exactly_when_lo_is_less_than_hi(lo, hi):
    if float(lo) < float(hi):
        region = Range(lo, hi)
        assert (region.lo, region.hi) == (float(lo), float(hi))
        assert (region.lower, region.upper, region.dimensions) == ((region.lo,), (region.hi,), 1)
    else:
        with pytest.raises(InvalidQuery, match="range: expected lo < hi, got lo "):
            Range(lo, hi)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4))
def test_a_box_is_a_range_in_each_dimension(pairs):
    lo, hi = zip(*pairs, strict=True)
    bad = [d for d, (low, high) in enumerate(pairs, start=1) if not float(low) < float(high)]
    if bad[:1] == [1] and len(pairs) == 2 and -180 <= hi[0] < lo[0] <= 180:
        bad.remove(1)  # it may cross the antimeridian
    if bad:
        with pytest.raises(InvalidQuery, match=f"box, dimension {bad[0]}: expected lo < hi, got lo "):
            Box(lo, hi)
    else:
        box = Box(lo, list(hi))
        assert (box.lower, box.upper) == (tuple(map(float, lo)), tuple(map(float, hi)))
        assert box.wraps == (lo[0] > hi[0])
        assert (box.lo, box.hi, box.dimensions) == (box.lower, box.upper, len(pairs))


def test_an_end_that_is_none_is_infinite():
    assert Range(None, 3) == Range(-math.inf, 3)
    assert Range(None, None) == Range(-math.inf, math.inf)
    assert Box((None, 0), (1, None)) == Box((-math.inf, 0), (1, math.inf))


def test_minus_zero_is_zero():
    assert math.copysign(1, Range(-0.0, 1).lo) == 1
    assert math.copysign(1, Range(-1, np.float64(-0.0)).hi) == 1
    assert math.copysign(1, Box((-0.0,), (1,)).lo[0]) == 1


def test_numpy_numbers_become_plain_floats():
    region = Range(np.float32(0.5), np.int64(3))
    assert (type(region.lo), type(region.hi)) == (float, float)
    box = Box(np.array([0, 1]), np.array([2.5, 3]))
    assert box == Box((0, 1), (2.5, 3))
    assert {type(bound) for bound in box.lo + box.hi} == {float}


@pytest.mark.parametrize("bad", ["3", True, np.True_, 1j, [1], Decimal(1), 10**400])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(InvalidQuery) as caught:
        Range(bad, 10)
    assert str(caught.value).startswith("range: lo: expected a number or None, got ")
    with pytest.raises(InvalidQuery) as caught:
        Box((0, 0), (1, bad))
    assert str(caught.value).startswith("box, dimension 2: hi: expected a number or None, got ")


@pytest.mark.parametrize(
    ("lo", "hi", "text"),
    [
        ((0, 0), (1,), "box: expected lo and hi of one length, got 2 and 1"),
        ((), (), "box: expected one dimension or more, got none"),
        (
            0,
            (1,),
            "box: lo: expected a number for each dimension, got 0. Hint: Range(lo, hi) takes two plain numbers",
        ),
        (
            (0,),
            "1",
            "box: hi: expected a number for each dimension, got '1'. Hint: Range(lo, hi) takes two plain numbers",
        ),
        ((0, math.nan), (1, 1), "box, dimension 2: expected lo < hi, got lo nan, hi 1.0"),
    ],
)
def test_a_box_that_is_none(lo, hi, text):
    with pytest.raises(InvalidQuery) as caught:
        Box(lo, hi)
    assert str(caught.value) == text


@given(finite)
def test_regions_are_values(lo):
    for region in (Range(lo, math.inf), Box((lo, -math.inf), (math.inf, 3))):
        assert pickle.loads(pickle.dumps(region)) == region
        assert len({region, pickle.loads(pickle.dumps(region))}) == 1
        with pytest.raises(AttributeError):
            region.lo = 3
