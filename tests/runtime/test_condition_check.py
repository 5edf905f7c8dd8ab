"""Conditions that do not fit the data are found before any row is taken."""

import pyarrow as pa
import pytest

from limen import Border, Columns, InvalidQuery, Pair, Pattern, Range
from limen.model.expressions.expression import Expression
from limen.runtime.condition_check import check_condition, check_query

COLUMNS = Columns("s", "t", ("x", "y"), ("kind", "level"))
TYPES = {"kind": pa.string(), "level": pa.int64()}


@pytest.mark.parametrize(
    "condition",
    [
        "kind = 'bus' AND level > 1",
        "x < y",
        "x + level > 2",
        "s LIKE 'b%'",
        "t >= TIMESTAMP '2026-01-01T00:00:00Z'",
        "TRUE",
        "a.kind = b.kind AND a.x < b.y",
    ],
)
def test_conditions_that_fit(condition):
    check_condition(Expression.parse(condition), COLUMNS, TYPES)


@pytest.mark.parametrize("condition", ["kind > 1", "level = 'bus'", "x LIKE 'b%'", "a.kind > b.level", "s > 1"])
def test_conditions_that_compare_what_cannot_be_compared(condition):
    with pytest.raises(InvalidQuery):
        check_condition(Expression.parse(condition), COLUMNS, TYPES)


def test_an_attribute_without_a_type_yet_is_left_for_later():
    condition = Expression.parse("kind > 1")
    check_condition(condition, COLUMNS, {})
    check_condition(condition, COLUMNS, {"kind": pa.int64()})
    with pytest.raises(InvalidQuery):
        check_condition(condition, COLUMNS, TYPES)


def test_an_error_names_the_query():
    query = Border("late buses", Range(0, 2), on="x", where="kind > 1")
    check_query(query, COLUMNS, {})
    with pytest.raises(InvalidQuery, match=r"^query 'late buses': "):
        check_query(query, COLUMNS, TYPES)


def test_an_error_names_the_pair_of_a_pattern():
    query = Pattern("p", {"a": "level > 1", "b": "level < 1"}, [Pair("a", "b", after=(0, 5), where="a.kind > b.x")])
    with pytest.raises(InvalidQuery, match=r"^query 'p': pair 'a', 'b': "):
        check_query(query, COLUMNS, TYPES)


def test_a_column_that_is_not_there_is_an_error_without_any_types():
    with pytest.raises(InvalidQuery, match="'colour'"):
        check_query(Border("q", Range(0, 2), on="x", where="colour = 'red'"), COLUMNS, {})
    with pytest.raises(InvalidQuery, match="'z'"):
        check_query(Border("q", Range(0, 2), on="z"), COLUMNS, {})
