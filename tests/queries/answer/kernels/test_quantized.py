"""Coarse numbers: what they leave out surely has not changed sides, and they leave out nearly all who have not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels._jit import kernel
from limen.queries.answer.kernels.around import BOX, DISC
from limen.queries.answer.kernels.quantized import (
    MOST,
    bound_region,
    join_bounds,
    pick_cells,
    quantize,
    quantized_scale,
)
from limen.queries.answer.kernels.simd import LANES, lowest, lowest_in_python, may_differ, may_differ_in_python
from limen.queries.answer.kernels.sweeps import is_within
from tests.kernels.room import Room

#: By axis: where it begins, cells a unit, cells.
FRAMES = (
    ((0.0, 1.0, 4.0), (-1.0, 2.0, 8.0)),
    ((0.0, 1.0, 1.0), (0.0, 1e-300, 2.0)),
    ((-1e300, 1e-300, 3.0), (1.0, 1e100, 5.0)),
    ((1e9, 1e6, 100_000.0), (0.5, 1e-5, 1.0)),
)
few = st.sampled_from(
    (0.0, 0.5, 1.0, 1.5, 2.0, math.nextafter(1, 2), 4.0, -3.0, 1e9, 1e9 + 0.5, 1e300, -1e300, math.nan)
)
coordinates = few | st.floats(-1, 5) | st.floats(allow_infinity=False, width=32)
places = st.tuples(coordinates, coordinates).map(lambda at: (math.nan, math.nan) if math.isnan(sum(at)) else at)
lengths = st.sampled_from((0.25, 0.5, 1.0, 2.0, 1e-170, 5e-324, 1e8, 1e150)) | st.floats(1e-9, 1e9)


@given(frame=st.sampled_from(FRAMES), values=st.lists(st.floats(allow_nan=False), min_size=2, max_size=8))
def test_a_larger_coordinate_has_no_smaller_number(frame, values):
    frame, values = np.array(frame), sorted(values)
    for axis in range(2):
        numbers = [quantize(frame[axis, 0], quantized_scale(frame, axis), value) for value in values]
        assert numbers == sorted(numbers)
        assert 0 <= numbers[0] <= numbers[-1] <= MOST


def picked_of(frame, kind, half, limit, center, old, moves, joined):
    """Return the moves, pairs of places, that may be from one side to the other; all of them in one cell."""
    frame, bounds, n = np.array(frame), np.empty(9, np.int64), len(moves)
    scales = quantized_scale(frame, 0), quantized_scale(frame, 1)
    begins = frame[0, 0], frame[1, 0]
    bound_region(bounds, begins[0], scales[0], begins[1], scales[1], kind, *half, limit, *center, *old)
    if joined:
        join_bounds(bounds)
    quantized = np.zeros((4, n + LANES), np.int16)
    for at, (here, there) in enumerate(moves):
        quantized[:, at] = [quantize(begins[axis], scales[axis], to[axis]) for to in (here, there) for axis in range(2)]
    bits, first, picked = Room(n + 1, np.int64), Room(n + 1, np.int64), Room(n, np.int64)
    start = np.array([0, n])
    count = pick_cells(start, 1, 0, 0, 0, 0, bounds, *quantized, bits.cells, first.cells, picked.cells, 0)
    for room in (bits, first, picked):
        room.assert_unharmed()
    return picked.cells[:count].tolist()


@given(
    st.sampled_from(FRAMES), st.sampled_from((BOX, DISC)), lengths, lengths, places, places,
    st.lists(st.tuples(places, places), max_size=40), st.booleans(),
)  # fmt: skip
def test_whoever_changes_sides_is_picked(frame, kind, half_x, half_y, center, old, moves, joined):
    limit = half_x * half_x
    picked = picked_of(frame, kind, (half_x, half_y), limit, center, old, moves, joined)
    assert picked == sorted(set(picked))
    for at, (here, there) in enumerate(moves):
        looks = ((center, here), (old, there), *(((center, there), (old, here)) if joined else ()))
        sides = [
            bool(is_within(kind, x - half_x, x + half_x, y - half_y, y + half_y, x, y, limit, *place))
            for (x, y), place in looks
        ]
        if len(set(sides)) == 2:
            assert at in picked


@pytest.mark.parametrize(("kind", "most"), [(BOX, 0.03), (DISC, 0.5)])
def test_hardly_anyone_else_is_picked(kind, most):
    frame, rng = ((0.0, 10.0, 100.0), (0.0, 10.0, 100.0)), np.random.default_rng(4)
    moves = [(tuple(at), tuple(at)) for at in rng.uniform(4, 6, (1000, 2))]
    picked = picked_of(frame, kind, (0.5, 0.5), 0.25, (5.0, 5.0), (5.0, 5.0), moves, joined=False)
    assert len(picked) <= most * len(moves)


@kernel
def compiled_bits(here_x, here_y, there_x, there_y, at, bounds):
    return may_differ(
        here_x, here_y, there_x, there_y, at, bounds[0], bounds[1], bounds[2], bounds[3], bounds[4], bounds[5],
        bounds[6], bounds[7], bounds[8],
    )  # fmt: skip


@kernel
def compiled_lowest(bits):
    return lowest(bits)


numbers = st.sampled_from((0, 1, 2, 3, MOST - 2, MOST - 1, MOST)) | st.integers(0, 12) | st.integers(0, MOST)


@given(st.lists(numbers, min_size=4 * (LANES + 1), max_size=4 * (LANES + 1)), st.integers(0, 1), st.data())
def test_many_at_once_are_as_one_by_one(quantized, at, data):
    quantized = np.array(quantized, np.int16).reshape(4, LANES + 1)
    bounds = np.array(data.draw(st.lists(numbers, min_size=9, max_size=9)))
    assert compiled_bits(*quantized, at, bounds) == may_differ_in_python(*quantized, at, *bounds.tolist())


@given(st.integers(1, (1 << LANES) - 1))
def test_the_lowest_bit(bits):
    assert compiled_lowest(bits) == lowest_in_python(bits) == min(at for at in range(LANES) if bits >> at & 1)
