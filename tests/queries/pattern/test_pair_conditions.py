"""Conditions on two tuples: which of them kernels judge while alerts are sought, and that a cap bounds these."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

import limen
from limen.model.expressions.expression import Expression
from limen.model.pair import Pair
from limen.queries.pattern.pair_conditions import ConditionCompiler, NotByNumbers
from limen.queries.pattern.stored_tuples import _compute_links
from limen.queries.registry import OPERATORS

PATTERN = list(OPERATORS).index("pattern")

COLUMNS = limen.Columns(id="s", time="t", values=("x", "y"), attributes=("kind", "level", "flag", "late"))
TYPES = {"kind": pa.string(), "level": pa.int64(), "flag": pa.bool_()}
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def steps(where: str) -> None:
    links: list[object] = []
    pair = Pair("a", "b", (0, 5), where=where)
    program = ConditionCompiler(pair, COLUMNS, TYPES, lambda column: links.append(column) or len(links) - 1)
    for part in Expression.parse(where).parts():
        program.of(part)


@pytest.mark.parametrize(
    "where",
    [
        "a.x - b.x > 3", "a.x * 2 < b.y + 1", "a.x % b.x = 1", "a.level + b.level > 3", "a.level <= b.level or a.flag",
        "a.kind like 'x%' or b.x > a.x", "not (a.t >= b.t)", "a.s <> b.s or a.x > 1", "a.x + b.x in (1, null, 3)",
        "(a.x / b.x) is null", "a.flag = (b.x > a.x)", "a.late > b.x", "1 = 1 or a.x = b.x", "null or a.x > b.y",
        "a.kind = b.kind or a.x > b.x", "a.s = b.kind", "a.kind <> b.kind",
        "(a.flag or b.flag) is null", "true or a.x > b.x", "-a.x + null > b.x", "a.level % 2 = 1 or b.flag",
    ],
)  # fmt: skip
def test_numbers_tell(where: str) -> None:
    steps(where)


@pytest.mark.parametrize(
    "where",
    [
        "a.kind < b.kind", "a.level % 2 = b.level % 2", "a.s < b.s", "a.level % b.level > a.x",
        "a.kind > a.x or b.flag", "a.x + b.x", "a.x is null and a.kind in (b.kind)",
    ],
)  # fmt: skip
def test_numbers_cannot_tell(where: str) -> None:
    with pytest.raises((NotByNumbers, limen.errors.InvalidQuery)):
        steps(where)


def readings(count: int, **columns: list[object]) -> pa.Table:
    time = [BEGIN + timedelta(milliseconds=number) for number in range(count)]
    plain = {"x": [float(number % 7) for number in range(count)], "y": [0.0] * count, "kind": ["A"] * count,
             "level": [1] * count, "flag": [True] * count, "late": [None] * count}  # fmt: skip
    return pa.table({"s": [f"s{number}" for number in range(count)], "t": time, **plain, **columns})


@pytest.mark.parametrize(
    "where",
    ["a.x - b.x > -100", "a.kind like 'A%' or b.x - a.x > 1", "a.level <= b.level", "a.kind = b.kind", "a.kind <> b.s"],
)
def test_a_cap_bounds_the_work(where: str) -> None:
    pattern = limen.Pattern(
        "many", {"a": "x >= 0", "b": "x >= 0", "c": "s = 's299'"},
        [Pair("a", "b", (-9, 9), where=where), Pair("b", "c", (0, 9))], cap=5,
    )  # fmt: skip
    engine = limen.Engine(COLUMNS, queries=[pattern])
    alerts = engine.process(readings(300))
    assert alerts.num_rows == 5
    # There are 89,000 of them: the search ended when so many more had been counted.
    assert engine.counters["left_out"] == 10_000


@pytest.mark.parametrize("how", ["=", "<>"])
def test_text_of_two_tuples_is_compared_in_the_search(how: str) -> None:
    pattern = limen.Pattern(
        "same", {"a": "x >= 0", "b": "x >= 0"}, [Pair("a", "b", (0, 9), where=f"a.kind {how} b.kind")]
    )
    kinds = [None if number % 10 == 9 else f"kind {number % 20}" for number in range(66)]
    engine = limen.Engine(COLUMNS, queries=[pattern])
    found = engine.process(readings(66, kind=kinds))
    pairs = [(one, other) for at, one in enumerate(kinds) for other in kinds[at + 1 :] if one and other]
    assert found.num_rows == sum((one == other) == (how == "=") for one, other in pairs) > 0


def test_whole_numbers_and_times_that_floats_do_not_hold() -> None:
    large = [2**53, 2**53 + 1, -(2**60) - 1, -(2**60), 5, None]
    for how in ("<", "<=", "=", "<>", ">", ">="):
        pattern = limen.Pattern(
            "whole", {"a": None, "b": None}, [Pair("a", "b", (-9, 9), where=f"a.level {how} b.level or a.x > 100")]
        )
        alerts = limen.Engine(COLUMNS, queries=[pattern]).process(readings(6, level=large)).to_pylist()
        got = sorted(tuple(int(each["stream_id"][1:]) for each in alert["bindings"]) for alert in alerts)
        meant = {"<": np.less, "<=": np.less_equal, "=": np.equal, "<>": np.not_equal, ">": np.greater,
                 ">=": np.greater_equal}[how]  # fmt: skip
        known = [number for number in range(6) if large[number] is not None]
        expected = [(i, j) for i in known for j in known if i != j and meant(np.int64(large[i]), np.int64(large[j]))]
        unordered = {tuple(sorted(each)) for each in expected}
        assert got == expected or (how in ("=", "<>") and {tuple(sorted(each)) for each in got} == unordered)


def test_a_missing_value_is_neither_true_nor_false() -> None:
    pattern = limen.Pattern(
        "not", {"a": "s = 's0'", "b": "s = 's1'"}, [Pair("a", "b", (-9, 9), where="not (a.x - b.x > 0)")]
    )
    for x, told in (([0.0, 1.0], 1), ([1.0, 0.0], 0), ([None, 1.0], 0), ([1.0, float("nan")], 0)):
        table = readings(2, x=pa.array(x, pa.float64()))
        assert limen.Engine(COLUMNS, queries=[pattern]).process(table).num_rows == told


def test_older_state_that_kept_columns_tells_what_kernels_compute_with() -> None:
    where = "a.x - b.x > -9 and (a.kind like 'A%' or b.level < a.level) and (a.s like 's%' or b.flag)"
    pattern = limen.Pattern("p", {"a": "x >= 0", "b": "x >= 50"}, [Pair("a", "b", (0, 9), where=where)])
    engine = limen.Engine(COLUMNS, queries=[pattern])
    engine.process(readings(4, kind=["A", "B", None, "A"], level=[1, None, -5, 2**60]))
    (group,) = engine._shard.catalogue.operators[PATTERN].groups
    slots = np.flatnonzero(group.index.taken).astype(np.int32)
    told = group.index.tuples.link[slots].copy()
    assert len(slots) == 4
    # Until now these columns were kept, and numbers of them were not.
    types, room = engine._shard.types, len(group.index.taken)
    order = group.index.tuples.record["age"][slots] % 4
    group.kept.values["x"] = np.full(room, np.nan)
    group.kept.values["x"][slots] = order % 7
    for name, column in (("kind", ["A", "B", None, "A"]), ("level", [1, None, -5, 2**60]), ("flag", [True] * 4)):
        group.kept.put_attribute(name, pa.array(column).take(pa.array(order)), slots, room, types)
    group.index.tuples.link[:] = np.nan
    _compute_links(group, slots, 0, engine._shard.streams.ids)
    np.testing.assert_array_equal(group.index.tuples.link[slots], told)
