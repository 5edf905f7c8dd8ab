"""A standalone cluster of Spark on this machine: a master and workers, each a process of its own."""

import os
import re
from pathlib import Path
from typing import Self

import pyspark

from tests.servers.process import Process, free_port

_SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
_HOST = "127.0.0.1"


class Cluster:
    """A master and some workers of one core.

    Parameters
    ----------
    folder : Path
        For their logs and what executors unpack.
    workers : int
        How many.
    """

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder = folder
        self._port = free_port()
        self._processes: list[Process] = []
        self._count = workers

    @property
    def master(self) -> str:
        """Return the address for `spark.master`."""
        return f"spark://{_HOST}:{self._port}"

    def work_of(self, worker: int) -> Path:
        """Return the folder in which the executors of a worker live."""
        return self._folder / f"worker{worker}"

    def kill_worker(self, worker: int) -> None:
        """Kill a worker; its executor ends with it."""
        self._processes[1 + worker].kill()

    def __enter__(self) -> Self:
        os.environ["SPARK_LOCAL_IP"] = _HOST
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", _HOST, "--port", self._port)
        for number in range(self._count):
            self._start(
                f"worker{number}", "org.apache.spark.deploy.worker.Worker", "--host", _HOST, "--cores", 1,
                "--memory", "1g", "--work-dir", self.work_of(number), self.master,
            )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.kill()

    def _start(self, name: str, main: str, *arguments: object) -> None:
        log = self._folder / f"{name}.log"
        command = [_SPARK_CLASS, main, *arguments, "--webui-port", free_port()]
        if main.endswith("Worker"):  # whose last argument is the master
            command = [_SPARK_CLASS, main, *arguments[:-1], "--webui-port", free_port(), arguments[-1]]
        process = Process(command, log, folder=self._folder)
        self._processes.append(process)
        told = "New state: ALIVE" if name == "master" else "Successfully registered with master"
        process.wait_until(lambda: re.search(told, log.read_text(errors="replace")) is not None)
