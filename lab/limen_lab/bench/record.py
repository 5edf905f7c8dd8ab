"""What a measurement says, and how it is taken."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """One measurement beside others of the same kind.

    Attributes
    ----------
    bench
        Which measure it is.
    workload
        Everything needed to take it again.
    unit
        What the numbers count.
    ours, others
        The numbers.
    claim
        What it must show, in words; empty when it is only reported.
    reached
        Whether it does; None when there is no claim.
    """

    bench: str
    workload: dict[str, Any]
    unit: str
    ours: float
    others: dict[str, float] = field(default_factory=dict)
    claim: str = ""
    reached: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it; a ratio is ours divided by the other's."""
        return {
            "bench": self.bench,
            "workload": self.workload,
            "unit": self.unit,
            "ours": self.ours,
            "others": self.others,
            "ratio": {name: self.ours / other for name, other in self.others.items() if other},
            **({"claim": self.claim, "reached": self.reached} if self.claim else {}),
        }


def side_by_side(runs: int, **takers: Callable[[], float]) -> dict[str, float]:
    """Take several measurements by turns, and return the best of each.

    By turns, so that a slow moment of the machine hits all alike; the best, since noise only ever adds. Each taker runs
    once before, to compile and to warm caches, and returns the seconds it took or what they amount to.
    """
    for take in takers.values():
        take()
    best = dict.fromkeys(takers, float("inf"))
    for _ in range(runs):
        for name, take in takers.items():
            gc.collect()
            best[name] = min(best[name], take())
    return best


def seconds(action: Callable[[], Any]) -> float:
    """Time an action."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin
