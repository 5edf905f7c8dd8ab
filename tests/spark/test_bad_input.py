"""What users get wrong: each with an error that names the cause and the remedy, or a count, and never a crash."""

import math
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException, StreamingQueryException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import limen
from limen import Border, Columns, InvalidInput, InvalidQuery, Range
from tests.spark.running import MicroBatches, RunStream, SetConf

COLUMNS = Columns(id="id", time="t", values="x", attributes="kind")
QUERIES = [Border("low", Range(0, 10), initial="report")]
SCHEMA = pa.schema([("id", pa.string()), ("t", pa.timestamp("us", "UTC")), ("x", pa.float64()), ("kind", pa.string())])
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def frame(spark: SparkSession, schema: str) -> DataFrame:
    return spark.createDataFrame([], schema)


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


def row(id: str | None, second: int | None, x: float | None, kind: str | None = None) -> dict[str, Any]:
    return {"id": id, "t": None if second is None else at(second), "x": x, "kind": kind}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (
            "id string, t timestamp, y double, kind string",
            (
                "monitor: data: expected a column 'x' (a value column), got columns id, t, y, kind."
                " Hint: Columns(…) gives each column its role"
            ),
        ),
        (
            "ID string, t timestamp, x double, kind string",
            (
                "monitor: data: expected a column 'id' (the id column), got columns ID, t, x, kind."
                " Hint: did you mean 'ID'?"
            ),
        ),
        (
            "id string, t timestamp, x double, x double, kind string",
            "monitor: data: expected a column 'x' (a value column), got 2 of that name",
        ),
        (
            "id double, t timestamp, x double, kind string",
            "monitor: id: column 'id': expected text or integers, got double",
        ),
        (
            "id string, t string, x double, kind string",
            (
                "monitor: time: column 't': expected timestamps, or integers with Columns(time_unit=…), got string."
                " Hint: df.withColumn('t', F.try_to_timestamp('t')) reads text, and what it cannot read is counted"
            ),
        ),
        (
            "id string, t bigint, x double, kind string",
            (
                "monitor: time: column 't': expected timestamps, got bigint."
                " Hint: give the unit of the integers: Columns(…, time_unit='s'), 'ms', 'us' or 'ns'"
            ),
        ),
        (
            "id string, t timestamp, x string, kind string",
            (
                "monitor: value: column 'x': expected numbers, got string."
                " Hint: df.withColumn('x', F.expr('try_cast(x AS double)')) reads text"
            ),
        ),
        (
            "id string, t timestamp, x double, kind array<int>",
            "monitor: attribute: column 'kind': expected text, numbers, booleans or times, got array<int>",
        ),
    ],
)
def test_columns_that_do_not_fit(spark: SparkSession, schema: str, text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        limen.spark.monitor(frame(spark, schema), QUERIES, COLUMNS)
    assert str(caught.value) == text


GOOD = "id string, t timestamp, x double, kind string"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"shards": 0}, InvalidInput, "option 'shards': expected a number from 1 to 16,384, got 0"),
        ({"shards": "2"}, InvalidInput, "option 'shards': expected a number from 1 to 16,384, got '2'"),
        ({"tick": "10 seconds"}, InvalidInput, "option 'tick': expected a streaming DataFrame, got a batch"),
        ({"routing": "by_luck"}, InvalidInput, "option 'routing': expected 'by_stream' or 'by_query', got 'by_luck'"),
        ({"latness": 3}, InvalidInput, "option 'latness'.*Hint: did you mean 'lateness'"),
        ({"shard": 3}, InvalidInput, "option 'shard'.*Hint: did you mean 'shards'"),
        ({"order": "random"}, InvalidInput, "option 'order': expected 'arrival' or 'event', got 'random'"),
        ({"columns": {"id": "id"}}, InvalidInput, r"monitor: expected limen.Columns\(…\) third"),
        ({"queries": [1]}, InvalidQuery, "monitor: queries: expected queries such as .*, got 1"),
        ({"queries": QUERIES * 2}, InvalidQuery, "monitor: queries: expected each id once, got 'low' twice"),
        ({"queries": [Border("q", Range(0, 1), on="z")]}, InvalidQuery, "query 'q'"),
        ({"queries": [Border("q", Range(0, 1), where="kind > 3")]}, InvalidQuery, "query 'q'"),
        ({"queries": "nowhere.jsonl"}, InvalidInput, "nowhere.jsonl: expected a file, got No such file or directory"),
    ],
)
def test_arguments_that_do_not_fit(
    spark: SparkSession, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    given = {"queries": QUERIES, "columns": COLUMNS, **arguments}
    with pytest.raises(error, match=text):
        limen.spark.monitor(frame(spark, GOOD), **given)


def test_something_else_than_a_data_frame() -> None:
    with pytest.raises(
        InvalidInput, match=r"expected a DataFrame of Spark first, got Table\. Hint: limen\.Engine takes"
    ):
        limen.spark.monitor(SCHEMA.empty_table(), QUERIES, COLUMNS)


def test_changes_without_their_column(spark: SparkSession) -> None:
    with pytest.raises(
        InvalidInput, match=r"monitor: queries: expected a column 'change' \(changes of queries\), got columns c"
    ):
        limen.spark.monitor(frame(spark, GOOD), frame(spark, "c string"), COLUMNS)
    with pytest.raises(InvalidInput, match="expected text: one JSON object a change, got int"):
        limen.spark.monitor(frame(spark, GOOD), frame(spark, "change int"), COLUMNS)


def test_a_session_without_the_needed_settings(micro_batches: MicroBatches, set_conf: SetConf) -> None:
    stream = micro_batches([[row("a", 0, 1.0)]], SCHEMA)
    set_conf(PROVIDER, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    with pytest.raises(InvalidInput) as caught:
        limen.spark.monitor(stream, QUERIES, COLUMNS)
    text = str(caught.value)
    assert f"expected {PROVIDER}=org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider" in text
    assert "HDFSBackedStateStoreProvider" in text
    assert "limen.spark.session() starts a session that has them" in text


def test_settings_that_are_none_of_sparks() -> None:
    with pytest.raises(InvalidInput, match=r"session: expected settings of Spark, such as spark.master, got 'master'"):
        limen.spark.session(master="local")


BAD = [
    row(None, 1, 1.0),
    row("a", None, 1.0),
    row("a", 1, math.inf),
    row("a", 1, -math.inf),
    row("a", 1, math.nan),
    row("a", 2, None),
    row("b", 3, 5.0),
]
REJECTED = {"null_id": 1, "null_time": 1, "infinite_value": 2}


def test_bad_rows_are_counted_in_a_stream(micro_batches: MicroBatches, run_stream: RunStream) -> None:
    run = run_stream(limen.spark.monitor(micro_batches([[], BAD, []], SCHEMA), QUERIES, COLUMNS, lateness=0))
    assert sum(batch["rows"] for batch in run.batches) == len(BAD)
    assert run.batches[1]["rejected"] == REJECTED
    assert run.events == []  # b's time is not complete


def test_bad_rows_are_counted_in_a_batch(spark: SparkSession) -> None:
    seen = Observation()
    rows = spark.createDataFrame(pa.Table.from_pylist(BAD, schema=SCHEMA))
    events = limen.spark.monitor(rows, QUERIES, COLUMNS, observation=seen).collect()
    assert [(event.stream_id, event.kind, event.reason) for event in events] == [("b", "enter", "appeared")]
    counts = limen.spark.counters(seen)
    assert counts["rows"] == len(BAD)
    assert counts["rejected"] == REJECTED


def test_bad_rows_fail_where_asked(spark: SparkSession, micro_batches: MicroBatches, run_stream: RunStream) -> None:
    text = 'expected good rows only, got 1 null_id.*on_bad_row="count" counts them and goes on'
    options: dict[str, Any] = {"on_bad_row": "fail"}
    with pytest.raises(StreamingQueryException, match=text):
        run_stream(limen.spark.monitor(micro_batches([BAD[:1]], SCHEMA), QUERIES, COLUMNS, **options))
    rows = spark.createDataFrame(pa.Table.from_pylist(BAD[:1], schema=SCHEMA))
    with pytest.raises(PythonException, match=text):
        limen.spark.monitor(rows, QUERIES, COLUMNS, **options).collect()


def test_times_as_text_that_cannot_be_read(spark: SparkSession) -> None:
    rows = spark.createDataFrame(
        [("a", "2026-01-01 00:00:00", 5.0, ""), ("a", "soon", 5.0, "")], "id string, t string, x double, kind string"
    )
    seen = Observation()
    limen.spark.monitor(rows.withColumn("t", F.try_to_timestamp("t")), QUERIES, COLUMNS, observation=seen).collect()
    counts = limen.spark.counters(seen)
    assert counts["rejected"] == {"null_time": 1}
    assert counts["events"] == {"enter": 1}


def test_integers_as_ids_and_times(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(7, 1, 50), (7, 2, 5)], "vehicle bigint, seconds int, `x y` int")
    columns = Columns(id="vehicle", time="seconds", values="x y", time_unit="s")
    events = limen.spark.monitor(rows, QUERIES, columns).collect()
    assert [(event.stream_id, event.time.timestamp(), event["values"]) for event in events] == [("7", 2.0, [5.0])]


@pytest.mark.parametrize("names", [("shard", "packet", "c0"), ("a.b", "c d", "e`f"), ("values", "count", "Packet")])
def test_columns_may_be_called_anything(spark: SparkSession, names: tuple[str, str, str]) -> None:
    rows = spark.createDataFrame([("a", 1, 50.0), ("a", 2, 5.0)], "i string, t int, x double").toDF(*names)
    id, time, value = names
    columns = Columns(id=id, time=time, values=value, time_unit="s")
    events = limen.spark.monitor(rows, QUERIES, columns, shards=2).collect()
    assert [(event.stream_id, event.kind, event["values"]) for event in events] == [("a", "enter", [5.0])]


def test_columns_that_differ_by_capitals_only(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", 1, 2, 5.0, "")], "id string, t int, T int, x double, kind string")
    with pytest.raises(InvalidInput, match="Spark takes small and capital letters for the same, got columns t, T"):
        limen.spark.monitor(rows, QUERIES, Columns(id="id", time="t", values="x", time_unit="s"))


def test_changes_of_a_batch_that_cannot_be_read_are_told(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    changes = spark.createDataFrame([("garbage",), (None,)], "change string")
    rows = spark.createDataFrame([("a", 1, 5.0)], "id string, t int, x double")
    seen = Observation()
    columns = Columns(id="id", time="t", values="x", time_unit="s")
    assert limen.spark.monitor(rows, changes, columns, observation=seen).collect() == []
    assert limen.spark.counters(seen)["changes"]["rejected"] == 2
    problems = limen.spark.counters(seen)["problems"]
    assert len(problems) == 2
    assert all("expected one" in problem for problem in problems)


@pytest.mark.soak
def test_a_source_whose_files_change_their_schema(
    spark: SparkSession, micro_batches: MicroBatches, run_stream: RunStream, tmp_path: Path
) -> None:
    """Spark itself refuses the file; once it is mended the stream goes on, and nothing is lost."""
    stream = micro_batches([[row("a", 0, 50.0)], [row("a", 20, 5.0)], [row("a", 40, 50.0)]], SCHEMA)
    folder = tmp_path / "source1"
    file = folder / "000001.parquet"
    good, age = file.read_bytes(), file.stat().st_mtime

    def replace(content: bytes) -> None:
        file.write_bytes(content)
        os.utime(file, (age, age))  # Spark takes the oldest first

    other = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": ["a"], "t": ["later"], "x": ["five"], "kind": [1]}), other)
    replace(other.getvalue().to_pybytes())
    events = limen.spark.monitor(stream, QUERIES, COLUMNS, lateness=0)
    writer = events.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
    with pytest.raises(StreamingQueryException):
        writer.start(str(tmp_path / "out")).awaitTermination()
    replace(good)
    writer.start(str(tmp_path / "out")).awaitTermination()
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    assert [(event.kind, event.time.astimezone(UTC)) for event in found] == [("enter", at(20))]
