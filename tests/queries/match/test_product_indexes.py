"""The indexes that match queries use, as they are made for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.match.operator import index_of_boxes
from tests.queries.match.model import Model, drawn_boxes, drawn_points


@given(dimensions=st.integers(1, 3), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(dimensions, data):
    index = index_of_boxes(dimensions)
    index.SMALL, index.RATIO = 3, 2  # merge levels all the time
    Model(index).change(data, max_changes=6)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@given(data=st.data())
def test_a_bulk_build_finds_what_a_scan_finds(dimensions, data):
    model = Model(index_of_boxes(dimensions))
    model.insert(data.draw(drawn_boxes(dimensions, max_size=20)))
    model.check(data.draw(drawn_points(dimensions, max_size=20)))
