"""The programs that are disturbed: how each is started, and how the events in its sink are read."""

import json
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

import limen
from tests.chaos.job import ROWS, SETTINGS, SHARDS
from tests.chaos.workload import COLUMNS, OPTIONS
from tests.servers.postgres import Postgres


class Program(Protocol):
    """A job that takes a folder of input and keeps checkpoint and sink in a folder of its own."""

    module: str
    answers: bool  # whether its queries may look at many streams at once

    def arguments(self, source: Path, run: Path) -> list[object]:
        """Return the arguments of its command, having made what it needs."""

    def seen(self, run: Path) -> pa.Table:
        """Return the events that its sink shows."""


class ParquetJob:
    """`monitor` in a program of its own, with Spark's own sink of Parquet files."""

    module = "tests.chaos.job"
    answers = True

    def arguments(self, source: Path, run: Path) -> list[object]:
        return [source, run]

    def seen(self, run: Path) -> pa.Table:
        return pq.read_table(run / "seen.parquet")


class CommandJob:
    """`limen run` with a sink of Parquet files.

    Parameters
    ----------
    settings : dict
        Of Spark, beside or in place of those of all jobs here.
    """

    module = "limen"
    answers = False

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self._settings = settings or {}

    def arguments(self, source: Path, run: Path) -> list[object]:
        content = {
            "name": run.name,
            "checkpoint": str(run / "checkpoint"),
            "source": {"format": "parquet", "path": str(source / "rows"), "schema": ROWS, "files_per_batch": 1},
            "columns": {name: value for name, value in COLUMNS.to_dict().items() if value is not None},
            "queries": {"folder": str(source / "changes"), "files_per_batch": 1},
            "options": {**OPTIONS, "shards": SHARDS},
            "sink": [self.sink(run)],
            "trigger": {"available_now": True},
            "spark": {name: str(value) for name, value in {**SETTINGS, **self._settings}.items()},
        }
        job = run / "job.toml"
        job.write_text("\n".join(f"{name} = {_toml(value)}" for name, value in content.items()))
        return ["run", job]

    def sink(self, run: Path) -> dict[str, str]:
        """Return the sink as a job file has it."""
        return {"format": "parquet", "path": str(run / "events")}

    def seen(self, run: Path) -> pa.Table:
        return pq.read_table(run / "events", partitioning=None).cast(limen.SCHEMA)


class PostgresJob(CommandJob):
    """`limen run` with a table of PostgreSQL as its sink."""

    def __init__(self, server: Postgres) -> None:
        super().__init__()
        self._server = server

    def sink(self, run: Path) -> dict[str, str]:
        return {"format": "postgres", "url": self._server.url, "table": run.name}

    def seen(self, run: Path) -> pa.Table:
        names = limen.SCHEMA.names
        columns = ", ".join(f'"{name}"' for name in names)
        rows = self._server.rows(f"SELECT {columns} FROM {run.name}")
        return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], limen.SCHEMA)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(part)}" for name, part in value.items()) + " }"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)
