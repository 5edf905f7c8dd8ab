"""The window as the driver of a job has it: the job itself, a line a batch, a heartbeat; and what is old goes."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limen.window import layout
from limen.window.change_log import ChangeLog
from limen.window.files import append_line, read_lines, write_text
from limen.window.sample import one_of_for
from limen.window.tidying import parts_of, tidy
from limen.window.trouble import Trouble

if TYPE_CHECKING:
    from limen.window.settings import WindowSettings

KEPT_BATCHES = 10_000
#: Rows of a batch that are told, in all files together, before fewer streams are.
MOST_ROWS = 1 << 18
_BEATS_TO_TIDY = 3
_LATELY = 30.0  # seconds over which rows are counted


class JobWindow:
    """Tells of a job from its start to its end. Nothing here stops the job: what cannot be written is counted.

    Parameters
    ----------
    settings : WindowSettings
    facts : dict
        What is told of the job as it is: name, columns, options, where changes come from, …
    queries : list of str
        The queries of the job file, each as its JSON.
    """

    def __init__(self, settings: WindowSettings, facts: dict[str, Any], queries: list[str]) -> None:
        self.trouble = Trouble()
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
            "version": layout.VERSION,
            **facts,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "run": os.urandom(8).hex(),
            "origin": os.urandom(8).hex(),
            "began": _now(),
            "ended": None,
            "state": layout.STARTING,
            "reason": None,
            "remarks": [],
            "bounds": None,
            "sample": {"streams": settings.streams, "events": settings.events, "one_of": 1},
        }

    @property
    def begun(self) -> bool:
        """Whether it has told anything."""
        return self._thread is not None

    def begin(self, *, anew: bool) -> None:
        """Tell that the job is starting; `anew` if its checkpoint is new, and what was told of another one goes."""
        with self.trouble.suppressed():
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
                self._remark("The job is older than its window: changes of queries before now are not known here.")
            write_text(self._folder / layout.QUERIES, "".join(f"{line}\n" for line in self._queries))
            self._lines = _count_lines(self._folder / layout.BATCHES)
        self._tell_sample()
        self._tell_job()
        self._thread = threading.Thread(target=self._beat, name="limen-window", daemon=True)
        self._thread.start()

    def running(self, **facts: Any) -> None:
        """Tell that the job runs."""
        self._job |= {"state": layout.RUNNING, **facts}
        self._tell_job()

    def batch(self, number: int, milliseconds: int, counters: dict[str, Any]) -> None:
        """Tell of a batch that has ended."""
        self._latest = max(self._latest, number)
        line: dict[str, Any] = {
            "batch": number,
            "written": _now(),
            "milliseconds": milliseconds,
            "counters": counters,
        }
        with self.trouble.suppressed():
            if missing := self._missing(number, counters):
                line["missing"] = missing
                self.trouble.note(f"{' and '.join(missing)} of batch {number} were not written by the workers")
            self._log.gather(number, counters.get("problems", []))
            append_line(self._folder / layout.BATCHES, json.dumps(line))
            self._lines += 1
            if self._lines > 2 * KEPT_BATCHES:
                self._rotate()
        one_of = one_of_for(self._load(counters["streams"], counters["rows"]), self._one_of)
        if one_of != self._one_of:
            self._one_of = one_of
            self._tell_sample()
            self._tell_job()

    def _load(self, streams: int, rows: int) -> float:
        """Return how many times too much all would be: as many rows a second are told as streams are meant to be."""
        now = time.monotonic()
        self._lately.append((now, rows))
        while self._lately[0][0] < now - _LATELY:
            self._lately.popleft()
        # A batch that catches up with the time that a start took is no reason to tell of fewer streams ever after.
        rate = sum(rows for _, rows in self._lately) / min(max(now - self._began, 1.0), _LATELY)
        return max(streams / self._settings.streams, rate / self._settings.streams, rows / MOST_ROWS)

    def end(self, reason: str | None = None) -> None:
        """Tell that the job has ended; with a reason, that it failed."""
        self._stopped.set()
        if self._thread is None:
            return
        self._thread.join()
        state = layout.ENDED if reason is None else layout.FAILED
        self._job |= {"state": state, "reason": reason, "ended": _now()}
        self._tell_job()

    # ---- the parts ---------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Show that the job lives, and clear away what is old."""
        beats = 0
        while not self._stopped.wait(layout.HEARTBEAT):
            with self.trouble.suppressed():
                self._touch()
                if beats % _BEATS_TO_TIDY == 0:
                    tidy(self._folder, self._latest)
            beats += 1

    def _touch(self) -> None:
        try:
            with self._lock:
                os.utime(self._folder / layout.JOB)
        except FileNotFoundError:  # somebody has removed the window under us
            write_text(self._folder / layout.QUERIES, "".join(f"{line}\n" for line in self._queries))
            self._tell_sample()
            self._tell_job()

    def _tell_job(self) -> None:
        with self.trouble.suppressed(), self._lock:
            self._job["sample"]["one_of"] = self._one_of
            write_text(self._folder / layout.JOB, json.dumps(self._job, indent=1) + "\n")

    def _tell_sample(self) -> None:
        with self.trouble.suppressed():
            write_text(self._folder / layout.SAMPLE, json.dumps({"one_of": self._one_of}))

    def _remark(self, text: str) -> None:
        self._job["remarks"].append(text)

    def _missing(self, number: int, counters: dict[str, Any]) -> list[str]:
        """Return what workers should have told of a batch, and have not."""
        expected = {layout.ROWS_FOLDER: counters["rows"], layout.EVENTS_FOLDER: sum(counters["events"].values())}
        return [
            folder
            for folder, count in expected.items()
            if count and not any(part.batch == number for part in parts_of(self._folder / folder))
        ]

    def _rotate(self) -> None:
        path = self._folder / layout.BATCHES
        latest = list(read_lines(path.read_bytes()))[-KEPT_BATCHES:]
        write_text(path, "".join(json.dumps(line) + "\n" for line in latest))
        self._lines = len(latest)

    def _forget(self) -> None:
        for folder in layout.FOLDERS:
            for part in parts_of(self._folder / folder):
                (self._folder / folder / part.name).unlink(missing_ok=True)
        for name in (layout.BATCHES, layout.CHANGES, layout.SAMPLE):
            (self._folder / name).unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _before(folder: Path) -> dict[str, Any] | None:
    """Return what the job of before said of itself."""
    try:
        found = json.loads((folder / layout.JOB).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
