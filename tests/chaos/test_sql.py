"""A statement with a join, a filter and running numbers, killed while it runs: the numbers are those of a quiet run."""

import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import limen
from limen import changes
from tests.chaos.driver import Driver, until
from tests.chaos.sql_job import COLUMNS, OWNERS

SEED = int(os.environ.get("LIMEN_CHAOS_SEED", "1"))
CARS, SECONDS = 40, 10


def positions(batch: int) -> pa.Table:
    """Rows of some seconds; a car is a truck for a while, and then a van."""
    chance = np.random.default_rng([SEED, batch])
    second = np.repeat(np.arange(batch * SECONDS, (batch + 1) * SECONDS), CARS)
    car = np.tile(np.arange(CARS), SECONDS)
    x, y = chance.uniform(0, 9, (2, second.size))
    kind = np.where((car + second // 7) % 3 > 0, "truck", "van")
    time = pa.array(second * 1_000_000, pa.timestamp("us", "UTC"))
    return pa.table({"car": car, "t": time, "x": x, "y": y, "kind": kind})


def lay(folder: Path, batches: int) -> None:
    folder.mkdir()
    for batch in range(batches):
        path = folder / f"{batch:03}.parquet"
        pq.write_table(positions(batch), path)
        os.utime(path, (batch, batch))


def wanted(batches: int) -> list[tuple[object, ...]]:
    """Say what must come out, by the engine in this process and the helpers of one number."""
    query = limen.Within("select", limen.Box((2, 2), (7, 7)), where="kind = 'truck'")
    engine = limen.Engine(COLUMNS, queries=[query], order="event")
    events = changes.signed(pa.concat_tables([engine.process(positions(batch)) for batch in range(batches)]))
    owner = [OWNERS.get(int(id)) for id in events["stream_id"].to_pylist()]
    owned = events.append_column("owner", pa.array(owner, pa.string()))
    owned = owned.filter(pa.array([each in ("city", "Ann") for each in owner]))
    found: dict[tuple[Any, str], dict[str, object]] = {}
    for table in (changes.count(owned, by="owner"), changes.average(owned, 0, by="owner")):
        for row in table.to_pylist():
            found.setdefault((row["time"], row["owner"]), {}).update(row)
    told, last = [], dict[object, dict[str, object]]()
    for (when, owner_of), numbers in sorted(found.items(), key=lambda item: item[0]):
        last[owner_of] = {**last.get(owner_of, {}), **numbers}
        told.append((owner_of, when, last[owner_of]["count"], last[owner_of]["average"]))
    return told


def kill_and_go_on(tmp_path: Path, batches: int, kills: int) -> None:
    chance = random.Random(SEED)
    source, run = tmp_path / "rows", tmp_path / "run"
    lay(source, batches)
    run.mkdir()
    offsets = run / "checkpoint" / "offsets"
    for killed in range(kills):
        driver = Driver("tests.chaos.sql_job", [source, run], tmp_path / "log")
        target = 1 + killed * (batches - 2) // max(kills, 1)

        def begun(target: int = target, driver: Driver = driver) -> bool:
            assert driver.alive, driver.log_tail()
            return (offsets / str(target)).exists()

        until(begun, f"batch {target}")
        # In the middle of the batch, or of what follows it.
        time.sleep(chance.random() * 0.8)
        driver.kill()
        assert not (run / "seen.parquet").exists()
    driver = Driver("tests.chaos.sql_job", [source, run], tmp_path / "log")
    assert driver.wait() == 0, driver.log_tail()
    got = [tuple(row.values()) for row in pq.read_table(run / "seen.parquet").to_pylist()]
    assert len(got) == len(set(got)), "a number was told twice"
    assert sorted(got, key=repr) == sorted(wanted(batches), key=repr)
    assert len(got) > 10 * batches


@pytest.mark.soak
def test_a_statement_goes_on_after_many_kills(tmp_path: Path) -> None:
    kill_and_go_on(tmp_path, batches=9, kills=5)
