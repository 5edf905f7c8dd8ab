"""Whatever is killed, and whenever: after a restart the sink holds each event once, as if nothing had happened.

`make chaos` runs the long version and tells of each disturbance; LIMEN_CHAOS_SEED chooses another input and other
disturbances.
"""

import logging
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.chaos.disturbances import DisturbedJob, run_undisturbed
from tests.chaos.programs import ParquetJob, PostgresJob
from tests.chaos.workload import assert_same_events
from tests.servers import postgres

SEED = int(os.environ.get("LIMEN_CHAOS_SEED", "1"))
COMMAND = {"driver": 8, "worker": 5, "replay": 5}
MANY = {"task": 8, "worker": 8, "driver": 10, "replay": 6}

log = logging.getLogger("chaos")


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "limen")  # the engine warns of bad changes, which are here on purpose


@pytest.fixture
def job(tmp_path: Path, quiet: None) -> Iterator[DisturbedJob]:
    job = DisturbedJob(tmp_path, SEED, ParquetJob())
    yield job
    job.stop()


@pytest.fixture
def command(tmp_path: Path, quiet: None) -> Iterator[DisturbedJob]:
    """Run `limen run` with a real PostgreSQL as its sink."""
    reason = postgres.why_not()
    if reason:
        pytest.skip(reason)
    with postgres.Postgres() as server:
        job = DisturbedJob(tmp_path, SEED, PostgresJob(server))
        yield job
        job.stop()


def survive(job: DisturbedJob, plan: list[str]) -> pa.Table:
    """Go through the plan and to the end; the events are those of the engine in this process, each once."""
    job.disturb(plan)
    seen = job.finish()
    assert job.done == Counter(plan)
    assert pc.count_distinct(seen["event_id"]).as_py() == len(seen)
    assert_same_events(job.workload.events, seen, "the engine in this process, and the disturbed run")
    log.info("%d events of %d batches, none missing, none twice", len(seen), job.workload.published)
    return seen


EVENTS = pa.table(
    {
        "event_id": ["a", "b", "c"],
        "query_id": ["q", "q", "r"],
        "kind": ["enter", "exit", "exit"],
        "reason": ["moved", "moved", "expired"],
        "time": pa.array([1, 2, 3], pa.timestamp("s", "UTC")),
        "values": [[1.0], None, [3.0]],
    }
)


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (
            EVENTS.slice(2),
            r"2 \['a', 'b'\] \(from \S+ 00:00:01\S* to \S+ 00:00:02\S* enter 1, exit 1, moved 2, q 2\) missing",
        ),
        (pa.concat_tables([EVENTS, EVENTS.slice(2)]), r"of 3 events 0 missing, 1 \['c'\] \(.*\) too many"),
        (EVENTS.set_column(5, "values", pa.array([[1.0], None, [4.0]])), "differ in content"),
    ],
    ids=["missing", "twice", "changed"],
)
def test_events_that_differ_are_told(got: pa.Table, said: str) -> None:
    assert_same_events(EVENTS, EVENTS.take([2, 0, 1]), "in another order")
    with pytest.raises(AssertionError, match=said):
        assert_same_events(EVENTS, got, "here")


@pytest.mark.slow
def test_a_few_disturbances_leave_no_trace(job: DisturbedJob) -> None:
    survive(job, ["worker", "driver"])


@pytest.mark.soak
def test_many_disturbances_leave_no_trace(job: DisturbedJob, tmp_path: Path) -> None:
    plan = [kind for kind, times in MANY.items() for _ in range(times)]
    random.Random(SEED).shuffle(plan)
    seen = survive(job, plan)
    undisturbed = run_undisturbed(ParquetJob(), job.workload, tmp_path / "undisturbed")
    assert_same_events(undisturbed, seen, "the undisturbed run, and the disturbed one")
    log.info("equal to the undisturbed run after %s", MANY)


@pytest.mark.soak
def test_the_command_leaves_every_event_once_in_postgres(command: DisturbedJob) -> None:
    plan = [kind for kind, times in COMMAND.items() for _ in range(times)]
    random.Random(SEED).shuffle(plan)
    survive(command, plan)
