"""One dimension of many boxes as two sorted edge lists: the paper's region segments, laid out flat.

See `limen.kernels.edges` for what an edge list is. The list along the axis has `own` = lower and `other` = upper bound. The
mirrored one describes the same intervals on the negated axis. There [lo, hi) becomes (-hi, -lo], open on the wrong side; the
next larger floats of both bounds put that right exactly, since a < b is the same as next(a) <= b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

NO_QUERY = -1
BLOCK = 16


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Entries sorted by (owner, own), each segment between two sentinels."""

    own: Floats
    other: Floats
    query: Slots
    next_lower: Floats
    next_upper: Floats
    far1: Floats
    far2: Floats
    far3: Floats
    segments: Ints

    @property
    def arrays(self) -> tuple[Floats, Floats, Slots, Floats, Floats, Floats, Floats, Floats]:
        """What kernels take, in their order."""
        return (
            self.own, self.other, self.query, self.next_lower, self.next_upper, self.far1, self.far2, self.far3,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays) + self.segments.nbytes


def edges_of(lower: Floats, upper: Floats, mirrored: bool) -> tuple[Floats, Floats]:
    """Return `own` and `other` of intervals [lower, upper), along the axis or along the mirrored one.

    Examples
    --------
    >>> edges_of(np.array([1.0]), np.array([3.0]), mirrored=False)
    (array([1.]), array([3.]))
    >>> own, other = edges_of(np.array([1.0]), np.array([3.0]), mirrored=True)
    >>> bool(own[0] > -3.0), bool(other[0] > -1.0)
    (True, True)
    """
    if not mirrored:
        return lower, upper
    with np.errstate(over="ignore", under="ignore"):  # the largest float is followed by infinity, zero by a denormal
        return np.nextafter(-upper, np.inf), np.nextafter(-lower, np.inf)


def build(own: Floats, other: Floats, query: Slots, following: Floats, owner_sizes: Ints | None) -> EdgeList:
    """Lay out entries that are sorted already.

    Parameters
    ----------
    own, other, query : arrays (n,)
    following : float array (n, 2), or empty
        Bounds in the next dimension.
    owner_sizes : int array, or None
        How many entries each owner has; None for one segment.
    """
    sizes = np.array([len(own)], np.int64) if owner_sizes is None else owner_sizes
    segments = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes + 2, out=segments[1:])
    total = int(segments[-1])
    place = np.arange(1, len(own) + 1)
    if owner_sizes is not None:
        place += 2 * np.repeat(np.arange(len(sizes)), sizes)

    def laid_out(values: npt.NDArray[Any], fill: float) -> npt.NDArray[Any]:
        out = np.full(total, fill, values.dtype)
        out[place] = values
        return out

    fenced = laid_out(own, np.inf)
    fenced[segments[:-1]] = -np.inf
    others = laid_out(other, -np.inf)
    nothing = np.empty(0)
    next_lower, next_upper = (laid_out(bound, np.inf) for bound in following.T) if following.size else (nothing, nothing)
    far1 = _largest_of_blocks(others)
    far2 = _largest_of_blocks(far1)
    far3 = _largest_of_blocks(far2)
    return EdgeList(fenced, others, laid_out(query, NO_QUERY), next_lower, next_upper, far1, far2, far3, segments)


def _largest_of_blocks(values: Floats) -> Floats:
    if len(values) == 0:
        return values
    return np.maximum.reduceat(values, np.arange(0, len(values), BLOCK))
