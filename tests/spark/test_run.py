"""`limen run` on real Spark: sources, sinks, restarts, and what goes wrong."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import limen
from limen import Border, Engine, Range
from limen.cli.main import app
from limen.jobfile import read_job
from limen.spark.lock import only_job
from limen.spark.run import Run
from tests.chaos.driver import Driver, until
from tests.spark.job_folder import COLUMNS, QUERY, SCHEMA, Job, expected, table


def test_a_job_runs_and_goes_on_where_it_was(job: Job, spark: SparkSession) -> None:
    job.sinks = [
        {"format": "parquet", "path": "events"},
        {"format": "json", "path": "enters", "where": "kind = 'enter'"},
        {"format": "csv", "path": "exits", "where": "kind = 'exit'", "options": {"header": True}},
        {"format": "console", "rows": 2},
    ]
    job.more = {"metrics": {"file": "trial.prom"}}
    job.write(0, 1)
    first = job.run()
    assert first.exit_code == 0, first.output
    assert job.events(spark) == expected(2)
    assert "batch 0: 60 rows" in first.output
    assert not (job.folder / "checkpoint-window").exists()  # nobody asked for a console
    assert re.search(r"… [\d,]+ more", first.output)
    assert f"120 rows, {len(expected(2))} events in 2 batches; 0 late, 0 rejected" in first.output
    metrics = (job.folder / "trial.prom").read_text()
    assert 'limen_rows_total{job="trial"} 120.0' in metrics
    assert 'limen_batches_total{job="trial"} 2.0' in metrics

    job.write(2)
    second = job.run()
    assert second.exit_code == 0, second.output
    assert "batch 2: 60 rows" in second.output
    assert job.events(spark) == expected(3)
    parted = job.events(spark, "json", "enters") + job.events(spark, "csv", "exits")
    assert sorted(parted) == expected(3)


def test_a_batch_that_is_repeated_changes_nothing(job: Job, spark: SparkSession) -> None:
    job.write(0, 1)
    assert job.run().exit_code == 0
    for name in ("1", ".1.crc"):
        (job.folder / "checkpoint" / "commits" / name).unlink()
    again = job.run()
    assert "batch 1: 60 rows" in again.output
    assert job.events(spark) == expected(2)


@pytest.mark.parametrize("format", ["csv", pytest.param("json", marks=pytest.mark.soak)])
def test_other_files_as_source(job: Job, spark: SparkSession, format: str) -> None:
    options = {"header": True} if format == "csv" else {}
    job.source = {"format": format, "path": "in", "schema": SCHEMA, "options": options, "where": "x IS NOT NULL"}
    job.write(0, suffix=format)
    done = job.run()
    assert done.exit_code == 0, done.output
    assert job.events(spark) == expected(1)


@pytest.mark.soak
def test_columns_made_by_sql_and_the_schema_of_the_files(job: Job, spark: SparkSession) -> None:
    job.source = {"format": "parquet", "path": "in", "select": ["upper(id) AS id", "t", "x + 0 AS x"]}
    job.write(0)
    done = job.run()
    assert done.exit_code == 0, done.output
    streams = {row.stream_id for row in spark.read.parquet(str(job.folder / "events")).collect()}
    assert streams == {f"S{number}" for number in range(4)}


@pytest.mark.soak
def test_made_up_positions_as_source(job: Job, spark: SparkSession) -> None:
    job.source = {"format": "rate", "rows_per_second": 500, "streams": 10}
    job.queries = {"inline": [{**QUERY, "region": {"type": "box", "lo": [0, 0], "hi": [50, 100]}}]}
    text = job.file().read_text()
    job_file = "\n".join(line for line in text.split("\n") if not line.startswith(("columns", "trigger")))
    (job.folder / "job.toml").write_text(job_file)
    described = read_job(job.folder / "job.toml")
    assert described.columns.values == ("x", "y")
    assert not described.available_now
    with Run(described, show=lambda *_: None) as running:
        query = running.start()
        while not any(progress["numInputRows"] for progress in query.recentProgress):
            assert query.exception() is None
            query.awaitTermination(1)
        running.stop()
        assert not query.isActive
        assert query.exception() is None


def test_changes_from_a_folder_while_it_runs(job: Job, spark: SparkSession) -> None:
    job.queries = {"inline": [QUERY], "folder": "changes", "files_per_batch": 1}
    (job.folder / "changes").mkdir()
    new = {**QUERY, "id": "new", "region": {"type": "range", "lo": 5, "hi": 45}}
    changes = [
        {"op": "register", "query": new, "at": "1970-01-01T00:00:30Z"},
        {"op": "deregister", "id": "nobody"},
        {"op": "register", "query": {**new, "id": "short"}, "at": "1970-01-01T00:00:30Z"},
        {"op": "deregister", "id": "short", "at": "1970-01-01T00:00:30Z"},  # a later line, so it wins
    ]
    (job.folder / "changes" / "0.jsonl").write_text("\n".join(map(json.dumps, changes)) + "\n{bad\n\n")
    job.write(0)
    done = job.run()
    assert done.exit_code == 0, done.output
    assert "change rejected: deregister: no query has the id 'nobody'" in done.output
    assert re.search(r"change rejected: .*JSON.* in {bad", done.output)
    found = {row.query_id for row in spark.read.parquet(str(job.folder / "events")).collect()}
    assert found == {"low", "new"}


def test_time_advances_by_a_file_in_the_folder_of_changes(job: Job, spark: SparkSession) -> None:
    job.queries = {"inline": [QUERY], "folder": "changes"}
    job.more = {"options": {"order": "event", "lateness": 10}}
    (job.folder / "changes").mkdir()
    (job.folder / "changes" / "0.jsonl").write_text('{"op": "advance", "to": "1970-01-01T00:02:00Z"}\n')
    job.write(0)
    done = job.run()
    assert done.exit_code == 0, done.output
    assert "change rejected" not in done.output
    engine = Engine(COLUMNS, [Border("low", Range(0, 20), initial="report")], order="event", lateness=10)
    # Without the advance the rows of the last ten seconds stay held.
    in_time, held = engine.process(table(0)), engine.advance("1970-01-01T00:02:00Z")
    assert len(held)
    assert job.events(spark) == sorted(pa.concat_tables([in_time, held])["event_id"].to_pylist())


def test_a_dry_run_tells_the_plan_and_touches_nothing(job: Job) -> None:
    job.sinks.append({"format": "csv", "path": "more", "options": {"password": "secret"}})
    done = job.run("--dry-run", "--set", "options.lateness=5")
    assert done.exit_code == 0, done.output
    assert "secret" not in done.output
    assert re.search(r"source +parquet, path \S+/in, schema id string, t timestamp, x double, per_batch 1", done.output)
    assert re.search(r"queries +1 border", done.output)
    assert re.search(r"options +lateness 5", done.output)
    assert "configuration valid (dry run)" in done.output
    assert sorted(path.name for path in job.folder.iterdir()) == ["in", "job.toml"]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"source": {"format": "parquet", "path": "nowhere"}}, 2, "source: path: expected a folder that exists, got"),
        (
            {"source": {"format": "parquet", "path": "in"}},
            2,
            "expected parquet files to take the schema from, or a key",
        ),
        (
            {"source": {"format": "parquet", "path": "in", "schema": "id strng"}},
            2,
            "source: schema: expected columns such as",
        ),
        (
            {"source": {"format": "parquet", "path": "in", "schema": "id string, t timestamp"}},
            2,
            "monitor: data: expected a column 'x' (a value column), got columns id, t",
        ),
        (
            {"source": {"format": "parquet", "path": "in", "schema": SCHEMA, "where": "y > 1"}},
            2,
            "source: select, where: [UNRESOLVED_COLUMN.WITH_SUGGESTION]",
        ),
        (
            {"source": {"format": "kafka", "servers": "127.0.0.1:1", "topic": "t", "schema": SCHEMA}},
            1,
            "topic 't': servers: expected a broker that answers, got 127.0.0.1:1: Connection refused",
        ),
        (
            {"sinks": [{"format": "parquet", "path": "events", "where": "kin = 'enter'"}]},
            2,
            "sink 1 (parquet): where: [UNRESOLVED_COLUMN.WITH_SUGGESTION]",
        ),
        (
            {"sinks": [{"format": "postgres", "url": "postgresql://me@127.0.0.1:1/db"}]},
            1,
            "sink: postgres: expected a server that takes the connection, and a table to write to, got",
        ),
        (
            {"sinks": [{"format": "kafka", "servers": "127.0.0.1:1", "topic": "t"}]},
            1,
            "sink: topic 't': servers: expected a broker that answers, got 127.0.0.1:1: Connection refused",
        ),
        (
            {"queries": {"folder": "nowhere"}},
            2,
            "queries: folder: expected a folder that exists, got",
        ),
        (
            {"sinks": [{"format": "parquet", "path": "/proc/events"}]},
            2,
            "sink: path: expected a folder that can be written",
        ),
        (
            {"more": {"checkpoint": "/proc/checkpoint"}},
            3,
            "checkpoint: expected a folder that can be written to, got /proc",
        ),
        (
            {"more": {"metrics": {"file": "nowhere/f.prom"}}},
            2,
            "metrics: file: expected a file that can be written, got",
        ),
    ],
    ids=lambda value: None if isinstance(value, (dict, int)) else str(value)[:40],
)
def test_what_cannot_work_is_told_at_the_start(job: Job, change: dict[str, Any], code: int, said: str) -> None:
    for name, value in change.items():
        setattr(job, name, value)
    done = job.run()
    assert done.exit_code == code
    assert f"error: {said}" in done.output or said in done.output
    assert not (job.folder / "checkpoint" / "offsets").exists()


@pytest.mark.soak
def test_a_checkpoint_that_is_in_use_or_of_another_job(job: Job, spark: SparkSession) -> None:
    job.write(0)
    assert job.run().exit_code == 0
    with only_job(str(job.folder / "checkpoint")):
        refused = job.run()
    assert refused.exit_code == 3
    assert f"in use by process {os.getpid()}. Hint: stop that job" in refused.output

    job.write(1)
    other = job.run("--set", "options.shards=3")
    assert other.exit_code == 3
    assert "error: checkpoint: the checkpoint was written with other shards: expected shards 2, got 3" in other.output
    shutil.rmtree(job.folder / "checkpoint" / "state" / "0" / "0")
    damaged = job.run()
    assert damaged.exit_code == 3
    assert "put a copy of the checkpoint back in its place, or start with a new one" in damaged.output
    assert job.events(spark) == expected(1)


@pytest.mark.soak
def test_a_source_that_vanishes_can_come_back(job: Job, spark: SparkSession) -> None:
    job.write(0, 1)
    hidden = job.folder / "hidden"
    gone = job.folder / "in" / "1.parquet"
    job.source["files_per_batch"] = 1
    described = read_job(job.file(), ["trigger.available_now=false"])
    with Run(described, show=lambda *_: None) as running:
        query = running.start()
        while not any(progress["batchId"] == 1 for progress in query.recentProgress):
            query.awaitTermination(1)
        gone.parent.rename(hidden)
        query.awaitTermination(2)
        hidden.rename(gone.parent)
        job.write(2)
        while query.exception() is None and not any(progress["batchId"] == 2 for progress in query.recentProgress):
            query.awaitTermination(1)
    if query.exception() is not None:  # Spark may notice, or look again later; either way nothing is lost
        assert job.run().exit_code == 0
    assert job.events(spark) == expected(3)


def test_rows_that_are_bad_fail_the_job_where_asked(job: Job) -> None:
    job.more = {"options": {"on_bad_row": "fail"}}
    pq.write_table(
        pa.table({"id": pa.array([None], pa.string()), "t": pa.array([1], pa.timestamp("us", "UTC")), "x": [1.0]}),
        job.folder / "in" / "0.parquet",
    )
    done = job.run()
    assert done.exit_code == 2
    assert 'error: batch: expected good rows only, got 1 null_id. Hint: on_bad_row="count" counts them' in done.output


def printed(page: str) -> str:
    """Return the first job file that a page prints."""
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    return text.split("```toml\n")[1].split("```")[0]


def test_the_job_of_the_readme_as_printed(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(printed("README.md"))
    (tmp_path / "ticks").mkdir()
    rows = ["IBM,2026-01-01T09:30:00Z,98", "IBM,2026-01-01T09:30:01Z,100", "IBM,2026-01-01T09:30:09Z,102"]
    (tmp_path / "ticks" / "1.csv").write_text("\n".join(["symbol,time,price", *rows]))
    done = CliRunner().invoke(app, ["run", str(tmp_path / "prices.toml")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "3 rows, 1 events in 1 batches" in done.output
    (event,) = spark.read.json(str(tmp_path / "events")).collect()
    assert (event.stream_id, event.kind, event.query_id) == ("IBM", "enter", "round")


def test_the_job_of_the_page_on_jobs_as_printed_and_with_a_file_of_shapes(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text(printed("docs/jobs.md"))
    (tmp_path / "incoming").mkdir()
    row = {"vehicle": "van", "ts": "2026-01-01T08:00:00Z", "x": 3, "y": 4}
    late = {"vehicle": "bus", "ts": "2026-01-01T08:01:00Z", "x": 30, "y": 4}
    (tmp_path / "incoming" / "1.json").write_text("\n".join(map(json.dumps, [row, late])))
    ring = [[2, 3], [5, 3], [5, 6], [2, 6], [2, 3]]
    yard = {"type": "Feature", "properties": {"name": "yard"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    (tmp_path / "yards.geojson").write_text(json.dumps(yard))
    shapes = ["queries.file=yards.geojson", "queries.id=name", "queries.initial=report"]
    arguments = [str(tmp_path / "fleet.toml"), *(word for each in shapes for word in ("--set", each))]
    done = CliRunner().invoke(app, ["run", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "08:00:00  van  enter  depot  at 3.00, 4.00 (appeared)" in done.output
    assert "08:00:00  van  enter  yard  at 3.00, 4.00 (appeared)" in done.output


@pytest.mark.soak
def test_signals_end_the_command_after_the_running_batch(job: Job, spark: SparkSession, tmp_path: Path) -> None:
    """As a supervisor would: a process of its own, SIGTERM, exit code 0; and the job goes on from there."""
    job.more = {"trigger": {}, "spark": {"spark.ui.enabled": "false"}}
    job.write(0)
    command = [sys.executable, "-c", "from limen.cli.main import app; app()", "run", str(job.file())]
    with (tmp_path / "err").open("w") as errors:
        lines = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            for line in process.stdout or ():
                lines.append(line)
                if line.startswith("batch 0"):
                    process.terminate()
        assert process.returncode == 0, (tmp_path / "err").read_text()[-2000:]
    assert any("stopping after the running batch" in line for line in lines)
    assert lines[-1].startswith("60 rows")
    job.write(1)
    job.more = {}
    assert job.run().exit_code == 0
    assert job.events(spark) == expected(2)
    assert limen.spark.totals(spark, job.folder / "checkpoint")["rows"] == 120


@pytest.mark.soak
@pytest.mark.parametrize("again", [False, True])
def test_signals_while_spark_starts(job: Job, tmp_path: Path, again: bool) -> None:
    """The first ends the job as soon as it has started, the second at once; neither leaves a process behind."""
    job.more = {"trigger": {}, "spark": {"spark.ui.enabled": "false"}}
    driver = Driver("limen", ["run", job.file()], tmp_path / "log")
    try:
        until(lambda: len(driver.processes()) > 1 or not driver.alive, "the start of Spark")
        driver.signal(signal.SIGINT)
        if again:
            driver.wait(1)
            driver.signal(signal.SIGINT)
        assert driver.wait(60) == (130 if again else 0), driver.log_tail()
        until(lambda: not driver.processes(), "the end of Spark's own process")
    finally:
        driver.kill()
