"""Metrics of a job for Prometheus: in a file that its node exporter collects, or at an address that it scrapes."""

from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    disable_created_metrics,
    start_http_server,
    write_to_textfile,
)

from limen.cli.watch import lag_seconds
from limen.errors import InvalidInput
from limen.jobfile import JobFile

disable_created_metrics()  # type: ignore[no-untyped-call]  # one more series for each counter, which is not needed
_GAUGES = ("held", "streams", "queries", "starts", "unconfirmed", "stored", "most_stored", "state_bytes")


class Metrics:
    """Counts since the start of the process, and how much there is now."""

    def __init__(self, job: JobFile) -> None:
        self._file = job.metrics_file
        self.registry = CollectorRegistry()
        self._job = job.name
        self._rows = self._counter("rows", "Rows that came")
        self._late = self._counter("late_rows", "Rows that came too late")
        self._rejected = self._counter("rejected_rows", "Rows that were rejected", "reason")
        self._events = self._counter("events", "Events", "kind")
        self._changes = self._counter("changes", "Changes of queries", "outcome")
        self._left_out = self._counter("left_out_alerts", "Alerts that a cap left out")
        self._batches = self._counter("batches", "Batches that have ended")
        self._seconds = self._counter("batch_seconds", "Time that batches took")
        self._gauges = {name: self._gauge(name, f"How many there are: {name}") for name in _GAUGES}
        self._last = self._gauge("last_batch_seconds", "Time that the latest batch took")
        self._lag = self._gauge("watermark_lag_seconds", "How far the watermark is behind the clock")
        if job.metrics_port is not None:
            try:
                start_http_server(job.metrics_port, registry=self.registry)
            except OSError as error:
                raise InvalidInput(
                    where="metrics: port", expected="a port that is free", got=f"{job.metrics_port}: {error.strerror}"
                ) from error
        self._write()

    def batch(self, counts: dict[str, Any]) -> str | None:
        """Add the counts of a batch. Return the error if they could not be written; the job continues without them."""
        self._rows.labels(self._job).inc(counts["rows"])
        self._late.labels(self._job).inc(counts["late"])
        for metric, name in ((self._rejected, "rejected"), (self._events, "events")):
            for label, count in counts[name].items():
                metric.labels(self._job, label).inc(count)
        for outcome, count in counts["changes"].items():
            if outcome != "waiting":
                self._changes.labels(self._job, outcome).inc(count)
        self._left_out.labels(self._job).inc(counts["left_out"])
        self._batches.labels(self._job).inc()
        self._seconds.labels(self._job).inc(counts["milliseconds"] / 1000)
        self._last.labels(self._job).set(counts["milliseconds"] / 1000)
        for name, gauge in self._gauges.items():
            gauge.labels(self._job).set(counts[name])
        behind = lag_seconds(counts["watermark"])
        if behind is not None:
            self._lag.labels(self._job).set(behind)
        try:
            self._write()
        except InvalidInput as error:
            return str(error)
        return None

    def _counter(self, name: str, help: str, *labels: str) -> Counter:
        return Counter(f"limen_{name}", help, ["job", *labels], registry=self.registry)

    def _gauge(self, name: str, help: str) -> Gauge:
        return Gauge(f"limen_{name}", help, ["job"], registry=self.registry)

    def _write(self) -> None:
        if self._file:
            try:
                write_to_textfile(self._file, self.registry)
            except OSError as error:
                raise InvalidInput(
                    where="metrics: file", expected="a file that can be written", got=f"{self._file}: {error.strerror}"
                ) from error
