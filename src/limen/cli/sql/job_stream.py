"""The stream of a job that runs elsewhere, for the shell."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from limen.errors import InvalidInput
from limen.jobfile import read_job
from limen.jobfile.endpoints import Files, local_path
from limen.model.event import SCHEMA
from limen.model.query import Query
from limen.sql import to_sql


class RunningJob:
    """The stream of a job that runs elsewhere: changes go into its folder of changes, events come from its sink."""

    def __init__(self, path: Path) -> None:
        self._job = job = read_job(path)
        self.stream, self.columns = job.stream, job.columns
        self.queries: dict[str, Query] = {query.id: query for query in job.queries}
        folder = local_path(job.changes.path) if isinstance(job.changes, Files) else None
        sinks = [sink.place for sink in job.sinks if isinstance(sink.place, Files) and sink.place.format == "parquet"]
        if folder is None:
            raise InvalidInput(
                where=path.name,
                expected="a folder of changes on this machine, queries.folder",
                got="none",
                hint='folder = "changes" in [queries], and `limen run` takes what appears there',
            )
        self._changes = folder
        self._events = local_path(sinks[0].path) if sinks else None
        self._seen = set(self._files())
        self._last = 0

    def register(self, query: Query) -> pa.Table:
        """Write a registration for the job to find."""
        query.check(self.columns)
        self._write({"op": "register", "sql": to_sql(query, self.stream)})
        self.queries[query.id] = query
        return SCHEMA.empty_table()

    def deregister(self, id: str) -> pa.Table:
        """Write a deregistration for the job to find."""
        self._write({"op": "deregister", "id": id})
        del self.queries[id]
        return SCHEMA.empty_table()

    def play(self, seconds: float) -> Iterator[tuple[pa.Table | None, pa.Table]]:
        """Wait, and read what the job has written meanwhile."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for file in self._files():
                if file not in self._seen:
                    self._seen.add(file)
                    yield None, pq.read_table(file, partitioning=None).select(SCHEMA.names)
            time.sleep(min(0.2, max(0.0, deadline - time.monotonic())))

    def _files(self) -> list[Path]:
        if self._events is None:
            return []
        # A batch exists once Spark has committed it.
        return [file for done in sorted(self._events.glob("job=*/batch=*/_SUCCESS")) for file in
                sorted(done.parent.glob("*.parquet"))]  # fmt: skip

    def _write(self, change: dict[str, object]) -> None:
        """Write a change file atomically. `seq` orders the changes within one batch."""
        self._changes.mkdir(parents=True, exist_ok=True)
        self._last = max(self._last + 1, time.time_ns() // 1000)
        change = {**change, "seq": self._last}
        name = f"sql-{self._last}-{os.getpid()}.jsonl"
        hidden = self._changes / f".{name}"  # Spark passes over what begins with a dot
        hidden.write_text(json.dumps(change) + "\n", encoding="utf-8")
        hidden.rename(self._changes / name)
