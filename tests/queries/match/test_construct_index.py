"""The index of match queries, against a scan."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.match.construct_index import ConstructIndex
from tests.queries.match.model import Model, drawn_boxes, drawn_points


@given(dimensions=st.integers(1, 3), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(dimensions, data):
    index = ConstructIndex(dimensions)
    index.SMALL, index.RATIO = 3, 2  # merge levels all the time
    Model(index).change(data, max_changes=6)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@given(data=st.data())
def test_a_bulk_build_finds_what_a_scan_finds(dimensions, data):
    model = Model(ConstructIndex(dimensions))
    model.insert(data.draw(drawn_boxes(dimensions, max_size=20)))
    model.check(data.draw(drawn_points(dimensions, max_size=20)))
