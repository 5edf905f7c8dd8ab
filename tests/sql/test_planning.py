"""Where each part of a SELECT runs, and why; and what has no meaning for changes."""

import pytest

from limen import Box, Columns, Nearest, Within
from limen.errors import InvalidStatement
from limen.sql import Select, parse, parse_script
from limen.sql.planning import Plan, explain, explain_query, make_plan
from tests.sql.test_statements import SOLE_JOIN, SOLE_RANGE

STREAMS = {
    "positions": Columns("id", "ts", ("x", "y"), ("kind",)),
    "movingobjects": Columns("ObjectID", "t", ("x", "y"), ("type",)),
}
TABLES = {
    "favourites": ["id", "owner", "seats"],
    "MyFavoriteCars": ["ObjectID"],
    "tags": ["id", "tag"],
}
BEFORE = (
    "Spark, before: the same for all rows of a stream, so whole streams are left out; "
    "from then on only the rows that are left advance event time"
)
INSIDE = "Limen; conditions on values and attributes are evaluated for every row"
BEHIND = "Spark; behind, where only changes reach it"


def plain(statement: str | None) -> str:
    """Take the quotes off the names of a statement."""
    assert statement is not None
    return statement.replace("`", "")


def planned(text: str) -> Plan:
    statement = parse_script(text)[-1]
    assert isinstance(statement, Select)
    return make_plan(statement, STREAMS, TABLES.get)


def test_the_selection_of_the_paper_is_looked_at_with_every_row() -> None:
    plan = planned(f"CREATE REGION MyArea AS (0, 10, 10, 0); {SOLE_RANGE}")
    assert plan.query == Within("select", Box((0, 0), (10, 10)), where="type = 'truck'")
    assert (plan.before(), plan.keys()) == (None, None)
    assert explain(plan).split("\n") == [
        "select ObjectID, time, sign   -- Spark; + and - alike",
        f"└─ WHERE type = 'truck' INSIDE BOX ((0, 0), (10, 10))   -- {INSIDE}",
        "   └─ stream MovingObjects   -- rows",
    ]


def test_the_join_of_the_paper_leaves_out_streams_before() -> None:
    plan = planned(f"CREATE REGION MyArea AS ('M', 7, 10, 10); {SOLE_JOIN}")
    assert plan.query == Within("select", focal="7", width=10, height=10)
    assert plain(plan.keys()) == "SELECT F.ObjectID AS _limen_key FROM MyFavoriteCars AS F"
    by = "M.ObjectID = F.ObjectID"
    assert explain(plan).split("\n") == [
        "select ObjectID, time, sign   -- Spark; + and - alike",
        f"└─ join MyFavoriteCars F on M.ObjectID = F.ObjectID   -- {BEHIND}",
        "   └─ INSIDE BOX (10, 10) AROUND '7'   -- Limen",
        f"      └─ only streams of MyFavoriteCars by {by}, and '7', around which it looks   -- {BEFORE}",
        "         └─ stream MovingObjects   -- rows",
    ]


def test_every_part_in_its_place() -> None:
    plan = planned("""
        SELECT F.owner, count(*) AS n
        FROM positions M JOIN favourites F USING (id) LEFT JOIN tags T ON T.id = M.id
        WHERE M.kind IN ('truck', 'van') AND (M.x > 3 OR M.kind = 'van') AND M.id LIKE 't%' AND F.seats > 3
        INSIDE CIRCLE (5, 5, 2) GROUP BY 1
    """)
    assert plan.query.where == "kind IN ('truck', 'van') AND (x > 3 OR kind = 'van')"
    assert plan.before() == "(id LIKE 't%')"
    assert plain(plan.keys()) == "SELECT F.id AS _limen_key FROM favourites AS F WHERE F.seats > 3"
    assert plain(plan.statement({"M": "v", "T": "t"})) == (
        "SELECT F.owner AS _limen_group_0, M._limen_stream AS _limen_stream, F.id AS _limen_0, "
        "F.owner AS _limen_1, F.seats AS _limen_2, F._limen_copy AS _limen_3, "
        "T.id AS _limen_4, T.tag AS _limen_5, T._limen_copy AS _limen_6, "
        "M._limen_reason AS reason, "
        "M._limen_time AS time, M._limen_sign AS sign FROM v AS M CROSS JOIN favourites AS F "
        "LEFT JOIN t AS T ON T.id = M.id WHERE M.id = F.id AND F.seats > 3"
    )
    assert explain(plan).split("\n") == [
        "running count AS n by owner   -- kept up to date from + and -, emitted at every instant that changes it",
        "└─ where F.seats > 3   -- Spark; on other tables alone, so + and - agree",
        f"   └─ join favourites F on `M`.id = `F`.id   -- {BEHIND}",
        f"      └─ left join tags T on T.id = M.id   -- {BEHIND}",
        f"         └─ WHERE kind IN ('truck', 'van') AND (x > 3 OR kind = 'van') INSIDE CIRCLE (5, 5, 2)   -- {INSIDE}",
        f"            └─ only streams of favourites by `M`.id = `F`.id   -- {BEFORE}",
        f"               └─ only streams with (id LIKE 't%')   -- {BEFORE}",
        "                  └─ stream positions   -- rows",
    ]


def test_a_chain_of_joins_is_known_before_as_a_whole() -> None:
    plan = planned("""
        SELECT M.id FROM positions M, tags T, favourites F
        WHERE M.id = T.id AND F.id = T.id AND F.owner = 'city' AND M.id = F.id kNN (2, 1, 1)
    """)
    assert plan.query == Nearest("select", 2, center=(1, 1))
    assert plain(plan.keys()) == (
        "SELECT T.id AS _limen_key FROM tags AS T CROSS JOIN favourites AS F "
        "WHERE F.id = T.id AND F.owner = 'city' AND T.id = F.id"
    )


def test_what_is_no_equality_runs_behind() -> None:
    plan = planned("SELECT M.id FROM positions M JOIN favourites F ON M.id LIKE F.owner INSIDE (0, 0, 1, 1)")
    assert plan.keys() is None
    plan = planned("SELECT M.id FROM positions M LEFT ANTI JOIN tags T ON M.id = T.id INSIDE (0, 0, 1, 1)")
    assert plan.keys() is None
    assert "LEFT ANTI JOIN tags AS T ON M.id = T.id" in plain(plan.statement({"M": "v"}))


def test_a_star_is_all_that_changes_tell_and_tables_add() -> None:
    plan = planned("SELECT M.*, F.owner AS whose FROM positions M JOIN favourites F ON M.id = F.id INSIDE (0, 0, 1, 1)")
    assert [item.name for item in plan.output.items] == ["id", "x", "y", "whose"]
    assert [item.name for item in planned("SELECT * FROM positions INSIDE (0, 0, 1, 1)").output.items] == [
        "id",
        "x",
        "y",
    ]


def test_using_makes_one_column_of_two() -> None:
    plan = planned("SELECT * FROM positions M JOIN favourites F USING (id) LEFT JOIN tags USING (id) WHERE id > 'a' "
                   "INSIDE (0, 0, 1, 1)")  # fmt: skip
    assert plan.output.items[0].tree.sql() == '"M"."id"'
    assert [item.name for item in plan.output.items] == ["id", "x", "y", "owner", "seats", "tag"]
    assert plan.before() == "(id > 'a')"
    # What two tables before have is of neither, and a table on the right of SEMI tells no column.
    plan = planned("SELECT id, owner FROM positions JOIN favourites USING (id) LEFT SEMI JOIN tags USING (id) "
                   "INSIDE (0, 0, 1, 1)")  # fmt: skip
    assert "LEFT SEMI JOIN tags AS tags ON positions.id = tags.id" in plain(plan.statement({}))


def test_with_an_expiry_all_rows_come_to_the_operator() -> None:
    text = "SELECT M.id FROM positions M JOIN favourites F ON M.id = F.id WHERE M.id > 'a' INSIDE (0, 0, 1, 1)"
    statement = parse(text)
    assert isinstance(statement, Select)
    for option in ("expire_after", "report_every", "max_ahead"):
        plan = make_plan(statement, STREAMS, TABLES.get, {"positions": {option: 5, "lateness": 1}})
        assert plan.marks
        why = (
            f"marked by Spark, filtered by Limen: with {option} the rows of all streams advance event time, "
            "so none can be left out before"
        )
        assert [line.partition("   -- ")[2] for line in explain(plan).split("\n")][3:5] == [why, why]
    plan = make_plan(statement, STREAMS, TABLES.get, {"positions": {"lateness": 1, "expire_after": None}})
    assert not plan.marks


def test_columns_of_the_place() -> None:
    plan = planned("SELECT id FROM positions INSIDE RANGE (0, 1) ON (y)")
    assert plan.query.on == ("y",)
    assert planned("SELECT id FROM positions INSIDE y >= 0 AND y < 1").query == plan.query
    assert planned("SELECT id FROM positions kNN (3, 5) ON (x)").query.on == ("x",)


def test_how_a_created_query_is_answered() -> None:
    statement = parse("CREATE NEAREST n ON s kNN (3, 1, 1)")
    lines = explain_query(statement.query, "s").split("\n")  # type: ignore[union-attr]
    assert lines[1].endswith("each shard has some queries and sees all streams, since it looks at many of them")
    statement = parse("CREATE BORDER n ON s INSIDE (0, 0, 1, 1)")
    lines = explain_query(statement.query, "s").split("\n")  # type: ignore[union-attr]
    assert lines[1].endswith("each shard has some streams and all queries, since it looks at each stream alone")


IN = "INSIDE (0, 0, 1, 1)"
JOIN = "positions M JOIN favourites F ON M.id = F.id"
MISTAKES = {
    f"SELECT id FROM postions {IN}": (
        "line 1, column 16: expected a stream or a table that Spark knows, got postions. "
        "Hint: did you mean 'positions'?"
    ),
    f"SELECT owner FROM favourites {IN}": (
        "line 1, column 19: expected one stream in FROM: limen.spark.stream(name, df, columns) names them "
        "(positions, movingobjects), got favourites"
    ),
    f"SELECT id FROM positions A, positions B {IN}": (
        "line 1, column 16: expected one stream in FROM: limen.spark.stream(name, df, columns) names them "
        "(positions, movingobjects), got positions and positions"
    ),
    f"SELECT idd FROM positions {IN}": (
        "line 1, column 8: expected a column among id, ts, x, y, kind, got idd. Hint: did you mean 'id'?"
    ),
    f"SELECT N.id FROM positions M {IN}": "line 1, column 8: expected a table of this statement (M), got N",
    f"SELECT id FROM {JOIN} {IN}": (
        "line 1, column 8: expected a column of one table, got id of M and F. Hint: write table.column"
    ),
    f"SELECT kind FROM positions {IN}": (
        "line 1, column 8: expected a column of changes (id, ts, x, y), got kind. "
        "Hint: attributes are for WHERE; a table joined by the id can have further columns"
    ),
    f"SELECT id FROM positions\nWHERE knid = 'car' {IN}": (
        "line 2, column 7: expected a column among id, ts, x, y, kind, got knid. Hint: did you mean 'kind'?"
    ),
    f"SELECT id FROM positions WHERE ts > TIMESTAMP '2026-01-01' {IN}": (
        "line 1, column 32: expected a condition on values and attributes, or one on the id alone, got ts. "
        "Hint: the id: join the two with AND; the time: leave rows out of the DataFrame that the stream is made of"
    ),
    f"SELECT M.id FROM positions M JOIN favourites F ON M.x < F.seats {IN}": (
        "line 1, column 51: expected a join by the stream's id, got M.x. "
        "Hint: it may differ between an add and its remove; compare the stream's id"
    ),
    f"SELECT M.id FROM positions M FULL OUTER JOIN favourites F ON M.id = F.id {IN}": (
        "line 1, column 46: expected JOIN, LEFT JOIN, LEFT SEMI JOIN, LEFT ANTI JOIN, CROSS JOIN or a comma, "
        "got FULL OUTER JOIN. Hint: others would need rows that are in no change"
    ),
    "SELECT M.id FROM positions M JOIN favourites F ON F.seats > 3 kNN (3, 1, 1)": (
        "line 1, column 35: expected joins by the stream's id, M.id = F.id, beside kNN: the nearest are those of the "
        "streams that joins leave, got JOIN favourites AS F ON F.seats > 3"
    ),
    f"SELECT * FROM {JOIN} {IN}": (
        "line 1, column 8: expected columns of different names, got id twice. "
        "Hint: JOIN … USING (id) makes one column of both, AS gives one another name"
    ),
    f"SELECT M.id FROM positions M JOIN favourites F USING (owner) {IN}": (
        "line 1, column 55: expected a column of one table before and of this one, got owner of none"
    ),
    f"SELECT T.tag FROM positions M LEFT SEMI JOIN tags T ON M.id = T.id {IN}": (
        "line 1, column 8: expected a column of another table: LEFT SEMI JOIN only tests whether there is a row, "
        "got T.tag"
    ),
    f"SELECT M.id FROM positions M LEFT ANTI JOIN tags T ON M.id = T.id WHERE T.tag = 'red' {IN}": (
        "line 1, column 73: expected a column of another table: LEFT ANTI JOIN only tests whether there is a row, "
        "got T.tag"
    ),
    f"SELECT explode(array(F.owner)) AS o, count(*) FROM {JOIN} {IN} GROUP BY 1": (
        "line 1, column 8: expected one row of each beside aggregates, got EXPLODE(ARRAY(F.owner)). "
        "Hint: make a view of it first, and join that"
    ),
    f"SELECT max(x) FROM positions {IN}": (
        "line 1, column 8: expected count(…), sum(…) or avg(…) alone, got MAX(x). "
        "Hint: others cannot be kept up to date from members that come and go; use them on the DataFrame that comes out"
    ),
    f"SELECT count(*) + 1 AS n FROM positions {IN}": (
        "line 1, column 8: expected count(…), sum(…) or avg(…) alone, got COUNT(*) + 1. "
        "Hint: others cannot be kept up to date from members that come and go; use them on the DataFrame that comes out"
    ),
    f"SELECT count(DISTINCT id) FROM positions {IN}": (
        "line 1, column 8: expected count(*), got COUNT(DISTINCT id). "
        "Hint: count(DISTINCT …): SELECT DISTINCT, and limen.changes.count of that"
    ),
    f"SELECT id, count(*) FROM positions {IN}": (
        "line 1, column 8: expected aggregates, and columns of GROUP BY, got id"
    ),
    f"SELECT x, count(*) FROM positions {IN} GROUP BY x": (
        "line 1, column 8: expected the stream's id, or columns of joined tables, in groups and DISTINCT, got x. "
        "Hint: it may differ between an add and its remove"
    ),
    f"SELECT DISTINCT y FROM positions {IN}": (
        "line 1, column 17: expected the stream's id, or columns of joined tables, in groups and DISTINCT, got y. "
        "Hint: it may differ between an add and its remove"
    ),
    f"SELECT id FROM positions {IN} GROUP BY id": (
        "line 1, column 55: expected an aggregate beside GROUP BY: count(*), sum(…) or avg(…), got none"
    ),
    f"SELECT count(*) FROM {JOIN} {IN} GROUP BY F.owner": (
        "line 1, column 96: expected groups that are selected too, got F.owner. "
        "Hint: select the columns of GROUP BY too"
    ),
    f"SELECT id FROM positions WHERE id IN (SELECT id FROM favourites) {IN}": (
        "line 1, column 46: expected a condition or an expression on columns, got (SELECT id FROM favourites). "
        "Hint: join the table instead"
    ),
    f"SELECT x + 1 FROM positions {IN}": (
        "line 1, column 8: expected a name for what is computed, got x + 1. Hint: x + 1 AS name"
    ),
    f"SELECT id, x AS sign FROM positions {IN}": (
        "line 1, column 12: expected columns of different names, got sign, which every change has. "
        "Hint: AS gives another name"
    ),
    "SELECT id FROM positions INSIDE RANGE (0, 1)": (
        "line 1, column 26: expected a region of 2 dimensions (x, y), got 1. Hint: INSIDE … ON (x, y) names the columns"
    ),
    "SELECT id FROM positions INSIDE RANGE (0, 1) ON (z)": (
        "line 1, column 26: on: expected a column among x, y, got 'z'"
    ),
    f"SELECT id CROSS JOIN FROM positions {IN}": "line 1, column 8: expected FROM and a stream, got none",
    f"SELECT count() FROM positions {IN}": "line 1, column 8: expected count(*), sum(…) or avg(…), got COUNT()",
    f"SELECT M.id FROM positions M LEFT ANTI JOIN favourites {IN}": (
        "line 1, column 45: expected ON and a condition behind ANTI JOIN, got none"
    ),
    f"SELECT M.id FROM {JOIN} WHERE M.id = 'a' OR rand() < 0.5 {IN}": (
        "line 1, column 83: expected functions that return the same for the same row each time, got RAND()"
    ),
    f"SELECT M.id FROM positions M JOIN favourites VERSION AS OF 1 ON M.id = favourites.id {IN}": (
        "line 1, column 35: expected the name of a stream or a table, got favourites VERSION AS OF 1. "
        "Hint: make a view of it first"
    ),
    f"SELECT M.id FROM positions M JOIN favourites AS F(owner, id) ON M.id = F.id {IN}": (
        "line 1, column 35: expected a name for the table, and none for its columns, got favourites AS F(owner, id). "
        "Hint: make a view of it first"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_said_of_a_select_that_cannot_be_planned(text: str) -> None:
    with pytest.raises(InvalidStatement) as caught:
        planned(text)
    assert str(caught.value) == MISTAKES[text]
