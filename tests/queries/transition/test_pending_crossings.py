"""Starts and deadlines against a dictionary of them, with rooms so small that kernels have to be called again."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.queries.transition.pending_crossings import (
    ComposedTransitions,
    Crossings,
    PendingCrossings,
    TransitionLimits,
)

QUERIES, STREAMS = 6, 5
PASSED, RETURNED, STAYED, GONE = range(4)

Told = list[tuple[int, ...]]


class Naive:
    """The last crossing of each query and stream; `over` when its deadline has passed."""

    def __init__(self, within: list[int], wanted: list[int]) -> None:
        self.within, self.wanted = within, wanted
        self.starts: dict[tuple[int, int], dict[str, Any]] = {}

    def wants(self, query: int, kind: int) -> bool:
        return bool(self.wanted[query] >> kind & 1)

    def cross(self, query: int, stream: int, time: int, *, leaves: bool, row: int) -> Told:
        told: Told = []
        start = self.starts.pop((query, stream), None)
        if start is not None:
            due = start["at"] + self.within[query]
            if time <= due and self.wants(query, PASSED + start["leaves"]):
                told.append((query, stream, PASSED + start["leaves"], time, start["at"], row))
            elif time > due:
                told += self.miss(query, stream, start, due, -1)
        if self.wants(query, PASSED + leaves) or self.wants(query, STAYED + leaves):
            self.starts[query, stream] = {"at": time, "leaves": leaves, "over": False}
        return told

    def miss(self, query: int, stream: int, start: dict[str, Any], due: int, row: int) -> Told:
        if start["over"] or not self.wants(query, STAYED + start["leaves"]):
            return []
        return [(query, stream, STAYED + start["leaves"], due, start["at"], row)]

    def end(self, stream: int, end: int, row: int) -> Told:
        told: Told = []
        for pair in [pair for pair in self.starts if pair[1] == stream]:
            start = self.starts.pop(pair)
            if (due := start["at"] + self.within[pair[0]]) <= end:
                told += self.miss(*pair, start, due, row)
        return told

    def pass_by(self, streams: set[int], last_time: list[int]) -> Told:
        told: Told = []
        for (query, stream), start in list(self.starts.items()):
            due = start["at"] + self.within[query]
            if stream in streams and due < last_time[stream]:
                told += self.miss(query, stream, start, due, -1)
                del self.starts[query, stream]
        return told

    def fall_due(self, complete: int, *, keep: bool) -> Told:
        told: Told = []
        for (query, stream), start in list(self.starts.items()):
            due = start["at"] + self.within[query]
            if start["over"] or due >= complete:
                continue
            told += self.miss(query, stream, start, due, -1)
            if keep and self.wants(query, PASSED + start["leaves"]):
                start["over"] = True
            else:
                del self.starts[query, stream]
        return told


def told(composed: ComposedTransitions) -> Told:
    return sorted(zip(*(column.tolist() for column in composed.columns), strict=True))


NOBODY_ENDED = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)


def by_rows(row, query, slot, time):
    return Crossings.by_rows(of(row), of(query), of(slot), np.array(time, np.int64))


def of(slots: list[int]) -> Any:
    return np.array(slots, np.int32)


class Both:
    """A script of calls on starts and on the dictionary."""

    def __init__(self, within: list[int], wanted: list[int], room: int) -> None:
        self.naive = Naive(within, wanted)
        self.limits = TransitionLimits(np.array(within), np.array(wanted, np.int8))
        self.starts = PendingCrossings()
        self.starts._out = ComposedTransitions.room(room)
        self.last_time = [0] * STREAMS
        self.now = 0

    def step(self, rows: list[tuple[int, int, list[tuple[int, bool]], bool]]) -> None:
        """Take rows: stream, seconds since the row before, crossings, and whether the stream was forgotten before."""
        slot, time, crossings, ended, expected = [], [], [], [], []
        for row, (stream, later, crossed, forgotten) in enumerate(rows):
            self.now += later
            if forgotten and self.last_time[stream] < self.now:
                end = (self.last_time[stream] + self.now) // 2
                ended.append((row, end))
                expected += self.naive.end(stream, end, -1)
            slot.append(stream)
            time.append(self.now)
            self.last_time[stream] = self.now
            for query, leaves in dict(crossed).items():
                crossings.append((row, ~query if leaves else query))
                expected += self.naive.cross(query, stream, self.now, leaves=leaves, row=row)
        got = self.starts.compose(
            by_rows([row for row, _ in crossings], [query for _, query in crossings], slot, time),
            (np.array([row for row, _ in ended], np.int64), of([slot[row] for row, _ in ended]),
             np.array([end for _, end in ended], np.int64)),
            self.limits, STREAMS,
        )  # fmt: skip
        assert told(got) == sorted(expected)
        late = np.array([row % 5 == 4 for row in range(len(slot))], np.bool_)  # these rows might as well not be there
        got = self.starts.pass_by(of(slot), late, np.array(self.last_time), self.limits)
        spoken = {stream for row, stream in enumerate(slot) if not late[row]}
        assert told(got) == sorted(self.naive.pass_by(spoken, self.last_time))

    def fall_due(self, complete: int, *, keep: bool) -> None:
        got = self.starts.fall_due(complete, self.limits, keep=keep)
        assert told(got) == sorted(self.naive.fall_due(complete, keep=keep))

    def end(self, streams: list[int]) -> None:
        expected = [each for row, stream in enumerate(streams) for each in self.naive.end(stream, self.now, row)]
        times = np.full(len(streams), self.now)
        assert told(self.starts.end(of(streams), times, self.limits)) == sorted(expected)

    def discard(self, queries: list[int]) -> None:
        gone = [pair for pair in self.naive.starts if pair[0] in queries]
        assert sorted(self.starts.discard(of(queries)).tolist()) == sorted(stream for _, stream in gone)
        for pair in gone:
            del self.naive.starts[pair]

    def copy(self, streams: list[int]) -> None:
        """Give some streams' starts to another table, which has had others, and take it from there."""
        part, rest = self.starts.dump(of(streams)), [each for each in range(STREAMS) if each not in streams]
        other = PendingCrossings()
        other.load(of(rest), self.starts.dump(of(rest)))
        other.load(of(streams), part)
        other.load(of(streams), part)
        other._out = self.starts._out
        self.starts = other

    def renumber(self, shift: int, gone: bool) -> None:
        """Give queries and streams other numbers; one of each may be gone."""
        queries, streams = (np.roll(np.arange(count, dtype=np.int32), shift) for count in (QUERIES, STREAMS))
        if gone:
            queries[0] = streams[0] = -1
        out = self.starts._out
        self.starts.renumber(queries=queries)
        self.starts.renumber(streams=streams)
        self.starts._out = out
        renamed = {(int(queries[q]), int(streams[s])): start for (q, s), start in self.naive.starts.items()}
        self.naive.starts = {pair: start for pair, start in renamed.items() if -1 not in pair}
        for query in range(QUERIES):
            self.limits.within[queries[query]] = self.naive.within[query]
            self.limits.wanted[queries[query]] = self.naive.wanted[query]
        self.naive.within, self.naive.wanted = self.limits.within.tolist(), self.limits.wanted.tolist()
        times = dict(zip(streams.tolist(), self.last_time, strict=True))
        self.last_time = [times.get(stream, self.now) for stream in range(STREAMS)]

    def tidy(self) -> None:
        self.starts.tidy()
        self.starts._out = ComposedTransitions.room(1)


STREAM = st.integers(0, STREAMS - 1)
SOME_STREAMS = st.lists(STREAM, unique=True, max_size=STREAMS)
CROSSINGS = st.lists(st.tuples(st.integers(0, QUERIES - 1), st.booleans()), max_size=4)
ROWS = st.lists(st.tuples(STREAM, st.integers(0, 3), CROSSINGS, st.integers(0, 9).map(lambda n: n == 9)), max_size=8)
CALLS = st.one_of(
    st.tuples(st.just("step"), ROWS),
    st.tuples(st.just("step"), ROWS),
    st.tuples(st.just("fall_due"), st.integers(-4, 4), st.booleans()),
    st.tuples(st.just("end"), SOME_STREAMS),
    st.tuples(st.just("discard"), st.lists(st.integers(0, QUERIES - 1), max_size=2)),
    st.tuples(st.just("copy"), SOME_STREAMS),
    st.tuples(st.just("renumber"), st.integers(0, 5), st.booleans()),
    st.tuples(st.just("tidy")),
)


@given(
    within=st.lists(st.integers(1, 6), min_size=QUERIES, max_size=QUERIES),
    wanted=st.lists(st.integers(1, 15), min_size=QUERIES, max_size=QUERIES),
    room=st.sampled_from((1, 2, 1024)),
    calls=st.lists(CALLS, max_size=12),
    few=st.booleans(),
)
def test_starts_are_as_a_dictionary_of_them(within, wanted, room, calls, few):
    with pytest.MonkeyPatch.context() as patch:
        if few:  # tidy up all the time
            patch.setattr(PendingCrossings, "FEWEST", 0)
        both = Both(within, wanted, room)
        for name, *arguments in calls:
            if name == "fall_due":
                complete, keep = arguments
                both.fall_due(both.now + complete, keep=keep)
            else:
                getattr(both, name)(*arguments)
            kept = both.starts.dump(np.arange(STREAMS, dtype=np.int32))
            pairs = set()
            if kept:
                streams = np.repeat(np.arange(STREAMS), kept["count"])
                pairs = set(zip(kept["query"].tolist(), streams.tolist(), strict=True))
            assert pairs == set(both.naive.starts)
            assert both.starts.waiting == sum(not start["over"] for start in both.naive.starts.values())


def test_a_stream_with_more_starts_than_there_is_room_for_is_forgotten_all_the_same():
    for end in ("step", "end"):
        both = Both([3] * QUERIES, [15] * QUERIES, 1)
        both.step([(0, 1, [(query, False) for query in range(QUERIES)], False)])
        both.naive.starts[0, 0]["over"] = True
        both.starts._entries["over"][0] = True
        if end == "step":
            both.step([(1, 4, [(0, False)], False), (0, 10, [(0, False)], True), (1, 0, [(0, True)], False)])
        else:
            both.now += 10
            both.end([1, 0])
        assert not both.starts.dump(of([0])) or not both.starts.dump(of([0]))["count"][0] - (end == "step")


def test_starts_that_are_over_are_copied_as_such():
    both = Both([3] * QUERIES, [15] * QUERIES, 16)
    both.step([(0, 1, [(0, False), (1, False)], False)])
    both.now += 10
    both.fall_due(both.now, keep=True)
    both.copy([0])
    assert both.starts.dump(of([0]))["over"].tolist() == [True, True]
    both.fall_due(both.now, keep=True)
    both.naive.starts.pop((1, 0))
    both.starts.discard(of([1]))
    both.starts._unscheduled = [of([0, 1])]  # one is over, one is gone: neither has a deadline to wait for
    both.fall_due(both.now + 1, keep=True)


def test_deadlines_of_answered_starts_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(PendingCrossings, "FEWEST", 100)
    both = Both([10**9] * QUERIES, [15] * QUERIES, 1024)
    crossings = of(np.zeros(200, np.int32)), of([0, ~0] * 100)
    row = np.arange(200, dtype=np.int32)
    for batch in range(50):
        time = np.arange(200) + batch * 200
        both.starts.compose(by_rows(row, crossings[1], crossings[0], time), NOBODY_ENDED, both.limits, STREAMS)
    assert len(both.starts) == 1
    assert both.starts.nbytes < 20_000  # 10,000 deadlines would be more


def test_starts_that_are_over_go_when_their_stream_speaks():
    both = Both([1] * QUERIES, [15] * QUERIES, 16)
    both.step([(stream, 0, [(0, False)], False) for stream in range(STREAMS)])
    both.now += 10
    both.fall_due(both.now, keep=True)
    assert (len(both.starts), both.starts.waiting) == (STREAMS, 0), "rows may still come that answer them"
    both.step([(stream, 1, [], False) for stream in range(4)])
    assert len(both.starts) == STREAMS - 4


def test_room_is_given_back(monkeypatch):
    monkeypatch.setattr(PendingCrossings, "FEWEST", 10)
    both = Both([9] * QUERIES, [15] * QUERIES, 16)
    crowd = np.arange(1000, dtype=np.int32)
    crossings = by_rows(crowd, np.zeros(1000), crowd, np.zeros(1000))
    both.starts.compose(crossings, NOBODY_ENDED, both.limits, 1000)
    full = both.starts.nbytes
    both.starts.fall_due(100, both.limits, keep=False)
    both.starts.tidy()
    assert (len(both.starts), both.starts.nbytes) == (0, 0)
    assert full > 30_000


def test_a_stream_that_lets_more_deadlines_pass_than_there_is_room_for():
    both = Both([3] * QUERIES, [15] * QUERIES, 1)
    both.step([(0, 1, [(query, False) for query in range(QUERIES)], False)])
    both.step([(0, 50, [], False), (0, 1, [], False), (1, 1, [(0, False)], False)])
    assert len(both.starts) == 1


def test_a_deadline_in_the_heap_may_belong_to_no_one_or_be_wanted_by_no_one():
    passed_only = 0b0001
    both = Both([3] * QUERIES, [passed_only, 15, 15, 15, 15, 15], 16)
    both.step([(0, 1, [(0, False), (1, False), (2, False)], False), (0, 1, [(1, True)], False)])
    both.discard([2])  # leaves its deadline behind, as the enter of query 1 does, which was answered
    both.fall_due(both.now + 100, keep=False)
    assert len(both.starts) == 0


@pytest.mark.parametrize(("wanted", "time"), [(1, 5), (4, 1)])
def test_an_answer_that_nobody_wants_to_know_of(wanted, time):
    """Too late for a query about those who pass, and in time for one about those who stay."""
    both = Both([1] * QUERIES, [wanted] * QUERIES, 16)
    crossings = by_rows([0, 1], [0, ~0], [0, 0], [0, time])
    composed = both.starts.compose(crossings, NOBODY_ENDED, both.limits, STREAMS)
    assert len(composed) == 0
    assert len(both.starts) == 0
