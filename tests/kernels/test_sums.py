import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels.sums import LIMBS, running_sums
from tests.kernels.room import Room, assert_unharmed

TINY, LARGEST = 5e-324, 1.7976931348623157e308
ODD = (0.0, -0.0, 0.1, 1e16, 1.0, -1.0, TINY, -TINY, 2.2250738585072014e-308, LARGEST, -1e308, 2.0**53)
VALUES = st.sampled_from(ODD) | st.floats(allow_nan=False, allow_infinity=False)


def play(group, old, new, ends):
    sums, present, limbs = Room(len(group), np.float64), Room(len(group), np.int64), Room(LIMBS, np.int64)
    running_sums(
        np.array(group, np.int64),
        np.array(old, np.float64),
        np.array(new, np.float64),
        np.array(ends, np.bool_),
        limbs.cells,
        sums.cells,
        present.cells,
    )
    assert_unharmed(sums, present, limbs)
    return sums.cells, present.cells


def nearest_double(exact):
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@given(data=st.data())
def test_every_sum_is_the_double_nearest_to_the_exact_one(data):
    group, old, new, ends, expected = [], [], [], [], []
    for number in range(data.draw(st.integers(1, 3))):
        there = []
        for _ in range(data.draw(st.integers(0, 25))):
            out = there.pop(data.draw(st.integers(0, len(there) - 1))) if there and data.draw(st.booleans()) else None
            into = data.draw(VALUES | st.none())
            there += [into] * (into is not None)
            group.append(number)
            old.append(math.nan if out is None else out)
            new.append(math.nan if into is None else into)
            ends.append(data.draw(st.booleans()))
            expected.append((nearest_double(sum(map(Fraction, there), Fraction())), len(there)))
    sums, present = play(group, old, new, ends)
    for m in np.flatnonzero(ends):
        assert (sums[m], present[m]) == expected[m]
        assert math.copysign(1, sums[m]) > 0 or sums[m] != 0, "minus zero"


def test_what_has_gone_leaves_no_trace():
    sums, present = play([0] * 4, [math.nan, math.nan, 1e300, 0.1], [1e300, 0.1, math.nan, math.nan], [True] * 4)
    assert sums.tolist() == [1e300, 1e300, 0.1, 0.0]
    assert present.tolist() == [1, 2, 1, 0]


def test_infinities_come_and_go():
    inf, nan = math.inf, math.nan
    sums, _ = play([0] * 5, [nan, nan, nan, inf, -inf], [3.0, inf, -inf, nan, nan], [True] * 5)
    assert sums[[0, 1, 3, 4]].tolist() == [3.0, inf, -inf, 3.0]
    assert math.isnan(sums[2])


def test_a_tie_goes_to_the_even_one_unless_something_far_below_decides():
    base = 2.0**60
    half = 2.0**7
    sums, _ = play([0] * 3, [math.nan] * 3, [base, half, 5e-324], [True] * 3)
    assert sums.tolist() == [base, base, base + 2 * half]
