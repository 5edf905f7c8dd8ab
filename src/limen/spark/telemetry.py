"""Telemetry of a job on Spark: what the driver and each task publish."""

from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from limen.errors import LimenError, StateError
from limen.formats.query_json import canonical_json, parse_json, query_to_dict
from limen.jobfile import JobFile
from limen.jobfile.endpoints import Files, local_path
from limen.model.change import Advance, Register
from limen.model.options import Options
from limen.spark.job import Job, routing_for
from limen.telemetry.publisher import JobPublisher
from limen.telemetry.settings import TelemetrySettings
from limen.telemetry.task import TaskPublisher

_METADATA = "metadata"  # the first that Spark writes into a checkpoint
_PARTS = ("commits", "offsets", "sources", "state")
_BATCH = "streaming.sql.batchId"  # by which Spark's own operators know their batch


def task_publisher(settings: TelemetrySettings | None) -> TaskPublisher | None:
    """Return the publisher of the current task; None without telemetry, or outside of a batch."""
    context = None if settings is None else TaskContext.get()
    batch = None if context is None else context.getLocalProperty(_BATCH)
    if settings is None or context is None or batch is None:
        return None
    return TaskPublisher(settings, int(batch), context.partitionId())


def arrived(texts: list[str | None], job: Job) -> list[dict[str, Any]]:
    """Describe changes by their outcome, or why they were rejected; clock ticks are left out."""
    found = []
    for text in texts:
        line: dict[str, Any] = {"change": text}
        try:
            change = job.read_change(text)
            if isinstance(change, Advance):
                continue
            register = isinstance(change, Register)
            line |= {
                "op": "register" if register else "deregister",
                "id": change.query.id if isinstance(change, Register) else change.id,
                "seq": change.seq,
                "at": change.at,
            }
        except LimenError as error:
            line |= {**_readable_fields(text), "error": str(error)}
        found.append(line)
    return found


def _readable_fields(text: str | None) -> dict[str, Any]:
    """Return what can be read from an invalid change, so that its author can identify it."""
    try:
        plain = parse_json(text or "")
    except LimenError:
        return {}
    if not isinstance(plain, dict):
        return {}
    query = plain.get("query")
    id = query.get("id") if isinstance(query, dict) else plain.get("id")
    op, seq = plain.get("op"), plain.get("seq")
    return {
        "op": op if isinstance(op, str) else None,
        "id": id if isinstance(id, str) else None,
        "seq": seq if type(seq) is int and abs(seq) < 2**63 else None,
    }


def job_publisher(job: JobFile) -> JobPublisher:
    """Return the publisher of a job."""
    own = {"shards", "tick", "routing"}
    options = Options.of({name: value for name, value in job.options.items() if name not in own})
    facts = {
        "name": job.name,
        "stream": job.stream,
        "job_file": job.file,
        "checkpoint": job.checkpoint,
        "columns": {"crs": "planar", **job.columns.to_dict()},
        "options": {
            name: value if isinstance(value, (int, float)) else str(value) for name, value in job.options.items()
        },
        "routing": job.options.get("routing") or routing_for(job.queries, options),
        "changes": _changes(job),
        "trigger": None if job.every is None else job.every / 1e6,
    }
    return JobPublisher(
        job.console.telemetry_settings(), facts, [canonical_json(query_to_dict(query)) for query in job.queries]
    )


def _changes(job: JobFile) -> dict[str, Any] | None:
    """Describe the source of changes; options of Kafka, which may hold secrets, stay in the job file."""
    place = job.changes
    if place is None:
        return None
    if isinstance(place, Files):
        return {"folder": str(local_path(place.path) or place.path)}
    return {"kafka": {"servers": place.servers, "topic": place.topic}}


def checkpoint_is_new(spark: SparkSession | None, checkpoint: str) -> bool:
    """Return whether no job was started with a checkpoint before; Spark reads one that is not on a local disk."""
    folder = local_path(checkpoint)
    if folder is not None or spark is None:
        return folder is not None and not (folder / _METADATA).exists() and not any(_left(folder))
    try:
        return spark.read.text(f"{checkpoint}/{_METADATA}").isEmpty()
    except AnalysisException:
        return True


def checkpoint_is_gone(checkpoint: str) -> bool:
    """Return whether the checkpoint of a running job was removed; False for one that is not on a local disk."""
    folder = local_path(checkpoint)
    return folder is not None and not (folder / _METADATA).exists()


def check_checkpoint(checkpoint: str) -> None:
    """Refuse a checkpoint with missing parts: a job that resumed from it would mix old and new state."""
    folder = local_path(checkpoint)
    if folder is not None and not (folder / _METADATA).exists() and any(_left(folder)):
        raise StateError(
            where="checkpoint",
            expected="a whole one, or none",
            got=f"{checkpoint}, which has {', '.join(_left(folder))} but no {_METADATA}",
            hint="put a copy of it back in its place, or remove the folder: the job then begins anew",
        )


def _left(folder: Path) -> list[str]:
    return [name for name in _PARTS if (folder / name).exists()]
