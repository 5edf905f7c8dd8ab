"""Ways to keep answers, taken through the same batches by turns."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from limen.arrays import Ints
from limen.regions.pairs import as_pairs
from limen_lab.bench.answer.difference import Difference
from limen_lab.bench.answer.traffic import Batch
from limen_lab.bench.record import side_by_side
from limen_lab.bench.walks import cpu_seconds


class KeepsAnswers(Protocol):
    """A way to keep answers up to date."""

    def start(self, batch: Batch) -> None:
        """Take in where streams are."""

    def prepare(self, batch: Batch) -> Any:
        """Return a batch in the form in which it is taken; that is not measured."""

    def step(self, prepared: Any) -> Any:
        """Take a batch, and return how answers change."""

    def changes(self, found: Any) -> Difference | None:
        """Return what a step found as pairs."""


class Tour:
    """One way, taken along the batches to the last and back to the first, and so on: every step is one second."""

    def __init__(self, way: KeepsAnswers, batches: Sequence[Batch]) -> None:
        self.way, self.batches = way, batches
        self.found = 0  # changes of answers in the last step
        self._at, self._forward = 0, True
        way.start(batches[0])

    def step(self) -> tuple[float, Any]:
        """Take the next batch; return CPU seconds, and what was found."""
        if self._at == (len(self.batches) - 1 if self._forward else 0):
            self._forward = not self._forward
        self._at += 1 if self._forward else -1
        prepared = self.way.prepare(self.batches[self._at])
        found: list[Any] = []
        return cpu_seconds(lambda: found.append(self.way.step(prepared))), found[0]

    def take(self) -> float:
        """Take one batch after the other, as many as there are steps between them; return CPU seconds an update."""
        steps = len(self.batches) - 1
        taken = sum(self.step()[0] for _ in range(steps))
        return taken / steps / len(self.batches[0].stream)


def through(ways: Mapping[str, KeepsAnswers], batches: Sequence[Batch], runs: int = 2) -> dict[str, float]:
    """Take ways along the same batches by turns; return nanoseconds of CPU time an update, the best of some runs."""
    takers: dict[str, Callable[[], float]] = {name: Tour(way, batches).take for name, way in ways.items()}
    return {name: 1e9 * best for name, best in side_by_side(runs, **takers).items()}


def agreed(ways: Mapping[str, KeepsAnswers], batches: Sequence[Batch]) -> float:
    """See to it that all ways find the same changes; return how many there are for each update."""
    tours = {name: Tour(way, batches) for name, way in ways.items()}
    count = steps = 0
    for _ in batches[1:]:
        first: tuple[str, Ints] | None = None
        for name, tour in tours.items():
            _, found = tour.step()
            changes = tour.way.changes(found)
            if changes is None:
                continue
            keys = _as_keys(changes)
            if first is None:
                first = name, keys
                count, steps = count + len(keys), steps + 1
            elif not np.array_equal(first[1], keys):
                different = len(np.setxor1d(first[1], keys))
                raise AssertionError(f"{name} and {first[0]} differ in {different} of {len(keys)} changes")
    return round(count / steps / len(batches[0].stream), 3)


def _as_keys(changes: Difference) -> Ints:
    """Return changes as sorted numbers, those of streams that went below zero."""
    return np.sort(np.concatenate([as_pairs(*changes.came), ~as_pairs(*changes.went)]))
