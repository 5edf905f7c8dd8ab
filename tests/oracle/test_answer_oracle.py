"""The oracle's answers on cases small enough to be judged by eye, and against a second judge."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from tests.answer_strategies import answer_lines, planes
from tests.folding import Fold, without_empty
from tests.oracle import Oracle
from tests.oracle.answer import in_box_of_metres
from tests.oracle.input_rows import canonical_order, read_row
from tests.oracle.query import holds, read_query
from tests.oracle.region import EARTH_RADIUS, contains
from tests.strategies import TimeLine

COLUMNS = {"id": "s", "time": "t", "values": ["x", "y"], "attributes": ["kind"]}
EARTH = {**COLUMNS, "values": ["lon", "lat"], "crs": "lonlat"}
SECOND = 1_000_000
BOX = {"type": "box", "lo": [0, 0], "hi": [2, 2]}
NAN = math.nan


def row(stream: str, second: float, x: float | None, y: float | None = 0.0, kind: str | None = None) -> dict[str, Any]:
    return {"s": stream, "t": round(second * SECOND), "x": x, "y": y, "kind": kind}


def place(stream: str, second: float, lon: float, lat: float) -> dict[str, Any]:
    return {"s": stream, "t": round(second * SECOND), "lon": lon, "lat": lat, "kind": None}


def within(**form: Any) -> dict[str, Any]:
    return {"type": "within", "id": "q", **form}


def nearest(k: int, **form: Any) -> dict[str, Any]:
    return {"type": "nearest", "id": "q", "k": k, **form}


def brief(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(e["kind"], e["stream_id"], e["time"] / SECOND, e["reason"]) for e in events]


# Who is in an answer.


def test_an_event_has_all_that_the_specification_names() -> None:
    oracle = Oracle({**COLUMNS, "values": ["x", "y", "z"]}, [within(region=BOX, on=["x", "y"])])
    assert oracle.process([{**row("a", 1, 1, 1), "z": None}]) == [
        {
            "query_id": "q",
            "bindings": None,
            "kind": "add",
            "stream_id": "a",
            "time": SECOND,
            "started_at": None,
            "reason": "moved",
            "values": [1, 1, None],
        }
    ]


def test_a_region_that_stays_has_all_who_are_in_it_from_their_first_tuple_on() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX)])
    events = oracle.process([row("a", 0, 0, 0), row("b", 0, 2, 0), row("a", 1, 1, 1), row("b", 1, 1, 1)])
    assert brief(events) == [("add", "a", 0, "moved"), ("add", "b", 1, "moved")]
    assert brief(oracle.process([row("a", 2, 2, 1)])) == [("remove", "a", 2, "moved")]


def test_a_moving_box_is_closed_below_and_open_above_and_has_not_its_focal() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", width=4, height=2)])
    #   f at (10, 5): x from 8 up to 12, y from 4 up to 6
    corners = [row("a", 0, 8, 4), row("b", 0, 12, 5), row("c", 0, 10, 6), row("d", 0, 11.5, 5.5), row("e", 0, 10, 5)]
    oracle.process([row("f", 0, 10, 5), *corners])
    assert oracle.answers == {"q": {"a", "d", "e"}}
    # It moves by half a unit to the right: a is left behind, b comes in.
    assert brief(oracle.process([row("f", 1, 10.5, 5)])) == [("remove", "a", 1, "moved"), ("add", "b", 1, "moved")]


def test_the_sides_of_a_moving_box_are_what_the_sums_of_floats_are() -> None:
    oracle = Oracle({**COLUMNS, "values": ["x"]}, [within(focal="f", width=0.6)])
    rows = [
        {"s": s, "t": 0, "x": x, "kind": None} for s, x in (("f", 0.3), ("a", 0.0), ("b", 0.6), ("c", 0.6 - 2**-53))
    ]
    oracle.process(rows)
    assert 0.3 - 0.6 / 2 == 0.0
    assert 0.3 + 0.6 / 2 == 0.6
    assert oracle.answers == {"q": {"a", "c"}}


def test_a_side_too_small_to_be_told_from_nothing_leaves_a_box_empty() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", width=1, height=1)])
    oracle.process([row("f", 0, 1e300), row("a", 0, 1e300)])
    assert oracle.answers == {"q": set()}


def test_a_moving_circle_is_closed() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", radius=5)])
    oracle.process([row("f", 0, 1, 1), row("a", 0, 4, 5), row("b", 0, 4, math.nextafter(5, 6)), row("c", 0, 1, 1)])
    assert oracle.answers == {"q": {"a", "c"}}


def test_of_streams_equally_near_the_smaller_id_by_bytes_is_nearer() -> None:
    oracle = Oracle(COLUMNS, [nearest(3, center=[0, 0])])
    # All five are 5 away. By UTF-16 the clef would come before the half-width stop.
    oracle.process([row("𝄞", 0, 3, 4), row("｡", 0, -3, 4), row("é", 0, 5, 0), row("b", 0, 0, -5), row("B", 0, 4, 3)])
    assert oracle.answers == {"q": {"B", "b", "é"}}
    oracle.process([row("b", 1, 6, 0)])
    assert oracle.answers == {"q": {"B", "é", "｡"}}


def test_with_fewer_streams_than_asked_for_all_are_nearest() -> None:
    oracle = Oracle(COLUMNS, [nearest(3, focal="f")])
    assert brief(oracle.process([row("f", 0, 0), row("a", 0, 1e300), row("b", 0, 1)])) == [
        ("add", "a", 0, "moved"),
        ("add", "b", 0, "moved"),
    ]
    # Two infinitely far away by their squares: a still comes before z.
    oracle.process([row("c", 1, 2), row("z", 1, -1e200)])
    assert oracle.answers == {"q": {"a", "b", "c"}}


def test_focals_are_each_others_members() -> None:
    queries = [{**within(focal="a", radius=1), "id": "qa"}, {**nearest(1, focal="b"), "id": "qb"}]
    oracle = Oracle(COLUMNS, queries)
    oracle.process([row("a", 0, 0), row("b", 0, 1)])
    assert oracle.answers == {"qa": {"b"}, "qb": {"a"}}


def test_a_moving_query_waits_for_its_focal() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", radius=2), {**nearest(1, focal="f"), "id": "n"}])
    assert oracle.process([row("a", 0, 0), row("b", 1, 1)]) == []
    # A row that leaves one column unknown is no position.
    assert oracle.process([row("f", 2, 1, None)]) == []
    events = oracle.process([row("f", 3, None, 0)])
    assert [(e["query_id"], *brief([e])[0]) for e in events] == [
        ("q", "add", "a", 3, "moved"),
        ("q", "add", "b", 3, "moved"),
        ("n", "add", "b", 3, "moved"),
    ]


def test_a_focal_need_not_be_whom_the_query_is_about() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", radius=2, streams=["a", "b"], where="kind = 'car'")])
    oracle.process(
        [row("f", 0, 0, 0, "bus"), row("a", 0, 1, 0, "car"), row("b", 0, 1, 0, "bus"), row("c", 0, 1, 0, "car")]
    )
    assert oracle.answers == {"q": {"a"}}
    # The latest tuple counts: a is none of those any more, b has become one.
    oracle.process([row("a", 1, 1, 0, "bus"), row("b", 1, 1, 0, "car")])
    assert oracle.answers == {"q": {"b"}}


def test_who_fails_a_condition_takes_no_place_among_the_nearest() -> None:
    oracle = Oracle(COLUMNS, [nearest(1, center=[0, 0], where="kind = 'car'")])
    oracle.process([row("a", 0, 1, 0, "bus"), row("b", 0, 2, 0, "car")])
    assert oracle.answers == {"q": {"b"}}


def test_missing_values_are_unchanged_for_places_but_false_for_conditions() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX), {**within(region=BOX, where="x >= 0"), "id": "w"}])
    oracle.process([row("a", 0, 1, 1)])
    assert oracle.answers == {"q": {"a"}, "w": {"a"}}
    # Nothing of its columns is there: neither query sees the row.
    assert oracle.process([row("a", 1, None, NAN)]) == []
    # y alone: x is still 1, but `x >= 0` looks at the row's own.
    events = oracle.process([row("a", 2, NAN, 1.5)])
    assert [(e["query_id"], e["kind"], e["values"]) for e in events] == [("w", "remove", [1, 1.5])]


def test_on_says_which_columns_and_in_which_order() -> None:
    columns = {**COLUMNS, "values": ["x", "y", "z"]}
    queries = [
        {**within(focal="f", width=2, height=10, on=["z", "x"]), "id": "zx"},
        {**within(focal="f", width=2, on=["y"]), "id": "y"},
        {**nearest(1, center=[0], on=["z"]), "id": "z"},
    ]
    oracle = Oracle(columns, queries)
    oracle.process(
        [{**row("f", 0, 0, 0), "z": 0.0}, {**row("a", 0, 4, 1), "z": -1.0}, {**row("b", 0, 0, 0.5), "z": 1.0}]
    )
    assert oracle.answers == {"zx": {"a"}, "y": {"b"}, "z": {"f"}}


# When.


def test_all_tuples_of_a_time_are_applied_together() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", width=2, height=2), {**nearest(1, focal="f"), "id": "n"}])
    oracle.process([row("a", 0, 0), row("b", 0, 9), row("f", 0, 0)])
    # Focal and member go to the far side together: one after another they would have parted and met.
    assert oracle.process([row("a", 1, 50), row("f", 1, 50)]) == []
    # Two change places: the net difference of one instant.
    events = oracle.process([row("a", 2, 9), row("b", 2, 50)])
    assert [(e["query_id"], *brief([e])[0]) for e in events] == [
        ("q", "remove", "a", 2, "moved"),
        ("q", "add", "b", 2, "moved"),
        ("n", "remove", "a", 2, "moved"),
        ("n", "add", "b", 2, "moved"),
    ]


def test_a_registration_adds_what_is_known_before_the_tuples_of_its_time() -> None:
    oracle = Oracle(COLUMNS)
    oracle.register(within(region=BOX), at=2 * SECOND)
    events = oracle.process([row("a", 0, 1), row("b", 1, 1), row("a", 2, 5), row("c", 2, 1)])
    assert brief(events) == [
        ("add", "a", 2, "registered"),
        ("add", "b", 2, "registered"),
        ("remove", "a", 2, "moved"),
        ("add", "c", 2, "moved"),
    ]


def test_a_replacement_tells_the_difference_and_another_type_or_columns_all_of_it() -> None:
    oracle = Oracle(COLUMNS, [nearest(2, center=[0, 0])])
    oracle.process([row("a", 0, 0), row("b", 0, 1), row("c", 0, 2), row("d", 0, 9)])
    assert oracle.register(nearest(2, center=[0, 0])) == []
    assert brief(oracle.register(nearest(2, focal="a"))) == [("remove", "a", 0, "changed"), ("add", "c", 0, "changed")]
    assert brief(oracle.register(nearest(3, focal="a"))) == [("add", "d", 0, "changed")]
    assert brief(oracle.register(nearest(3, focal="d", streams=["a", "b"]))) == [
        ("remove", "c", 0, "changed"),
        ("remove", "d", 0, "changed"),
        ("add", "a", 0, "changed"),
    ]
    assert brief(oracle.register(within(focal="a", radius=1))) == [
        ("remove", "a", 0, "deregistered"),
        ("remove", "b", 0, "deregistered"),
        ("add", "b", 0, "registered"),
    ]
    # From a moving one to one that stays: both are `within`.
    assert brief(oracle.register(within(region=BOX))) == [("add", "a", 0, "changed")]
    assert brief(oracle.register(within(region=BOX, on=["y", "x"]))) == [
        ("remove", "a", 0, "deregistered"),
        ("remove", "b", 0, "deregistered"),
        ("add", "a", 0, "registered"),
        ("add", "b", 0, "registered"),
    ]
    border = {"type": "border", "id": "q", "region": BOX, "initial": "report"}
    assert sorted(brief(oracle.register(border))) == [
        ("enter", "a", 0, "registered"),
        ("enter", "b", 0, "registered"),
        ("remove", "a", 0, "deregistered"),
        ("remove", "b", 0, "deregistered"),
    ]


def test_a_deregistration_removes_all() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX)])
    oracle.process([row("a", 0, 0), row("b", 0, 1)])
    assert brief(oracle.deregister("q")) == [("remove", "a", 0, "deregistered"), ("remove", "b", 0, "deregistered")]
    assert oracle.answers == {}


def test_an_expiry_removes_and_lets_others_move_up_in_the_order_of_time() -> None:
    oracle = Oracle(COLUMNS, [nearest(1, center=[0, 0])], expire_after=2)
    events = oracle.process(
        [row("a", 0, 0), row("b", 1, 1), row("b", 2, 2), row("c", 2, 3), row("d", 3, 1), row("d", 5, 1)]
    )
    #   a is silent from 0 on and gone at 2, after the tuples of 2; b and c are gone at 4, when nobody asks for them
    assert [(*each, e["values"]) for each, e in zip(brief(events), events, strict=True)] == [
        ("add", "a", 0, "moved", [0, 0]),
        ("remove", "a", 2, "expired", [0, 0]),
        ("add", "b", 2, "expired", [2, 0]),
        ("remove", "b", 3, "moved", [2, 0]),
        ("add", "d", 3, "moved", [1, 0]),
    ]


def test_a_focal_that_expires_takes_its_answer_along_and_may_come_again() -> None:
    oracle = Oracle(COLUMNS, [within(focal="f", radius=5)], expire_after=2)
    events = oracle.process([row("f", 0, 0), row("a", 1, 0), row("a", 3, 0), row("f", 4, 1)])
    assert brief(events) == [("add", "a", 1, "moved"), ("remove", "a", 2, "expired"), ("add", "a", 4, "moved")]


def test_a_stream_that_comes_at_the_very_time_of_its_expiry_stays() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX)], expire_after=2)
    assert brief(oracle.process([row("a", 0, 0), row("a", 2, 1), row("b", 9, 9)])) == [
        ("add", "a", 0, "moved"),
        ("remove", "a", 4, "expired"),
    ]


def test_an_expiry_waits_until_its_time_is_complete() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX)], expire_after=2)
    oracle.process([row("a", 0, 0)])
    assert oracle.process([row("b", 2, 9)]) == []
    assert oracle.advance(2 * SECOND) == []
    assert brief(oracle.advance(2 * SECOND + 1)) == [("remove", "a", 2, "expired")]


def test_a_change_at_the_time_of_an_expiry_comes_first() -> None:
    oracle = Oracle(COLUMNS, expire_after=2)
    oracle.register(within(region=BOX), at=2 * SECOND)
    oracle.register({**within(region=BOX), "id": "later"}, at=2 * SECOND + 1)
    events = oracle.process([row("a", 0, 0), row("b", 3, 9)])
    assert [(e["query_id"], *brief([e])[0]) for e in events] == [
        ("q", "add", "a", 2, "registered"),
        ("q", "remove", "a", 2, "expired"),
    ]


def test_a_row_behind_the_time_line_is_late_for_answers_alone() -> None:
    border = {"type": "border", "id": "b", "region": BOX}
    oracle = Oracle(COLUMNS, [within(region=BOX), border], expire_after=10)
    oracle.process([row("a", 0, 0), row("b", 5, 0)])
    # b was at 5 already: a's tuple of 3 is an exit of a, but no answer changes.
    assert [(e["query_id"], e["kind"]) for e in oracle.process([row("a", 3, 9)])] == [("b", "exit")]
    assert oracle.counters["late"] == 1
    # Nor did it keep a alive for answers: they saw a last at 0.
    assert brief(oracle.advance(11 * SECOND)) == [("remove", "a", 10, "expired")]
    # A second row of one stream and time is late for all.
    oracle.process([row("b", 5, 1)])
    assert oracle.counters["late"] == 2


def test_a_row_of_the_newest_time_is_not_late_even_in_another_batch() -> None:
    oracle = Oracle(COLUMNS, [nearest(1, center=[0, 0])])
    oracle.process([row("a", 5, 1)])
    assert brief(oracle.process([row("b", 5, 0)])) == [("remove", "a", 5, "moved"), ("add", "b", 5, "moved")]


def test_what_is_before_an_advance_is_over_for_answers() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX)])
    oracle.advance(5 * SECOND)
    assert oracle.process([row("a", 4, 0)]) == []
    assert oracle.counters["late"] == 1
    assert brief(oracle.process([row("b", 5, 0)])) == [("add", "b", 5, "moved")]


def test_without_anyone_who_asks_no_row_is_late_and_all_that_is_known_is_answered() -> None:
    oracle = Oracle(COLUMNS)
    oracle.process([row("b", 5, 0)])
    oracle.process([row("a", 3, 0)])
    assert brief(oracle.register(within(region=BOX))) == [("add", "a", 5, "registered"), ("add", "b", 5, "registered")]
    assert oracle.counters["late"] == 0


def test_with_a_lateness_in_arrival_order_answers_still_go_with_the_rows() -> None:
    oracle = Oracle(COLUMNS, [within(region=BOX)], lateness=3, expire_after=2)
    events = oracle.process([row("a", 0, 0), row("b", 4, 0)])
    assert oracle.watermark == 1 * SECOND
    assert brief(events) == [("add", "a", 0, "moved"), ("remove", "a", 2, "expired"), ("add", "b", 4, "moved")]
    # The change is told at the time of the line, not of the watermark that is behind it.
    assert brief(oracle.deregister("q")) == [("remove", "b", 4, "deregistered")]


def test_in_event_order_an_instant_is_told_once_it_is_complete() -> None:
    oracle = Oracle(COLUMNS, [nearest(1, center=[0, 0])], order="event", lateness=1)
    assert oracle.process([row("a", 5, 1)]) == []
    assert oracle.process([row("b", 5, 0)]) == []
    assert brief(oracle.process([row("c", 7, 0)])) == [("add", "b", 5, "moved")]
    assert oracle.close() == []
    assert oracle.answers == {"q": {"b"}}


# On the sphere.

DEGREE = EARTH_RADIUS * math.radians(1)  # metres, of latitude or on the equator


@pytest.mark.parametrize(
    ("center", "where", "width", "height", "inside"),
    [
        ((10, 0), (11.4, 1.4), 3, 3, True),
        ((10, 0), (11.6, 0), 3, 3, False),
        ((10, 0), (10, -1.6), 3, 3, False),
        # At 60 degrees a degree of longitude is half as long: 3 degrees' worth of metres are 6 wide.
        ((10, 60), (12.9, 60), 3, 3, True),
        ((10, 60), (13.1, 60), 3, 3, False),
        ((10, 60), (7.1, 61), 3, 3, True),
        # The latitude is the focal's, whatever that of the other: 61 degrees is not wider.
        ((10, 60), (13.02, 61), 3, 3, False),
        # Across the antimeridian, from either side.
        ((179.5, 0), (-179.2, 0), 3, 3, True),
        ((-179.5, 0), (179.2, 0), 3, 3, True),
        ((-180, 0), (179, 0), 3, 3, True),
        ((-180, 0), (-179, 0), 3, 3, True),
        ((-180, 0), (178, 0), 3, 3, False),
        # The north end is beyond the pole: the pole is inside, but not what is behind it, which has another longitude …
        ((0, 89.9), (0, 90), 0.1, 3, True),
        ((0, 89.9), (180 - 360, 89.9), 0.1, 3, False),
        # … unless the box is so wide up there that it has every longitude.
        ((0, 89.9), (-180, 89.9), 1, 3, True),
        ((0, 90), (-77, 89.8), 0.001, 1, True),
        ((0, 90), (-77, 89.4), 0.001, 1, False),
        # Once round the world is everything.
        ((0, 0), (-180, 0), 361, 1, True),
        ((0, 0), (180 - 1e-9, 0), 361, 1, True),
        ((0, 0), (-180, 0), 359, 1, False),
    ],
)
def test_a_moving_box_in_metres(
    center: tuple[float, float], where: tuple[float, float], width: float, height: float, inside: bool
) -> None:
    assert in_box_of_metres(center, where, width * DEGREE, height * DEGREE) is inside


def test_a_box_in_metres_has_its_west_and_south_ends_only() -> None:
    # Half of this height is a whole number of degrees to the last bit.
    height = EARTH_RADIUS * math.radians(2)
    assert math.degrees(height / EARTH_RADIUS) == 2
    for center, west, east in (
        (0.0, -1.0, 1.0),
        (-180.0, 179.0, -179.0),
        (179.0, 178.0, -180.0),
        (-179.0, -180.0, -178.0),
    ):
        assert in_box_of_metres((center, 0), (west, 0), height, height)
        assert not in_box_of_metres((center, 0), (east, 0), height, height)
    assert in_box_of_metres((0, 89), (0, 88), height, height)
    # The north end is the pole itself, and not inside.
    assert not in_box_of_metres((0, 89), (0, 90), height, height)
    assert in_box_of_metres((0, -89), (0, -90), height, height)


def test_metres_decide_who_is_around_and_nearest() -> None:
    queries = [{**within(focal="f", radius=150_000), "id": "around"}, {**nearest(1, center=[180, 60]), "id": "near"}]
    oracle = Oracle(EARTH, queries)
    # At 60 degrees two degrees of longitude are about 111 km, as is one of latitude.
    oracle.process(
        [
            place("f", 0, 179, 60),
            place("a", 0, -179, 60),
            place("b", 0, 179, 61),
            place("c", 0, 179, 62),
            place("d", 0, 175, 60),
            place("e", 0, 180, 60.4),
        ]
    )
    assert oracle.answers["around"] == {"a", "b", "e"}
    # e is 44 km away, a and f on both sides 56 km.
    assert oracle.answers["near"] == {"e"}


def test_equal_metres_are_a_tie() -> None:
    oracle = Oracle(EARTH, [nearest(1, center=[0, 0])])
    oracle.process([place("b", 0, 1, 0), place("a", 0, -1, 0), place("d", 0, 0, 1), place("c", 0, 0, -1)])
    assert oracle.answers == {"q": {"a"}}


# A second judge: no time line, no picture; each answer is read from all rows, in rational numbers.


@given(line=answer_lines(planes(odd=False)))
def test_a_second_judge_agrees(line: TimeLine) -> None:
    oracle = Oracle(line.columns, line.queries, expire_after=line.expire_after)
    events = [event for change in line.changes for event in getattr(oracle, change.call)(**change.arguments)]
    events += oracle.process(line.rows) + oracle.close()
    got = [event for event in events if event["kind"] in ("add", "remove")]
    told = [(e["query_id"], e["kind"], e["stream_id"], e["time"], e["reason"], tuple(e["values"])) for e in got]
    assert sorted(told, key=repr) == sorted(Judge(line).events(), key=repr)
    fold = Fold()
    fold.take(got)
    assert fold.answers == without_empty(oracle.answers)


class Judge:
    """Ask for the answer at every time before and after each of its three steps."""

    def __init__(self, line: TimeLine) -> None:
        self.line = line
        self._read: dict[Any, Any] = {}  # queries by id and number of the change they came with
        self.silence = math.inf if line.expire_after is None else line.expire_after * SECOND
        rows = sorted((read_row(raw, line.columns) for raw in line.rows), key=canonical_order)
        firsts: dict[tuple[str, int], Any] = {}
        for each in rows:
            firsts.setdefault((each.stream_id, each.time), each)
        self.rows = list(firsts.values())
        self.end = max(each.time for each in self.rows)

    def events(self) -> Iterator[tuple[Any, ...]]:
        expiries = {each.time + self.silence for each in self.rows}
        times = {each.time for each in self.rows} | {step.arguments["at"] for step in self.line.changes} | expiries
        for time in sorted(each for each in times if each <= self.end):
            yield from self._changes(time)
            queries = self._queries(time, included=True)
            yield from self._difference(queries, (time, "change"), (time, "rows"), time, "moved")
            if time < self.end:
                yield from self._difference(queries, (time, "rows"), (time, "due"), time, "expired")

    def _changes(self, time: int) -> Iterator[tuple[Any, ...]]:
        before, after = self._queries(time, included=False), self._queries(time, included=True)
        for query_id in before | after:
            old, new = before.get(query_id), after.get(query_id)
            were = set() if old is None else self._answer(old, (time, "change"))
            are = set() if new is None else self._answer(new, (time, "change"))
            same = old is not None and new is not None and (old.type, old.on) == (new.type, new.on)
            gone, come = (were - are, are - were) if same else (were, are)
            if old is new:
                continue
            for stream_id in gone:
                yield self._event(
                    query_id, "remove", stream_id, (time, "change"), "changed" if same else "deregistered"
                )
            for stream_id in come:
                yield self._event(query_id, "add", stream_id, (time, "change"), "changed" if same else "registered")

    def _difference(self, queries: Any, before: Any, after: Any, time: int, reason: str) -> Iterator[tuple[Any, ...]]:
        for query_id, query in queries.items():
            were, are = self._answer(query, before), self._answer(query, after)
            for stream_id in were - are:
                # The values of one who is forgotten are those of before.
                yield self._event(query_id, "remove", stream_id, (time, "rows"), reason)
            for stream_id in are - were:
                yield self._event(query_id, "add", stream_id, (time, "rows"), reason)

    def _event(self, query_id: str, kind: str, stream_id: str, when: Any, reason: str) -> tuple[Any, ...]:
        values = tuple(self._known(stream_id, when).values())
        return (query_id, kind, stream_id, when[0], reason, values)

    def _queries(self, time: int, *, included: bool) -> dict[str, Any]:
        """The queries with answers that hold at a time, with or without its own changes."""
        forms = {form["id"]: (form, None) for form in self.line.queries}
        for number, step in sorted(enumerate(self.line.changes), key=lambda pair: (pair[1].arguments["at"], pair[0])):
            if step.arguments["at"] < time or (included and step.arguments["at"] == time):
                if step.call == "register":
                    forms[step.arguments["query"]["id"]] = (step.arguments["query"], number)
                else:
                    forms.pop(step.arguments["query_id"], None)
        read = {}
        for query_id, (form, number) in forms.items():
            if form["type"] in ("within", "nearest"):
                read[query_id] = self._read.setdefault((query_id, number), read_query(form, self.line.columns))
        return read

    def _tuples(self, stream_id: str, when: tuple[int, str]) -> list[Any]:
        """The tuples of a stream that count after a step: none from before it was forgotten."""
        time, step = when
        seen = [each for each in self.rows if each.stream_id == stream_id and each.time < time]
        if step != "change":
            seen += [each for each in self.rows if each.stream_id == stream_id and each.time == time]
        if not seen or seen[-1].time + self.silence < time or (step == "due" and seen[-1].time + self.silence == time):
            return []
        gaps = [n for n in range(1, len(seen)) if seen[n].time - seen[n - 1].time > self.silence]
        return seen[gaps[-1] :] if gaps else seen

    def _known(self, stream_id: str, when: tuple[int, str]) -> dict[str, float | None]:
        known: dict[str, float | None] = dict.fromkeys(self.line.columns["values"])
        for each in self._tuples(stream_id, when):
            known |= {name: value for name, value in each.values.items() if value is not None}
        return known

    def _answer(self, query: Any, when: tuple[int, str]) -> set[str]:
        places: dict[str, Any] = {}
        for stream_id in {each.stream_id for each in self.rows}:
            known = self._known(stream_id, when)
            if all(known[name] is not None for name in query.on):
                places[stream_id] = [Fraction(known[name]) for name in query.on]
        middle = places.get(query.focal) if query.focal is not None else query.center and [*map(Fraction, query.center)]
        if query.focal is not None and middle is None:
            return set()
        candidates = [each for each in places if each != query.focal and self._meets_condition(query, each, when)]
        if query.type == "nearest":
            ranks = {each: (apart(places[each], middle), each.encode()) for each in candidates}
            return {each for each in candidates if sum(ranks[other] < ranks[each] for other in candidates) < query.k}
        return {each for each in candidates if is_in(query, places[each], middle)}

    def _meets_condition(self, query: Any, stream_id: str, when: tuple[int, str]) -> bool:
        if query.streams is not None and stream_id not in query.streams:
            return False
        known: set[str] = set()
        last = None
        for each in self._tuples(stream_id, when):
            own = {name for name, value in each.values.items() if value is not None}
            known |= own
            if own & set(query.on) and known >= set(query.on):
                last = each
        return query.where is None or holds(query.where, {**last.values, **last.attributes})


def apart(one: list[Fraction], other: list[Fraction]) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def is_in(query: Any, place: list[Fraction], middle: list[Fraction]) -> bool:
    if query.region is not None:
        return contains(query.region, [float(each) for each in place])
    if query.radius is not None:
        return apart(place, middle) <= Fraction(query.radius) ** 2
    halves = [Fraction(side) / 2 for side in (query.width, query.height) if side is not None]
    return all(-half <= value - center < half for half, value, center in zip(halves, place, middle, strict=True))
