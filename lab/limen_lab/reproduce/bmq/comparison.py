"""Methods side by side on the same journeys: CPU time, events, the size of intermediate results, memory."""

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from limen_lab.bench.walks import cpu_seconds
from limen_lab.reproduce.bmq.border_methods import Differences, Method
from limen_lab.reproduce.bmq.journeys import Journeys

WARM = 2  # batches before measuring: the first gives each stream a position, the second a place in the index


class MethodResult(NamedTuple):
    """What came out for one method."""

    seconds: float  # of CPU time a tuple
    events: int
    intermediate: int

    @property
    def efficiency(self) -> float:
        """The papers' PE: final results in proportion to intermediate ones, in per cent."""
        return 100 * self.events / max(self.intermediate, 1)

    @property
    def microseconds(self) -> float:
        """Of CPU time a tuple."""
        return 1e6 * self.seconds


@dataclass(frozen=True, slots=True)
class Contender:
    """A method, made anew for each run, and the journeys it is taken over: all, or the first batches of all."""

    make: Callable[[], Method]
    journeys: Journeys


class _Run(NamedTuple):
    method: Method
    seconds: float
    events: list[int]  # batch by batch
    looked: int


def compared(contenders: Mapping[str, Contender], runs: int) -> dict[str, MethodResult]:
    """Take contenders by turns, and return the best time of each beside what it counted.

    By turns, so that a slow moment of the machine hits all alike. All must find as many events in the batches that
    they have in common, or their times would mean nothing.
    """
    for contender in contenders.values():
        _taken(contender.make(), contender.journeys.first(WARM + 1))  # kernels are compiled or loaded
    best: dict[str, _Run] = {}
    for _ in range(runs):
        gc.collect()
        for name, contender in contenders.items():
            run = _taken(contender.make(), contender.journeys)
            if name not in best or run.seconds < best[name].seconds:
                best[name] = run
    agree({name: run.events for name, run in best.items()})
    matching: dict[int, int] = {}  # by journeys: the same for all DiffRMQs, whatever their index
    measured = {}
    for name, run in best.items():
        contender, looked = contenders[name], run.looked
        if isinstance(run.method, Differences):
            looked = matching.get(id(contender.journeys), -1)
            if looked < 0:
                looked = matching[id(contender.journeys)] = _matching_twice(contender)
        tuples = sum(len(slot) for slot in contender.journeys.slots[WARM:])
        measured[name] = MethodResult(run.seconds / tuples, sum(run.events), looked)
    return measured


def stored(contenders: Mapping[str, Contender]) -> dict[str, float]:
    """Return the megabytes that contenders hold after their journeys."""
    runs = {name: _taken(contender.make(), contender.journeys) for name, contender in contenders.items()}
    agree({name: run.events for name, run in runs.items()})
    return {name: run.method.nbytes / 1e6 for name, run in runs.items()}


def agree(events: Mapping[str, list[int]]) -> None:
    """See to it that methods found as many events, batch by batch as far as all of them go."""
    shortest = min(len(each) for each in events.values())
    shared = {name: each[:shortest] for name, each in events.items()}
    assert len(set(map(tuple, shared.values()))) == 1, f"events of one batch after another: {shared}"


def _taken(method: Method, journeys: Journeys) -> _Run:
    batches = list(zip(journeys.slots, journeys.points, strict=True))
    for batch in batches[:WARM]:
        method.move(*batch)
    looked, events = method.looked, list[int]()
    spent = cpu_seconds(lambda: events.extend(method.move(*batch) for batch in batches[WARM:]))
    return _Run(method, spent, events, method.looked - looked)


def _matching_twice(contender: Contender) -> int:
    """Return the size of DiffRMQ's intermediate results, in a run of its own since to count costs time."""
    counting = contender.make()
    assert isinstance(counting, Differences)
    counting.counting = True
    return _taken(counting, contender.journeys).looked
