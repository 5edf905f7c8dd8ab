"""Boxes by slot: the slot and the bounds of each box."""

import numpy as np

from limen.arrays import Floats, Mask, Slots
from limen.growable import grown
from limen.queries.match.checked_input import checked_boxes, checked_slots
from limen.regions.slots import SlotPool


class BoxSlots:
    """The slot table of an index that has no levels.

    Parameters
    ----------
    dimensions : int

    Attributes
    ----------
    bounds : float array (room, dimensions, 2)
        By slot. The array is replaced when it grows: do not keep a reference.
    alive : bool array (room,)
        By slot.

    Examples
    --------
    >>> slots = BoxSlots(1)
    >>> slots.allocate(np.array([[[0.0, 1.0]], [[2.0, 5.0]]]))
    array([0, 1], dtype=int32)
    >>> slots.release(np.array([0], np.int32))
    >>> slots.allocate(np.array([[[7.0, 8.0]]])), len(slots)
    (array([0], dtype=int32), 2)
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.bounds: Floats = np.empty((0, dimensions, 2))
        self.alive: Mask = np.empty(0, np.bool_)
        self._pool = SlotPool()

    def __len__(self) -> int:
        return self._pool.count

    @property
    def used(self) -> int:
        """How many slots were ever allocated."""
        return self._pool.used

    def allocate(self, boxes: Floats) -> Slots:
        """Allocate slots for boxes (n, dimensions, 2) and store their bounds."""
        slots = self._pool.take(len(checked_boxes(boxes, self.dimensions)))
        self.bounds, self.alive = grown(self.bounds, self.used), grown(self.alive, self.used)
        self.bounds[slots] = boxes
        self.alive[slots] = True
        return slots

    def release(self, slots: Slots) -> None:
        """Free slots for reuse; their bounds stay readable until then."""
        self.alive[checked_slots(slots, self.alive)] = False
        self._pool.give_back(slots)

    def living(self) -> Slots:
        """Return the slots in use, in ascending order."""
        return np.flatnonzero(self.alive[: self.used]).astype(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays."""
        return self.bounds.nbytes + self.alive.nbytes
