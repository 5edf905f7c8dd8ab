"""What of a batch is taken, what is rejected, and what is counted."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen import Columns, InvalidInput
from limen.model.options import Options
from limen.runtime.admission import NONE, Admission, Arrivals, joined, newest_accepted, read_arrivals, spans_of
from tests.runtime.batches import COLUMNS, table


def arrivals(*times, max_ahead=None, **columns):
    """A part of a batch with a row of stream a at each time."""
    n = len(times)
    batch = {"s": ["a"] * n, "t": pa.array(times, pa.int64()), "x": [1.0] * n}
    return read_arrivals(pa.table({**batch, **columns}), COLUMNS, {}, max_ahead)


def admission(**options):
    return Admission(COLUMNS, Options(**options))


def admit(door, parts, known=None):
    """Admit the parts of a batch, and return the times of the rows taken."""
    return door.admit(parts, door.newest(parts, known)).time.tolist()


def test_a_batch_is_read_with_its_counts_and_its_times():
    part = read_arrivals(table(s=["a", None], x=[1.0, float("inf")]), COLUMNS, {}, None)
    assert (part.rows.ids.to_pylist(), part.total, part.rejected) == (["a"], 2, {"null_id": 1})
    assert part.spans.tolist() == [[1, 1, 1]]


def test_types_of_new_attributes_are_learnt():
    types = {}
    read_arrivals(table(kind=["x", "y"]), Columns("s", "t", "x", "kind", time_unit="us"), types, None)
    assert types == {"kind": pa.string()}


def test_good_rows_are_taken_and_bad_ones_counted_by_reason():
    door = admission()
    assert admit(door, [arrivals(1, 2, 3, x=[1.0, float("-inf"), 1.0])]) == [1, 3]
    assert admit(door, [arrivals(4, 5, s=["a", None]), arrivals(6, x=[float("inf")])]) == [4]
    assert door.rows == 6
    assert door.rejected == {"infinite_value": 2, "null_id": 1}


def test_parts_that_begin_early_come_first():
    assert admit(admission(), [arrivals(7, 9), arrivals(), arrivals(2, 8)]) == [2, 8, 7, 9]


def test_an_empty_batch_and_one_without_rows_of_this_shard():
    door = admission()
    assert admit(door, []) == []
    assert admit(door, [Arrivals(), arrivals()]) == []
    assert (door.rows, door.rejected) == (0, {})


def test_rows_too_far_ahead_are_rejected():
    door = admission(max_ahead=10)
    assert admit(door, [arrivals(15, 26, 90, max_ahead=10)], known=10) == [15]
    assert (door.rows, door.rejected) == (3, {"too_far_ahead": 2})


def test_the_limit_is_that_of_all_parts_together():
    door, parts = admission(max_ahead=10), [arrivals(35, max_ahead=10), arrivals(18, 27, max_ahead=10)]
    assert door.newest(parts, 10) == 35
    assert door.newest(parts[:1], 10) is None


def test_rows_that_another_shard_has_too_are_counted_there():
    door = admission(max_ahead=10)
    door.counts_rows = False
    part = arrivals(15, 90, max_ahead=10)
    part = Arrivals(part.rows, part.spans)  # its rows are counted elsewhere
    assert admit(door, [part], known=10) == [15]
    assert (door.rows, door.rejected) == (0, {})


def test_bad_rows_can_be_an_error_that_counts_nothing():
    door = admission(on_bad_row="fail", max_ahead=10)
    with pytest.raises(InvalidInput) as caught:
        admit(door, [arrivals(11, 12, 99, s=["a", None, "b"], max_ahead=10)], known=10)
    assert str(caught.value) == (
        "batch: expected good rows only, got 1 null_id, 1 too_far_ahead. "
        'Hint: on_bad_row="count" counts them and goes on'
    )
    assert (door.rows, door.rejected) == (0, {})
    assert admit(door, [arrivals(11, 12, max_ahead=10)], known=10) == [11, 12]


# ---- clock skew: rows whose clock is wrong, also when a batch is described in parts

TIMES = st.lists(st.integers(-30, 30), max_size=12)


def spans(*times, max_ahead=3):
    return spans_of(np.array(times, np.int64), max_ahead)


def test_times_are_cut_where_the_next_one_is_too_far_ahead():
    assert spans(20, 1, 5, 4, 9).tolist() == [[1, 5, 3], [9, 9, 1], [20, 20, 1]]


def test_a_gap_of_exactly_the_limit_does_not_cut():
    assert spans(1, 4).tolist() == [[1, 4, 2]]
    assert spans(1, 5).tolist() == [[1, 1, 1], [5, 5, 1]]


def test_without_a_limit_there_is_one_span():
    assert spans(7, -900, 5000, max_ahead=None).tolist() == [[-900, 5000, 3]]


def test_no_rows_have_no_span_and_no_newest_time():
    assert spans().shape == joined([], 3).shape == joined([NONE, NONE], 3).shape == (0, 3)
    assert newest_accepted(NONE, 5, 3) is None
    assert newest_accepted(NONE, None, None) is None


@given(parts=st.lists(TIMES, max_size=4), max_ahead=st.sampled_from([None, 0, 3, 10]))
def test_spans_of_parts_together_are_those_of_the_whole(parts, max_ahead):
    whole = [time for part in parts for time in part]
    described = joined([spans(*part, max_ahead=max_ahead) for part in parts], max_ahead)
    assert described.tolist() == spans(*whole, max_ahead=max_ahead).tolist()


def test_a_part_that_bridges_two_spans_joins_them():
    assert joined([spans(1, 9), spans(5, 6, max_ahead=4)], 4).tolist() == [[1, 9, 4]]


@pytest.mark.parametrize(
    ("times", "known", "newest"),
    [
        ([8, 9], 5, 9),
        ([9], 5, None),  # one beyond the limit
        ([2, 99], 5, 2),  # a row from before is accepted, and does not carry the limit back
        ([8, 11, 14, 99], 5, 14),  # each row carries the limit along
        ([8, 12], 5, 8),
    ],
)
def test_rows_far_beyond_the_largest_time_are_not_accepted(times, known, newest):
    assert newest_accepted(spans(*times), known, 3) == newest


def test_a_first_batch_is_judged_by_its_median():
    assert newest_accepted(spans(100, 101, 102, 9999), None, 3) == 102
    assert newest_accepted(spans(1, 100, 101), None, 3) == 101
    assert newest_accepted(spans(1, 100), None, 3) == 1  # of two the earlier one


def test_without_a_limit_every_row_is_accepted():
    assert newest_accepted(spans(2, 10**12, max_ahead=None), 1, None) == 10**12
