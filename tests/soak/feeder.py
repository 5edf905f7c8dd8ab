"""Input that never ends: vehicles on a random walk, in files that appear at a steady pace or in bursts."""

import threading
import time
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

STREAMS = 2_000
SCHEMA = "vehicle string, at timestamp, x double"
_NAMES = pa.array([f"vehicle {number}" for number in range(STREAMS)])


class Feeder:
    """Writes files into a folder until it is told to stop.

    Parameters
    ----------
    folder : Path
    rows : int
        A second, on average.
    burst : float
        Seconds from one file to the next.
    """

    def __init__(self, folder: Path, rows: int, burst: float) -> None:
        self._folder, self._rows, self._burst = folder, rows, burst
        self._random = np.random.default_rng(1)
        self._place = self._random.uniform(0, 1000, STREAMS)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._feed)
        self.written = 0  # files
        folder.mkdir(exist_ok=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _feed(self) -> None:
        while not self._stop.wait(self._burst):
            now = time.time_ns() // 1000
            count = int(self._rows * self._burst)
            who = self._random.integers(0, STREAMS, count)
            self._place += self._random.normal(0, 2, STREAMS)
            times = np.linspace(now - self._burst * 1e6, now, count).astype(np.int64)
            table = pa.table(
                {
                    "vehicle": _NAMES.take(pa.array(who)),
                    "at": pa.array(times, pa.timestamp("us", "UTC")),
                    "x": self._place[who],
                }
            )
            hidden = self._folder / f".{now}.parquet"
            pq.write_table(table, hidden)
            hidden.rename(self._folder / f"{now}.parquet")
            self.written += 1
            for old in sorted(self._folder.glob("[0-9]*.parquet"))[:-200]:
                old.unlink()  # long taken
