"""Statements on Spark, batch and streaming: what they return is what the query and plain Python make of it."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limen
import limen.spark
from limen import Columns, InvalidInput, InvalidQuery, InvalidStatement, changes
from limen.model.query import Query
from limen.spark.statements import _names
from tests.spark.running import (
    CHANGES,
    MicroBatches,
    RunStream,
    assert_equal_events,
    collected,
    read_batches,
    write_batches,
)
from tests.sql.test_statements import SOLE_JOIN, SOLE_RANGE

COLUMNS = Columns("car", "t", ("x", "y"), ("kind",))
SCHEMA = pa.schema(
    [
        ("car", pa.int64()),
        ("t", pa.timestamp("us", "UTC")),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("kind", pa.string()),
    ]
)
START = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS, CARS = 16, 8
KINDS = ("truck", "van")
OWNERS = {1: ("city", 40), 3: ("Ann", 4), 4: ("city", 12), 6: ("Bob", 2)}
Row = dict[str, Any]
Told = list[tuple[Any, ...]]


def wander() -> list[Row]:
    """Cars that are anywhere, a report of each every second."""
    places = np.random.default_rng(11).uniform(0, 9, (SECONDS, CARS, 2))
    return [
        {"car": car, "t": START + timedelta(seconds=second), "x": x, "y": y, "kind": KINDS[(car + second // 9) % 2]}
        for second, now in enumerate(places.tolist())
        for car, (x, y) in enumerate(now)
    ]


ROWS = wander()
#: Rows far away in time and place. They make all others complete; what happens then is left out.
END = START + timedelta(hours=1)
LAST = [{"car": car, "t": END, "x": 1e6 + car, "y": 1e6, "kind": KINDS[car % 2]} for car in range(CARS)]


@pytest.fixture
def tables(spark: SparkSession) -> Iterator[None]:
    """Tables to join; names are forgotten in the end."""
    rows = [(car, *owner) for car, owner in OWNERS.items()]
    spark.createDataFrame(rows, "id long, owner string, seats int").createOrReplaceTempView("favourites")
    spark.createDataFrame([(1, "red"), (1, "fast"), (3, "red")], "id long, tag string").createOrReplaceTempView("tags")
    spark.createDataFrame([(1,), (4,), (5,)], "ObjectID long").createOrReplaceTempView("MyFavoriteCars")
    yield
    for name in ("favourites", "tags", "MyFavoriteCars"):
        spark.catalog.dropTempView(name)
    _names.streams.clear()
    _names.regions.clear()
    _names.queries.clear()


@pytest.fixture(params=["batch", pytest.param("streaming", marks=pytest.mark.soak)])
def ask(
    request: pytest.FixtureRequest, spark: SparkSession, tables: None, micro_batches: MicroBatches, tmp_path: Path
) -> Callable[[str], Told]:
    """Run a statement on the stream `positions`, also known as the paper's; return all that comes out."""
    rows = [*ROWS, *LAST]
    if request.param == "batch":
        df = spark.createDataFrame(pa.Table.from_pylist(rows, SCHEMA))
    else:
        df = micro_batches([rows[:50], rows[50:]], SCHEMA)
    limen.spark.stream("positions", df, COLUMNS, lateness=0, shards=2)
    paper = Columns("ObjectID", "t", ("x", "y"), ("type",))
    limen.spark.stream("MovingObjects", df.withColumnsRenamed({"car": "ObjectID", "kind": "type"}), paper, lateness=0)

    def run(statement: str) -> Told:
        result = limen.spark.sql(statement)
        assert result.isStreaming == (request.param == "streaming")
        if result.isStreaming:
            writer = result.writeStream.format("memory").queryName("told").trigger(availableNow=True)
            writer.option("checkpointLocation", str(tmp_path / "told")).start().awaitTermination()
            result = spark.table("told")
        return in_order(result)

    return run


def in_order(result: DataFrame) -> Told:
    rows = [tuple(row.values()) for row in result.toArrow().to_pylist()]
    return sorted((row for row in rows if END not in row), key=repr)


def signed(query: Query, rows: list[Row] = ROWS) -> list[Row]:
    """Return the changes that the engine in this process tells, as rows with a sign."""
    engine = limen.Engine(COLUMNS, queries=[query])
    known = {row["car"] for row in rows}
    table = pa.Table.from_pylist([*rows, *(row for row in LAST if row["car"] in known)], SCHEMA)
    events = pa.concat_tables([engine.process(table), engine.close()])
    told = [{**row, "car": int(row["stream_id"])} for row in changes.signed(events).to_pylist()]
    return [row for row in told if row["time"] < END]


AREA = limen.Box((2, 2), (7, 7))


@pytest.mark.soak  # a part of what the next ones do
def test_the_selection_of_the_paper(ask: Callable[[str], Told]) -> None:
    told = ask(f"CREATE REGION MyArea AS (2, 7, 7, 2); {SOLE_RANGE}")
    wanted = signed(limen.Within("q", AREA, where="kind = 'truck'"))
    assert len(wanted) > 10
    assert told == sorted(((row["car"], row["time"], row["sign"]) for row in wanted), key=repr)


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


@pytest.mark.soak
def test_a_left_join_leaves_out_nothing(ask: Callable[[str], Told]) -> None:
    told = ask("SELECT M.car, T.tag FROM positions M LEFT JOIN tags T ON M.car = T.id INSIDE (2, 2, 7, 7)")
    tags = {1: ["red", "fast"], 3: ["red"]}
    wanted = [(row["car"], tag, row["time"], row["sign"]) for row in signed(limen.Within("q", AREA))
              for tag in tags.get(row["car"], [None])]  # fmt: skip
    assert told == sorted(wanted, key=repr)


def running(rows: list[Row], key: Callable[[Row], Any], number: Callable[[list[Any]], Any]) -> Told:
    """Tell the number of each group after every instant that changed it, in the plainest way."""
    told, members, before = [], {}, {}
    for time in sorted({row["time"] for row in rows}):
        touched = set()
        for row in sorted((row for row in rows if row["time"] == time), key=lambda row: row["sign"]):
            group = members.setdefault(key(row), {})
            touched.add(key(row))
            if row["sign"] < 0:
                del group[row["member"]]
            else:
                group[row["member"]] = row["value"]
        for group in touched:
            now = number(list(members[group].values()))
            if now != before.get(group, 0 if number is len else None):
                told.append((*group, time, now))
            before[group] = now
    return sorted(told, key=repr)


@pytest.mark.soak  # the restart below counts the same groups
def test_a_running_count_of_groups(ask: Callable[[str], Told]) -> None:
    told = ask("""
        SELECT F.owner, count(*) AS n FROM positions M JOIN favourites F ON M.car = F.id
        WHERE M.kind = 'truck' GROUP BY F.owner INSIDE (2, 2, 7, 7)
    """)
    rows = [{**row, "member": row["car"], "value": 1} for row in signed(limen.Within("q", AREA, where="kind = 'truck'"))
            if row["car"] in OWNERS]  # fmt: skip
    assert told == running(rows, lambda row: (OWNERS[row["car"]][0],), len)
    assert len(told) > 5


@pytest.mark.soak
def test_running_numbers_of_what_a_join_multiplies(ask: Callable[[str], Told]) -> None:
    told = ask("""
        SELECT avg(M.x) AS x, count(*), sum(M.y * 2) AS y
        FROM positions M JOIN tags T ON M.car = T.id INSIDE (2, 2, 7, 7)
    """)
    tags = {1: ["red", "fast"], 3: ["red"]}
    rows = [{**row, "member": (row["car"], tag), "value": row["values"]} for row in signed(limen.Within("q", AREA))
            for tag in tags.get(row["car"], [])]  # fmt: skip

    def numbers(values: list[Any]) -> tuple[Any, ...]:
        xs, ys = [x for x, _ in values], [y for _, y in values]
        return (round(sum(xs) / len(xs), 9) if xs else None, len(xs), round(sum(ys) * 2, 9))

    wanted = [(time, *values) for time, values in running(rows, lambda _: (), numbers)]
    assert len(wanted) > 3
    assert [(time, x and round(x, 9), count, round(y, 9)) for time, x, count, y in told] == wanted


@pytest.mark.soak
def test_distinct_values(ask: Callable[[str], Told]) -> None:
    told = ask("SELECT DISTINCT F.owner FROM positions M JOIN favourites F ON M.car = F.id INSIDE (2, 2, 7, 7)")
    rows = [
        {**row, "member": row["car"], "value": 1} for row in signed(limen.Within("q", AREA)) if row["car"] in OWNERS
    ]
    wanted, before = [], {}
    for owner, time, count in sorted(running(rows, lambda row: (OWNERS[row["car"]][0],), len), key=lambda row: row[1]):
        if (count > 0) != (before.get(owner, 0) > 0):
            wanted.append((owner, time, 1 if count else -1))
        before[owner] = count
    assert told == sorted(wanted, key=repr)
    assert len(told) >= 4


#: Each family in both forms.
FAMILIES: dict[str, Query] = {
    "CREATE BORDER q ON positions WHERE kind = 'truck' INSIDE (2, 2, 7, 7) INITIAL REPORT": limen.Border(
        "q", AREA, initial="report", where="kind = 'truck'"
    ),
    "CREATE TRANSITION q ON positions INSIDE BOX (2, 2, 7, 7) WITHIN INTERVAL 3 SECONDS": limen.Transition(
        "q", AREA, within=3
    ),
    "CREATE MATCH q ON positions INSIDE x BETWEEN 2 AND 4": limen.Match("q", limen.Range(2, 4.000000000000001), on="x"),
    "CREATE WITHIN q ON positions FOR 1, 2, 3 INSIDE CIRCLE (3) AROUND 0": limen.Within(
        "q", focal="0", radius=3, streams=(1, 2, 3)
    ),
    "CREATE NEAREST q ON positions kNN (3, 5, 5)": limen.Nearest("q", 3, center=(5, 5)),
    "CREATE PATTERN q ON positions AS a, b WHEN a.kind = 'truck' AND DISTANCE(a, b) < 1 AND b.t - a.t IN [0, 1]": (
        limen.Pattern("q", {"a": "kind = 'truck'", "b": None}, [limen.Pair("a", "b", after=(0, 1), distance=1)])
    ),
}


@pytest.mark.parametrize("how", [pytest.param("batch", marks=pytest.mark.soak), "streaming"])
def test_events_of_a_statement_are_those_of_the_query_in_python(
    how: str, spark: SparkSession, tables: None, micro_batches: MicroBatches, run_stream: RunStream
) -> None:
    rows = [*ROWS, *LAST]
    df = (
        spark.createDataFrame(pa.Table.from_pylist(rows, SCHEMA)) if how == "batch"
        else micro_batches([rows[:100], rows[100:]], SCHEMA)
    )  # fmt: skip
    limen.spark.stream("positions", df, COLUMNS, lateness=0, shards=2)
    queries = {f"q{number}": text.replace(" q ", f" q{number} ") for number, text in enumerate(FAMILIES)}
    events = limen.spark.sql("; ".join(queries.values()))
    got = collected(events) if how == "batch" else run_stream(events).events
    assert [row.name for row in limen.spark.sql("SHOW QUERIES").collect()] == list(queries)

    forms = [limen.sql.query_from_sql(text) for text in queries.values()]
    assert forms == [
        type(form)(**{**arguments(form), "id": id}) for id, form in zip(queries, FAMILIES.values(), strict=True)
    ]
    engine = limen.Engine(COLUMNS, queries=forms, order="event")
    table = pa.Table.from_pylist(rows, SCHEMA)
    wanted = [engine.process(table), *([engine.close()] if how == "batch" else [])]
    frame = spark.createDataFrame(pa.concat_tables(wanted))
    assert_equal_events(collected(frame), got, how)
    assert {event["query_id"] for event in got} == set(queries)


STREAM = pa.Table.from_pylist(ROWS[:20], SCHEMA)


@pytest.fixture
def few(spark: SparkSession, tables: None) -> DataFrame:
    df = spark.createDataFrame(STREAM)
    limen.spark.stream("positions", df, COLUMNS, lateness=0)
    return df


IN = "INSIDE (2, 2, 7, 7)"
MISTAKES = {
    "CREATE MATCH m ON postions INSIDE x < 3": (
        "sql: expected a stream (positions), got 'postions'. Hint: did you mean 'positions'?"
    ),
    "CREATE MATCH m ON positions INSIDE z < 3": "query 'm': on: expected a column among x, y, got 'z'",
    "CREATE MATCH m ON positions INSIDE RANGE (0, 3)": (
        "query 'm': expected a region of 2 dimensions (x, y), got 1. "
        "Hint: name the columns that the region is about with on="
    ),
    "CREATE MATCH m ON positions WHERE kind > 3 INSIDE x < 3": (
        "query 'm': expression 'kind > 3': expected values of one kind for >, got `kind` (string), 3 (int64)"
    ),
    "DROP QUERY nobody": "DROP QUERY: expected a query that there is, got nobody",
    f"SELECT car FROM positions WHERE no_function(car) {IN}": (
        "condition (NO_FUNCTION(car)): [UNRESOLVED_ROUTINE] Cannot resolve routine `NO_FUNCTION` on search path"
    ),
    f"SELECT car FROM nowhere {IN}": (
        "line 1, column 17: expected a stream or a table that Spark knows, got nowhere. "
        "Hint: df.createOrReplaceTempView(name) gives a DataFrame a name"
    ),
    "INSERT INTO favourites VALUES (1)": (
        "line 1, column 1: expected CREATE, DROP QUERY, SHOW QUERIES, EXPLAIN or SELECT, got INSERT"
    ),
    "  ": "line 1, column 1: expected a statement, got nothing",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_said_of_a_statement_that_cannot_be_run(text: str, few: DataFrame) -> None:
    with pytest.raises((InvalidInput, InvalidQuery)) as caught:
        limen.spark.sql(text)
    assert str(caught.value).startswith(MISTAKES[text])


def test_streams_that_cannot_be_named(spark: SparkSession, few: DataFrame, micro_batches: MicroBatches) -> None:
    with pytest.raises(InvalidInput, match="stream: expected a name first, got ''"):
        limen.spark.stream("", few, COLUMNS)
    with pytest.raises(InvalidInput, match="stream 's': expected a DataFrame of Spark second, got Table"):
        limen.spark.stream("s", STREAM, COLUMNS)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"stream 's': expected limen.Columns\(…\) third, got None"):
        limen.spark.stream("s", few, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"expected a column 'z' \(a value column\)"):
        limen.spark.stream("s", few, Columns("car", "t", "z"))
    with pytest.raises(InvalidStatement, match="sql: expected text, got 7"):
        limen.spark.sql(7)  # type: ignore[arg-type]
    micro_batches([ROWS[:3]], SCHEMA).createOrReplaceTempView("flows")
    with pytest.raises(InvalidInput, match="table flows: expected a table that does not change while the stream runs"):
        limen.spark.sql(f"SELECT M.car FROM positions M JOIN flows F ON M.car = F.car {IN}")
    spark.catalog.dropTempView("flows")


def test_queries_are_created_shown_replaced_and_dropped(few: DataFrame) -> None:
    limen.spark.sql("CREATE REGION low AS x < 3")
    limen.spark.sql("CREATE MATCH m ON positions INSIDE LOW")
    with pytest.raises(InvalidQuery, match="query 'm': expected a name that is not taken"):
        limen.spark.sql("CREATE MATCH m ON positions INSIDE low")
    limen.spark.sql("CREATE OR REPLACE MATCH m ON positions INSIDE x < 4")
    (shown,) = limen.spark.sql("SHOW QUERIES").collect()
    assert tuple(shown) == ("m", "match", "positions", "CREATE MATCH m ON positions INSIDE x < 4")
    assert limen.spark.sql("DROP QUERY m").columns == []
    assert limen.spark.sql("SHOW QUERIES").count() == 0
    (plan,) = limen.spark.sql("EXPLAIN CREATE MATCH m ON positions INSIDE x < 4").collect()
    assert plan.plan.split("\n")[1].startswith(
        "└─ CREATE MATCH m ON positions INSIDE x < 4   -- each shard has some streams"
    )
    (plan,) = limen.spark.sql(f"EXPLAIN SELECT car FROM positions {IN}").collect()
    assert plan.plan.startswith("select car, time, sign")


def test_a_change_of_a_running_stream_in_sql(micro_batches: MicroBatches, run_stream: RunStream) -> None:
    changes_of = [
        {"change": json.dumps({"op": "register", "sql": sql, "at": "2026-01-01T00:00:00Z"})}
        for sql in ("CREATE BORDER b ON positions INSIDE x < 4", "CREATE BODER c ON positions INSIDE x < 4")
    ]
    job = run_stream(
        limen.spark.monitor(
            micro_batches([[*ROWS, *LAST]], SCHEMA), micro_batches([changes_of], CHANGES), COLUMNS, lateness=0, shards=2
        )
    )
    engine = limen.Engine(COLUMNS, queries=[limen.Border("b", limen.Range(None, 4), on="x")], order="event")
    wanted = engine.process(pa.Table.from_pylist([*ROWS, *LAST], SCHEMA))
    assert sorted(event["event_id"] for event in job.events) == sorted(wanted["event_id"].to_pylist())
    (problem,) = job.batches[0]["problems"]
    assert problem.startswith("line 1, column 8: expected REGION, BORDER, ")


def test_a_running_count_goes_on_after_a_restart(spark: SparkSession, tables: None, tmp_path: Path) -> None:
    statement = """
        SELECT F.owner, count(*) AS n FROM positions M JOIN favourites F ON M.car = F.id
        WHERE M.kind = 'truck' INSIDE (2, 2, 7, 7) GROUP BY F.owner
    """
    for part in (ROWS[:60], [*ROWS[60:], *LAST]):
        rows = read_batches(spark, write_batches(tmp_path / "rows", [part], SCHEMA))
        limen.spark.stream("positions", rows, COLUMNS, lateness=0, shards=2)
        numbers = limen.spark.sql(statement)
        writer = numbers.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(str(tmp_path / "sink")).awaitTermination()
    got = in_order(spark.read.schema(numbers.schema).parquet(str(tmp_path / "sink")))
    rows = [{**row, "member": row["car"], "value": 1} for row in signed(limen.Within("q", AREA, where="kind = 'truck'"))
            if row["car"] in OWNERS]  # fmt: skip
    assert got == running(rows, lambda row: (OWNERS[row["car"]][0],), len)


def arguments(query: Query) -> dict[str, Any]:
    names = [name for each in type(query).__mro__ for name in getattr(each, "__slots__", ())]
    return {name: getattr(query, name) for name in names}
