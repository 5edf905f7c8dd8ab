"""The sink that is a table of a real PostgreSQL server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.servers import postgres as servers
from tests.servers.postgres import Postgres
from tests.spark.job_folder import Job, expected

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    reason = servers.why_not()
    if reason:
        pytest.skip(reason)
    with Postgres() as server:
        yield server


@pytest.fixture
def job(spark: SparkSession, server: Postgres, tmp_path: Path) -> Job:
    server.rows("DROP TABLE IF EXISTS alerts; DROP SCHEMA IF EXISTS fleet CASCADE; CREATE SCHEMA fleet")
    job = Job(tmp_path)
    job.sinks = [{"format": "postgres", "url": server.url, "table": "fleet.alerts"}]
    return job


def ids(server: Postgres) -> list[str]:
    return sorted(id for (id,) in server.rows("SELECT event_id FROM fleet.alerts"))


def test_events_are_rows_and_a_batch_that_is_repeated_adds_none(job: Job, server: Postgres) -> None:
    job.write(0, 1)
    done = job.run()
    assert done.exit_code == 0, done.output
    assert ids(server) == expected(2)
    (row,) = server.rows(
        'SELECT query_id, kind, stream_id, time, started_at, reason, "values", bindings '
        "FROM fleet.alerts ORDER BY time LIMIT 1"
    )
    assert row[:3] == ("low", "enter", "s0")
    assert row[3].timestamp() == 0
    assert row[4:] == (None, "appeared", [0.0], None)
    for name in ("1", ".1.crc"):
        (job.folder / "checkpoint" / "commits" / name).unlink()
    again = job.run()
    assert "batch 1: 60 rows" in again.output
    assert ids(server) == expected(2)


@pytest.mark.soak
def test_a_row_that_the_table_rejects_ends_the_job_and_is_not_lost(job: Job, server: Postgres) -> None:
    job.write(0)
    assert job.run().exit_code == 0
    server.rows("ALTER TABLE fleet.alerts ADD CONSTRAINT calm CHECK (time < '1970-01-01T00:01:30Z')")
    job.write(1)
    refused = job.run()
    assert refused.exit_code == 1
    said = 'CheckViolation: new row for relation "alerts" violates check constraint "calm"'
    assert f"error: sink 1 (postgres): batch 1 was not written: {said}" in refused.output
    assert set(expected(1)) <= set(ids(server)) < set(expected(2))  # what other tasks wrote is there, and stays
    server.rows("ALTER TABLE fleet.alerts DROP CONSTRAINT calm")
    assert job.run().exit_code == 0
    assert ids(server) == expected(2)


@pytest.mark.soak
def test_a_server_that_is_away_and_comes_back(job: Job, server: Postgres) -> None:
    job.write(0)
    assert job.run().exit_code == 0
    server.stop(kill=True)
    job.write(1)
    away = job.run()
    server.start()
    assert away.exit_code == 1
    assert "error: sink: postgres: expected a server that takes the connection" in away.output
    assert job.run().exit_code == 0
    assert ids(server) == expected(2)
