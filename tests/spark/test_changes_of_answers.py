"""`limen.changes` on Spark, batch and streaming, gives what it gives in process; select and join carry the sign."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import limen
import limen.spark
from limen import InvalidInput, StateError, changes
from limen.changes import running
from limen.changes.fold import Fold, take
from limen.spark.changes import FoldProcessor, _pack
from tests.spark.running import MicroBatches

COLUMNS = limen.Columns("car", "t", ("x", "y"))
QUERIES = [
    limen.Within("centre", limen.Box((2, 2), (7, 7))),
    limen.Within("around a", focal="a", radius=3),
    limen.Nearest("two", 2, center=(5, 5)),
]
Run = Callable[[DataFrame], pa.Table]
ROWS = pa.schema([("car", pa.string()), ("t", pa.timestamp("us", "UTC")), ("x", pa.float64()), ("y", pa.float64())])
START = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS, CARS = 30, "abcdefgh"

HELPERS: dict[str, Callable[[Any], Any]] = {
    "count": changes.count,
    "sum": lambda events: changes.sum(events, 0),
    "average": lambda events: changes.average(events, "y", columns=COLUMNS),
    "all": lambda events: changes.count(events, by=()),
    "distinct": lambda events: changes.distinct(events, "stream_id"),
}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Cars that wander about, a report of each every second."""
    random = np.random.default_rng(7)
    places = random.uniform(0, 9, (len(CARS), 2)) + np.cumsum(random.normal(0, 1, (SECONDS, len(CARS), 2)), axis=0)
    return [
        {"car": car, "t": START + timedelta(seconds=second), "x": x, "y": y}
        for second, now in enumerate(places.tolist())
        for car, (x, y) in zip(CARS, now, strict=True)
    ]


@pytest.fixture(scope="module")
def known(rows: list[dict[str, Any]]) -> pa.Table:
    """The events of the in-process engine."""
    engine = limen.Engine(COLUMNS, queries=QUERIES)
    return pa.concat_tables([engine.process(pa.Table.from_pylist(rows, ROWS)), engine.close()])


@pytest.fixture(scope="module")
def events(spark: SparkSession, known: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """The same events as a batch, in no order."""
    order = np.random.default_rng(1).permutation(len(known))
    return spark.createDataFrame(known.take(pa.array(order)).drop_columns("bindings"))


@pytest.fixture(scope="module")
def cars(spark: SparkSession) -> DataFrame:
    """A table of favourite cars; others are not in it."""
    favourites = [(car, "red" if car < "d" else "blue", 10) for car in "acdfg"]
    return spark.createDataFrame(favourites, "stream_id string, colour string, seats int")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a streaming job until it has taken all there is; return what its sink holds."""

    def finish(result: DataFrame) -> pa.Table:
        writer = result.writeStream.format("memory").queryName("told").trigger(availableNow=True)
        writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
        return result.sparkSession.table("told").toArrow()

    return finish


def told(table: pa.Table) -> list[str]:
    """Make tables comparable: rows in an order of their own."""
    names = [name for name in table.schema.names if name != "bindings"]
    return sorted(map(repr, table.select(names).to_pylist()))


def in_instants(known: pa.Table) -> list[list[dict[str, Any]]]:
    """Cut events into micro-batches of whole instants."""
    in_order = limen.sort_events(known).drop_columns("bindings").to_pylist()
    cuts = [START + timedelta(seconds=second) for second in (0, 9, SECONDS)]
    return [[event for event in in_order if lo <= event["time"] < hi] for lo, hi in pairwise(cuts)]


WITHOUT_BINDINGS = pa.schema([field for field in limen.SCHEMA if field.name != "bindings"])


# ---- batch -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("helper", HELPERS)
def test_a_batch_has_the_whole_history(helper: str, events: DataFrame, known: pa.Table) -> None:
    expected = HELPERS[helper](known)
    assert len(expected) > 5
    assert told(HELPERS[helper](events).toArrow()) == told(expected)


def test_the_answer_of_a_batch_at_a_time(events: DataFrame, known: pa.Table) -> None:
    for at in (None, START + timedelta(seconds=4)):
        assert told(changes.answer(events, at).toArrow()) == told(changes.answer(known.drop_columns("bindings"), at))


def test_signs(events: DataFrame, known: pa.Table) -> None:
    got = changes.signed(events)
    assert got.columns[-1] == "sign"
    assert told(got.toArrow()) == told(changes.signed(known))
    assert told(changes.signed(got).toArrow()) == told(changes.signed(known))


def test_select_and_join_carry_the_sign(events: DataFrame, cars: DataFrame, known: pa.Table) -> None:
    joined = changes.signed(events).select("query_id", "stream_id", "time", "sign").join(cars, "stream_id")
    red = joined.where("colour = 'red'")
    favourites = known.filter(pc.is_in(known["stream_id"], value_set=pa.array(["a", "c"])))
    assert told(changes.count(red).toArrow()) == told(changes.count(favourites))
    # The sum of signs, which Spark adds up itself, is the number of those that are there at last.
    last = {row["query_id"]: row["n"] for row in red.groupBy("query_id").agg(F.sum("sign").alias("n")).collect()}
    assert {query: n for query, n in last.items() if n} == {
        row["query_id"]: row["stream_id_count"]
        for row in changes.answer(favourites).group_by("query_id").aggregate([("stream_id", "count")]).to_pylist()
    }
    seats = changes.sum(joined, "seats", by=("query_id", "colour")).toArrow()
    assert set(seats["sum"].to_pylist()) <= {0.0, 10.0, 20.0, 30.0}
    colours = changes.distinct(joined, ["query_id", "colour"]).toArrow()
    assert changes.count(colours, member=("query_id", "colour")).num_rows > 0


def test_a_condition_that_lets_only_some_changes_through_is_found_out(events: DataFrame) -> None:
    with pytest.raises(PySparkException, match=r"a remove without an add|a second add"):
        changes.count(events.where("values[0] > 5")).collect()


def test_missing_columns_are_told_before_anything_runs(events: DataFrame) -> None:
    with pytest.raises(InvalidInput, match=r"expected a column 'stream_id' \(of members or groups\)"):
        changes.count(events.drop("stream_id"))
    with pytest.raises(InvalidInput, match="column 'kind': expected numbers, got string"):
        changes.sum(events, "kind")
    with pytest.raises(InvalidInput, match=r"expected a column 'kind' \(what happened; or 'sign'\)"):
        changes.signed(events.drop("kind"))


# ---- streaming -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_stream_tells_the_same_as_it_goes(known: pa.Table, micro_batches: MicroBatches, run: Run) -> None:
    stream = micro_batches(in_instants(known), WITHOUT_BINDINGS)
    assert told(run(changes.sum(stream, 0))) == told(changes.sum(known, 0))


@pytest.mark.slow
def test_the_answer_of_a_stream_is_the_latest_row_of_each_query(
    known: pa.Table, micro_batches: MicroBatches, run: Run
) -> None:
    answers = run(changes.answer(micro_batches(in_instants(known), WITHOUT_BINDINGS)))
    assert answers.schema.names == ["query_id", "time", "members"]
    latest = {row["query_id"]: row for row in sorted(answers.to_pylist(), key=lambda row: row["time"])}
    flat = [{"query_id": query_id, **member} for query_id, row in sorted(latest.items()) for member in row["members"]]
    assert sorted(map(repr, flat)) == told(changes.answer(known.drop_columns("bindings")))


class Place:
    """A place in the state store, without Spark."""

    page: tuple[bytes] | None = None

    def getValueState(self, name: str, schema: str) -> "Place":  # noqa: N802  # Spark's name
        return self

    def get(self) -> tuple[bytes] | None:
        return self.page

    def update(self, page: tuple[bytes]) -> None:
        self.page = page

    def take(self, fold: Fold, events: pa.Table) -> list[pa.Table]:
        """Do what a micro-batch does, each time with a new worker."""
        processor = FoldProcessor(fold)
        processor.init(self)
        packed = _pack(fold)(iter(events.append_column("#place", pa.array([0] * len(events))).to_batches()))
        frames = processor.handleInputRows((0,), (batch.to_pandas() for batch in packed), None)
        return [pa.ipc.open_stream(content).read_all() for frame in frames for content in frame["rows"]]


@pytest.mark.parametrize("fold", [running.count(), running.average(1), running.distinct("stream_id")], ids=repr)
def test_state_carries_all_that_a_fold_must_know(fold: Fold, known: pa.Table) -> None:
    place = Place()
    parts = [pa.Table.from_pylist(part, WITHOUT_BINDINGS) for part in in_instants(known)]
    got = pa.concat_tables([table for part in parts for table in place.take(fold, part)])
    assert told(got) == told(take(fold, None, known)[0])


def test_state_of_another_helper_is_refused(known: pa.Table) -> None:
    place = Place()
    place.take(running.count(), known)
    with pytest.raises(
        StateError, match=r"checkpoint: expected the state of Aggregate.*'sum'.*Hint: go on with the helper"
    ):
        place.take(running.sum(0), known)


@pytest.mark.soak
def test_behind_monitor_and_a_join_with_a_table(
    rows: list[dict[str, Any]],
    known: pa.Table,
    cars: DataFrame,
    micro_batches: MicroBatches,
    run: Run,
) -> None:
    cut = [rows[:100], rows[100:]]  # in the middle of an instant
    stream = limen.spark.monitor(micro_batches(cut, ROWS), QUERIES, COLUMNS, lateness=0, routing="by_query")
    joined = changes.signed(stream).join(cars, "stream_id").where("colour = 'red'")
    got = run(changes.average(joined, "x", columns=COLUMNS))
    complete = pc.less(known["time"], pa.scalar(rows[-1]["t"]))  # the last instant waits for a later one
    red = pc.is_in(known["stream_id"], value_set=pa.array(["a", "c"]))
    expected = changes.average(known.filter(pc.and_(complete, red)), 0)
    assert len(expected) > 5
    assert told(got) == told(expected)


def test_of_a_stream_there_is_no_answer_at_a_time(known: pa.Table, micro_batches: MicroBatches) -> None:
    with pytest.raises(InvalidInput, match="of a stream, the answer is the one of now"):
        changes.answer(micro_batches(in_instants(known), WITHOUT_BINDINGS), START)
