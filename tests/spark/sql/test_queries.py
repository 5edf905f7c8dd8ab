"""CREATE, DROP and SHOW on Spark, and CREATE as a change of a running stream."""

import json
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limen
import limen.spark
from limen import InvalidQuery
from limen.model.query import Query
from tests.spark.running import CHANGES, MicroBatches, RunStream, assert_equal_events, collected
from tests.spark.sql.workload import AREA, COLUMNS, LAST, ROWS, SCHEMA

IN = "INSIDE (2, 2, 7, 7)"
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


def arguments(query: Query) -> dict[str, Any]:
    names = [name for each in type(query).__mro__ for name in getattr(each, "__slots__", ())]
    return {name: getattr(query, name) for name in names}


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
        for sql in (
            "CREATE BORDER b ON positions INSIDE x < 4",
            "CREATE BODER c ON positions INSIDE x < 4",
            "CREATE BORDER d ON postions INSIDE x < 4",
        )
    ]
    job = run_stream(
        limen.spark.monitor(
            micro_batches([[*ROWS, *LAST]], SCHEMA),
            micro_batches([changes_of], CHANGES),
            COLUMNS,
            lateness=0,
            shards=2,
            stream="positions",
        )
    )
    engine = limen.Engine(COLUMNS, queries=[limen.Border("b", limen.Range(None, 4), on="x")], order="event")
    wanted = engine.process(pa.Table.from_pylist([*ROWS, *LAST], SCHEMA))
    assert sorted(event["event_id"] for event in job.events) == sorted(wanted["event_id"].to_pylist())
    word, stream = sorted(job.batches[0]["problems"], reverse=True)
    assert word.startswith("line 1, column 8: expected REGION, BORDER, ")
    assert stream.startswith(
        "line 1, column 1: expected the stream 'positions', got 'postions'. Hint: did you mean 'positions'?"
    )
