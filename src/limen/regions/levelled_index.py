"""An index made of levels: each is arranged once, in bulk, and what changes is put into small ones beside the largest.

What is inserted waits for the next look-up, which puts it into a level together with all levels that are not much
larger. So every entry is moved a few times only, and an insertion costs microseconds at any size. What is removed stays
listed, marked dead, until its level is merged with others, or until so many are dead that everything is.
"""

from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

import numpy as np

from limen.arrays import Ints, Mask, Slots
from limen.growable import grown
from limen.regions.owners import BoundStreams
from limen.regions.slots import SlotPool


class Level(Protocol):
    """Some entries of an index, arranged once and for all."""

    @property
    def slots(self) -> Slots:
        """What is listed, dead entries too, each once."""

    @property
    def nbytes(self) -> int:
        """Bytes that grow with the entries."""


AnyLevel = TypeVar("AnyLevel", bound=Level)


class LevelledIndex(ABC, Generic[AnyLevel]):
    """Entries by slot, in levels.

    Subclasses arrange a level (`_build`), and look things up in `self.levels`, which are the result of `_up_to_date`
    until `self.changed`.

    Parameters
    ----------
    bound : bool
        Whether each entry is about streams of its own.
    """

    SMALL = 256  # a level with no more entries is always merged with what is new …
    RATIO = 16  # … and a larger one when what is new has grown to this part of it
    MOST_PENDING = 512  # insertions kept aside for the next look-up; many single ones would become many small arrays

    def __init__(self, *, bound: bool = False) -> None:
        self.bound = bound
        self.owners = BoundStreams()  # the streams of each entry, when bound
        self.alive: Mask = np.empty(0, np.bool_)  # by slot; another array after it had to grow
        self.dead = 0  # slots still listed whose entry is gone
        self.levels: list[AnyLevel] = []  # the largest first, none of them empty
        self.changed = False  # whether the levels are to be brought up to date
        self._pending: list[Slots] = []  # not yet in a level
        self._slots = SlotPool()

    def __len__(self) -> int:
        return self._slots.count - self.dead

    @abstractmethod
    def _build(self, new: Slots, merged: list[tuple[AnyLevel, Slots]]) -> AnyLevel:
        """Arrange new entries and those of some levels, which come with the slots that are still alive."""

    def remove(self, slots: Slots) -> None:
        """Take entries out."""
        self.alive[slots] = False
        self.dead += len(slots)
        self.changed = True
        if self.bound:
            self.owners.drop(slots)

    def _new_slots(self, count: int, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Give away slots. What the caller puts there is listed from the next look-up on."""
        if len(self._pending) >= self.MOST_PENDING:
            self._up_to_date()
        slots = self._slots.take(count)
        self.alive = grown(self.alive, self._slots.used)
        if count:
            self.alive[slots] = True
            self._pending.append(slots)
            self.changed = True
        if self.bound:
            assert owners is not None
            assert owner_counts is not None
            self.owners.put(slots, owners, owner_counts)
        return slots

    def _up_to_date(self) -> list[AnyLevel]:
        """Put what is new into a level, leave out what is dead where it is much, and return the levels."""
        self.changed = False
        if self.dead > max(self.SMALL, len(self) // 4):
            self._merge(0)
        elif self._pending:
            self._merge(self._first_to_merge(sum(map(len, self._pending))))
        return self.levels

    def _first_to_merge(self, size: int) -> int:
        """Return which level is the first of those that are to be merged with so many new entries."""
        number = len(self.levels)
        while number and (last := len(self.levels[number - 1].slots)) <= max(self.SMALL, self.RATIO * size):
            size += last
            number -= 1
        return number

    def _merge(self, number: int) -> None:
        """Make one level of what is new and all levels from `number` on, without the dead, whose slots become free."""
        new = self._released(self._pending)
        merged = [(level, self._released([level.slots])) for level in self.levels[number:]]
        self._pending = []
        del self.levels[number:]
        if len(new) or any(len(living) for _, living in merged):
            self.levels.append(self._build(new, merged))

    def _released(self, parts: list[Slots]) -> Slots:
        """Return the living of some slots; the others become free."""
        slots = np.concatenate([np.empty(0, np.int32), *parts])
        living = self.alive[slots]
        if not living.all():
            gone = slots[~living]
            self._slots.give_back(gone)
            self.dead -= len(gone)
            slots = slots[living]
        return slots

    def _arrange_anew(self) -> None:
        """Put everything into a new level at the next look-up."""
        self._pending += [level.slots for level in self.levels]
        self.levels.clear()
        self.changed = True

    @property
    def nbytes(self) -> int:
        """Bytes that grow with the entries."""
        return self.alive.nbytes + self.owners.nbytes + sum(level.nbytes for level in self.levels)

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams: none do unless a subclass remembers them."""
        return 0
