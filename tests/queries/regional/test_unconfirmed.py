"""Doubts at calm borders against one pair at a time, told in plain Python."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.queries.regional.kernels.unconfirmed import ENTERS, LEAVES, PASSES
from limen.queries.regional.unconfirmed import DebounceLimits, StepRows, Unconfirmed
from limen.regions.pairs import LOWER_HALF
from limen.runtime.kernels.streams import NEVER

QUERIES, STREAMS = 3, 3
IN, NEAR, FAR = "in", "near", "far"


@dataclass
class Side:
    """A query and a stream: where it counts, and the rows that have left that side."""

    inside: bool | None = None  # None before its first row
    rows: int = 0
    since: int = 0


class Naive:
    """Every row told to every query, one by one."""

    def __init__(self, margin, confirm, min_stay):
        self.margin, self.confirm, self.min_stay = margin, confirm, min_stay
        self.sides = {(query, stream): Side() for query in range(QUERIES) for stream in range(STREAMS)}
        self.measured = []

    def pass_time(self, query, stream, before):
        """Settle what only waited for time."""
        side = self.sides[query, stream]
        due = side.since + self.min_stay[query]
        if side.inside is not None and side.rows >= self.confirm[query] and due < before:
            self.change(query, stream, side, due)

    def change(self, query, stream, side, time):
        self.measured.append((query, stream, LEAVES if side.inside else ENTERS, time, side.since))
        side.inside, side.rows = not side.inside, 0

    def see(self, query, stream, time, zone, jumped):
        self.pass_time(query, stream, time)
        side = self.sides[query, stream]
        if side.inside is None:
            side.inside = zone == IN
            return
        left = zone == FAR if side.inside and self.margin[query] else (zone == IN) != side.inside
        if jumped and not side.inside:
            self.measured.append((query, stream, PASSES, time, NEVER))
        if not left:
            side.rows = 0
            return
        side.since = side.since if side.rows else time
        waited = side.rows >= self.confirm[query]
        side.rows += 1
        if not waited and side.rows >= self.confirm[query] and time - side.since >= self.min_stay[query]:
            self.change(query, stream, side, time)

    def forget(self, query, stream, at):
        """Forget a stream at a time; return what it was until then."""
        self.pass_time(query, stream, at + 1)
        side, self.sides[query, stream] = self.sides[query, stream], Side()
        return side


@dataclass
class Row:
    stream: int
    zones: list  # by query
    seen: bool
    jumps: bool
    expires: bool  # whether its stream was forgotten since its last row


ROWS = st.builds(
    Row,
    stream=st.integers(0, STREAMS - 1),
    zones=st.lists(st.sampled_from((IN, NEAR, FAR)), min_size=QUERIES, max_size=QUERIES),
    seen=st.sampled_from((True, True, True, False)),
    jumps=st.booleans(),
    expires=st.sampled_from((False, False, False, True)),
)


class Both:
    """The same rows through doubts and one by one."""

    def __init__(self, margin, confirm, min_stay):
        self.naive = Naive(margin, confirm, min_stay)
        self.limits = DebounceLimits(np.array(margin), np.array(confirm, np.int32), np.array(min_stay, np.int64))
        self.unconfirmed = Unconfirmed()
        self.zones = {}  # by stream, of its last row that was seen
        self.time = 0

    def take(self, batch):
        times = np.arange(self.time + 1, self.time + 1 + len(batch), dtype=np.int64)
        expired_at = np.full(len(batch), NEVER)
        crossings, lapses = [], []
        for number, row in enumerate(batch):
            if row.expires and row.stream in self.zones:
                expired_at[number] = times[number] - 1
                lapses += self._forget(number, row.stream, times[number] - 1)
            if row.seen:
                crossings += self._see(number, row, times[number])
        columns = np.array(crossings, np.int64).reshape(-1, 4).T
        as_given = *(column.astype(np.int32) for column in columns[:3]), columns[3].astype(np.int8)
        slot = np.array([row.stream for row in batch], np.int32)
        seen, late = np.array([row.seen for row in batch], np.bool_), np.zeros(len(batch), np.bool_)
        rows = StepRows.of(slot, late, STREAMS, times, seen, expired_at)

        def is_far(query, row):
            return np.array([batch[r].zones[q] == FAR for q, r in zip(query, row, strict=True)], np.bool_)

        unconfirmed = self.unconfirmed
        confirmed, lapsed, lapsed_row = unconfirmed.resolve(
            as_given, unconfirmed.of_streams(slot), rows, self.limits, is_far
        )
        pairs = (lapsed >> 32).tolist(), (lapsed & LOWER_HALF).tolist(), lapsed_row.tolist()
        assert sorted(zip(*pairs, strict=True)) == sorted(lapses)
        by_row = confirmed.place & 1 == 1
        assert (times[confirmed.place[by_row] >> 1] == confirmed.time[by_row]).all()
        assert (times[confirmed.place[~by_row] >> 1] > confirmed.time[~by_row]).all()
        self.time += len(batch)
        self._compare(measured(confirmed))

    def _forget(self, number, stream, at):
        zones = self.zones.pop(stream)
        for query in range(QUERIES):
            side = self.naive.forget(query, stream, at)
            if side.inside != (zones[query] == IN):
                yield query, stream, number

    def _see(self, number, row, time):
        known = self.zones.get(row.stream)
        self.zones[row.stream] = row.zones
        for query, zone in enumerate(row.zones):
            jumped = row.jumps and known is not None and IN not in (zone, known[query])
            self.naive.see(query, row.stream, time, zone, jumped)
            if jumped:
                yield number, row.stream, query, PASSES
            elif known is not None and (zone == IN) != (known[query] == IN):
                yield number, row.stream, query, ENTERS if zone == IN else LEAVES

    def _compare(self, got):
        """Let the time of the last row pass, and compare what was told, and who is in doubt."""
        entries, due = self.unconfirmed.due(self.unconfirmed.all(), self.limits)
        got += measured(self.unconfirmed.resolve_by_time(entries[due < self.time], due[due < self.time]))
        for pair in self.naive.sides:
            self.naive.pass_time(*pair, self.time)
        assert sorted(got) == sorted(self.naive.measured)
        self.naive.measured.clear()
        in_doubt = {
            (query, stream)
            for stream, zones in self.zones.items()
            for query, zone in enumerate(zones)
            if self.naive.sides[query, stream].inside != (zone == IN)
        }
        pairs = self.unconfirmed.pairs(self.unconfirmed.all())
        assert set(zip((pairs >> 32).tolist(), (pairs & LOWER_HALF).tolist(), strict=True)) == in_doubt

    def restart(self):
        everyone = np.arange(STREAMS, dtype=np.int32)
        part, self.unconfirmed = self.unconfirmed.dump(everyone), Unconfirmed()
        self.unconfirmed.load(everyone, part)


@settings(max_examples=max(60, settings().max_examples))  # with fewer, not every line is reached
@given(
    margin=st.lists(st.sampled_from((0.0, 1.0)), min_size=QUERIES, max_size=QUERIES),
    confirm=st.lists(st.integers(1, 3), min_size=QUERIES, max_size=QUERIES),
    min_stay=st.lists(st.sampled_from((0, 1, 2, 5)), min_size=QUERIES, max_size=QUERIES),
    batches=st.lists(st.lists(ROWS, max_size=12), max_size=4),
    restart=st.booleans(),
)
def test_doubts_are_settled_as_one_by_one(margin, confirm, min_stay, batches, restart):
    both = Both(margin, confirm, min_stay)
    for batch in batches:
        both.take(batch)
        if restart:
            both.restart()


def measured(confirmed):
    columns = confirmed.query, confirmed.stream, confirmed.kind, confirmed.time, confirmed.since
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_long_waits_within_the_margin_are_asked_about_in_few_calls(rows):
    """Out by little for a while, then far: one call for the first rows, then for twice as many each time."""
    unconfirmed, limits = Unconfirmed(), DebounceLimits(np.array([1.0]), np.array([1], np.int32), np.array([0]))
    slot, seen = np.zeros(rows + 1, np.int32), np.ones(rows + 1, np.bool_)
    steps = StepRows.of(slot, ~seen, 1, np.arange(rows + 1), seen, np.empty(0, np.int64))
    calls = []

    def is_far(query, row):
        calls.append(len(query))
        return row == rows

    leave = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32), np.full(1, LEAVES, np.int8)
    confirmed, _, _ = unconfirmed.resolve(leave, unconfirmed.of_streams(slot), steps, limits, is_far)
    assert measured(confirmed) == [(0, 0, LEAVES, rows, rows)]
    assert len(calls) <= 4
    assert len(unconfirmed) == 0


def test_many_short_ways_out_are_asked_about_in_few_calls_too():
    """In and out by little, a thousand times in one step: what has been told of rows serves all of them."""
    times, rows = 1000, 2000
    unconfirmed, limits = Unconfirmed(), DebounceLimits(np.array([1.0]), np.array([1], np.int32), np.array([0]))
    slot, seen = np.zeros(rows, np.int32), np.ones(rows, np.bool_)
    steps = StepRows.of(slot, ~seen, 1, np.arange(rows), seen, np.empty(0, np.int64))
    calls = []

    def is_far(query, row):
        calls.append(len(query))
        return row == rows - 2

    everyone = np.zeros(rows, np.int32)
    kind = np.tile(np.array([LEAVES, ENTERS], np.int8), times)
    crossings = np.arange(rows, dtype=np.int32), everyone, everyone, kind
    confirmed, _, _ = unconfirmed.resolve(crossings, unconfirmed.of_streams(slot), steps, limits, is_far)
    assert measured(confirmed) == [(0, 0, LEAVES, rows - 2, rows - 2), (0, 0, ENTERS, rows - 1, rows - 1)]
    assert len(calls) < 20
    assert max(calls) <= 256


def test_queries_and_streams_that_go_take_their_doubts_along():
    unconfirmed = Unconfirmed()
    streams = np.array([0, 1, 2], np.int32)
    part = {
        "count": np.array([2, 1, 0], np.int32), "query": np.array([0, 1, 1], np.int32), "at": np.array([5, 6, 7]),
        "leaves": np.array([True, False, True]), "rows": np.array([1, 2, 0], np.int32),
    }  # fmt: skip
    unconfirmed.load(streams, part)
    assert unconfirmed.discard(np.array([0], np.int32)).tolist() == [0]
    unconfirmed.renumber(queries=np.array([-1, 0], np.int32), streams=np.array([1, -1, 0], np.int32))
    assert {name: column.tolist() for name, column in unconfirmed.dump(streams).items()} == {
        "count": [0, 1, 0], "query": [0], "at": [6], "leaves": [False], "rows": [2],
    }  # fmt: skip
    assert unconfirmed.nbytes > 0
    unconfirmed.forget(unconfirmed.of_queries(np.array([0], np.int32)))
    assert len(unconfirmed) == 0
    assert unconfirmed.of_streams(streams).tolist() == []
