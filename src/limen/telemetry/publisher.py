"""Telemetry of the driver: the job's status, a line for each batch, a heartbeat, and the removal of old files."""

import json
import os
import socket
import threading
import time
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from limen.telemetry import folder_files
from limen.telemetry.atomic_files import append_line, read_lines, write_text
from limen.telemetry.change_log import ChangeLog
from limen.telemetry.failures import WriteFailures
from limen.telemetry.retention import files_of, tidy
from limen.telemetry.sample import one_of_for
from limen.telemetry.settings import TelemetrySettings

KEPT_BATCHES = 10_000
#: Rows of a batch that are published, in all files together, before fewer streams are sampled.
MOST_ROWS = 1 << 18
_BEATS_TO_TIDY = 3
_LATELY = 30.0  # seconds over which the rate of rows is measured


class JobPublisher:
    """Publish the status of a job from its start to its end.

    Failed writes are counted and never stop the job.

    Parameters
    ----------
    settings
        Where to publish, and how much.
    facts
        What does not change while the job runs: name, columns, options, the source of changes, …
    queries
        The queries of the job file, each as its JSON.
    """

    def __init__(self, settings: TelemetrySettings, facts: dict[str, Any], queries: list[str]) -> None:
        self.failures = WriteFailures()
        self._settings, self._folder = settings, Path(settings.folder)
        self._queries = queries
        self._log = ChangeLog(self._folder, queries)
        self._one_of = 1
        self._began = time.monotonic()
        self._lately: deque[tuple[float, int]] = deque()  # when a batch ended, and its rows
        self._lines = 0  # of batches
        self._latest = -1
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._job: dict[str, Any] = {
            "version": folder_files.VERSION,
            **facts,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "run": os.urandom(8).hex(),
            "origin": os.urandom(8).hex(),
            "began": _now(),
            "ended": None,
            "state": folder_files.STARTING,
            "reason": None,
            "remarks": [],
            "bounds": None,
            "sample": {"streams": settings.streams, "events": settings.events, "one_of": 1},
        }

    @property
    def begun(self) -> bool:
        """Whether publishing has started."""
        return self._thread is not None

    def begin(self, *, anew: bool) -> None:
        """Publish that the job is starting; with a new checkpoint (`anew`) remove the files of an earlier job."""
        with self.failures.suppressed():
            before = _before(self._folder)
            if anew:
                self._forget()
                if before is not None:
                    self._remark("The checkpoint of before is gone: the job has begun anew.")
            elif before is not None:
                self._job["origin"] = before.get("origin", self._job["origin"])
                self._one_of = int(before.get("sample", {}).get("one_of", 1))
                self._log.compact()
                self._log.edited()
            elif self._job.get("changes"):
                self._remark("The job is older than its telemetry: earlier query changes are not known here.")
            write_text(self._folder / folder_files.QUERIES, "".join(f"{line}\n" for line in self._queries))
            self._lines = _count_lines(self._folder / folder_files.BATCHES)
        self._write_sample()
        self._write_job()
        self._thread = threading.Thread(target=self._beat, name="limen-telemetry", daemon=True)
        self._thread.start()

    def running(self, **facts: Any) -> None:
        """Publish that the job is running."""
        self._job |= {"state": folder_files.RUNNING, **facts}
        self._write_job()

    def batch(self, number: int, milliseconds: int, counters: dict[str, Any]) -> None:
        """Publish the counters of a completed batch."""
        self._latest = max(self._latest, number)
        line: dict[str, Any] = {
            "batch": number,
            "written": _now(),
            "milliseconds": milliseconds,
            "counters": counters,
        }
        with self.failures.suppressed():
            if missing := self._missing(number, counters):
                line["missing"] = missing
                self.failures.note(f"{' and '.join(missing)} of batch {number} were not written by the workers")
            self._log.gather(number, counters.get("problems", []))
            append_line(self._folder / folder_files.BATCHES, json.dumps(line))
            self._lines += 1
            if self._lines > 2 * KEPT_BATCHES:
                self._rotate()
        one_of = one_of_for(self._load(counters["streams"], counters["rows"]), self._one_of)
        if one_of != self._one_of:
            self._one_of = one_of
            self._write_sample()
            self._write_job()

    def _load(self, streams: int, rows: int) -> float:
        """Return by what factor all streams exceed the limits: of streams, of rows a second, and of rows of a batch."""
        now = time.monotonic()
        self._lately.append((now, rows))
        while self._lately[0][0] < now - _LATELY:
            self._lately.popleft()
        # One large batch that catches up after a slow start must not reduce the sample for good.
        rate = sum(rows for _, rows in self._lately) / min(max(now - self._began, 1.0), _LATELY)
        return max(streams / self._settings.streams, rate / self._settings.streams, rows / MOST_ROWS)

    def end(self, reason: str | None = None) -> None:
        """Publish that the job has ended; with a reason, that it failed."""
        self._stopped.set()
        if self._thread is None:
            return
        self._thread.join()
        state = folder_files.ENDED if reason is None else folder_files.FAILED
        self._job |= {"state": state, "reason": reason, "ended": _now()}
        self._write_job()

    # ---- internals --------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Update the heartbeat, and remove old files."""
        beats = 0
        while not self._stopped.wait(folder_files.HEARTBEAT):
            with self.failures.suppressed():
                self._touch()
                if beats % _BEATS_TO_TIDY == 0:
                    tidy(self._folder, self._latest)
            beats += 1

    def _touch(self) -> None:
        try:
            with self._lock:
                os.utime(self._folder / folder_files.JOB)
        except FileNotFoundError:  # the folder was removed while the job runs
            write_text(self._folder / folder_files.QUERIES, "".join(f"{line}\n" for line in self._queries))
            self._write_sample()
            self._write_job()

    def _write_job(self) -> None:
        with self.failures.suppressed(), self._lock:
            self._job["sample"]["one_of"] = self._one_of
            write_text(self._folder / folder_files.JOB, json.dumps(self._job, indent=1) + "\n")

    def _write_sample(self) -> None:
        with self.failures.suppressed():
            write_text(self._folder / folder_files.SAMPLE, json.dumps({"one_of": self._one_of}))

    def _remark(self, text: str) -> None:
        self._job["remarks"].append(text)

    def _missing(self, number: int, counters: dict[str, Any]) -> list[str]:
        """Return which files of a batch are missing: `rows` or `events` that workers failed to write."""
        expected = {
            folder_files.ROWS_FOLDER: counters["rows"],
            folder_files.EVENTS_FOLDER: sum(counters["events"].values()),
        }
        return [
            folder
            for folder, count in expected.items()
            if count and not any(part.batch == number for part in files_of(self._folder / folder))
        ]

    def _rotate(self) -> None:
        path = self._folder / folder_files.BATCHES
        latest = list(read_lines(path.read_bytes()))[-KEPT_BATCHES:]
        write_text(path, "".join(json.dumps(line) + "\n" for line in latest))
        self._lines = len(latest)

    def _forget(self) -> None:
        for folder in folder_files.FOLDERS:
            for part in files_of(self._folder / folder):
                (self._folder / folder / part.name).unlink(missing_ok=True)
        for name in (folder_files.BATCHES, folder_files.CHANGES, folder_files.SAMPLE):
            (self._folder / name).unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _before(folder: Path) -> dict[str, Any] | None:
    """Return the status of the previous run; None if there is none."""
    try:
        found = json.loads((folder / folder_files.JOB).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
