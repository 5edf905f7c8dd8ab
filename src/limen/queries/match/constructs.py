"""Virtual constructs: their ids, which of them cover a cell, and the boxes that each of them lists."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from limen.arrays import Ints, Mask, Slots
from limen.errors import InvalidInput
from limen.queries.match.kernels.constructs import COUNT, LIST, add_up, list_pieces

MOST_ENTRIES = 2**31 - 1  # what a list may begin at


@dataclass(frozen=True)
class Constructs:
    """The constructs over a domain of cells.

    Parameters
    ----------
    cells : tuple of int
        How many cells there are along each axis.
    lengths : tuple of int
        The lengths of constructs, in cells, growing from 1 to L.
    by_shape : bool
        Whether lists are stored shape after shape rather than in the order of ids. Constructs of one shape over a cell
        then follow each other along the first axis, and there are log2(L) + 1 runs of lists to read instead of L - 1.

    Examples
    --------
    >>> line = Constructs((5,), logarithmic(4), by_shape=False)
    >>> line.id_of((0,), (4,)), line.differences
    (11, array([ 2,  5,  7,  8,  9, 10, 11]))
    """

    cells: tuple[int, ...]
    lengths: tuple[int, ...]
    by_shape: bool = True

    @property
    def longest(self) -> int:
        """L."""
        return self.lengths[-1]

    @property
    def shapes(self) -> int:
        """How many constructs begin at a position; B in vci-vcr §3.2."""
        return int(len(self.lengths) ** len(self.cells))

    @property
    def positions(self) -> tuple[int, ...]:
        """How many positions there are along each axis: L - 1 before the first cell, and one behind the last."""
        return tuple(cells + self.longest for cells in self.cells)

    @property
    def ids(self) -> int:
        """How many ids there are."""
        return self.shapes * prod(self.positions)

    @cached_property
    def position_step(self) -> Ints:
        """What an id grows by with a position along each axis."""
        return self.shapes * np.cumprod([1, *self.positions[:-1]])

    @cached_property
    def shape_step(self) -> Ints:
        """What an id grows by with a shape along each axis."""
        return np.array([len(self.lengths) ** k for k in range(len(self.cells))])

    def id_of(self, cell: tuple[int, ...], size: tuple[int, ...]) -> int:
        """Return the id of the construct that begins at a cell, which may lie L - 1 before the first, with a size."""
        shape = [self.lengths.index(length) for length in size]
        return int((np.array(cell) + self.longest - 1) @ self.position_step + shape @ self.shape_step)

    @cached_property
    def differences(self) -> Ints:
        """The table D: how far the ids of the constructs over a cell are from the pivot's, whatever the cell.

        The pivot is the unit construct that begins L - 1 cells before the cell along every axis.
        """
        begins = [
            [(self.longest - 1 - back, shape) for shape, length in enumerate(self.lengths) for back in range(length)]
        ] * len(self.cells)
        steps = list(zip(self.position_step.tolist(), self.shape_step.tolist(), strict=True))
        return np.sort(
            [
                sum(at * along + shape * across for (at, shape), (along, across) in zip(each, steps, strict=True))
                for each in product(*begins)
            ]
        )

    @cached_property
    def runs(self) -> Ints:
        """The table D by runs of lists that are stored one after another: (runs, 2), from the first to before the last.

        In the order of ids these are runs of consecutive ids. Shape after shape they are the positions from which a
        construct of the shape reaches the cell, along the first axis.
        """
        table = self.differences
        step = self.position_step[0] if self.by_shape else 1
        kind = table % self.shapes if self.by_shape else np.zeros_like(table)
        order = np.lexsort((table, kind))
        table, kind = table[order], kind[order]
        follows = (np.diff(table) == step) & (np.diff(kind) == 0)
        first = table[np.concatenate([[True], ~follows])]
        last = table[np.concatenate([~follows, [True]])]
        runs = np.stack([first, last + step], axis=1)
        return np.ascontiguousarray(runs[np.argsort(runs[:, 0], kind="stable")])


def simple(longest: int) -> tuple[int, ...]:
    """Return the lengths of SCI (vci-vcr §2.2): all up to L."""
    return tuple(range(1, longest + 1))


def logarithmic(longest: int) -> tuple[int, ...]:
    """Return the lengths of LCI and VCR (vci-vcr §2.2, §3.2): powers of two up to L.

    Examples
    --------
    >>> logarithmic(8)
    (1, 2, 4, 8)
    """
    if longest < 1 or longest & (longest - 1):
        raise InvalidInput(where="longest, the L of constructs", expected="a power of two", got=longest)
    return tuple(1 << k for k in range(longest.bit_length()))


class ConstructLists:
    """For each construct, the numbers of the boxes that it is a piece of.

    Parameters
    ----------
    constructs : Constructs
    first, stop : int arrays (n, axes)
        The cells of each box.
    sure : bool array (n, axes, 2)
        Whether a box fills its first and its last cell along each axis.
    split : bool
        Whether pieces that are filled are listed apart from the rim, whose entries have to be compared.
    overlapped : bool
        Whether boxes are cut into pieces of one size, the last of which may overlap; not together with `split`.

    Attributes
    ----------
    sure_start, sure_entry : int32 arrays
        What construct i lists without need to compare is sure_entry[sure_start[i]:…], up to the next list in the order
        in which lists are stored. Empty without `split`.
    start, entry : int32 arrays
        The same for the rim.
    own : int32 array (len(entry), axes)
        With overlapped pieces, the cell from which on an entry answers, so that a box answers once; else empty.
    """

    def __init__(
        self, constructs: Constructs, first: Ints, stop: Ints, sure: Mask, *, split: bool, overlapped: bool = False
    ) -> None:
        axes = len(constructs.cells)
        length = np.array(constructs.lengths)
        fit = np.searchsorted(length, np.arange(constructs.longest + 1), side="right") - 1
        # positions are numbered from L - 1 before the first cell
        begin, end = first + constructs.longest - 1, stop + constructs.longest - 1
        most = int((stop - first).max(initial=0)) // constructs.longest + len(length) + 3
        how = (
            begin, end, sure, fit, length, overlapped, split, constructs.position_step, constructs.shape_step,
            np.empty((4, axes, most), np.int64),
        )  # fmt: skip
        self.start: Slots = np.zeros(constructs.ids + 1, np.int32)
        self.sure_start: Slots = np.zeros(constructs.ids + 1 if split else 0, np.int32)
        no_slots, no_pieces = np.empty(0, np.int32), np.empty((0, axes), np.int32)
        list_pieces(*how, COUNT, self.sure_start, self.start, no_slots, no_slots, no_pieces)
        sure_entries = add_up(constructs.shapes, constructs.by_shape, self.sure_start) if split else 0
        entries = add_up(constructs.shapes, constructs.by_shape, self.start)
        if max(entries, sure_entries) > MOST_ENTRIES:
            raise InvalidInput(
                where="boxes cut into constructs", expected=f"no more than {MOST_ENTRIES} pieces",
                got=f"{max(entries, sure_entries)}", hint="give fewer cells or a larger L",
            )  # fmt: skip
        self.sure_entry: Slots = np.empty(sure_entries, np.int32)
        self.entry: Slots = np.empty(entries, np.int32)
        self.own: Slots = np.empty((entries if overlapped else 0, axes), np.int32)
        list_pieces(*how, LIST, self.sure_start, self.start, self.sure_entry, self.entry, self.own)
        self.own -= constructs.longest - 1  # … while look-ups compare with cells

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = self.sure_start, self.sure_entry, self.start, self.entry, self.own
        return sum(array.nbytes for array in arrays)
