"""A job on a real cluster: the package shipped as an archive, a worker killed in the middle, the same events."""

import sys
import tarfile
from pathlib import Path

import pytest

import limen
from tests.chaos.disturbances import start
from tests.chaos.driver import until
from tests.chaos.programs import CommandJob
from tests.chaos.workload import Workload, assert_same_events
from tests.cluster.standalone import Cluster

FILES = 12


@pytest.mark.soak
def test_a_worker_is_killed_and_nobody_can_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # what is imported leaves a trace
    archive = tmp_path / "limen.tar.gz"
    with tarfile.open(archive, "w:gz") as shipped:
        shipped.add(
            Path(limen.__file__).parent, "limen", filter=lambda each: None if "__pycache__" in each.name else each
        )
    workload = Workload(tmp_path / "input", seed=5)
    workload.publish(FILES)
    workload.close()
    run = tmp_path / "run"
    run.mkdir()
    with Cluster(tmp_path, workers=2) as cluster:
        job = CommandJob(
            {
                "spark.master": cluster.master,
                "spark.archives": f"{archive}#shipped",
                "spark.executorEnv.PYTHONPATH": "shipped",
                "spark.executor.memory": "512m",
                "spark.driver.host": "127.0.0.1",
            }
        )
        driver = start(job, workload.folder, run)
        try:
            commits = run / "checkpoint" / "commits"
            until(lambda: (commits / "3").exists() or not driver.alive, "the fourth batch")
            assert driver.alive, driver.log_tail()
            unpacked = [list(cluster.work_of(worker).glob("app-*/*/shipped/limen")) for worker in range(2)]
            assert all(unpacked), "each worker has an executor with the package in its archive"
            assert all((folder / "__pycache__").exists() for found in unpacked for folder in found), "and imports it"
            cluster.kill_worker(0)
            assert driver.wait(300) == 0, driver.log_tail()
        finally:
            driver.kill()
        assert len(list(commits.glob("[0-9]*"))) == FILES + 1
        assert "ERROR" in driver.log_tail(10**7), "the death was noticed"
        assert_same_events(workload.events, job.seen(run), "the engine in this process, and the cluster")
