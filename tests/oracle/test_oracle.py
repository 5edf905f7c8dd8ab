"""The oracle on cases small enough to be judged by eye, before it judges anything else."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import Oracle
from tests.oracle.query import holds
from tests.oracle.reading import canonical_order, read_row

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
