"""What is stored for a query and a stream together."""

from typing import ClassVar

import numpy as np

from limen.runtime.pair_state import PairState


class Since(PairState):
    """Since when a stream is inside a query."""

    PART: ClassVar = {"count": np.int32, "query": np.int32, "at": np.int64, "leaves": np.bool_}


def int32s(*numbers):
    return np.array(numbers, np.int32)


def put(state, entries):
    """Set the entries of streams: {stream: {query: time}}."""
    state.load(
        int32s(*entries),
        {
            "count": int32s(*map(len, entries.values())),
            "query": int32s(*(query for each in entries.values() for query in each)),
            "at": np.array([time for each in entries.values() for time in each.values()], np.int64),
            "leaves": np.array([bool(time % 2) for each in entries.values() for time in each.values()], np.bool_),
        },
    )
    return state


def entries(state, *streams):
    """The entries of streams: {stream: {query: time}}."""
    part = state.dump(int32s(*streams))
    if not part:
        return {stream: {} for stream in streams}
    assert part["leaves"].tolist() == (part["at"] % 2 == 1).tolist()
    cells = list(zip(part["query"].tolist(), part["at"].tolist(), strict=True))
    ends = np.cumsum(part["count"]).tolist()
    return {
        stream: dict(cells[first:end])
        for stream, first, end in zip(streams, [0, *ends[:-1]], ends, strict=True)
    }  # fmt: skip


def example():
    return put(Since(), {4: {7: 10, 8: 11}, 0: {7: 12}, 2: {9: 13}})


def test_entries_are_found_by_stream():
    state = example()
    assert len(state) == 4
    assert entries(state, 0, 1, 4) == {0: {7: 12}, 1: {}, 4: {7: 10, 8: 11}}


def test_nothing_takes_no_room():
    state = Since()
    assert (len(state), state.nbytes, state.dump(int32s(0, 5))) == (0, 0, {})
    assert state.discard(int32s(1)).tolist() == []
    put(state, {})
    assert len(state) == 0


def test_loading_replaces_what_a_stream_had():
    state = put(example(), {4: {1: 20}, 5: {}})
    assert entries(state, 0, 2, 4, 5) == {0: {7: 12}, 2: {9: 13}, 4: {1: 20}, 5: {}}
    state.load(int32s(0, 99), {})
    assert entries(state, 0, 99) == {0: {}, 99: {}}


def test_a_restart_by_dump_and_load():
    state, again = example(), Since()
    part = state.dump(int32s(0, 1, 2, 3, 4))
    again.load(int32s(0, 1, 2, 3, 4), part)
    assert entries(again, *range(5)) == entries(state, *range(5))


def test_a_dump_does_not_depend_on_the_order_in_which_entries_came():
    other = put(put(put(Since(), {2: {9: 13}, 3: {5: 1}}), {4: {8: 11, 7: 10}, 3: {}}), {0: {7: 12}})
    one, two = (state.dump(int32s(*range(5))) for state in (example(), other))
    assert {name: column.tolist() for name, column in one.items()} == {
        name: column.tolist() for name, column in two.items()
    }


def test_entries_of_queries_that_are_gone():
    state = example()
    assert sorted(state.discard(int32s(7, 99)).tolist()) == [0, 4]
    assert entries(state, 0, 2, 4) == {0: {}, 2: {9: 13}, 4: {8: 11}}
    assert state.discard(int32s(7)).tolist() == []
    assert state.discard(int32s()).tolist() == []


def test_room_of_discarded_entries_is_used_again():
    state = example()
    room = state.nbytes
    for time in range(50):
        state.discard(int32s(7))
        put(state, {0: {7: time}})
    assert entries(state, 0) == {0: {7: 49}}
    assert state.nbytes == room


def test_queries_and_streams_are_renumbered():
    state = example()
    state.renumber(queries=int32s(*[-1] * 7, 0, 1, -1))
    assert entries(state, 0, 2, 4) == {0: {0: 12}, 2: {}, 4: {0: 10, 1: 11}}
    state.renumber(streams=int32s(-1, -1, -1, -1, 0))
    assert entries(state, 0, 4) == {0: {0: 10, 1: 11}, 4: {}}


def test_room_is_given_back_when_most_of_it_is_free():
    state = put(Since(), {0: dict.fromkeys(range(3 * Since.FEWEST), 2)})
    state.discard(np.arange(10, 3 * Since.FEWEST, dtype=np.int32))
    full = state.nbytes
    state.tidy()
    assert state.nbytes < full / 10
    assert entries(state, 0) == {0: dict.fromkeys(range(10), 2)}
    small = state.nbytes
    state.discard(int32s(0))
    state.tidy()
    assert state.nbytes == small  # not worth it
