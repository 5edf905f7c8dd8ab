"""SELECT on Spark, batch and streaming: it returns what the query and plain Python make of it."""

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession

import limen
import limen.spark
from limen import Columns, InvalidStatement
from tests.spark.sql.workload import AREA, COLUMNS, OWNERS, ROWS, START, Told, signed
from tests.sql.test_statements import SOLE_JOIN, SOLE_RANGE


@pytest.mark.soak  # a part of what the next ones do
def test_the_selection_of_the_paper(ask: Callable[[str], Told]) -> None:
    told = ask(f"CREATE REGION MyArea AS (2, 7, 7, 2); {SOLE_RANGE}")
    wanted = signed(limen.Within("q", AREA, where="kind = 'truck'"))
    assert len(wanted) > 10
    assert told == sorted(((row["car"], row["time"], row["sign"]) for row in wanted), key=repr)


@pytest.mark.soak
def test_the_join_of_the_paper_around_a_car(ask: Callable[[str], Told]) -> None:
    told = ask(f"CREATE OR REPLACE REGION MyArea AS ('M', 0, 8, 6); {SOLE_JOIN}")
    wanted = [row for row in signed(limen.Within("q", focal="0", width=8, height=6)) if row["car"] in (1, 4, 5)]
    assert len(wanted) > 5
    assert told == sorted(((row["car"], row["time"], row["sign"]) for row in wanted), key=repr)


def test_a_join_adds_columns_and_leaves_out_streams(ask: Callable[[str], Told]) -> None:
    told = ask("""
        SELECT M.car, F.owner, M.x, upper(F.owner) AS loud
        FROM positions M JOIN favourites F ON M.car = F.id
        WHERE M.kind = 'truck' AND M.car <> 1 AND F.seats < 20 AND (M.x < 8 OR M.kind = 'nothing')
        INSIDE CIRCLE (5, 5, 4)
    """)
    query = limen.Within("q", limen.Circle((5, 5), 4), where="kind = 'truck' and x < 8")
    wanted = [
        (row["car"], owner, row["values"][0], owner.upper(), row["time"], row["sign"])
        for row in signed(query)
        for owner, seats in [OWNERS.get(row["car"], ("", 99))]
        if row["car"] != 1 and seats < 20
    ]
    assert len(wanted) > 2
    assert told == sorted(wanted, key=repr)


@pytest.mark.soak
def test_the_nearest_are_those_of_the_streams_that_joins_leave(ask: Callable[[str], Told]) -> None:
    told = ask(
        "SELECT M.car, F.owner FROM positions M, favourites F WHERE F.id = M.car AND F.seats > 3 kNN ('M', 2, 0)"
    )
    # The focal is needed though no favourite; it is never in its own answer.
    rows = [row for row in ROWS if row["car"] in (0, 1, 3, 4)]
    wanted = [
        (row["car"], OWNERS[row["car"]][0], row["time"], row["sign"])
        for row in signed(limen.Nearest("q", 2, focal="0"), rows)
    ]
    assert len(wanted) > 5
    assert told == sorted(wanted, key=repr)


def test_using_makes_one_column_and_words_of_sql_are_names_in_backquotes(spark: SparkSession, tables: None) -> None:
    rows = [("a", START, 5.0, 5.0, "car", 1), ("b", START, 5.0, 5.0, "car", 9)]
    df = spark.createDataFrame(
        rows, "`select` string, `t` timestamp, `order` double, `group` double, `case` string, `from` int"
    )
    columns = Columns("select", "t", ("order", "group"), ("case", "from"))
    limen.spark.stream("limit", df, columns, lateness=0, shards=2)
    spark.createDataFrame(
        [("a", "x y", 1), ("b", "z", 2)], "`select` string, `my where` string, `having` int"
    ).createOrReplaceTempView("join")
    told = limen.spark.sql("""
        SELECT * FROM `limit` JOIN `join` USING (`select`)
        WHERE `limit`.`case` = 'car' AND `from` < 3 AND `having` < 5 AND `select` <> 'c' INSIDE `order` > 2
    """)
    spark.catalog.dropTempView("join")
    assert told.columns == ["select", "order", "group", "my where", "having", "time", "sign"]
    assert [tuple(row) for row in told.collect()] == [("a", 5.0, 5.0, "x y", 1, START.replace(tzinfo=None), 1)]


def test_tables_are_those_of_the_session_of_the_stream(spark: SparkSession, few: DataFrame) -> None:
    other = spark.newSession()
    other.createDataFrame([(1, "theirs")], "id long, owner string").createOrReplaceTempView("favourites")
    other.createDataFrame([(1, "theirs")], "id long, owner string").createOrReplaceTempView("only_there")
    limen.spark.stream("elsewhere", other.createDataFrame(few.toArrow()), COLUMNS, lateness=0, shards=1)
    statement = (
        "SELECT DISTINCT F.owner FROM {} M JOIN favourites F ON M.car = F.id WHERE M.car = 1 INSIDE (0, 0, 9, 9)"
    )
    assert {row.owner for row in limen.spark.sql(statement.format("elsewhere")).collect()} == {"theirs"}
    assert {row.owner for row in limen.spark.sql(statement.format("positions")).collect()} == {"city"}
    with pytest.raises(InvalidStatement, match="expected a stream or a table that Spark knows, got only_there"):
        limen.spark.sql("SELECT M.car FROM positions M JOIN only_there F ON M.car = F.id INSIDE (0, 0, 9, 9)")


@pytest.mark.soak
def test_conditions_on_the_id_change_no_expiry(ask: Callable[[str], Told]) -> None:
    told = ask("SELECT M.car FROM silent M JOIN favourites F ON M.car = F.id WHERE M.car <> 3 INSIDE (2, 2, 7, 7)")
    rows = [row for row in ROWS if row["car"] != 1 or row["t"].second % 7 < 3]
    wanted = signed(limen.Within("q", AREA), rows, order="event", expire_after=2)
    assert "expired" in {row["reason"] for row in wanted if row["car"] == 1}
    wanted = [row for row in wanted if row["car"] in OWNERS and row["car"] != 3]
    assert told == sorted(((row["car"], row["time"], row["sign"]) for row in wanted), key=repr)


@pytest.mark.soak
def test_a_left_join_leaves_out_nothing(ask: Callable[[str], Told]) -> None:
    told = ask("SELECT M.car, T.tag FROM positions M LEFT JOIN tags T ON M.car = T.id INSIDE (2, 2, 7, 7)")
    tags = {1: ["red", "fast"], 3: ["red"]}
    wanted = [(row["car"], tag, row["time"], row["sign"]) for row in signed(limen.Within("q", AREA))
              for tag in tags.get(row["car"], [None])]  # fmt: skip
    assert told == sorted(wanted, key=repr)
