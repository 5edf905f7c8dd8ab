"""`limen simulate live`: a file of reports every second, by the clock."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from limen.cli.main import app
from limen.cli.simulate import live as simulate_live
from limen.cli.simulate.live import feed
from limen.formats.load import load_queries
from limen.simulate.generated_roads import generated_roads
from limen.simulate.live_city import LiveCity
from limen.telemetry import TelemetryReader, TelemetrySettings
from limen.telemetry.publisher import JobPublisher

CITY = LiveCity(network=generated_roads(200, 230), vehicles=100, fences=4, garages=2)


class Clock:
    """A clock that goes on only while somebody sleeps."""

    def __init__(self, now: float) -> None:
        self.now, self.slept = now, 0

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1_800_000_000.5)
    monkeypatch.setattr(simulate_live, "time", SimpleNamespace(time=clock.time, sleep=clock.sleep))
    return clock


def seconds(folder: Path) -> list[int]:
    return sorted(int(path.stem) - 1_800_000_000 for path in folder.glob("*.parquet"))


def test_a_file_a_second_by_the_clock(tmp_path: Path, clock: Clock) -> None:
    feed(CITY, tmp_path, seconds=4)
    assert seconds(tmp_path) == [0, 1, 2, 3]
    assert clock.now == 1_800_000_003.5
    table = pq.read_table(tmp_path / "1800000002.parquet")
    assert table.num_rows == 100
    assert set(table["time"].cast(pa.int64()).to_pylist()) == {1_800_000_002_000_000}
    assert set(table["kind"].to_pylist()) == {"car", "taxi"}
    assert not list(tmp_path.glob(".*"))


def test_old_files_go(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate_live, "KEPT_SECONDS", 3)
    feed(CITY, tmp_path, seconds=10)
    assert seconds(tmp_path) == [7, 8, 9]


def test_a_job_that_compiles_gets_few_files_meanwhile(tmp_path: Path, clock: Clock) -> None:
    job = JobPublisher(TelemetrySettings(str(tmp_path / "window")), {"name": "city"}, [])
    job.begin(anew=True)
    taken = [50, 75, 80]  # seconds at which the first batches end
    begin = clock.now

    def sleep(seconds_: float) -> None:
        clock.now += seconds_
        if taken and clock.now - begin >= taken[0]:
            taken.pop(0)
            job.batch(3 - len(taken), 1, {"rows": 0, "streams": 0, "events": {}})

    simulate_live.time.sleep = sleep  # type: ignore[method-assign]
    feed(CITY, tmp_path / "reports", 9, TelemetryReader(tmp_path / "window"))
    written = seconds(tmp_path / "reports")
    assert written[:3] == [0, 20, 40]
    assert max(later - earlier for earlier, later in pairwise(written)) <= 21
    assert written[-3:] == list(range(written[-1] - 2, written[-1] + 1))
    assert written[-3] >= 80
    job.end()


def test_it_does_not_wait_for_a_job_that_has_ended(tmp_path: Path, clock: Clock) -> None:
    job = JobPublisher(TelemetrySettings(str(tmp_path / "window")), {"name": "city"}, [])
    job.begin(anew=True)
    job.end("it could not start")
    feed(CITY, tmp_path / "reports", 5, TelemetryReader(tmp_path / "window"))
    assert seconds(tmp_path / "reports") == [0, 1, 2, 3, 4]


def test_the_command_writes_queries_too(tmp_path: Path, clock: Clock) -> None:
    words = [
        "simulate",
        "live",
        "--out",
        str(tmp_path / "city"),
        "--vehicles",
        "100",
        "--fences",
        "3",
        "--garages",
        "2",
    ]
    done = CliRunner().invoke(app, [*words, "--seconds", "1"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    kinds = [query.type for query in load_queries(tmp_path / "city" / "queries.jsonl")]
    assert kinds == ["border"] * 3 + ["transition"] * 2 + ["nearest"] * 12 + ["within"] * 2 + ["pattern"]
    assert seconds(tmp_path / "city" / "reports") == [0]
