"""Number repeated events: a query is registered, deregistered and registered again at one time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from limen.arrays import Ints, Slots
from limen.runtime.events import Events


class Repeats:
    """Counts how often the same event was caused by changes at the same time, so that its ids differ."""

    def __init__(self) -> None:
        # By time, the (query, stream, kind and reason) of the events that changes have caused then.
        self.seen: dict[int, list[Ints]] = {}
        self._queries: dict[int, Slots] = {}  # by time, the queries among them

    def end(self, watermark: int) -> None:
        """Forget events of times that are complete: changes take effect at the watermark or later."""
        for time in [time for time in self.seen if time < watermark]:
            del self.seen[time], self._queries[time]

    def count(self, events: list[Events]) -> list[Events]:
        """Number events that changes cause, those of one array at one time."""
        numbered = [self._numbered(each, int(each.time[0])) for each in events]
        for each in events:
            self._add(int(each.time[0]), _keys(each))
        return numbered

    def _numbered(self, events: Events, time: int) -> Events:
        # Only a query changed before at this time can repeat an event, which is rare.
        again = np.isin(events.query, self._queries[time]) if time in self._queries else np.zeros(0, np.bool_)
        if not again.any():
            return events
        repeat = np.zeros(len(events), np.int64)
        repeat[again] = _times_seen(np.concatenate(self.seen[time]), _keys(events)[again])
        return replace(events, repeat=repeat)

    def _add(self, time: int, keys: Ints) -> None:
        self.seen.setdefault(time, []).append(keys)
        known = self._queries.get(time, np.empty(0, np.int32))
        self._queries[time] = np.union1d(known, keys[:, 0].astype(np.int32))

    def to_array(self) -> Ints:
        """Return all as rows (time, query, stream, kind and reason)."""
        rows = [np.insert(keys, 0, time, axis=1) for time, parts in self.seen.items() for keys in parts]
        return np.concatenate(rows) if rows else np.empty((0, 4), np.int64)

    @classmethod
    def from_array(cls, rows: Ints) -> Repeats:
        """Make them from what `to_array` returned."""
        repeats = cls()
        for time in np.unique(rows[:, 0]).tolist():
            repeats._add(time, rows[rows[:, 0] == time, 1:])
        return repeats

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(keys.nbytes for parts in self.seen.values() for keys in parts)


def _keys(events: Events) -> Ints:
    codes = events.kind.astype(np.int64) | events.reason << 8
    return np.stack([events.query.astype(np.int64), events.stream.astype(np.int64), codes], axis=1)


def _times_seen(seen: Ints, keys: Ints) -> Ints:
    _, number = np.unique(np.concatenate([seen, keys]), axis=0, return_inverse=True)
    number = number.reshape(-1)
    return np.bincount(number[: len(seen)], minlength=int(number.max()) + 1)[number[len(seen) :]]
