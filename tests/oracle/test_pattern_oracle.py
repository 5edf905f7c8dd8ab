"""The oracle's patterns on small cases, checked by hand."""

from typing import Any

from tests.oracle import Oracle

SECOND = 1_000_000
COLUMNS = {"id": "s", "time": "t", "values": ["x", "y"], "attributes": ["kind"]}
THREE = {"a": "kind = 'A'", "b": "kind = 'B'", "c": "kind = 'C'"}
#: The query of the paper's Figure 1b: two distances, two intervals.
CHAIN = [
    {"a": "a", "b": "b", "after": [0, 5], "distance": 1},
    {"a": "b", "b": "c", "after": [1, 5], "distance": 1},
]


def row(stream: str, second: float, kind: str, x: float | None = 0.0, y: float | None = 0.0) -> dict[str, Any]:
    return {"s": stream, "t": round(second * SECOND), "x": x, "y": y, "kind": kind}


def alerts(variables: Any, pairs: list[Any], rows: list[Any], **more: Any) -> list[str]:
    """Play rows, and write each alert as its time and its streams."""
    oracle = Oracle(COLUMNS, [{"type": "pattern", "id": "p", "variables": variables, "pairs": pairs, **more}])
    return written(oracle.process(rows))


def written(events: list[Any]) -> list[str]:
    return [
        f"{event['time'] / SECOND:g} "
        + " ".join(f"{each['variable']}={each['stream_id']}" for each in event["bindings"])
        for event in events
    ]


def test_the_example_of_the_paper():
    """One alert, at 6: b1 is too far from a1, c1 comes too early after b2."""
    rows = [
        row("a1", 1, "A"), row("b1", 2, "B", 5.0), row("b2", 3, "B", 0.5),
        row("c1", 3, "C", 0.5), row("c2", 6, "C", 1.0),
    ]  # fmt: skip
    assert alerts(THREE, CHAIN, rows) == ["6 a=a1 b=b2 c=c2"]


def test_ends_of_intervals_count_and_distances_are_strict():
    near = [row("a1", 0, "A"), row("b1", 5, "B", 0.999), row("b2", 5, "B", 1.0), row("b3", 5.000001, "B")]
    assert alerts({"a": "kind = 'A'", "b": "kind = 'B'"}, CHAIN[:1], near) == ["5 a=a1 b=b1"]
    far = [{"a": "a", "b": "b", "after": [0, 5], "beyond": 1}]
    assert alerts({"a": "kind = 'A'", "b": "kind = 'B'"}, far, near) == ["5 a=a1 b=b2"]


def test_negative_intervals_look_back_and_the_last_tuple_has_the_time():
    pairs = [{"a": "a", "b": "b", "after": [-2, -1]}]
    rows = [row("b1", 0, "B"), row("b2", 1, "B"), row("a1", 2, "A"), row("b3", 3, "B")]
    assert alerts({"a": "kind = 'A'", "b": "kind = 'B'"}, pairs, rows) == ["2 a=a1 b=b1", "2 a=a1 b=b2"]


def test_simultaneous_tuples_and_a_tuple_that_fits_both_but_is_one():
    pairs = [{"a": "a", "b": "b", "after": [0, 0]}]
    rows = [row("s1", 1, "A"), row("s2", 1, "A")]
    assert alerts({"a": "x >= 0", "b": "kind = 'A'"}, pairs, rows) == ["1 a=s1 b=s2", "1 a=s2 b=s1"]


def test_interchangeable_variables_rise():
    pairs = [
        {"a": one, "b": other, "after": [-5, 5], "distance": 2} for one, other in (("a", "b"), ("a", "c"), ("c", "b"))
    ]
    same = dict.fromkeys("abc", "kind = 'A'")
    rows = [row("s3", 1, "A"), row("s1", 1, "A"), row("s2", 2, "A"), row("s4", 2, "A", 9.0)]
    assert alerts(same, pairs, rows) == ["2 a=s1 b=s3 c=s2"]
    compared = [{**pairs[0], "where": "a.s <> b.s"}]
    assert alerts({"a": "x >= 0", "b": "x >= 0"}, compared, rows[:2]) == ["1 a=s1 b=s3"]
    directed = [{**pairs[0], "where": "a.s < b.s"}]
    assert alerts({"a": "x >= 0", "b": "x >= 0"}, directed, rows[:2]) == ["1 a=s1 b=s3"]


def test_pairs_compare_two_tuples():
    pairs = [{"a": "a", "b": "b", "after": [1, 5], "where": "a.s = b.s"}]
    rows = [row("s1", 1, "A"), row("s2", 2, "B"), row("s1", 3, "B"), row("s1", 9, "B")]
    assert alerts({"a": "kind = 'A'", "b": "kind = 'B'"}, pairs, rows) == ["3 a=s1 b=s1"]


def test_report_and_cap_keep_the_smallest_bindings_of_a_last_tuple():
    pairs = [{"a": "a", "b": "b", "after": [0, 5]}]
    variables = {"a": "kind = 'A'", "b": "kind = 'B'"}
    rows = [row("a2", 0, "A"), row("a1", 0, "A"), row("a0", 1, "A"), row("b1", 2, "B"), row("b2", 2, "B")]
    assert alerts(variables, pairs, rows, report="first") == ["2 a=a1 b=b1", "2 a=a1 b=b2"]
    assert alerts(variables, pairs, rows[:-1], cap=2) == ["2 a=a1 b=b1", "2 a=a2 b=b1"]
    oracle = Oracle(COLUMNS, [{"type": "pattern", "id": "p", "variables": variables, "pairs": pairs, "cap": 2}])
    oracle.process(rows)
    assert oracle.counters["left_out"] == 2


def test_retain_bounds_all_pairs():
    variables = {"a": "kind = 'A'", "b": "kind = 'B'"}
    rows = [row("a1", 0, "A"), row("a2", 2, "A"), row("b1", 4, "B")]
    assert alerts(variables, [], rows, retain=2) == ["4 a=a2 b=b1"]


def test_a_pattern_sees_what_comes_from_its_registration_on_and_begins_afresh_when_it_is_replaced():
    form = {"type": "pattern", "id": "p", "variables": {"a": "kind = 'A'", "b": "kind = 'B'"},
            "pairs": [{"a": "a", "b": "b", "after": [0, 9]}]}  # fmt: skip
    oracle = Oracle(COLUMNS)
    oracle.process([row("a0", 0, "A")])
    oracle.register(form, at=SECOND)
    assert written(oracle.process([row("a1", 1, "A"), row("b1", 2, "B")])) == ["2 a=a1 b=b1"]
    oracle.register(form)
    assert written(oracle.process([row("b2", 3, "B"), row("a2", 4, "A"), row("b3", 5, "B")])) == ["5 a=a2 b=b3"]


def test_one_variable_and_what_is_missing():
    rows = [row("s1", 1, "A"), row("s2", 1, "A", None), row("s3", 2, None)]
    assert alerts({"a": "kind = 'A'"}, [], rows) == ["1 a=s1", "1 a=s2"]
    assert alerts({"a": "x < 1"}, [], rows) == ["1 a=s1", "2 a=s3"]
    box = {"type": "box", "lo": [-1, -1], "hi": [1, 1]}
    assert alerts({"a": {"region": box, "where": "kind = 'A'"}}, [], rows) == ["1 a=s1"]
    assert alerts({"a": {"streams": ["s2"]}}, [], rows) == ["1 a=s2"]
    pairs = [{"a": "a", "b": "b", "after": [0, 9], "distance": 1}]
    # A value that is missing is the last one known; a place that never was known has no distance to anything.
    later = [*rows, row("s1", 3, "B", None, 0.5), row("s2", 3, "B", None, 0.5), row("s3", 4, "B", None, None)]
    assert alerts({"a": "kind = 'A'", "b": "kind = 'B'"}, pairs, later) == ["3 a=s1 b=s1"]


def test_a_row_behind_the_line_is_late():
    form = {"type": "pattern", "id": "p", "variables": {"a": "kind = 'A'"}, "pairs": []}
    oracle = Oracle(COLUMNS, [form])
    assert len(oracle.process([row("s1", 2, "A")])) == 1
    assert oracle.process([row("s2", 1, "A")]) == []
    assert oracle.counters["late"] == 1
