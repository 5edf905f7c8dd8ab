import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.match.constructs import ConstructLists, Constructs, logarithmic, simple
from limen.queries.match.kernels.constructs import cell_of, cells_of, cut
from tests.queries.match import model as match_model
from tests.regions.kernels.moves import INFINITE, LARGEST, NUMBERS

AXES = ((0.0, 1.0, 7), (-1.0, 0.3, 4), (2.0, 1e300, 5), (-LARGEST, 5e-324, 6), (1.5, 1e-300, 3))
LENGTHS = (simple(1), simple(3), logarithmic(4), logarithmic(8))


@given(values=st.lists(st.one_of(NUMBERS, INFINITE), min_size=2, max_size=2), axis=st.sampled_from(AXES))
def test_cells_never_decrease_and_stay_inside(values, axis):
    lower, upper = (cell_of(value, *axis) for value in sorted(values))
    assert 0 <= lower <= upper < axis[2]


@given(
    ends=st.tuples(st.one_of(NUMBERS, INFINITE), st.one_of(NUMBERS, INFINITE)), x=NUMBERS, axis=st.sampled_from(AXES)
)
def test_cells_of_an_interval_hold_all_of_it_and_sure_ones_nothing_else(ends, x, axis):
    lo, hi = ends
    first, stop = np.empty((2, 1), np.int64)
    sure = np.empty((1, 2), np.bool_)
    cells_of(np.array([[[lo, hi]]]), 0, *axis, first, stop, sure)
    cell, inside = cell_of(x, *axis), lo <= x < hi
    touched = first[0] <= cell < stop[0]
    assert touched or not inside
    assert (first[0] == stop[0]) == (not lo < hi)
    if touched and (cell > first[0] or sure[0, 0]) and (cell < stop[0] - 1 or sure[0, 1]):
        assert inside


@pytest.mark.parametrize(
    ("ends", "cells", "sure"),
    [
        ((2.0, 4.0), (3, 5), (True, True)),
        ((2.5, 4.0), (3, 5), (False, True)),
        ((2.0, 4.5), (3, 6), (True, False)),
        ((2.0, math.nextafter(2, 3)), (3, 4), (True, False)),
        ((-math.inf, math.inf), (0, 7), (True, True)),
        ((-5.0, 99.0), (0, 7), (False, False)),
        ((4.0, 4.0), (0, 0), (True, True)),
        ((math.nan, 4.0), (0, 0), (True, True)),
    ],
)
def test_cells_of_some_intervals(ends, cells, sure):
    first, stop = np.empty((2, 1), np.int64)
    filled = np.empty((1, 2), np.bool_)
    cells_of(np.array([[ends]]), 0, 0.0, 1.0, 7, first, stop, filled)
    assert (first[0], stop[0]) == cells
    assert tuple(filled[0].tolist()) == sure


def pieces(first, stop, lengths, *, sure=(True, True), overlapped=False):
    length = np.array(lengths)
    fit = np.searchsorted(length, np.arange(lengths[-1] + 1), side="right") - 1
    at, shape, own, filled = np.zeros((4, 64), np.int64)
    count = cut(first, stop, *sure, fit, length, overlapped, at, shape, own, filled)
    return [
        (int(a), lengths[s], int(o), bool(f))
        for a, s, o, f in zip(at[:count], shape[:count], own[:count], filled[:count], strict=True)
    ]


@given(
    first=st.integers(0, 5),
    width=st.integers(0, 40),
    lengths=st.sampled_from(LENGTHS),
    sure=st.tuples(st.booleans(), st.booleans()),
)
def test_pieces_cover_every_cell_once_and_only_ends_are_unsure(first, width, lengths, sure):
    cells = [
        (cell, filled)
        for at, length, _, filled in pieces(first, first + width, lengths, sure=sure)
        for cell in range(at, at + length)
    ]
    unsure = ({first} if not sure[0] else set()) | ({first + width - 1} if not sure[1] else set())
    assert cells == [(cell, cell not in unsure) for cell in range(first, first + width)]


@given(first=st.integers(0, 5), width=st.integers(0, 40), lengths=st.sampled_from(LENGTHS))
def test_overlapped_pieces_have_one_size_and_one_of_them_answers_for_a_cell(first, width, lengths):
    cut_into = pieces(first, first + width, lengths, overlapped=True)
    assert len({length for _, length, _, _ in cut_into}) <= 1
    answers = sorted(cell for at, length, own, _ in cut_into for cell in range(max(at, own), at + length))
    assert answers == list(range(first, first + width))
    assert all(first <= at <= at + length <= first + width for at, length, _, _ in cut_into)


@given(
    boxes=st.lists(
        st.tuples(*[st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans(), st.booleans())] * 2), max_size=8
    ),
    lengths=st.sampled_from(LENGTHS[:3]),
    by_shape=st.booleans(),
    how=st.sampled_from(("split", "overlapped", "plain")),
)
def test_the_lists_over_a_cell_hold_each_box_that_touches_it_once(boxes, lengths, by_shape, how):
    ends = np.array([[sorted(axis[:2]) for axis in box] for box in boxes], np.int64).reshape(-1, 2, 2)
    sure = np.array([[axis[2:] for axis in box] for box in boxes], np.bool_).reshape(-1, 2, 2)
    plane = Constructs((5, 5), lengths, by_shape)
    first, stop = np.ascontiguousarray(ends[:, :, 0]), np.ascontiguousarray(ends[:, :, 1])
    lists = ConstructLists(plane, first, stop, sure, split=how == "split", overlapped=how == "overlapped")
    for x in range(5):
        for y in range(5):
            listed = []
            for start, entry in ((lists.sure_start, lists.sure_entry), (lists.start, lists.entry)):
                for begin, end in plane.runs + match_model.pivot(plane, (x, y)) if len(start) else ():
                    listed.extend(
                        int(entry[at])
                        for at in range(start[begin], start[end])
                        if how != "overlapped" or (lists.own[at] <= (x, y)).all()
                    )
            expected = [
                b for b in range(len(boxes)) if ((ends[b, :, 0] <= (x, y)) & (ends[b, :, 1] > (x, y))).all()
            ]  # fmt: skip
            assert sorted(listed) == expected
