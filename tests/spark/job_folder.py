"""A job file with its data, for tests of `limen run`."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from limen import Border, Columns, Engine, Range
from limen.cli.main import app

COLUMNS = Columns(id="id", time="t", values="x")
QUERY = {"type": "border", "id": "low", "region": {"type": "range", "lo": 0, "hi": 20}, "initial": "report"}
SCHEMA = "id string, t timestamp, x double"


def table(batch: int) -> pa.Table:
    rows = range(60)
    return pa.table(
        {
            "id": [f"s{row % 7}" for row in rows],
            "t": pa.array([(batch * 60 + row) * 1_000_000 for row in rows], pa.timestamp("us", "UTC")),
            "x": [float((row * 7 + batch * 13) % 50) for row in rows],
        }
    )


def expected(batches: int) -> list[str]:
    engine = Engine(COLUMNS, [Border("low", Range(0, 20), initial="report")], order="event", lateness=10)
    return sorted(id for batch in range(batches) for id in engine.process(table(batch))["event_id"].to_pylist())


class Job:
    """A folder with a job file and its data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source: dict[str, Any] = {"format": "parquet", "path": "in", "schema": SCHEMA, "files_per_batch": 1}
        self.queries: dict[str, Any] = {"inline": [QUERY]}
        self.sinks: list[dict[str, Any]] = [{"format": "parquet", "path": "events"}]
        self.more: dict[str, Any] = {}
        (folder / "in").mkdir()

    def write(self, *batches: int, suffix: str = "parquet") -> None:
        for batch in batches:
            path = self.folder / "in" / f"{batch}.{suffix}"
            plain = table(batch)
            if suffix == "parquet":
                pq.write_table(plain, path)
            else:
                lines = plain.set_column(1, "t", plain["t"].cast(pa.string())).to_pylist()
                if suffix == "json":
                    path.write_text("\n".join(map(json.dumps, lines)))
                else:
                    path.write_text("\n".join(["id,t,x", *(f"{line['id']},{line['t']},{line['x']}" for line in lines)]))
            os.utime(path, (1_000_000_000 + batch,) * 2)

    def file(self) -> Path:
        content = {
            "name": "trial",
            "checkpoint": "checkpoint",
            "source": self.source,
            "columns": COLUMNS.to_dict(),
            "queries": self.queries,
            "sink": self.sinks,
            "trigger": {"available_now": True},
            **self.more,
        }
        path = self.folder / "job.toml"
        path.write_text("\n".join(f"{name} = {as_toml(value)}" for name, value in content.items()))
        return path

    def run(self, *arguments: str) -> Any:
        return CliRunner().invoke(app, ["run", str(self.file()), *arguments], catch_exceptions=False)

    def events(self, spark: SparkSession, format: str = "parquet", path: str = "events") -> list[str]:
        return sorted(
            row.event_id
            for row in spark.read.format(format)
            .options(header=True)
            .load(str(self.folder / path))
            .select("event_id")
            .collect()
        )


def as_toml(value: Any) -> str:
    """Write a value in one line; TOML has no null, and what is null is left out."""
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{json.dumps(name)} = {as_toml(part)}" for name, part in value.items() if part is not None)
            + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps(value)
