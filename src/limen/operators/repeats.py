"""Events that are alike in all but their number: a query registered, deregistered and registered again at one time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from limen.operators.events import Events


class Repeats:
    """Counts how often the same event was caused by changes at the same time, so that its ids differ."""

    def __init__(self) -> None:
        self.time: int | None = None
        self.keys = np.empty((0, 3), np.int64)  # (query, stream, kind and reason) of the events so far at that time

    def end(self, watermark: int) -> None:
        """Forget what was caused at times that are over: changes take effect at the watermark or later."""
        if self.time is not None and self.time < watermark:
            self.time, self.keys = None, self.keys[:0]

    def count(self, events: list[Events], time: int) -> list[Events]:
        """Number events that changes cause at a time."""
        if time != self.time:
            self.time, self.keys = time, self.keys[:0]
        numbered = []
        for each in events:
            codes = each.kind.astype(np.int64) | each.reason << 8
            keys = np.stack([each.query.astype(np.int64), each.stream.astype(np.int64), codes], axis=1)
            numbered.append(replace(each, repeat=_times_seen(self.keys, keys)) if len(self.keys) else each)
            self.keys = np.concatenate([self.keys, keys])
        return numbered


def _times_seen(seen: npt.NDArray[np.int64], keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    _, number = np.unique(np.concatenate([seen, keys]), axis=0, return_inverse=True)
    number = number.reshape(-1)
    return np.bincount(number[: len(seen)], minlength=int(number.max()) + 1)[number[len(seen) :]]
