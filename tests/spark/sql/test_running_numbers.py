"""Running numbers and different values of a SELECT on Spark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limen
import limen.spark
from tests.spark.running import read_batches, write_batches
from tests.spark.sql.workload import AREA, COLUMNS, LAST, OWNERS, ROWS, SCHEMA, Told, in_order, running, signed


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
def test_rows_that_are_alike_count_each_and_sums_of_whole_numbers_are_exact(
    spark: SparkSession, ask: Callable[[str], Told]
) -> None:
    large = 2**53 + 1  # which no double has
    alike = [(1, "toll", large), (1, "toll", large), (1, "toll", None), (3, None, 1), (3, None, 1)]
    spark.createDataFrame(alike, "id long, reason string, cost long").createOrReplaceTempView("costs")
    told = ask("""
        SELECT C.reason, count(*) AS n, sum(C.cost) AS cost FROM positions M JOIN costs C ON M.car = C.id
        INSIDE (2, 2, 7, 7) GROUP BY C.reason
    """)
    spark.catalog.dropTempView("costs")
    rows = [{**row, "member": (row["car"], place), "value": cost, "reason": reason}
            for row in signed(limen.Within("q", AREA)) for place, (car, reason, cost) in enumerate(alike)
            if car == row["car"]]  # fmt: skip
    wanted = running(
        rows, lambda row: (row["reason"],), lambda values: (len(values), sum(each or 0 for each in values))
    )
    assert told == sorted(((reason, time, *numbers) for reason, time, numbers in wanted), key=repr)
    assert (3, 2 * large) in {each[2:] for each in told}


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
