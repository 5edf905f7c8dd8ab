"""Edges of outlines: what cancels, to the end, whatever the numbers."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions.outline_edges import with_horizontal_edges, without_overlaps
from limen.regions.shapes import edges_of_ring


def pieces(edges):
    """Cut edges wherever an end lies on them, and count the pieces: those that are there an odd number of times."""
    edges = [tuple((Fraction(x), Fraction(y)) for x, y in (edge[:2], edge[2:])) for edge in edges]
    ends = {end for edge in edges for end in edge}
    found = Counter()
    for (xa, ya), (xb, yb) in edges:
        on_edge = [(y, x) for x, y in ends if (xb - xa) * (y - ya) == (x - xa) * (yb - ya) and ya <= y <= yb]
        found.update(pairwise(sorted(on_edge)))
    return {piece for piece, times in found.items() if times % 2}


COORDINATE = st.sampled_from((0.0, 1.0, 2.0, 3.0, 4.0, 0.1 + 0.2, 0.3, 1e-300, -1e16, 1e16, 1e100, 5e-324))


@given(st.lists(st.tuples(COORDINATE, COORDINATE), min_size=3, max_size=9))
def test_what_is_left_is_what_is_there_an_odd_number_of_times(ring):
    edges = edges_of_ring(np.array(ring))
    left, _ = without_overlaps(edges, np.zeros(len(edges), np.int64))
    assert pieces(left.tolist()) == pieces(edges.tolist())
    assert len(left) <= len(pieces(edges.tolist()))


@given(st.lists(st.integers(0, 8), min_size=4, max_size=12), st.sampled_from(((3, 1), (1, 3), (0, 1), (7, 2))))
def test_back_and_forth_on_one_line(heights, direction):
    """Spikes along a line whose points are exact, with the end joined to the beginning."""
    ring = [(float(direction[0] * h), float(direction[1] * h)) for h in heights]
    edges = edges_of_ring(np.array(ring))
    left, _ = without_overlaps(edges, np.zeros(len(edges), np.int64))
    assert len(left) == 0


def test_outlines_do_not_cancel_each_other():
    edges = np.array([[0.0, 0.0, 0.0, 4.0], [0.0, 1.0, 0.0, 3.0], [0.0, 1.0, 0.0, 3.0]])
    left, owner = without_overlaps(edges, np.array([0, 1, 0]))
    assert sorted(zip(owner.tolist(), left.tolist(), strict=True)) == [
        (0, [0.0, 0.0, 0.0, 1.0]),
        (0, [0.0, 3.0, 0.0, 4.0]),
        (1, [0.0, 1.0, 0.0, 3.0]),
    ]


def test_nearly_on_one_line_is_not_on_it():
    above = np.nextafter(1.0, 2.0)
    edges = np.array([[0.0, 0.0, 3.0, 3.0], [1.0, above, 2.0, 2.0]])
    left, _ = without_overlaps(edges, np.zeros(2, np.int64))
    assert sorted(left.tolist()) == sorted(edges.tolist())


def test_no_outlines():
    assert with_horizontal_edges(np.empty((0, 4)), np.empty(0, np.int64))[0].shape == (0, 4)


def test_edges_that_do_not_close():
    with pytest.raises(ValueError, match="not closed"):
        with_horizontal_edges(np.array([[0.0, 0.0, 0.0, 1.0]]), np.array([1]))
