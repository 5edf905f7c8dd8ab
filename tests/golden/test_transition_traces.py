"""Transitions worked out by hand from the specification; the oracle and the engine must both give them.

Above each case a time line of one stream and the region `x ≥ 1`: `^` goes in, `v` goes out, `-` is inside, `.` outside,
a number is a second. Events are `kind time started_at x`.
"""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.oracle import Oracle
from tests.subject import Subject

SECOND = 1_000_000
COLUMNS = {"id": "s", "time": "t", "values": ["x"]}

Monitor = Oracle | Subject


@pytest.fixture(params=[Oracle, Subject], ids=["oracle", "engine"])
def make(request: pytest.FixtureRequest) -> type[Monitor]:
    return request.param


def transition(within: float, query_id: str = "q", **extra: Any) -> dict[str, Any]:
    region = {"type": "range", "lo": 1, "hi": None}
    return {"type": "transition", "id": query_id, "region": region, "within": within, **extra}


def rows(*readings: tuple[float, float], stream: str = "a") -> list[dict[str, Any]]:
    return [{"s": stream, "t": round(time * SECOND), "x": x} for time, x in readings]


def trace(events: Iterable[dict[str, Any]]) -> list[str]:
    found = sorted(events, key=lambda event: (event["time"], event["query_id"], event["kind"]))
    for event in found:
        assert event["reason"] == ("timer" if event["kind"] in ("stayed", "gone") else "moved")
    return [
        f"{event['kind']} {event['time'] / SECOND:g} {event['started_at'] / SECOND:g} {event['values'][0]:g}"
        for event in found
    ]


def played(monitor: Monitor, *batches: list[dict[str, Any]]) -> list[str]:
    return trace(event for batch in batches for event in monitor.process(batch))


def test_out_within_the_limit_and_in_again(make: type[Monitor]) -> None:
    #  0  1  2  3  4  5  6
    #  .  ^  -  v  .  ^  v
    monitor = make(COLUMNS, [transition(3)])
    readings = rows((0, 0), (1, 1), (2, 2), (3, 0), (4, 0.5), (5, 1), (6, 0))
    assert played(monitor, readings) == ["passed 3 1 0", "returned 5 3 1", "passed 6 5 0"]
    assert trace(monitor.advance(100 * SECOND)) == ["gone 9 6 0"]


def test_exactly_at_the_limit_is_in_time(make: type[Monitor]) -> None:
    #  0  1  2  3  4          7.000001
    #  .  ^        v          ^
    monitor = make(COLUMNS, [transition(3)])
    readings = rows((0, 0), (1, 1), (4, 0), (7.000001, 1))
    assert played(monitor, readings) == ["passed 4 1 0", "gone 7 4 0"]


def test_stayed_is_known_when_time_has_passed_and_not_before(make: type[Monitor]) -> None:
    #  0  1           4   deadline of the enter at 1
    #  .  ^  silence
    monitor = make(COLUMNS, [transition(3)])
    assert played(monitor, rows((0, 0), (1, 5)), rows((4, 0), stream="b")) == []
    assert played(monitor, rows((4.000001, 0), stream="b")) == ["stayed 4 1 5"]
    assert played(monitor, rows((50, 7))) == [], "each border event starts once"
    # Under order of arrival, a row of the silent stream from before the deadline comes too late to undo it.
    monitor = make(COLUMNS, [transition(3)])
    assert played(monitor, rows((0, 0), (1, 5)), rows((9, 0), stream="b"), rows((3, 0))) == ["stayed 4 1 5"]
    assert monitor.counters["late"] == 1


def test_values_are_those_known_at_the_deadline(make: type[Monitor]) -> None:
    #  0  1  2        4        9
    #  .  ^  -      stayed     -   one batch: what came at 9 was not known at 4
    monitor = make(COLUMNS, [transition(3)])
    assert played(monitor, rows((0, 0), (1, 5), (2, 6), (9, 7))) == ["stayed 4 1 6"]


def test_a_first_tuple_inside_starts_nothing_but_its_exit_does(make: type[Monitor]) -> None:
    #  0  1
    #  -  v
    monitor = make(COLUMNS, [transition(3)])
    assert played(monitor, rows((0, 1), (1, 0), (2, 0))) == []
    assert trace(monitor.advance(100 * SECOND)) == ["gone 4 1 0"]


def test_several_limits_on_one_region(make: type[Monitor]) -> None:
    #  0  1     3
    #  .  ^     v
    limits = [transition(limit, f"within {limit}") for limit in (1, 2, 9)]
    monitor = make(COLUMNS, limits)
    assert played(monitor, rows((0, 0), (1, 1), (3, 0))) == ["stayed 2 1 1", "passed 3 1 0", "passed 3 1 0"]
    assert trace(monitor.advance(20 * SECOND)) == ["gone 4 3 0", "gone 5 3 0", "gone 12 3 0"]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["passed"], ["passed 2 1 0"]),
        (["returned"], ["returned 3 2 1"]),
        (["stayed"], ["stayed 6 3 1"]),
        (["gone"], ["gone 12 9 0"]),
        (["gone", "passed"], ["passed 2 1 0", "gone 12 9 0"]),
    ],
)
def test_a_query_chooses_its_kinds(make: type[Monitor], kinds: list[str], expected: list[str]) -> None:
    #  0  1  2  3     6     9    12
    #  .  ^  v  ^   stayed  v   gone
    monitor = make(COLUMNS, [transition(3, kinds=kinds)])
    found = played(monitor, rows((0, 0), (1, 1), (2, 0), (3, 1), (9, 0)))
    assert found + trace(monitor.advance(20 * SECOND)) == expected


def test_replacing_and_deregistering_discard_what_waits(make: type[Monitor]) -> None:
    #  0  1  2 replaced  3     the enter at 1 is forgotten, the exit at 3 starts afresh
    #  .  ^              v
    for replaced in (True, False):
        monitor = make(COLUMNS, [transition(5)])
        assert played(monitor, rows((0, 0), (1, 1))) == []
        if replaced:
            monitor.register(transition(5), at=2 * SECOND)
        else:
            monitor.deregister("q", at=2 * SECOND)
            monitor.register(transition(5), at=2 * SECOND + 1)
        assert played(monitor, rows((3, 0))) == []
        assert trace(monitor.advance(20 * SECOND)) == ["gone 8 3 0"]


def test_a_deadline_before_the_change_has_passed_and_one_at_its_time_has_not(make: type[Monitor]) -> None:
    #  0  1  2     4 deregistered
    #  .  ^        deadlines: of the first at 3, of the second at 4, when changes come first
    monitor = make(COLUMNS, [transition(2, "first"), transition(3, "second")])
    for name in ("first", "second"):
        monitor.deregister(name, at=4 * SECOND)
    assert played(monitor, rows((0, 0), (1, 1), (4, 1), (9, 0))) == ["stayed 3 1 1"]


def test_a_stream_that_is_forgotten_takes_its_starts_along(make: type[Monitor]) -> None:
    #  0  1          5 expires     20
    #  .  ^  deadlines: 4, 5, 6    v   of the last nothing is ever heard
    queries = [transition(limit, f"within {limit}") for limit in (3, 4, 5)]
    told = ["stayed 4 1 1", "stayed 5 1 1"]
    # Found by the stream's own next tuple, and by time alone.
    monitor = make(COLUMNS, queries, expire_after=4)
    assert played(monitor, rows((0, 0), (1, 1), (20, 0), (21, 0))) == told
    monitor = make(COLUMNS, queries, expire_after=4)
    assert played(monitor, rows((0, 0), (1, 1))) == []
    assert trace(monitor.advance(20 * SECOND)) == told
    assert played(monitor, rows((20, 0), (21, 1))) == []


def test_in_event_order_rows_may_come_late_within_the_lateness(make: type[Monitor]) -> None:
    #  0  1        4        10
    #  .  ^        v  comes after the row at 10
    monitor = make(COLUMNS, [transition(3)], order="event", lateness=10)
    assert played(monitor, rows((0, 0), (1, 1), (10, 0)), rows((4, 0))) == []
    assert trace(monitor.close()) == ["passed 4 1 0", "gone 7 4 0"]


def test_out_of_order_streams_under_arrival_do_not_hide_an_answer(make: type[Monitor]) -> None:
    #  a:  0  1  2           b is far ahead, a's rows are not late as long as no deadline of its was told
    #      .  ^  v
    monitor = make(COLUMNS, [transition(5, kinds=["passed", "returned"])])
    found = played(monitor, rows((0, 0), (1, 1)), rows((100, 0), stream="b"), rows((2, 0)), rows((8, 1)))
    assert found == ["passed 2 1 0"]
