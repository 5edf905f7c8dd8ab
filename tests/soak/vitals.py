"""How a job is while it runs: the memory of its processes, the size of its checkpoint, the time of its batches."""

import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.chaos.driver import Driver

_BATCH = re.compile(r"^batch (\d+): ([\d,]+) rows.*; ([\d,]+) ms", re.MULTILINE)
_MEGABYTE = 1 << 20


@dataclass
class Vitals:
    """Measurements, each with its second."""

    began: float = field(default_factory=time.monotonic)
    series: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def take(self, driver: Driver, checkpoint: Path) -> None:
        """Measure once."""
        now = time.monotonic() - self.began
        workers = set(driver.workers())
        memory: dict[str, float] = defaultdict(float)
        for pid in driver.processes():
            name = "workers" if pid in workers else _name(pid)
            memory[f"{name} (MB)"] += _resident(pid) / _MEGABYTE
        for name, megabytes in memory.items():
            self.series[name].append((now, megabytes))
        self.series["checkpoint (MB)"].append((now, _size(checkpoint) / _MEGABYTE))

    def leave_out_the_fleeting(self) -> None:
        """Forget what was hardly there: helpers of a shell, or of the system, that live for a moment."""
        most = max(map(len, self.series.values()))
        for name in [name for name, points in self.series.items() if len(points) < max(6, most // 10)]:
            del self.series[name]

    def take_batches(self, log: str, seconds: float) -> None:
        """Read the times of batches from what the job has said in so many seconds."""
        found = _BATCH.findall(log)
        for number, (_, _, taken) in enumerate(found):
            at = seconds * (number + 1) / len(found)
            self.series["batch time (ms)"].append((at, float(taken.replace(",", ""))))

    def growth(self, name: str) -> float:
        """Return how much larger the last third is than the middle one, by their medians."""
        values = np.array([value for _, value in self.series[name]])
        third = len(values) // 3
        return float(np.median(values[2 * third :]) / np.median(values[third : 2 * third]))


def _name(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "others"
    return {"java": "JVM"}.get(command, "driver and daemon")


def _resident(pid: int) -> int:
    """Return the memory of a process that no other shares a part of, each part once."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.stat().st_size
        except OSError:  # gone meanwhile
            continue
    return size
