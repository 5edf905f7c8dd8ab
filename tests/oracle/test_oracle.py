"""The oracle on cases small enough to be judged by eye, before it judges anything else."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import Oracle
from tests.oracle.distance import beyond
from tests.oracle.input_rows import canonical_order, read_row
from tests.oracle.query import holds
from tests.oracle.segment import meets

COLUMNS = {"id": "s", "time": "t", "values": ["x"], "attributes": ["kind"]}
SECOND = 1_000_000


def row(stream: str | None, second: float | None, x: float | None, kind: str | None = None) -> dict[str, Any]:
    return {"s": stream, "t": None if second is None else round(second * SECOND), "x": x, "kind": kind}


def border(lo: float | None, hi: float | None, **extra: Any) -> dict[str, Any]:
    return {"type": "border", "id": "q", "region": {"type": "range", "lo": lo, "hi": hi}, **extra}


def brief(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(e["kind"], e["stream_id"], e["time"] / SECOND, e["reason"]) for e in events]


def test_it_runs_without_limen() -> None:
    program = "import sys, tests.oracle; print([name for name in sys.modules if name.startswith('limen')])"
    root = Path(__file__).parents[2]
    output = subprocess.check_output([sys.executable, "-c", program], cwd=root, text=True)
    assert output == "[]\n"


def test_a_range_is_closed_below_and_open_above() -> None:
    oracle = Oracle(COLUMNS, [border(10, 20)])
    #   x      9.5   10    15    20    20.5
    #          out   in    in    out   out
    xs = (9.5, 10, 15, 20, 20.5)
    events = oracle.process([row("a", second, x) for second, x in enumerate(xs)])
    assert brief(events) == [("enter", "a", 1, "moved"), ("exit", "a", 3, "moved")]


def test_an_event_has_all_that_the_specification_names() -> None:
    oracle = Oracle({**COLUMNS, "values": ["x", "y"]}, [border(1, 2, on=["x"])])
    rows = [{**row("a", second, x), "y": None} for second, x in enumerate((0, 1))]
    assert oracle.process(rows) == [
        {
            "query_id": "q",
            "bindings": None,
            "kind": "enter",
            "stream_id": "a",
            "time": SECOND,
            "started_at": None,
            "reason": "moved",
            "values": [1, None],
        }
    ]


def test_canonical_order_is_by_time_then_bytes_then_content_with_missing_last() -> None:
    ordered = [
        row("z", 0, 9.0),
        row("Z", 1, 1.0, "b"),
        row("a", 1, -1.0, "b"),
        row("a", 1, 1.0, "a"),
        row("a", 1, 1.0, None),
        row("a", 1, None, "a"),
        row("é", 1, 0.0),
    ]
    keys = [canonical_order(read_row(raw, COLUMNS)) for raw in ordered]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_negative_zero_is_zero() -> None:
    assert canonical_order(read_row(row("a", 0, -0.0), COLUMNS)) == canonical_order(read_row(row("a", 0, 0.0), COLUMNS))
    oracle = Oracle(COLUMNS, [border(0, 1, initial="report")])
    (event,) = oracle.process([row("a", 0, -0.0)])
    assert str(event["values"]) == "[0.0]"


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("kind = 'car'", True),
        ("kind LIKE 'C%'", False),
        ("x > 1", False),
        ("NOT (x > 1)", False),
        ("x IS NULL", True),
        ("x > 1 OR kind = 'car'", True),
        ("level % 2 = 1", True),
        ("flag = TRUE", True),
        ("NOT flag", False),
    ],
)
def test_conditions_take_missing_for_unknown_and_unknown_for_false(expression: str, answer: bool) -> None:
    assert holds(expression, {"x": None, "kind": "car", "level": 3, "flag": True}) is answer


def test_every_row_is_counted_once_under_one_reason() -> None:
    oracle = Oracle(COLUMNS, max_ahead=5)
    inf = float("inf")
    oracle.process([row(None, None, inf), row("a", None, inf), row("a", 1, -inf), row("a", 1, 0.0)])
    oracle.process([row("a", 6.000001, 0.0), row("a", 6, 0.0), row("b", 11, 0.0), row("a", 2, 0.0)])
    # In canonical order 2, 6, 6.000001 and 11 are each within 5 seconds of the one before.
    assert oracle.counters["rejected"] == {"null_id": 1, "null_time": 1, "infinite_value": 1}
    oracle.process([row("a", 16.000001, 0.0), row("a", 6, 0.0)])
    assert oracle.counters["rejected"]["too_far_ahead"] == 1
    assert (oracle.counters["rows"], oracle.counters["late"]) == (10, 1)


def test_a_waiting_change_holds_from_its_time_on() -> None:
    oracle = Oracle(COLUMNS)
    assert oracle.register(border(10, 20, initial="report"), at=2 * SECOND) == []
    events = oracle.process([row("a", 1, 15.0), row("a", 2, 25.0), row("a", 3, 15.0)])
    #   t     1     2            3
    #   x     15    25           15
    #               q begins, a is inside; then its tuple
    assert brief(events) == [
        ("enter", "a", 2, "registered"),
        ("exit", "a", 2, "moved"),
        ("enter", "a", 3, "moved"),
    ]


def test_changes_to_one_id_at_one_time_count_as_superseded_but_the_last() -> None:
    oracle = Oracle(COLUMNS)
    oracle.register(border(0, 1), at=SECOND)
    oracle.register(border(10, 20, initial="report"), at=SECOND)
    oracle.deregister("nobody", at=SECOND)
    events = oracle.process([row("a", 0, 15.0), row("b", 1, 0.5)])
    assert brief(events) == [("enter", "a", 1, "registered")]
    assert (oracle.counters["changes_superseded"], oracle.counters["changes_rejected"]) == (1, 1)
    oracle.deregister("q", at=0)
    assert oracle.counters["changes_late"] == 1
    assert oracle.queries == {}


def test_the_watermark_follows_rows_and_advances_and_never_goes_back() -> None:
    oracle = Oracle(COLUMNS, order="event", lateness=2)
    oracle.process([row("a", 10, 0.0)])
    assert oracle.watermark == 8 * SECOND
    oracle.advance(9 * SECOND)
    oracle.advance(3 * SECOND)
    assert oracle.watermark == 9 * SECOND
    oracle.process([row("b", 8, 0.0), row("b", 9, 0.0)])
    assert oracle.counters["late"] == 1


# ---- debounced borders -----------------------------------------------------------------------------------------------
#
# The region is x ≥ 10 unless it is said. Each time line has the seconds, the values, and what they are: `i` inside,
# `m` outside within the margin, `o` beyond it. Events are (kind, time, started_at), in seconds.


def debounced(
    *readings: tuple[float, float], then: float = 0, expire_after: float | None = None, **arguments: Any
) -> Any:
    """Play readings of one stream, advance to a time, and return what a query on x ≥ 10 says."""
    oracle = Oracle(COLUMNS, [{**border(10, None), **arguments}], expire_after=expire_after)
    events = oracle.process([row("a", second, x) for second, x in readings]) + oracle.advance(then * SECOND)
    return [
        (event["kind"], event["time"] / SECOND, None if event["started_at"] is None else event["started_at"] / SECOND)
        for event in events
    ]


def test_debouncing_arguments_without_effect_are_a_plain_border() -> None:
    assert debounced((0, 5), (1, 15), confirm=1, margin=0, min_stay=0) == [("enter", 1, None)]


def test_confirm_wants_as_many_tuples_in_a_row() -> None:
    #   t   0   1   2   3   4   5   6   7
    #   x   5   15  5   15  15  15  5   5
    #       o   i   o   i   i   i   o   o
    #           ?   -   ?   in      ?   out       cancelled at 2
    found = debounced(*enumerate((5, 15, 5, 15, 15, 15, 5, 5)), confirm=2)
    assert found == [("enter", 4, 3), ("exit", 7, 6)]


def test_min_stay_wants_no_return_until_and_at_its_end() -> None:
    #   t   0   1   2   3   3.000001
    #   x   5   15      5                 back at exactly 1 + 2: cancelled
    #   x   5   15          5             a microsecond after 1 + 2: too late to cancel, and the next change begins
    assert debounced((0, 5), (1, 15), (3, 5), then=9, min_stay=2) == []
    assert debounced((0, 5), (1, 15), (3.000001, 5), then=9, min_stay=2) == [
        ("enter", 3, 1),
        ("exit", 5.000001, 3.000001),
    ]
    # By time alone it is known once that time is complete.
    assert debounced((0, 5), (1, 15), then=3, min_stay=2) == []
    assert debounced((0, 5), (1, 15), then=3.000001, min_stay=2) == [("enter", 3, 1)]


def test_the_values_are_those_known_at_the_confirmation() -> None:
    #   t   0   1   2        4
    #   x   5   15  16       17        one batch; confirmed at 3, when 17 was not known
    oracle = Oracle(COLUMNS, [border(10, None, min_stay=2)])
    (event,) = oracle.process([row("a", t, x) for t, x in ((0, 5.0), (1, 15.0), (2, 16.0), (4, 17.0))])
    assert (event["time"], event["started_at"], event["values"]) == (3 * SECOND, SECOND, [16])


@pytest.mark.parametrize(
    ("times", "confirmed"),
    [
        ((1, 2), 4),  # the tuples are there before the stay is over
        ((1, 4), 4),  # both at once
        ((1, 6), 6),  # the stay is over before the tuples are there
        ((1, 2, 3, 4), 4),
    ],
)
def test_with_both_the_later_counts(times: tuple[float, ...], confirmed: float) -> None:
    found = debounced((0, 5), *((t, 15) for t in times), then=9, confirm=2, min_stay=3)
    assert found == [("enter", confirmed, 1)]


def test_what_the_last_tuple_confirms_is_known_at_once_and_what_time_confirms_is_not() -> None:
    #   t   0   1   2   3   4         confirm 2, min_stay 3: the end of the stay is 4
    #   x   5   15          15        the second tuple confirms, at its own time
    #   x   5   15  15      15        the second was at 2, so the end of the stay confirms: when 4 is complete
    assert debounced((0, 5), (1, 15), (4, 15), confirm=2, min_stay=3) == [("enter", 4, 1)]
    assert debounced((0, 5), (1, 15), (2, 15), (4, 15), confirm=2, min_stay=3) == []


def test_a_margin_is_for_leaving_only() -> None:
    #   t   0   1   2   3   4    5   6   7   8
    #   x   9   10  9   8   7.9  8   9   10  9          margin 2
    #       o   i   m   m   o    m   m   i   m
    #           in          out          in             outside within the margin is where it was
    found = debounced(*enumerate((9, 10, 9, 8, 7.9, 8, 9, 10, 9)), margin=2)
    assert found == [("enter", 1, 1), ("exit", 4, 4), ("enter", 7, 7)]


def test_a_tuple_within_the_margin_cancels_an_exit_and_an_enter() -> None:
    #   t   0   1   2   3   4          margin 2, confirm 2
    #   x   12  5   9   5   5
    #       i   o   m   o   o
    #           ?   -   ?   out
    assert debounced(*enumerate((12, 5, 9, 5, 5)), margin=2, confirm=2) == [("exit", 4, 3)]
    #   x   5   12  9   12  12
    #       o   i   m   i   i
    assert debounced(*enumerate((5, 12, 9, 12, 12)), margin=2, confirm=2) == [("enter", 4, 3)]


def test_without_a_margin_a_border_that_does_not_belong_to_the_region_is_outside() -> None:
    #   t   0   1   2         region [10, 20)
    #   x   15  20  20        by any margin, it would still be in
    region = {"type": "range", "lo": 10, "hi": 20}
    assert debounced((0, 15), (1, 20), (2, 20), region=region, confirm=2) == [("exit", 2, 1)]
    assert debounced((0, 15), (1, 20), (2, 20), region=region, confirm=2, margin=1e-9) == []


def test_whoever_fails_the_condition_is_beyond_any_margin() -> None:
    found = debounced((0, 15), (1, 99), margin=1000, where="x < 50")
    assert found == [("exit", 1, 1)]


def test_rows_that_are_skipped_neither_confirm_nor_cancel() -> None:
    #   t   0   1   2   3
    #   x   5   15  .   15
    oracle = Oracle(COLUMNS, [border(10, None, confirm=2)])
    events = oracle.process([row("a", t, x) for t, x in enumerate((5.0, 15.0, None, 15.0))])
    assert brief(events) == [("enter", "a", 3, "moved")]


@pytest.mark.parametrize(("min_stay", "confirmed"), [(2.999999, True), (3, True), (3.000001, False)])
def test_a_confirmation_at_the_time_of_the_expiry_comes_first(min_stay: float, confirmed: bool) -> None:
    #   t   0   1        4
    #   x   5   15       expires: in by then, or forgotten before it counts
    oracle = Oracle(COLUMNS, [border(10, None, initial="report", min_stay=min_stay)], expire_after=3)
    oracle.process([row("a", 0, 5.0), row("a", 1, 15.0)])
    events = [("enter", "a", 1 + min_stay, "moved"), ("exit", "a", 4, "expired")]
    assert brief(oracle.advance(20 * SECOND)) == (events if confirmed else [])


def test_what_is_reported_is_the_side() -> None:
    #   t   0   1   2   replaced    3
    #   x   15  5   5               15     confirm 3: still in when it is replaced, then out, by its last tuple
    oracle = Oracle(COLUMNS, [border(10, None, initial="report", confirm=3)])
    assert brief(oracle.process([row("a", t, x) for t, x in enumerate((15.0, 5.0, 5.0))])) == [
        ("enter", "a", 0, "appeared")
    ]
    assert brief(oracle.register(border(10, None, initial="report", confirm=2))) == [("exit", "a", 2, "changed")]
    assert oracle.process([row("a", 3, 15.0)]) == []
    assert oracle.deregister("q") == []


def test_a_row_behind_a_confirmation_that_was_told_is_late() -> None:
    #   a   0   1   2.5 late   3 confirmed, told as b is at 9; a row at 3 is not late, and begins the next change
    oracle = Oracle(COLUMNS, [border(10, None, min_stay=2)])
    oracle.process([row("a", 0, 5.0), row("a", 1, 15.0)])
    assert brief(oracle.process([row("b", 9, 5.0)])) == [("enter", "a", 3, "moved")]
    assert oracle.process([row("a", 2.5, 5.0)]) == []
    assert oracle.counters["late"] == 1
    (event,) = oracle.process([row("a", 3, 5.0), row("b", 10, 5.0)])
    assert (event["kind"], event["time"], event["started_at"]) == ("exit", 5 * SECOND, 3 * SECOND)


def test_a_transition_is_composed_of_confirmed_events() -> None:
    #   t   0   1   2   3   4   5   6   7   8   9   10
    #   x   5   15  15  15  5   15  5   5                 confirm 2, within 5
    #           ?   in      ?   -   ?   out
    # in at 2, out at 7: 5 is in time; and from 7 on nobody comes until 12.
    transition = {"type": "transition", "confirm": 2, "within": 5}
    found = debounced(*enumerate((5, 15, 15, 15, 5, 15, 5, 5)), then=20, **transition)
    assert found == [("passed", 7, 2), ("gone", 12, 7)]


def test_a_confirmation_by_time_starts_a_transition_whose_deadline_passes_in_the_same_call() -> None:
    #   t   0   1       3       6
    #   x   5   15      in      stayed        min_stay 2, within 3
    assert debounced((0, 5), (1, 15), then=20, type="transition", min_stay=2, within=3) == [("stayed", 6, 3)]


def test_an_exit_confirmed_at_the_deadline_is_in_time() -> None:
    #   t   0   1       3   4       6         min_stay 2
    #   x   5   15      in  5       out
    for within, expected in ((3, [("passed", 6, 3)]), (2.999999, [("stayed", 5.999999, 3)])):
        found = debounced((0, 5), (1, 15), (4, 5), then=7, type="transition", min_stay=2, within=within)
        assert found == expected


# ---- jumps -----------------------------------------------------------------------------------------------------------

SQUARE = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]


def test_a_jump_over_a_range() -> None:
    #   x     5   10 ------ 20  25
    #         >-----------------> cross
    #         >-----> enter   >-> nothing: 20 does not belong to it
    oracle = Oracle(COLUMNS, [border(10, 20, crossings=True)])
    for number, (before, after, kinds) in enumerate(
        [
            (5, 25, ["cross"]),
            (25, 5, ["cross"]),
            (5, 20, ["cross"]),
            (20, 5, ["cross"]),
            (20, 25, []),
            (5, 9, []),
            (5, 10, ["enter"]),
        ]
    ):
        events = oracle.process([row(f"s{number}", 0, before), row(f"s{number}", 1, after)])
        assert [event["kind"] for event in events] == kinds
        assert [(event["time"], event["started_at"], event["reason"]) for event in events] == [
            (SECOND, None, "moved") for _ in kinds
        ]


@pytest.mark.parametrize(
    "region",
    [{"type": "box", "lo": [0, 0], "hi": [2, 2]}, {"type": "polygon", "shell": SQUARE}],
    ids=["box", "polygon"],
)
@pytest.mark.parametrize(
    ("before", "after", "met"),
    [
        ((-1, 1), (3, 1), True),  # through the middle
        ((-1, 1), (1, -1), True),  # touches the corner (0, 0), which belongs to it
        ((-1, 1), (1, 3), False),  # touches (0, 2), which does not
        ((1, -1), (3, 1), False),  # nor does (2, 0)
        ((1, 3), (3, 1), False),  # nor (2, 2)
        ((-1, 0), (3, 0), True),  # along the lower side
        ((-1, 2), (3, 2), False),  # along the upper one
        ((0, -1), (0, 3), True),  # along the left side
        ((2, -1), (2, 3), False),  # along the right one
        ((-1, 0), (-0.5, 0), False),  # toward it, not as far
        ((-0.5, 1), (1, 2.5), True),  # cuts off the upper left corner
        ((3, 3), (3, 3), False),  # stands still
    ],
)
def test_a_jump_over_a_square_and_past_its_corners(region: Any, before: Any, after: Any, met: bool) -> None:
    #    y
    #    2   o-----o       a corner of a square: the lower left one belongs to it, the others do not
    #        |     |
    #    0   *-----o
    #        0     2   x
    assert meets(region, before, after, lonlat=False) is met
    assert meets(region, after, before, lonlat=False) is met


def test_a_jump_through_a_notch_and_a_hole_meets_what_is_on_the_way() -> None:
    holed = {"type": "polygon", "shell": SQUARE, "holes": [[(0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5)]]}
    assert not meets(holed, (0.75, 1), (1.25, 1), lonlat=False)
    assert meets(holed, (0.75, 1), (3, 1), lonlat=False)
    notched = {"type": "polygon", "shell": [(0, 0), (2, 0), (2, 2), (1, 1), (0, 2)]}
    assert not meets(notched, (0.5, 2), (1.5, 2), lonlat=False)
    assert meets(notched, (0.5, 2), (1.5, 0.9), lonlat=False)


def test_a_jump_over_boxes_of_three_dimensions() -> None:
    cube = {"type": "box", "lo": [0, 0, 0], "hi": [1, 1, 1]}
    assert meets(cube, (-1, -1, -1), (2, 2, 2), lonlat=False)
    # In x from half way on, in z only until then, and in y always.
    assert not meets(cube, (-1, 0.5, 0), (1, 0.5, 2.5), lonlat=False)
    assert meets(cube, (-1, 1, 0.5), (1, -1, 0.5), lonlat=False), "its edge x = y = 0 belongs to it"
    assert not meets(cube, (0.5, -0.5, 0.5), (1.5, 0.5, 0.5), lonlat=False), "its edge x = 1, y = 0 does not"


def test_a_jump_over_a_circle_touches_it() -> None:
    circle = {"type": "circle", "center": [0, 0], "radius": 1}
    assert meets(circle, (-2, 1), (2, 1), lonlat=False)
    assert not meets(circle, (-2, 1.0000001), (2, 1.0000001), lonlat=False)


def test_a_jump_goes_the_short_way_round_the_world() -> None:
    here = {"type": "box", "lo": [-180, -1], "hi": [-179, 1]}
    across = {"type": "box", "lo": [179, -1], "hi": [-179, 1]}
    far = {"type": "box", "lo": [-10, -1], "hi": [10, 1]}
    for region, met in ((here, True), (across, True), (far, False)):
        assert meets(region, (170, 0), (-170, 0), lonlat=True) is met
        assert meets(region, (-170, 0), (170, 0), lonlat=True) is met
    # Neither end is across the antimeridian, the center is.
    circle = {"type": "circle", "center": [179.9, 0], "radius": 1e5}
    assert meets(circle, (-179.9, -5), (-179.1, 5), lonlat=True)


def test_a_jump_needs_both_ends_to_be_of_the_query() -> None:
    #   t     0     1     2     3
    #   x     5     25    5     25
    #   kind  car   bus   car   car
    oracle = Oracle(COLUMNS, [border(10, 20, crossings=True, where="kind = 'car'")])
    rows = [row("a", t, x, kind) for t, (x, kind) in enumerate(((5, "car"), (25, "bus"), (5, "car"), (25, "car")))]
    assert brief(oracle.process(rows)) == [("cross", "a", 3, "moved")]


def test_a_jump_needs_a_stream_that_counts_as_outside() -> None:
    #   t   0   1   2    3    4    5      region [10, 20), confirm 3
    #   x   15  5   25   5    25   15
    #       in  ?   ?    out  cross ?     the jumps at 2 and 3 are those of a stream that is in
    found = debounced(
        *enumerate((15, 5, 25, 5, 25, 15)), confirm=3, crossings=True, region={"type": "range", "lo": 10, "hi": 20}
    )
    assert found == [("exit", 3, 1), ("cross", 4, None)]


# ---- distances -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("region", "point", "distance"),
    [
        ({"type": "range", "lo": None, "hi": 3}, (5,), 2),
        ({"type": "box", "lo": [0, 0], "hi": [2, 2]}, (5, 6), 5),
        ({"type": "box", "lo": [0, 0], "hi": [2, None]}, (5, 6), 3),
        ({"type": "box", "lo": [0, 0, 0], "hi": [1, 1, 1]}, (-2, 4, 7), 7),
        ({"type": "circle", "center": [1, 2], "radius": 3}, (7, 10), 7),
        ({"type": "polygon", "shell": SQUARE}, (5, 6), 5),
        ({"type": "polygon", "shell": SQUARE}, (1, 4), 2),
        ({"type": "polygon", "shell": [(0, 0), (4, 3), (0, 3)]}, (3, -4), 5),
        (
            {"type": "polygon", "shell": [(0, 0), (8, 0), (8, 8), (0, 8)], "holes": [[(2, 2), (6, 2), (2, 6)]]},
            (3, 3),
            1,
        ),
    ],
)
def test_beyond_a_margin_is_further_than_it(region: Any, point: Any, distance: float) -> None:
    assert not beyond(region, point, distance, lonlat=False)
    assert beyond(region, point, distance - 1e-9, lonlat=False)


def test_distances_on_earth_are_metres_to_the_nearest_point_also_across_the_antimeridian() -> None:
    degree = 111_195  # metres, along a great circle
    box = {"type": "box", "lo": [170, -1], "hi": [-179, 1]}
    diamond = {"type": "polygon", "shell": [(178, 0), (180, -2), (-179, 0), (180, 2)]}
    circle = {"type": "circle", "center": [180, 0], "radius": degree}
    for region in (box, diamond, circle):
        assert not beyond(region, (-178, 0), degree + 1, lonlat=True)
        assert beyond(region, (-178, 0), degree - 1, lonlat=True)
    # At 60 degrees north, a degree of longitude is half as long.
    north = {"type": "box", "lo": [0, 50], "hi": [10, 70]}
    assert not beyond(north, (11, 60), degree / 2 + 10, lonlat=True)
    assert beyond(north, (11, 60), degree / 2 - 10, lonlat=True)
