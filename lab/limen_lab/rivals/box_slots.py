"""Boxes by slot: the slot and the bounds of each box."""

import numpy as np

from limen.arrays import Floats, Mask, Slots
from limen.queries.match.checked_input import checked_boxes, checked_slots


class BoxSlots:
    """The slot table of an index that has no levels.

    A released slot is not reused before `recycle`: an index may list dead boxes for a while and check `alive`,
    and calls `recycle` when it lists none of them any more (or at once, when it never lists dead boxes).

    Parameters
    ----------
    dimensions : int

    Attributes
    ----------
    bounds : float array (room, dimensions, 2)
        By slot. The array is another one after it had to grow: do not hold on to it.
    alive : bool array (room,)
        By slot.
    dead : int
        Slots released and not yet recycled.

    Examples
    --------
    >>> slots = BoxSlots(1)
    >>> slots.allocate(np.array([[[0.0, 1.0]], [[2.0, 5.0]]]))
    array([0, 1], dtype=int32)
    >>> slots.release(np.array([0], np.int32))
    >>> slots.recycle()
    >>> slots.allocate(np.array([[[7.0, 8.0]]])), len(slots)
    (array([0], dtype=int32), 2)
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.bounds: Floats = np.empty((0, dimensions, 2))
        self.alive: Mask = np.empty(0, np.bool_)
        self.used = 0  # slots ever given away
        self._dying: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return self.used - len(self._free) - len(self._dying)

    @property
    def dead(self) -> int:
        """How many slots are released and not yet recycled."""
        return len(self._dying)

    def allocate(self, boxes: Floats) -> Slots:
        """Give boxes (n, dimensions, 2) slots and keep their bounds."""
        count = len(checked_boxes(boxes, self.dimensions))
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))] if self._free else []
        fresh = count - len(reused)
        self._make_room(self.used + fresh)
        slots = np.arange(self.used, self.used + fresh, dtype=np.int32)
        self.used += fresh
        if reused:
            slots = np.concatenate([np.array(reused, np.int32), slots])
        self.bounds[slots] = boxes
        self.alive[slots] = True
        return slots

    def release(self, slots: Slots) -> None:
        """Mark boxes dead."""
        self.alive[checked_slots(slots, self.alive)] = False
        self._dying.extend(slots.tolist())

    def recycle(self) -> None:
        """Let released slots be given away again."""
        self._free.extend(self._dying)
        self._dying.clear()

    def living(self) -> Slots:
        """Return the slots in use, in their order."""
        return np.flatnonzero(self.alive[: self.used]).astype(np.int32)

    def _make_room(self, wanted: int) -> None:
        if wanted <= len(self.alive):
            return
        room = max(wanted, self.used * 5 // 4)
        bounds, alive = np.empty((room, self.dimensions, 2)), np.zeros(room, np.bool_)
        bounds[: self.used] = self.bounds[: self.used]
        alive[: self.used] = self.alive[: self.used]
        self.bounds, self.alive = bounds, alive

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays."""
        return self.bounds.nbytes + self.alive.nbytes
