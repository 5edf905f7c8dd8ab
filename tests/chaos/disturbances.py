"""A job that is disturbed again and again while it works, and must come to the same events all the same.

The kinds of disturbance:

* `driver`: SIGKILL of the driver, its JVM and its workers, at any moment; then a restart.
* `worker`: SIGKILL of a Python worker; Spark tries its task again.
* `task`: a task fails when all its work is done, before the shuffle or behind the stateful operator; Spark tries it
  again.
* `replay`: the newest commit is deleted between two runs, as if the driver had died just before it; every other time
  the sink's entry of that batch too, as if it had died after the commit of the state and before that of the sink.
"""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa

from tests.chaos.driver import Driver, kill_process, until
from tests.chaos.programs import Program
from tests.chaos.workload import Workload, assert_same_events

PORTION = 6  # files that are published together; the job ends when it has worked through them
MOST_BATCHES = 2  # committed before the next disturbance …
MOST_SECONDS = 2.0  # … and time that passes after them, so that it comes at any moment of a batch
MOST_ATTEMPTS = 20  # at one disturbance: the job may end before it is disturbed

log = logging.getLogger("chaos")


class DisturbedJob:
    """A job, its input, and what happens to it.

    Parameters
    ----------
    folder : Path
        For input, checkpoint, sink and log.
    seed : int
        Of the input, and of what is done to the job and when.
    program : Program
        What is run.
    """

    def __init__(self, folder: Path, seed: int, program: Program) -> None:
        self._program = program
        self.workload = Workload(folder / "input", seed, answers=program.answers)
        self.done: Counter[str] = Counter()
        self._run = folder / "disturbed"
        self._run.mkdir()
        self._random = random.Random(seed)
        self._driver: Driver | None = None
        self._may_fail = False
        self._began = time.monotonic()
        self._kinds: dict[str, Callable[[Driver], str | None]] = {
            "driver": self._kill_driver,
            "worker": self._kill_worker,
            "task": self._fail_task,
            "replay": self._force_replay,
        }

    def disturb(self, kinds: Iterable[str]) -> None:
        """Do these things to the job, one after the other."""
        for kind in kinds:
            happened = next(filter(None, (self._try(kind) for _ in range(MOST_ATTEMPTS))), None)
            assert happened, f"{kind}: {MOST_ATTEMPTS} times the job ended before it was disturbed"
            self.done[kind] += 1
            self._tell(kind, happened)

    def finish(self) -> pa.Table:
        """Let the job come to the end of its input; return the events that its sink shows."""
        if self._driver is not None:
            self._end(self._driver)
        self.workload.close()
        while not self._end(self._start()):
            pass
        return self._seen

    def stop(self) -> None:
        """Leave no process behind."""
        if self._driver is not None:
            self._driver.kill()
            self._driver = None

    # ---- the job -----------------------------------------------------------------------------------------------------

    def _going(self) -> Driver:
        """Return the driver at work; one that has ended is followed by the next, and by input if it needs more."""
        if self._driver is not None:
            if self._driver.alive:
                return self._driver
            self._end(self._driver)
        if self.workload.published - self._committed <= 2:  # the next batch is the last
            self.workload.publish(PORTION)
        return self._start()

    def _start(self) -> Driver:
        _forget_unplanned_files(self._run / "checkpoint")
        self._may_fail = False
        self._driver = start(self._program, self.workload.folder, self._run)
        return self._driver

    def _end(self, driver: Driver) -> bool:
        """Wait for the end and compare the events; False if the driver gave up, as it may after a worker's death."""
        code = driver.wait()
        assert code is not None, f"the job does not come to an end\n{driver.log_tail()}"
        self.stop()  # the JVM may outlive the driver for a while, and the next one must be alone with the checkpoint
        if code and self._may_fail:
            self._tell("", "the driver gave up")
            return False
        assert code == 0, f"the driver failed\n{driver.log_tail()}"
        commits = sorted(_numbers(self._run / "checkpoint" / "commits"))
        assert commits == list(range(self.workload.published)), "every batch is committed, the replayed ones again"
        context = f"after {dict(self.done)} (the job's own words are in {self._run / 'log'})"
        assert_same_events(self.workload.events, self._seen, context)
        return True

    @property
    def _seen(self) -> pa.Table:
        return self._program.seen(self._run)

    @property
    def _committed(self) -> int:
        """Return the newest committed batch, -1 before the first."""
        return max(_numbers(self._run / "checkpoint" / "commits"), default=-1)

    @property
    def _planned(self) -> int:
        """Return the newest batch that has been begun, -1 before the first."""
        return max(_numbers(self._run / "checkpoint" / "offsets"), default=-1)

    @property
    def _moment(self) -> str:
        planned = self._planned
        return f"in batch {planned}" if planned > self._committed else f"after batch {planned}"

    def _tell(self, kind: str, what: str) -> None:
        log.info("%3d  %6.1f s  %-6s  %s", self.done.total(), time.monotonic() - self._began, kind, what)

    # ---- the disturbances: each says what happened, or None if the job ended before it ------------------------------

    def _try(self, kind: str) -> str | None:
        driver = self._going()
        if kind != "replay":  # which waits for the end
            # A worker that has served a batch has a copy of the state, which may prove wrong; a driver may die at once.
            until(lambda: self._planned > self._committed or not driver.alive, "the next batch")
            target = self._committed + self._random.randint(kind != "driver", MOST_BATCHES)
            until(lambda: self._committed >= target or not driver.alive, "the next commit")
            driver.wait(self._random.uniform(0, MOST_SECONDS))
            if not driver.alive:
                return None
        return self._kinds[kind](driver)

    def _kill_driver(self, driver: Driver) -> str:
        driver.kill()
        self._driver = None
        return self._moment

    def _kill_worker(self, driver: Driver) -> str | None:
        workers, moment = driver.workers(), self._moment
        if not workers or not kill_process(self._random.choice(workers)):
            return None
        self._may_fail = True
        return f"one of {len(workers)} {moment}"

    def _fail_task(self, driver: Driver) -> str | None:
        place = ("events", "rows")[self.done["task"] % 2]
        fault = self._run / f"fault_in_{place}"
        fault.touch()
        until(lambda: not fault.exists() or not driver.alive, "a task that fails")
        if fault.exists():
            fault.unlink()
            return None
        return f"behind the {place}, {self._moment}"

    def _force_replay(self, driver: Driver) -> str | None:
        if not self._end(driver):
            return None
        batch = self._committed
        _delete_entry(self._run / "checkpoint" / "commits" / str(batch))
        entry = self._run / "sink" / "_spark_metadata" / str(batch)
        # Now and then Spark writes one entry for all batches until then, which is not to be lost.
        if self.done["replay"] % 2 == 0 and entry.exists():
            _delete_entry(entry)
            return f"of batch {batch}, which is not in the sink"
        return f"of batch {batch}, which is in the sink"


def start(program: Program, source: Path, run: Path) -> Driver:
    """Start a program."""
    return Driver(program.module, program.arguments(source, run), run / "log")


def run_undisturbed(program: Program, workload: Workload, run: Path) -> pa.Table:
    """Run the job over the same input with nobody to disturb it; return the events that its sink shows."""
    run.mkdir()
    driver = start(program, workload.folder, run)
    try:
        assert driver.wait(600) == 0, f"the undisturbed driver failed\n{driver.log_tail()}"
    finally:
        driver.kill()
    return program.seen(run)


def _numbers(folder: Path) -> list[int]:
    """Return the batches that a log of Spark has entries of."""
    return [int(path.name) for path in folder.glob("[0-9]*") if path.name.isdigit()]


def _forget_unplanned_files(checkpoint: Path) -> None:
    """Take back what a source has listed and no batch has planned, as if the driver had died a moment earlier.

    Else Spark puts two files into the next batch. It may, but then late rows and changes without a time meet another
    watermark than in a batch of one file, and the events to compare with would be others.
    """
    planned = max(_numbers(checkpoint / "offsets"), default=-1)
    for entry in (checkpoint / "sources").glob("*/[0-9]*"):
        if int(entry.name.removesuffix(".compact")) > planned:
            _delete_entry(entry)


def _delete_entry(path: Path) -> None:
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # its checksum
