"""Queries to SQL and back: the same query, and the same text again."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from limen import Within
from limen.errors import InvalidQuery
from limen.formats.query_json import query_from_dict, query_to_dict
from limen.model.query import Query
from limen.sql import CreateQuery, CreateRegion, parse, to_sql
from limen.sql.printing import write_region
from limen.sql.statement import Around
from tests.answer_strategies import questions_in
from tests.pattern_strategies import crowds, patterns, possible
from tests.strategies import columns, queries, shapes

#: Names that a careless writer would leave bare, or quote wrongly.
NAMES = st.sampled_from(
    ("q", "downtown", "my query", "a`b", "``", "7", "7up", "it's", 'say "x"', "é", "select", "INSIDE", "kNN", "a.b",
     "a;b", "--", "/*", "\\", "\n", "ψ", " ", "M", "on (x)")
)  # fmt: skip
#: Conditions as people write them, and as nobody should.
CONDITIONS = st.sampled_from(
    ("kind = 'car'", "(kind = 'car')", "((flag))", "(level > 1) OR (level < 0)", "kind = 'a''b'", 'kind = "x"',
     "kind = 'INSIDE'", "`inside` > 1", "inside > 1", "knn IS NULL", "kind = 'car' -- a remark", "/* why */ flag",
     "kind\n=\n'car'", "kind LIKE '%;%'", "kind IN ('(', ')')", "kind = '\\\\'", "NOT (inside AND flag)",
     "level BETWEEN 0 AND 1", "ts > TIMESTAMP '2026-01-01T00:00:00Z'")
)  # fmt: skip


@st.composite
def any_query(draw: st.DrawFn) -> Query:
    if draw(st.booleans()):
        of = draw(columns())
        form = draw(queries(of, draw(NAMES)))
    else:
        form = {"id": draw(NAMES), **draw(questions_in(draw(st.integers(1, 3)), odd=True))}
    if draw(st.booleans()):
        form["where"] = draw(CONDITIONS)
    if draw(st.integers(0, 3)) == 0:
        form["streams"] = draw(st.lists(NAMES, min_size=1, unique=True))
    if form["type"] in ("within", "nearest") and draw(st.booleans()):
        form["min_accuracy"] = draw(st.sampled_from((100, 0.1, 33.3)))
        form["focal" if "focal" in form else "id"] = draw(NAMES)
    return valid_query(form)


def valid_query(form: dict[str, Any]) -> Query:
    """Make a query; numbers that are nearly equal may leave a polygon without an area, which is none."""
    try:
        return query_from_dict(form)
    except InvalidQuery:
        reject()


@given(any_query(), NAMES)
def test_a_query_comes_back_from_its_statement(query: Query, stream: str) -> None:
    text = to_sql(query, stream)
    statement = parse(text)
    assert isinstance(statement, CreateQuery)
    assert statement.query == query
    assert statement.stream == stream
    assert to_sql(statement.query, stream) == text
    # The JSON form between the two changes nothing either.
    assert query_from_dict(json.loads(json.dumps(query_to_dict(statement.query)))) == query


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6) | st.text(
    "`'\"\\\x00\n\r;/*-{}%$@#é ", min_size=1, max_size=6
)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_any_text_may_be_a_name(id: str, focal: str, column: str, stream: str) -> None:
    query = Within(id, focal=focal, radius=3, on=column, streams=[focal, stream])
    statement = parse(to_sql(query, stream))
    assert isinstance(statement, CreateQuery)
    assert (statement.query, statement.stream) == (query, stream)


@given(patterns("p") | crowds("p"), NAMES, st.none() | CONDITIONS)
def test_a_pattern_comes_back_from_its_statement(form: dict[str, Any], name: str, where: str | None) -> None:
    assume(possible(form))
    query = query_from_dict({**form, "id": name, **({} if where is None else {"where": where})})
    text = to_sql(query, name)
    statement = parse(text)
    assert isinstance(statement, CreateQuery)
    assert statement.query == query
    assert to_sql(statement.query, name) == text


@given(shapes())
def test_a_region_comes_back_from_its_statement(form: dict[str, Any]) -> None:
    region = valid_query({"type": "match", "id": "q", "region": form}).region
    statement = parse(f"CREATE REGION `a region` AS {write_region(region)};")
    assert isinstance(statement, CreateRegion)
    assert statement.place.what == region
    named = parse("CREATE MATCH q ON s INSIDE `a region`", {"a region": statement.place})
    assert named.query.region == region


@pytest.mark.parametrize("around", [Around("a", width=1.5), Around("a'b", width=1, height=2), Around("7", radius=1e-9)])
def test_a_place_that_moves_comes_back_from_its_statement(around: Around) -> None:
    assert parse(f"CREATE REGION r AS {write_region(around)}").place.what == around


def test_white_space_around_a_condition_is_not_kept() -> None:
    query = query_from_dict({"type": "match", "id": "q", "region": {"type": "range", "lo": 1}, "where": " a = 1\n"})
    assert parse(to_sql(query)).query.where == "a = 1"
