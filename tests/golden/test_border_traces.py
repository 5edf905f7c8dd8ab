"""Traces worked out by hand from the specification; the oracle and the engine must both give them.

Rows are tables `stream time x …`, events `query kind stream time reason x …`.
Times are seconds, and a dot is a missing value.
"""

from itertools import zip_longest
from typing import Any

import pytest

from tests.oracle import Oracle
from tests.subject import Subject

SECOND = 1_000_000
COLUMNS = {"id": "s", "time": "t", "values": ["x"], "attributes": ["kind"]}
PLANE = {"id": "s", "time": "t", "values": ["x", "y"]}

Monitor = Oracle | Subject
Make = type[Monitor]


@pytest.fixture(params=["oracle", "engine"])
def make(request: pytest.FixtureRequest) -> Make:
    return Oracle if request.param == "oracle" else Subject


def seconds(time: float) -> int:
    return round(time * SECOND)


def cell(text: str, convert: Any) -> Any:
    return None if text == "." else convert(text)


def rows(columns: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """Read `stream time values… attributes…`, one row a line; attributes may be left out."""
    names = [*columns["values"], *columns.get("attributes", ())]
    read = []
    for stream_id, time, *cells in (line.split() for line in table.strip().splitlines()):
        row = {"s": cell(stream_id, str), "t": cell(time, lambda text: seconds(float(text)))}
        for name, text in zip_longest(names, cells, fillvalue="."):
            row[name] = cell(text, float if name in columns["values"] else str)
        read.append(row)
    return read


def trace(events: list[dict[str, Any]]) -> list[str]:
    """Write events as lines, sorted by time and then by line."""
    lines = []
    for event in events:
        values = " ".join("." if value is None else f"{value:g}" for value in event["values"])
        who = f"{event['query_id']} {event['kind']} {event['stream_id']}"
        lines.append((event["time"], f"{who} {event['time'] / SECOND:g} {event['reason']} {values}"))
        assert event["started_at"] is None
    return [line for _, line in sorted(lines)]


def expected(table: str) -> list[str]:
    return [" ".join(line.split()) for line in table.strip().splitlines()]


def border(query_id: str, lo: float | None, hi: float | None, **extra: Any) -> dict[str, Any]:
    return {"type": "border", "id": query_id, "region": {"type": "range", "lo": lo, "hi": hi}, **extra}


def report(query_id: str, lo: float | None, hi: float | None, **extra: Any) -> dict[str, Any]:
    return border(query_id, lo, hi, initial="report", **extra)


# The papers' worked example.
#
#    x   0   1   2   3   4   5   6   7   8   9
#    Q1      [-------)
#    Q2      [-----------------------)
#    Q3      [-----------)
#    Q4          [-----------)
#    Q5                          [-------)
#         N1  N2  N3  N4  N5  N6  N7  N8  N9
EXAMPLE = [border("Q1", 1, 3), border("Q2", 1, 7), border("Q3", 1, 4), border("Q4", 2, 5), border("Q5", 6, 8)]


@pytest.mark.parametrize(
    ("start", "end", "enters", "exits"),
    [
        (4.5, 7.5, "Q5", "Q2 Q4"),  # N5 to N8
        (4.5, 1.5, "Q1 Q3", "Q4"),  # N5 to N2
        (4.5, 4.9, "", ""),  # within N5
        (4.5, 4.0, "", ""),  # to the start of N5, where Q3 has ended
        (4.5, 5.0, "", "Q4"),  # to the start of N6, where Q4 has ended
        (0.0, 9.0, "", ""),  # over everything, up
        (9.0, 0.0, "", ""),  # and down
        (0.0, 2.0, "Q1 Q2 Q3 Q4", ""),  # onto the start of Q4
        (8.0, 6.0, "Q2 Q5", ""),  # from the end of Q5 to its start
    ],
)
def test_the_worked_example(make: Make, start: float, end: float, enters: str, exits: str) -> None:
    got = make(COLUMNS, EXAMPLE).process(rows(COLUMNS, f"a 0 {start}\na 1 {end}"))
    wanted = [f"{query} enter a 1 moved {end:g}" for query in enters.split()]
    wanted += [f"{query} exit a 1 moved {end:g}" for query in exits.split()]
    assert trace(got) == sorted(wanted)


def test_the_first_tuple_is_silent_or_reported(make: Make) -> None:
    #   t        0     1     2
    #   a        15    25    .        inside at once, then out
    #   b        .     25    15       the other way round
    #   [10,20)
    got = make(COLUMNS, [border("silent", 10, 20), report("report", 10, 20)]).process(
        rows(COLUMNS, "a 0 15 \n a 1 25 \n b 1 25 \n b 2 15")
    )
    assert trace(got) == expected("""
        report  enter  a  0  appeared  15
        report  exit   a  1  moved     25
        silent  exit   a  1  moved     25
        report  enter  b  2  moved     15
        silent  enter  b  2  moved     15
    """)


def test_registered_while_a_stream_is_inside(make: Make) -> None:
    #   t        0     1             2
    #   a        15    15  register  25
    #   b        25    25            25
    monitor = make(COLUMNS)
    monitor.process(rows(COLUMNS, "a 0 15 \n b 0 25 \n a 1 15 \n b 1 25"))
    assert trace(monitor.register(border("silent", 10, 20))) == []
    assert trace(monitor.register(report("report", 10, 20))) == expected("report enter a 1 registered 15")
    assert trace(monitor.process(rows(COLUMNS, "a 2 25 \n b 2 25"))) == expected("""
        report  exit  a  2  moved  25
        silent  exit  a  2  moved  25
    """)


def test_a_replaced_region_judges_both_sides_of_the_next_step(make: Make) -> None:
    #   t         0                       1
    #   a         15                      25
    #   b         25                      15
    #   queries   [10,20)   -> [20,30)
    monitor = make(COLUMNS, [border("silent", 10, 20), report("report", 10, 20)])
    first = monitor.process(rows(COLUMNS, "a 0 15 \n b 0 25"))
    assert trace(first) == expected("report enter a 0 appeared 15")
    assert trace(monitor.register(border("silent", 20, 30))) == []
    assert trace(monitor.register(report("report", 20, 30))) == expected("""
        report  enter  b  0  changed  25
        report  exit   a  0  changed  15
    """)
    assert trace(monitor.process(rows(COLUMNS, "a 1 25 \n b 1 15"))) == expected("""
        report  enter  a  1  moved  25
        report  exit   b  1  moved  15
        silent  enter  a  1  moved  25
        silent  exit   b  1  moved  15
    """)


def test_a_replacement_that_changes_nothing_about_a_stream_says_nothing(make: Make) -> None:
    monitor = make(COLUMNS, [report("q", 10, 20)])
    monitor.process(rows(COLUMNS, "a 0 15 \n b 0 25"))
    assert trace(monitor.register(report("q", 12, 18, streams=["a"]))) == []
    assert trace(monitor.register(report("q", 12, 18, streams=["b"]))) == expected("q exit a 0 changed 15")


def test_another_initial_is_a_deregistration_and_a_registration(make: Make) -> None:
    monitor = make(COLUMNS, [report("q", 10, 20)])
    monitor.process(rows(COLUMNS, "a 0 15"))
    assert trace(monitor.register(border("q", 10, 20))) == expected("q exit a 0 deregistered 15")
    assert trace(monitor.register(report("q", 10, 20))) == expected("q enter a 0 registered 15")


def test_another_on_is_a_deregistration_and_a_registration(make: Make) -> None:
    monitor = make(PLANE, [report("q", 0, 10, on=["x"])])
    monitor.process(rows(PLANE, "a 0 5 5"))
    assert trace(monitor.register(report("q", 0, 10, on=["y"]))) == expected("""
        q enter a 0 registered   5 5
        q exit  a 0 deregistered 5 5
    """)


def test_deregistered(make: Make) -> None:
    monitor = make(COLUMNS, [border("silent", 10, 20), report("report", 10, 20)])
    monitor.process(rows(COLUMNS, "a 0 15 \n b 0 25 \n b 3 25"))
    assert trace(monitor.deregister("silent")) == []
    assert trace(monitor.deregister("report")) == expected("report exit a 3 deregistered 15")
    assert trace(monitor.process(rows(COLUMNS, "a 4 25"))) == []


def test_an_expired_stream_is_forgotten(make: Make) -> None:
    #   t   0    1    2    3    4    5    6         expire_after 3
    #   a   15   .    .    E    .    15   25        silent for more than 3: begins anew at 5
    #   b   15   .    .    25   .    .    .         back at exactly 3: not forgotten
    monitor = make(COLUMNS, [border("silent", 10, 20), report("report", 10, 20)], expire_after=3)
    got = monitor.process(rows(COLUMNS, "a 0 15 \n b 0 15 \n b 3 25 \n a 5 15 \n a 6 25"))
    assert trace(got) == expected("""
        report  enter  a  0  appeared  15
        report  enter  b  0  appeared  15
        report  exit   a  3  expired   15
        report  exit   b  3  moved     25
        silent  exit   b  3  moved     25
        report  enter  a  5  appeared  15
        report  exit   a  6  moved     25
        silent  exit   a  6  moved     25
    """)


def test_an_expiry_falls_due_when_the_watermark_has_passed_it(make: Make) -> None:
    #   t        0    1    2    3
    #   a        15   .    E              expire_after 2
    #   W                  ^    ^         due at 2, told once 2 < W; rows before 2 are late from then on
    monitor = make(COLUMNS, [report("q", 10, 20)], expire_after=2)
    monitor.process(rows(COLUMNS, "a 0 15"))
    assert trace(monitor.advance(seconds(2))) == []
    assert trace(monitor.advance(seconds(2.000001))) == expected("q exit a 2 expired 15")
    assert trace(monitor.process(rows(COLUMNS, "a 1.999999 15"))) == []
    assert monitor.counters["late"] == 1
    assert trace(monitor.process(rows(COLUMNS, "a 2 15"))) == expected("q enter a 2 appeared 15")


def test_a_query_that_comes_between_the_silence_and_the_expiry_hears_of_it(make: Make) -> None:
    #   t        0    1         2        3    4      expire_after 3
    #   a        15                      E
    #   q             register
    #   r                                register, at the same time as the expiry, but before it
    #   s                                     register, after it
    monitor = make(COLUMNS, expire_after=3)
    for second, query_id in ((1, "q"), (3, "r"), (4, "s")):
        assert monitor.register(report(query_id, 10, 20), at=seconds(second)) == []
    assert trace(monitor.process(rows(COLUMNS, "a 0 15 \n b 9 0"))) == expected("""
        q  enter  a  1  registered  15
        q  exit   a  3  expired     15
        r  enter  a  3  registered  15
        r  exit   a  3  expired     15
    """)


def test_a_missing_value_is_unchanged(make: Make) -> None:
    #   t        0    1    2    3    4
    #   x        5    .    5    .    .
    #   y        .    .    5    15   .         q on (x, y) sees 2 (all known) and 3 (x is still 5)
    #   plane [0,10)²      in   out
    plane = {"type": "border", "id": "q", "region": {"type": "box", "lo": [0, 0], "hi": [10, 10]}}
    monitor = make(PLANE, [{**plane, "initial": "report"}, report("x", 0, 10, on=["x"])])
    got = monitor.process(rows(PLANE, "a 0 5 . \n a 1 . nan \n a 2 5 5 \n a 3 . 15 \n a 4 . ."))
    assert trace(got) == expected("""
        x  enter  a  0  appeared  5  .
        q  enter  a  2  appeared  5  5
        q  exit   a  3  moved     5  15
    """)
    assert monitor.counters["rows"] == 5


def test_late_and_duplicate_rows_are_counted_and_not_processed(make: Make) -> None:
    #   t        0    1           the rows of one time: 5 comes first in canonical order
    #   a        15   15  5
    #   a             25          then again 1, and 0.5: late, whatever they say
    monitor = make(COLUMNS, [border("q", 10, 20)])
    got = monitor.process(rows(COLUMNS, "a 1 15 \n a 0 15 \n a 1 5"))
    assert trace(got) == expected("q exit a 1 moved 5")
    assert trace(monitor.process(rows(COLUMNS, "a 1 15 \n a 0.5 15"))) == []
    assert trace(monitor.process(rows(COLUMNS, "b 0.5 5 \n b 0.6 15"))) == expected("q enter b 0.6 moved 15")
    assert monitor.counters["late"] == 3


def test_rejected_rows_are_counted_under_their_reason(make: Make) -> None:
    monitor = make(COLUMNS, [report("q", 10, 20)], max_ahead=10)
    table = ". 0 15 \n a . 15 \n a 0 inf \n a 0 -inf \n a 1 15 \n a 11.000001 15 \n b 11 15"
    assert trace(monitor.process(rows(COLUMNS, table))) == expected("""
        q  enter  a  1   appeared  15
        q  enter  b  11  appeared  15
    """)
    assert monitor.counters["rejected"] == {"null_id": 1, "null_time": 1, "infinite_value": 2}
    assert trace(monitor.process(rows(COLUMNS, "c 21.000002 15"))) == []
    assert monitor.counters["rejected"]["too_far_ahead"] == 1


def test_alerts_on_single_streams(make: Make) -> None:
    #   t         0     1     2     3     4
    #   IBM       45    39    40    50    51     buy below 40, sell from 50 on
    #   XYZ       45    39    40    50    51     nobody asked
    alerts = [border("buy", None, 40, streams=["IBM"]), border("sell", 50, None, streams=["IBM"])]
    prices = (45, 39, 40, 50, 51)
    table = "\n".join(f"{name} {t} {price}" for name in ("IBM", "XYZ") for t, price in enumerate(prices))
    assert trace(make(COLUMNS, alerts).process(rows(COLUMNS, table))) == expected("""
        buy   enter  IBM  1  moved  39
        buy   exit   IBM  2  moved  40
        sell  enter  IBM  3  moved  50
    """)


def test_a_tuple_that_fails_the_condition_is_outside(make: Make) -> None:
    #   t        0      1      2      3      4
    #   x        15     15     15     .      25
    #   kind     bus    car    .      car    car     a row without x is skipped, whatever its kind
    monitor = make(COLUMNS, [border("q", 10, 20, where="kind = 'car'")])
    table = "a 0 15 bus \n a 1 15 car \n a 2 15 . \n a 3 . car \n a 4 25 car"
    assert trace(monitor.process(rows(COLUMNS, table))) == expected("""
        q  enter  a  1  moved  15
        q  exit   a  2  moved  15
    """)


def test_a_condition_on_values_looks_at_the_row_itself(make: Make) -> None:
    #   t        0    1    2
    #   x        5    5    5
    #   y        1    .    1        y > 0 is not true where y is missing, though it is still known
    monitor = make(PLANE, [border("q", 0, 10, on=["x"], where="y > 0")])
    assert trace(monitor.process(rows(PLANE, "a 0 5 1 \n a 1 5 . \n a 2 5 1"))) == expected("""
        q  exit   a  1  moved  5  1
        q  enter  a  2  moved  5  1
    """)


def test_match_looks_at_each_row_by_itself(make: Make) -> None:
    #   t        0    1    2    3
    #   x        5    5    .    10
    query = {"type": "match", "id": "m", "region": {"type": "range", "lo": 0, "hi": 10}}
    got = make(COLUMNS, [query]).process(rows(COLUMNS, "a 0 5 \n a 1 5 \n a 2 . \n a 3 10"))
    assert trace(got) == expected("""
        m  match  a  0  moved  5
        m  match  a  1  moved  5
    """)


def test_event_order_waits_for_rows_within_the_lateness(make: Make) -> None:
    #   arrives            W after       complete
    #   a@0 a@4            2             a@0
    #   a@2                2             (2 is not yet complete)
    #   a@1                2             late
    #   a@6                4             a@2
    #   close                            a@4 a@6
    monitor = make(COLUMNS, [border("q", 10, 20)], order="event", lateness=2)
    assert trace(monitor.process(rows(COLUMNS, "a 0 5 \n a 4 5"))) == []
    assert trace(monitor.process(rows(COLUMNS, "a 2 15"))) == []
    assert trace(monitor.process(rows(COLUMNS, "a 1 15"))) == []
    assert monitor.counters["late"] == 1
    assert trace(monitor.process(rows(COLUMNS, "a 6 15"))) == expected("q enter a 2 moved 15")
    assert trace(monitor.close()) == expected("""
        q  exit   a  4  moved  5
        q  enter  a  6  moved  15
    """)


def test_a_change_takes_its_place_among_rows_in_event_order(make: Make) -> None:
    #   t        0    1    2    3    4
    #   a        15   .    15   25   .
    #   q             report from 1, gone at 3 before a leaves
    monitor = make(COLUMNS, order="event")
    monitor.register(report("q", 10, 20), at=seconds(1))
    monitor.deregister("q", at=seconds(3))
    got = monitor.process(rows(COLUMNS, "a 0 15 \n a 2 15 \n a 3 25 \n a 4 25"))
    assert trace(got) == expected("""
        q  enter  a  1  registered    15
        q  exit   a  3  deregistered  15
    """)
    late = monitor.register(report("r", 20, 30), at=seconds(2))
    assert trace(late) == expected("r enter a 4 registered 25")
    assert monitor.counters["changes_late"] == 1
