import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.runtime.kernels.streams import NEVER, first_rows, has_ties, is_sorted, previous_rows, step
from tests.kernels.room import Room, assert_unharmed

STREAMS = 3
slots = st.lists(st.integers(0, STREAMS - 1), max_size=20)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([], True),
        ([5], True),
        ([1, 1, 2], True),
        ([2, 1], False),
        ([NEVER, 0, 2**63 - 1], True),
        ([1, 2, 1], False),
    ],
)
def test_is_sorted(times, expected):
    assert is_sorted(np.array(times, np.int64)) is expected


@given(slot=slots, data=st.data())
def test_has_ties_and_leaves_its_scratch_as_it_was(slot, data):
    times = sorted(data.draw(st.lists(st.integers(-2, 6), min_size=len(slot), max_size=len(slot))))
    seen_at = np.full(STREAMS, NEVER)
    rows = list(zip(slot, times, strict=True))
    tied = has_ties(np.array(slot, np.int32), np.array(times, np.int64), seen_at)
    assert tied == (len(set(rows)) < len(rows))
    assert (seen_at == NEVER).all()


@given(slot=slots, data=st.data())
def test_previous_rows(slot, data):
    seen = data.draw(st.lists(st.booleans(), min_size=len(slot), max_size=len(slot)))
    scratch, out = np.full(STREAMS, -1), Room(len(slot), np.int64)
    previous_rows(np.array(slot, np.int32), np.array(seen, np.bool_), scratch, out.cells)
    for row, found in enumerate(out.cells.tolist()):
        earlier = [r for r in range(row) if slot[r] == slot[row] and seen[r]]
        assert found == (earlier[-1] if earlier else -1)
    assert (scratch == -1).all()
    out.assert_unharmed()


@given(slot=slots, data=st.data())
def test_first_rows(slot, data):
    late = data.draw(st.lists(st.booleans(), min_size=len(slot), max_size=len(slot)))
    scratch, out = np.full(STREAMS, -1), Room(len(slot), np.int64)
    first_rows(np.array(slot, np.int32), np.array(late, np.bool_), scratch, out.cells)
    for row, found in enumerate(out.cells.tolist()):
        on_time = [r for r in range(len(slot)) if slot[r] == slot[row] and not late[r]]
        assert found == (row if late[row] else on_time[0])
    assert (scratch == -1).all()
    out.assert_unharmed()


class Table:
    """A stream table and the kernel's outputs around it."""

    def __init__(self, columns=2):
        self.columns = columns
        self.last_time = np.full(STREAMS, NEVER)
        self.last = np.full((STREAMS, columns), np.nan)
        self.live = np.zeros(STREAMS, np.bool_)
        self.late_before = np.empty(0, np.int64)

    def step(self, rows, expire_after=-1):
        """Take rows (slot, time, *values); return what the kernel says of each, and who expired."""
        n = len(rows)
        slot = np.array([row[0] for row in rows], np.int32)
        time = np.array([row[1] for row in rows], np.int64)
        values = np.array([row[2:] for row in rows], np.float64).reshape(n, self.columns).T.copy()
        before, after = np.empty((self.columns, n)), np.empty((self.columns, n))
        late = Room(n, np.bool_)
        room = n if expire_after >= 0 else 0
        who, when, what = Room(room, np.int64), Room(room, np.int64), np.empty((self.columns, room))
        count = step(
            slot, time, values, self.last_time, self.last, self.live, self.late_before, expire_after,
            before, after, late.cells, who.cells, when.cells, what,
        )  # fmt: skip
        assert_unharmed(late, who, when)
        told = list(zip(before.T.tolist(), after.T.tolist(), late.cells.tolist(), strict=True))
        expired = zip(who.cells[:count].tolist(), when.cells[:count].tolist(), what.T.tolist(), strict=False)
        return told, list(expired)


def naive_step(known, rows, expire_after):
    """Tell the same from a dictionary of streams: (time, values)."""
    told, expired = [], []
    for number, (stream, time, *values) in enumerate(rows):
        nothing = [math.nan] * len(values)
        last_time, last = known.get(stream, (-math.inf, nothing))
        if time <= last_time:
            told.append((nothing, nothing, True))
            continue
        if stream in known and expire_after >= 0 and time - last_time > expire_after:
            expired.append((number, last_time + expire_after, last))
            last = nothing
        new = [old if math.isnan(value) else value for old, value in zip(last, values, strict=True)]
        told.append((last, new, False))
        known[stream] = (time, new)
    return told, expired


values = st.sampled_from((0.0, 1.5, -1e300, 5e-324, math.nan, math.nan))
rows = st.lists(st.tuples(st.integers(0, STREAMS - 1), st.integers(-3, 9), values, values), max_size=15)


@given(batches=st.lists(rows, max_size=3), expire_after=st.sampled_from((-1, 0, 2, 5)))
def test_step_tells_what_was_known_before_and_after(batches, expire_after):
    table, known = Table(), {}
    for batch in batches:
        # NaN differs from itself; its text does not.
        assert repr(table.step(batch, expire_after)) == repr(naive_step(known, batch, expire_after))
    for stream, (time, last) in known.items():
        assert table.live[stream]
        assert (table.last_time[stream], repr(table.last[stream].tolist())) == (time, repr(last))


def test_step_of_no_rows():
    assert Table().step([]) == ([], [])


def test_rows_behind_a_deadline_that_has_passed_are_late():
    table = Table(columns=1)
    table.late_before = np.array([NEVER, 5, NEVER])
    told, _ = table.step([(1, 4, 1.0), (0, 4, 1.0), (1, 5, 2.0)])
    assert [late for _, _, late in told] == [True, False, False]


def test_a_stream_that_expired_may_speak_again_and_expire_again():
    told, expired = Table(columns=1).step([(0, 0, 1.0), (0, 10, 2.0), (0, 20, 3.0)], expire_after=5)
    assert repr(told[1:]) == repr([([math.nan], [2.0], False), ([math.nan], [3.0], False)])
    assert expired == [(1, 5, [1.0]), (2, 15, [2.0])]
