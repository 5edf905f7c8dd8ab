"""What border monitoring is measured against: a scan of all queries, and the paper's walk from segment to segment."""

import numpy as np

from limen.arrays import Floats, Slots
from limen_lab.rivals.kernels.segment_walk import walked


def scan(lower: Floats, upper: Floats, before: Floats, after: Floats) -> int:
    """Compare every tuple with every query in NumPy, and return the number of events."""
    events = 0
    for was, now in zip(before, after, strict=True):
        inside_before = (lower <= was) & (was < upper)
        inside_after = (lower <= now) & (now < upper)
        events += len(np.flatnonzero(inside_before ^ inside_after))
    return events


class SegmentWalk:
    """The RS list as the paper has it: one list of bounds, walked entry by entry from the last position."""

    def __init__(self, lower: Floats, upper: Floats, positions: Floats) -> None:
        n = len(lower)
        bounds = np.concatenate([lower, upper])
        order = np.argsort(bounds, kind="stable")
        self.bounds = bounds[order]
        self.other = np.concatenate([upper, lower])[order]
        self.query = np.tile(np.arange(n, dtype=np.int32), 2)[order]
        self.starts = np.repeat([True, False], n)[order]
        self.pointer = np.searchsorted(self.bounds, positions, side="right").astype(np.int32)
        self._room = 1 << 16

    def process(self, slot: Slots, before: Floats, after: Floats) -> tuple[int, int]:
        """Move streams, and return the number of events and of entries looked at."""
        row, events, looked = 0, 0, 0
        while row < len(slot):
            out_row, out_query = np.empty(self._room, np.int32), np.empty(self._room, np.int32)
            row, found, seen = walked(
                slot, before, after, self.bounds, self.other, self.query, self.starts, self.pointer, row,
                out_row, out_query,
            )  # fmt: skip
            events, looked = events + found, looked + seen
            if row < len(slot) and not found:
                self._room *= 2
        return events, looked
