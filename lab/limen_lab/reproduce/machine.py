"""What a measurement depends on besides its figure: how large it is, on which machine and with which versions."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from limen_lab.reproduce.figure import Scale

LIBRARIES = ("limen", "numpy", "numba", "pyarrow", "rtree", "shapely")
SCALES: tuple[Scale, ...] = ("tiny", "quick", "full")


@dataclass(frozen=True, slots=True)
class RunConditions:
    """Under which a figure was measured. Figures of one report have them in common, but for the scale."""

    scale: Scale
    machine: str
    versions: str

    def serve(self, wanted: RunConditions) -> bool:
        """Return whether what was measured under these is as good as what is wanted: the same, or at a larger scale."""
        same = (self.machine, self.versions) == (wanted.machine, wanted.versions)
        return same and SCALES.index(self.scale) >= SCALES.index(wanted.scale)


def here(scale: Scale) -> RunConditions:
    """Return the conditions of this process."""
    return RunConditions(scale, _machine(), _versions())


def _machine() -> str:
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def _versions() -> str:
    found = [f"Python {sys.version.split()[0]}"]
    for library in LIBRARIES:
        try:
            found.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
