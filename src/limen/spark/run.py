"""Run a job file: one streaming query from its source to its sinks."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import __version__ as spark_version
from pyspark.errors import AnalysisException, ParseException, StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from limen.errors import InvalidInput
from limen.jobfile import JobFile
from limen.jobfile.endpoints import Files, Topic, local_path
from limen.spark.failure import CheckpointGone, SinkFailed, SparkGone, explain
from limen.spark.lock import only_job
from limen.spark.monitoring import monitor
from limen.spark.progress import counters
from limen.spark.sinks import BatchId, EventSink, open_sink
from limen.spark.sources import first_line, read_changes, read_source
from limen.spark.spark_session import session
from limen.spark.telemetry import check_checkpoint, checkpoint_is_gone, checkpoint_is_new, job_publisher
from limen.warm import start_job

_PACKAGES = "spark.jars.packages"
_GLANCE = 0.05  # seconds between checks
#: A line with an error class, in Python or Java, and a message.
_ERROR = re.compile(r"^\s*(?:Caused by: )?[a-z_]\w*(?:\.[\w$]+)*\.([A-Z]\w*: .+)$", re.MULTILINE)


class Run:
    """A job between its start and its end.

    Parameters
    ----------
    job : JobFile
    show : function
        Brings some events of a batch, and how many there are, to the screen.
    """

    def __init__(self, job: JobFile, show: Callable[[pa.Table, int], None]) -> None:
        self.job = job
        self.failure: Exception | None = None
        self.query: StreamingQuery | None = None
        self._sinks: list[tuple[str, EventSink, str | None]] = [
            (f"sink {number} ({sink.place.format})", open_sink(sink.place, show), sink.where)
            for number, sink in enumerate(job.sinks, start=1)
        ]
        self._began = int(time.time() * 1000)
        self._written = 0  # batches since the start
        self._reported = -1
        self._held = ExitStack()
        self._publisher = job_publisher(job) if job.console.telemetry else None

    def __enter__(self) -> Self:
        folder = None if self._publisher is None else self.job.console.telemetry_settings().folder
        self._held.enter_context(only_job(self.job.checkpoint, folder))
        if self._publisher is not None and local_path(self.job.checkpoint) is not None:
            self._publisher.begin(anew=checkpoint_is_new(None, self.job.checkpoint))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError, Py4JError):
            if self.query is not None and self.query.isActive:
                self.query.stop()
        if self._publisher is not None:
            failure = error if isinstance(error, Exception) else self.failure
            self._publisher.end(None if failure is None else explain(failure)[0])
        self._held.close()

    def plan(self) -> DataFrame:
        """Start Spark, if it is not running, and return the DataFrame of events; raise configuration errors here."""
        start_job(self.job.columns, self.job.queries, self.job.options)
        spark = session(**_settings(self.job))
        rows = read_source(spark, self.job.source)
        changes = read_changes(spark, self.job.changes) if self.job.changes else None
        telemetry = self.job.console.settings if self._publisher is not None else None
        events = monitor(
            rows,
            list(self.job.queries),
            self.job.columns,
            changes=changes,
            stream=self.job.stream,
            telemetry=telemetry,
            **self.job.options,
        )
        for name, sink, where in self._sinks:
            _chosen(events, where, name)
            sink.check()
        return events

    def start(self) -> StreamingQuery:
        """Begin."""
        if self._publisher is not None and not self._publisher.begun:
            spark = session(**_settings(self.job))
            self._publisher.begin(anew=checkpoint_is_new(spark, self.job.checkpoint))
        check_checkpoint(self.job.checkpoint)
        events = self.plan()
        for _, sink, _ in self._sinks:
            sink.prepare()
        writer = events.writeStream.queryName(self.job.name).option("checkpointLocation", self.job.checkpoint)
        if self.job.available_now:
            writer = writer.trigger(availableNow=True)
        elif self.job.every:
            writer = writer.trigger(processingTime=f"{self.job.every // 1000} milliseconds")
        self.query = writer.foreachBatch(self._write).start()
        if self._publisher is not None:
            self._publisher.running()
        return self.query

    def progress(self) -> Iterator[dict[str, Any]]:
        """Return Spark's progress of each batch that has ended since the last call."""
        if self.query is None or isinstance(self.failure, SparkGone):
            return
        for progress in self.query.recentProgress:
            if progress["batchId"] > self._reported:
                self._reported = progress["batchId"]
                if self._publisher is not None and (counts := counters(progress)):
                    taken = progress["durationMs"].get("triggerExecution", 0)
                    self._publisher.batch(progress["batchId"], taken, counts)
                yield progress

    def wait(self, seconds: float) -> bool:
        """Wait a while for the job to end; return whether it has ended, with or without a failure."""
        assert self.query is not None
        try:
            ended = bool(self.query.awaitTermination(seconds))  # type: ignore[arg-type]  # a fraction will do
            if ended or not checkpoint_is_gone(self.job.checkpoint):
                return ended
            self.query.stop()  # it might run on for a while, with state that no later run could restore
        except StreamingQueryException as error:
            self.failure = self.failure or error
        except (OSError, Py4JError) as error:
            self.failure = SparkGone(f"Spark's own process has ended, or does not answer: {first_line(error)}")
            return True
        if checkpoint_is_gone(self.job.checkpoint):
            self.failure = CheckpointGone(self.job.checkpoint)
        return True

    def stop(self) -> None:
        """End after the running batch. One that has only just begun is broken off, and is the first of the next run."""
        query = self.query
        if query is None:
            return
        running = query.lastProgress["batchId"] if query.lastProgress else -1
        while query.isActive and query.status["isTriggerActive"]:
            if query.lastProgress and query.lastProgress["batchId"] > running:
                break
            time.sleep(_GLANCE)
        query.stop()

    def _write(self, events: DataFrame, number: int) -> None:
        """Write a batch to all sinks. Events are found once and kept until the last sink has them."""
        spark = events.sparkSession
        job = str(spark.sparkContext.getLocalProperty("sql.streaming.queryId")).partition("-")[0]
        batch = BatchId(f"j{job}", number, self.job.checkpoint, self._began, first=self._written == 0)
        events = events.persist()
        try:
            if events.count():  # which also brings the state of every shard from one batch to the next
                for name, sink, where in self._sinks:
                    try:
                        sink.write(_chosen(events, where, name), batch)
                    except Exception as error:
                        self.failure = SinkFailed(f"{name}: batch {number} was not written: {_reason(error)}")
                        raise
        finally:
            events.unpersist()
        self._written += 1


def _settings(job: JobFile) -> dict[str, Any]:
    """Return the settings of a session that has what the job's places need."""
    packages = [job.spark[_PACKAGES]] if _PACKAGES in job.spark else []
    given = "".join([*packages, job.spark.get("spark.jars", "")])
    settings: dict[str, Any] = {"spark.app.name": job.name, "spark.ui.showConsoleProgress": "false"}
    if any(isinstance(place, Topic) for place in job.places) and "kafka" not in given:
        packages.append(f"org.apache.spark:spark-sql-kafka-0-10_2.13:{spark_version}")
    if any(isinstance(place, Files) and place.format == "delta" for place in job.places):
        packages += _delta_packages() if "delta" not in given else []
        settings["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
        settings["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    if packages:
        settings[_PACKAGES] = ",".join(packages)
    return {**settings, **{name: value for name, value in job.spark.items() if name != _PACKAGES}}


def _delta_packages() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # only Delta needs it

    try:
        return [f"io.delta:delta-spark_2.13:{version('delta-spark')}"]
    except PackageNotFoundError:
        raise InvalidInput(
            where="format 'delta'",
            expected="the package delta-spark",
            got="none",
            hint="pip install delta-spark, in a version made for this Spark",
        ) from None


def _chosen(events: DataFrame, where: str | None, name: str) -> DataFrame:
    try:
        return events if where is None else events.where(where)
    except (AnalysisException, ParseException) as error:
        raise InvalidInput(
            first_line(error), where=f"{name}: where", hint=f"columns: {', '.join(events.columns)}"
        ) from error


def _reason(error: Exception) -> str:
    """Return what went wrong, from the line of the innermost error, without the way to it."""
    causes = _ERROR.findall(str(error))
    return str(causes[-1]).strip() if causes else first_line(error)
