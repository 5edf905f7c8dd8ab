"""Debounced borders and jumps worked out by hand from the specification; the oracle and the engine must both give them.

Above each case a time line of one stream and the region `10 ≤ x < 20`: `i` is inside, `m` outside within the margin,
`o` beyond it; below, `?` begins a change, `-` cancels it, `in` and `out` confirm it. Events are
`kind time started_at reason x`, a dot for no start.
"""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.oracle import Oracle
from tests.subject import Subject

SECOND = 1_000_000
COLUMNS = {"id": "s", "time": "t", "values": ["x"], "attributes": ["kind"]}
PLANE = {"id": "s", "time": "t", "values": ["x", "y"]}
EARTH = {"id": "s", "time": "t", "values": ["lon", "lat"], "crs": "lonlat"}

Monitor = Oracle | Subject


@pytest.fixture(params=[Oracle, Subject], ids=["oracle", "engine"])
def make(request: pytest.FixtureRequest) -> type[Monitor]:
    return request.param


def border(**extra: Any) -> dict[str, Any]:
    return {"type": "border", "id": "q", "region": {"type": "range", "lo": 10, "hi": 20}, **extra}


def transition(within: float, **extra: Any) -> dict[str, Any]:
    return {**border(**extra), "type": "transition", "within": within}


def rows(*readings: tuple[float, float | None], stream: str = "a", kind: str | None = None) -> list[dict[str, Any]]:
    return [{"s": stream, "t": round(time * SECOND), "x": x, "kind": kind} for time, x in readings]


def each_second(*xs: float | None) -> list[dict[str, Any]]:
    return rows(*enumerate(xs))


def trace(events: Iterable[dict[str, Any]]) -> list[str]:
    found = sorted(events, key=lambda event: (event["time"], event["kind"] != "enter", event["values"]))
    return [
        f"{event['kind']} {event['time'] / SECOND:g} "
        f"{'.' if event['started_at'] is None else format(event['started_at'] / SECOND, 'g')} "
        f"{event['reason']} {event['values'][0]:g}"
        for event in found
    ]


def played(monitor: Monitor, *batches: list[dict[str, Any]]) -> list[str]:
    return trace(event for batch in batches for event in monitor.process(batch))


# ---- confirm ---------------------------------------------------------------------------------------------------------


def test_as_many_tuples_in_a_row(make: type[Monitor]) -> None:
    #  0   1   2   3   4   5   6   7   8   9   10
    #  5   15  5   15  16  17  18  5   15  5   25
    #  o   i   o   i   i   i   i   o   i   o   o
    #      ?   -   ?       in      ?   -   ?   ...
    monitor = make(COLUMNS, [border(confirm=3)])
    assert played(monitor, each_second(5, 15, 5, 15, 16, 17, 18, 5, 15, 5, 25)) == ["enter 5 3 moved 17"]
    assert played(monitor, rows((11, 30))) == ["exit 11 9 moved 30"]


def test_it_makes_no_difference_where_batches_are_cut(make: type[Monitor]) -> None:
    readings = each_second(5, 15, 16, 5, 6, 15, 5, 15, 16)
    expected = ["enter 2 1 moved 16", "exit 4 3 moved 6", "enter 8 7 moved 16"]
    assert played(make(COLUMNS, [border(confirm=2)]), readings) == expected
    assert played(make(COLUMNS, [border(confirm=2)]), *([reading] for reading in readings)) == expected


def test_a_row_without_the_querys_column_neither_confirms_nor_cancels(make: type[Monitor]) -> None:
    #  0   1   2   3
    #  5   15  .   16
    assert played(make(COLUMNS, [border(confirm=2)]), each_second(5, 15, None, 16)) == ["enter 3 1 moved 16"]


def test_streams_do_not_confirm_for_each_other(make: type[Monitor]) -> None:
    monitor = make(COLUMNS, [border(confirm=2)])
    assert played(monitor, each_second(5, 15), rows((1, 5), (2, 15), (3, 5), (4, 15), stream="b")) == []
    assert played(monitor, rows((5, 16), stream="b"), rows((5, 17))) == ["enter 5 4 moved 16", "enter 5 1 moved 17"]


# ---- margin ----------------------------------------------------------------------------------------------------------


def test_a_margin_is_for_leaving_only(make: type[Monitor]) -> None:
    #  0   1   2   3   4     5   6   7   8
    #  9   10  9   8   7.5   8   9   10  22     margin 2: exactly 2 away is not beyond it
    #  o   i   m   m   o     m   m   i   m
    #      in          out           in
    monitor = make(COLUMNS, [border(margin=2)])
    assert played(monitor, each_second(9, 10, 9, 8, 7.5, 8, 9, 10, 22)) == [
        "enter 1 1 moved 10",
        "exit 4 4 moved 7.5",
        "enter 7 7 moved 10",
    ]
    assert played(monitor, rows((9, 22.5))) == ["exit 9 9 moved 22.5"]


def test_a_first_tuple_within_the_margin_is_out(make: type[Monitor]) -> None:
    monitor = make(COLUMNS, [border(margin=2, initial="report")])
    assert played(monitor, each_second(9, 5, 9)) == []
    assert played(monitor, rows((3, 10))) == ["enter 3 3 moved 10"]


def test_whoever_fails_the_condition_is_beyond_any_margin(make: type[Monitor]) -> None:
    #  0    1    2        x is 15 all the time
    #  car  bus  car
    monitor = make(COLUMNS, [border(margin=1000, where="kind = 'car'")])
    readings = [rows((second, 15), kind=kind) for second, kind in enumerate(("car", "bus", "car"))]
    assert played(monitor, *readings) == ["exit 1 1 moved 15", "enter 2 2 moved 15"]


def test_without_a_margin_the_upper_end_is_outside(make: type[Monitor]) -> None:
    #  0   1   2
    #  15  20  20
    assert played(make(COLUMNS, [border(confirm=2)]), each_second(15, 20, 20)) == ["exit 2 1 moved 20"]
    assert played(make(COLUMNS, [border(confirm=2, margin=0.5)]), each_second(15, 20, 20)) == []


@pytest.mark.parametrize(
    ("region", "within", "beyond"),
    [
        ({"type": "box", "lo": [-2, -2], "hi": [2, 2]}, (5, 6), (5, 6.001)),
        ({"type": "circle", "center": [0, 0], "radius": 5}, (6, 8), (6, 8.001)),
        ({"type": "polygon", "shell": [(-2, -2), (2, -2), (2, 2), (-2, 2)]}, (5, 6), (5, 6.001)),
        ({"type": "polygon", "shell": [(-4, 3), (0, 0), (4, 3), (0, 6)]}, (3, -4), (3, -4.001)),
    ],
    ids=["box", "circle", "square", "diamond"],
)
def test_margins_of_the_plane(make: type[Monitor], region: Any, within: Any, beyond: Any) -> None:
    """All points are five from the region by 3, 4 and 5, the last by a little more."""
    inside = (0, 1)
    monitor = make(PLANE, [{**border(margin=5), "region": region}])
    batch = [{"s": "a", "t": t * SECOND, "x": x, "y": y} for t, (x, y) in enumerate((inside, within, inside, beyond))]
    assert trace(monitor.process(batch)) == [f"exit 3 3 moved {beyond[0]}"]


@pytest.mark.parametrize(
    "region",
    [
        {"type": "box", "lo": [170, -1], "hi": [-179, 1]},
        {"type": "polygon", "shell": [(170, 0), (180, -2), (-179, 0), (180, 2)]},
        {"type": "circle", "center": [180, 0], "radius": 111_195},
    ],
    ids=["box", "polygon", "circle"],
)
def test_margins_on_earth_are_metres(make: type[Monitor], region: Any) -> None:
    """From 179 degrees west to 178 are 111.2 km."""
    queries = [{**border(margin=margin), "id": str(margin), "region": region} for margin in (110_000, 112_000)]
    monitor = make(EARTH, queries)
    batch = [{"s": "a", "t": t * SECOND, "lon": lon, "lat": 0.0} for t, lon in enumerate((179.9, -178.0))]
    assert [event["query_id"] for event in monitor.process(batch)] == ["110000"]


# ---- min_stay --------------------------------------------------------------------------------------------------------


def test_a_stay_is_confirmed_when_time_has_passed_and_not_before(make: type[Monitor]) -> None:
    #  0   1       3
    #  5   15      in      min_stay 2
    monitor = make(COLUMNS, [border(min_stay=2)])
    assert played(monitor, each_second(5, 15), rows((3, 0), stream="b")) == []
    assert played(monitor, rows((3.000001, 0), stream="b")) == ["enter 3 1 moved 15"]
    assert trace(monitor.advance(50 * SECOND)) == []


def test_a_return_at_the_very_end_cancels(make: type[Monitor]) -> None:
    #  0   1       3            3.000001
    #  5   15      5                        back at exactly 1 + 2
    #  5   15                   5           a microsecond later: in at 3, and the next change begins
    monitor = make(COLUMNS, [border(min_stay=2)])
    assert played(monitor, rows((0, 5), (1, 15), (3, 5), (9, 5))) == []
    monitor = make(COLUMNS, [border(min_stay=2)])
    assert played(monitor, rows((0, 5), (1, 15), (3.000001, 6))) == ["enter 3 1 moved 15"]
    assert trace(monitor.advance(9 * SECOND)) == ["exit 5 3 moved 6"]


def test_values_are_those_known_at_the_confirmation(make: type[Monitor]) -> None:
    #  0   1   2   3   9
    #  5   15  16  in  17     one batch: what came at 9 was not known at 3
    assert played(make(COLUMNS, [border(min_stay=2)]), rows((0, 5), (1, 15), (2, 16), (9, 17))) == [
        "enter 3 1 moved 16"
    ]
    #  5   15  16  17        a row at 3 itself was
    monitor = make(COLUMNS, [border(min_stay=2)])
    assert played(monitor, each_second(5, 15, 16, 17)) == []
    assert trace(monitor.advance(9 * SECOND)) == ["enter 3 1 moved 17"]


def test_a_row_behind_a_confirmation_that_was_told_is_late(make: type[Monitor]) -> None:
    #  a  0   1     2.5     3 in, told as b is at 9
    #     5   15    5 late  5 not late: the next change
    monitor = make(COLUMNS, [border(min_stay=2)])
    assert played(monitor, each_second(5, 15), rows((9, 0), stream="b")) == ["enter 3 1 moved 15"]
    assert played(monitor, rows((2.5, 5))) == []
    assert monitor.counters["late"] == 1
    assert played(monitor, rows((3, 6)), rows((10, 0), stream="b")) == ["exit 5 3 moved 6"]


@pytest.mark.parametrize(
    ("times", "confirmed"),
    [((1, 2), 4), ((1, 4), 4), ((1, 6), 6), ((1, 2, 3, 4), 4)],
    ids=["stay", "tie", "last", "many"],
)
def test_of_confirm_and_min_stay_the_later_counts(make: type[Monitor], times: Any, confirmed: int) -> None:
    #  0   1       4
    #  5   15      end of the stay     confirm 2, min_stay 3
    monitor = make(COLUMNS, [border(confirm=2, min_stay=3)])
    found = played(monitor, rows((0, 5), *((time, 15) for time in times)))
    assert found + trace(monitor.advance(9 * SECOND)) == [f"enter {confirmed} 1 moved 15"]


def test_what_a_tuple_confirms_is_told_with_it(make: type[Monitor]) -> None:
    #  0   1   2   3   4       confirm 2, min_stay 3
    #  5   15          15      the second tuple, as late as the end of the stay
    monitor = make(COLUMNS, [border(confirm=2, min_stay=3)])
    assert played(monitor, rows((0, 5), (1, 15), (4, 15))) == ["enter 4 1 moved 15"]


def test_a_confirmation_at_the_time_of_an_expiry_comes_first(make: type[Monitor]) -> None:
    #  0   1          4 expires
    #  5   15         in, if the stay is no longer than 3
    for min_stay, expected in ((3, ["enter 4 1 moved 15", "exit 4 . expired 15"]), (3.000001, [])):
        monitor = make(COLUMNS, [border(min_stay=min_stay, initial="report")], expire_after=3)
        assert played(monitor, each_second(5, 15)) == []
        assert trace(monitor.advance(20 * SECOND)) == expected
        # It is told in the same way when the stream's own next tuple finds it out.
        monitor = make(COLUMNS, [border(min_stay=min_stay, initial="report")], expire_after=3)
        assert played(monitor, rows((0, 5), (1, 15), (20, 5))) == expected


def test_a_change_of_the_query_at_the_time_of_the_confirmation_comes_first(make: type[Monitor]) -> None:
    #  0   1       3 deregistered
    #  5   15      would have been in
    monitor = make(COLUMNS, [border(min_stay=2)])
    monitor.deregister("q", at=3 * SECOND)
    assert played(monitor, rows((0, 5), (1, 15), (9, 5))) == []


def test_in_event_order_a_row_that_comes_late_still_cancels(make: type[Monitor]) -> None:
    #  0   1   2 comes after the row at 9
    #  5   15  5
    monitor = make(COLUMNS, [border(min_stay=2)], order="event", lateness=10)
    assert played(monitor, rows((0, 5), (1, 15), (9, 15)), rows((2, 5))) == []
    assert trace(monitor.close()) == []
    assert played(make(COLUMNS, [border(min_stay=2)], order="event"), rows((0, 5), (1, 15), (9, 15))) == [
        "enter 3 1 moved 15"
    ]


# ---- what is reported ------------------------------------------------------------------------------------------------


def test_first_tuples_registrations_and_ends_need_no_confirmation(make: type[Monitor]) -> None:
    #  0    1   2   registered as r     3
    #  15   5   5                       15     confirm 3
    monitor = make(COLUMNS, [border(confirm=3, initial="report")])
    assert played(monitor, each_second(15, 5, 5)) == ["enter 0 . appeared 15"]
    assert trace(monitor.register(border(id="r", confirm=3, initial="report"))) == []
    assert trace(monitor.deregister("q")) == ["exit 2 . deregistered 5"]
    assert played(monitor, rows((3, 15))) == []
    assert trace(monitor.register(border(id="s", confirm=3, initial="report"))) == ["enter 3 . registered 15"]
    assert trace(monitor.deregister("r")) == []


def test_a_replacement_takes_the_side_of_the_last_tuple_and_discards_what_waits(make: type[Monitor]) -> None:
    #  0    1    replaced    2    3    4
    #  15   5                5    15   15     confirm 2: out by the last tuple, and not by those before and after
    monitor = make(COLUMNS, [border(confirm=2, initial="report")])
    assert played(monitor, each_second(15, 5)) == ["enter 0 . appeared 15"]
    assert trace(monitor.register(border(confirm=2, initial="report"))) == ["exit 1 . changed 5"]
    assert played(monitor, rows((2, 5), (3, 15), (4, 15))) == ["enter 4 3 moved 15"]
    # Silent, the same is told of the second only.
    monitor = make(COLUMNS, [border(confirm=2)])
    assert played(monitor, each_second(15, 5)) == []
    assert trace(monitor.register(border(confirm=2))) == []
    assert played(monitor, rows((2, 5), (3, 15), (4, 15))) == ["enter 4 3 moved 15"]


def test_a_stream_within_the_margin_is_out_after_a_replacement(make: type[Monitor]) -> None:
    monitor = make(COLUMNS, [border(margin=2, initial="report")])
    assert played(monitor, each_second(15, 9)) == ["enter 0 . appeared 15"]
    assert trace(monitor.register(border(margin=3, initial="report"))) == ["exit 1 . changed 9"]


# ---- transitions -----------------------------------------------------------------------------------------------------


def test_transitions_are_composed_of_confirmed_events(make: type[Monitor]) -> None:
    #  0   1   2   3   4   5   6   7        12
    #  5   15  15  15  5   15  5   5        gone      confirm 2, within 5
    #      ?   in      ?   -   ?   out
    monitor = make(COLUMNS, [transition(5, confirm=2)])
    assert played(monitor, each_second(5, 15, 15, 15, 5, 15, 5, 5)) == ["passed 7 2 moved 5"]
    assert trace(monitor.advance(20 * SECOND)) == ["gone 12 7 timer 5"]


def test_a_confirmation_and_the_deadline_it_starts_may_pass_at_once(make: type[Monitor]) -> None:
    #  0   1       3       6
    #  5   15      in      stayed         min_stay 2, within 3
    monitor = make(COLUMNS, [transition(3, min_stay=2)])
    assert played(monitor, each_second(5, 15)) == []
    assert trace(monitor.advance(20 * SECOND)) == ["stayed 6 3 timer 15"]


def test_an_exit_confirmed_at_the_deadline_of_the_enter_is_in_time(make: type[Monitor]) -> None:
    #  0   1       3   4       6
    #  5   15      in  5       out        min_stay 2
    for within, expected in ((3, ["passed 6 3 moved 5"]), (2.9, ["stayed 5.9 3 timer 5"])):
        monitor = make(COLUMNS, [transition(within, min_stay=2)])
        found = played(monitor, rows((0, 5), (1, 15), (4, 5)))
        assert found + trace(monitor.advance(7 * SECOND)) == expected


# ---- jumps -----------------------------------------------------------------------------------------------------------


def test_a_jump_over_a_range(make: type[Monitor]) -> None:
    #  0   1   2   3   4   5
    #  5   25  5   20  25  15      20 does not belong to it, but from 5 to 20 it is passed
    monitor = make(COLUMNS, [border(crossings=True), border(id="none")])
    assert played(monitor, each_second(5, 25, 5, 20, 25)) == [
        "cross 1 . moved 25",
        "cross 2 . moved 5",
        "cross 3 . moved 20",
    ]
    assert played(monitor, rows((5, 15))) == ["enter 5 . moved 15"] * 2


@pytest.mark.parametrize(
    "region",
    [{"type": "box", "lo": [0, 0], "hi": [2, 2]}, {"type": "polygon", "shell": [(0, 0), (2, 0), (2, 2), (0, 2)]}],
    ids=["box", "polygon"],
)
@pytest.mark.parametrize(
    ("before", "after", "crosses"),
    [
        ((-1, 1), (3, 1), True),  # through the middle
        ((-1, 1), (1, -1), True),  # touches (0, 0), which belongs to it
        ((-1, 1), (1, 3), False),  # touches (0, 2), which does not
        ((1, 3), (3, 1), False),  # nor (2, 2)
        ((-1, 0), (3, 0), True),  # along the lower side
        ((-1, 2), (3, 2), False),  # along the upper one
        ((2, -1), (2, 3), False),  # along the right one
    ],
)
def test_a_jump_that_touches_a_border(make: type[Monitor], region: Any, before: Any, after: Any, crosses: bool) -> None:
    monitor = make(PLANE, [{**border(crossings=True), "region": region}])
    batch = [{"s": "a", "t": t * SECOND, "x": x, "y": y} for t, (x, y) in enumerate((before, after))]
    assert trace(monitor.process(batch)) == ([f"cross 1 . moved {after[0]}"] if crosses else [])


def test_a_jump_over_the_antimeridian_goes_the_short_way(make: type[Monitor]) -> None:
    longitudes = {"here": (-180, -179), "across": (179, -179), "far": (-10, 10)}
    queries = [
        {**border(crossings=True), "id": name, "region": {"type": "box", "lo": [west, -1], "hi": [east, 1]}}
        for name, (west, east) in longitudes.items()
    ]
    circle = {"type": "circle", "center": [179.9, 0], "radius": 100_000}
    monitor = make(EARTH, [*queries, {**border(crossings=True), "id": "circle", "region": circle}])
    batch = [{"s": "a", "t": t * SECOND, "lon": lon, "lat": 0.0} for t, lon in enumerate((170.0, -170.0))]
    assert sorted(event["query_id"] for event in monitor.process(batch)) == ["across", "circle", "here"]
    # On one side of the antimeridian, past a center on the other.
    batch = [
        {"s": "b", "t": t * SECOND, "lon": lon, "lat": lat}
        for t, (lon, lat) in enumerate(((-179.9, -5.0), (-179.1, 5.0)))
    ]
    assert "circle" in [event["query_id"] for event in monitor.process(batch)]


def test_a_jump_needs_both_ends_to_be_of_the_query(make: type[Monitor]) -> None:
    #  0    1    2    3
    #  5    25   5    25
    #  car  bus  car  car
    monitor = make(COLUMNS, [border(crossings=True, where="kind = 'car'")])
    readings = zip((5, 25, 5, 25), ("car", "bus", "car", "car"), strict=True)
    found = played(monitor, *(rows((second, x), kind=kind) for second, (x, kind) in enumerate(readings)))
    assert found == ["cross 3 . moved 25"]


def test_a_jump_needs_a_stream_that_counts_as_outside(make: type[Monitor]) -> None:
    #  0   1   2   3     4      5   6
    #  15  5   25  5     25     15  5         confirm 3
    #  in  ?       out   cross  ?   -         not from 5 to 25 while it counts as in; not from 15 to 5
    monitor = make(COLUMNS, [border(confirm=3, crossings=True)])
    assert played(monitor, each_second(15, 5, 25, 5, 25, 15, 5)) == ["exit 3 1 moved 5", "cross 4 . moved 25"]


def test_a_query_that_comes_between_two_tuples_sees_the_jump(make: type[Monitor]) -> None:
    monitor = make(COLUMNS)
    monitor.process(each_second(5))
    monitor.register(border(crossings=True))
    assert played(monitor, rows((1, 25))) == ["cross 1 . moved 25"]
