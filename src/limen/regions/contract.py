"""What every index of regions offers, whatever it is made of."""

from typing import Any, Protocol

from limen.arrays import Floats, Ints, Mask, Slots
from limen.regions.owners import BoundStreams
from limen.regions.pairs import Pairs


class RegionIndex(Protocol):
    """Regions by slot, looked up by the points of streams."""

    bound: bool  # whether each region is about streams of its own
    owners: BoundStreams

    def __len__(self) -> int:
        """Return how many regions there are."""

    @property
    def alive(self) -> Mask:
        """Which slots are taken."""

    def insert(self, regions: Any, owners: Slots | None = None, owner_counts: Ints | None = None) -> Slots:
        """Add regions, in the form that the index takes, and return their slots."""

    def remove(self, slots: Slots) -> None:
        """Take regions out."""

    def regions(self, slots: Slots) -> Any:
        """Return regions in the form in which they are inserted."""

    def renumber_owners(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""

    def containing(self, slot: Slots, points: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, slot) with the row's point inside the region; rows with a NaN are in none."""

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the regions."""

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""


class BorderIndex(RegionIndex, Protocol):
    """Regions by slot, looked up by the moves of streams too."""

    def subset(self, slots: Slots) -> RegionIndex:
        """Build an index of some of the regions; its slot i is `slots[i]`."""

    def crossings(self, slot: Slots, before: Floats, after: Floats, columns: Ints, slots: int) -> Pairs:
        """Find the regions that rows enter and leave, as pairs (row, slot), ~slot for a leave; each once."""

    def passings(self, slot: Slots, before: Floats, after: Floats, columns: Ints) -> Pairs:
        """Find all pairs (row, slot) of moves that begin and end outside the region and pass through it."""

    def distant(self, slots: Slots, points: Floats, columns: Ints, margin: Floats) -> Mask:
        """Return whether each pair of a region and an outside point (value columns, n) is beyond a margin."""
