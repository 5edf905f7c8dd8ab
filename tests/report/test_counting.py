"""Counts in little memory against plain ones."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from limen.report.counting import BEYOND, Grid, NameCounts

numbers = st.one_of(
    st.sampled_from((0.0, -0.0, 1.0, 1e299, -1e299, 1e300, 5e-324, np.nan, np.inf)), st.floats(-1000, 1000), st.floats()
)
chunks = st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8), min_size=1, max_size=6)


@given(chunks, st.sampled_from((None, 1.0)))
def test_a_grid_counts_every_point_in_its_cell(found: list[list[tuple[float, float]]], least: float | None) -> None:
    grid = Grid(8, least=least)
    for chunk in found:
        grid.add(np.array(chunk))
    points = [point for chunk in found for point in chunk if all(abs(value) < BEYOND for value in point)]
    if not points:
        assert not grid.counts
        return
    sizes = [Fraction(2) ** exponent for exponent in grid.exponents]
    wanted = Counter(
        tuple(math.floor(Fraction(value) / size) for value, size in zip(point, sizes, strict=True)) for point in points
    )
    assert grid.counts == wanted
    counts, ends = grid.dense()
    assert max(counts.shape) <= 8
    assert counts.sum() == len(points)
    for axis, (low, high) in enumerate(ends):
        assert all(low <= point[axis] <= high for point in points)


@given(st.lists(st.lists(st.integers(0, 12), max_size=9), min_size=1, max_size=9))
def test_names_are_counted_exactly_or_low_by_no_more_than_is_said(found: list[list[int]]) -> None:
    few, exact = NameCounts("name", most=5), Counter[int]()
    for chunk in found:
        exact.update(chunk)
        few.add(pa.table({"name": pa.array(chunk, pa.int64()), "other": chunk}))
    told = {row["name"]: row["count"] for row in few.counts().to_pylist()}
    assert len(told) <= 5
    for name, count in exact.items():
        assert count - few.error <= told.get(name, 0) <= count
    if len(exact) <= 5:
        assert (told, few.error, few.number()) == (dict(exact), 0, str(len(exact)))
