import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidInput
from limen.queries.match.construct_index import ConstructIndex
from limen_lab.rivals.counting import Counting
from tests.queries.match.model import Model, drawn_boxes, drawn_points, found, scanned

WAYS = (ConstructIndex, Counting)


def eager(how):
    """Return a kind of index that merges its levels all the time."""
    return type(f"Eager{how.__name__}", (how,), {"SMALL": 3, "RATIO": 2})


@given(dimensions=st.integers(2, 5), how=st.sampled_from(WAYS), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(dimensions, how, data):
    Model(eager(how)(dimensions)).change(data, max_changes=5)


@given(boxes=drawn_boxes(3, max_size=20), points=drawn_points(3, max_size=20), how=st.sampled_from(WAYS))
def test_a_bulk_build_finds_what_a_scan_finds(boxes, points, how):
    model = Model(how(3))
    model.insert(boxes)
    model.check(points)


@pytest.mark.parametrize("how", WAYS)
def test_many_boxes_of_mixed_widths_that_leave_columns_open(how):
    rng = np.random.default_rng(7)
    lo = rng.uniform(0, 8, (400, 4))
    boxes = np.stack([lo, lo + rng.exponential(rng.choice([0.1, 3.0], (400, 4)))], axis=2)
    boxes[rng.random((400, 4)) < 0.3] = [-np.inf, np.inf]
    points = rng.uniform(-1, 10, (4, 300))
    index = how(4)
    index.insert(boxes)
    assert found(index.match(points)) == scanned(boxes, points)


@pytest.mark.parametrize("how", WAYS)
def test_a_box_that_is_open_everywhere_contains_all_points_that_are_known(how):
    index = how(3)
    index.insert(np.full((1, 3, 2), [-np.inf, np.inf]))
    points = np.array([[0.0, np.nan, 1.0, 1.0], [0.0, 0.0, np.nan, 1.0], [0.0, 0.0, 0.0, np.nan]])
    assert found(index.match(points)) == {(0, 0): 1}


@pytest.mark.parametrize("how", WAYS)
def test_bytes_are_counted(how):
    index = how(3)
    index.insert(np.random.default_rng(0).uniform(0, 1, (100, 3, 2)))
    before = index.nbytes
    index.match(np.zeros((3, 1)))
    assert index.nbytes > before


def test_one_column_is_refused():
    with pytest.raises(InvalidInput) as error:
        Counting(1)
    assert str(error.value) == "dimensions: expected two or more, got 1. Hint: use VCI for one column"
