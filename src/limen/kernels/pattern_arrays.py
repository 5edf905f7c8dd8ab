"""The arrays that kernels for patterns hand on to each other, by what they are about.

A *tuple* is a row that may be part of an alert. An *entry* says that it may be so in the place of a variable, and until
when. Variables of all patterns are numbered one after another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np  # noqa: TC002  # Numba reads fields, and documentation their types
import numpy.typing as npt  # noqa: TC002

NONE = -1
#: Places in the state: entries and tuples that are kept, the most of them there were, entries ever used, free ones.
ENTRIES, TUPLES, MOST_ENTRIES, MOST_TUPLES, USED, FREE, LEFT_OUT = range(7)
#: How two columns are compared.
EQUAL, UNEQUAL, BELOW, AT_MOST, ABOVE, AT_LEAST = range(6)


class Patterns(NamedTuple):
    """What patterns say. Of two variables i and j of a pattern of m, the pair is at ``base + i * m + j``."""

    first: npt.NDArray[np.int64]  # by pattern, its first variable; and the end of all
    base: npt.NDArray[np.int64]  # by pattern, where its pairs begin
    pattern: npt.NDArray[np.int32]  # by variable
    most: npt.NDArray[np.int64]  # by pattern: alerts for each last tuple, NONE for any number
    longest: npt.NDArray[np.int64]  # by variable: how long after it another one may come
    side: npt.NDArray[np.float64]  # by variable: of the cells of its grid, 0 for none
    latest: npt.NDArray[np.int64]  # by pair: the most time from i to j
    near: npt.NDArray[np.float64]  # (pairs, 3): the distance is below this, infinite for any; its square, from … to …
    beyond: npt.NDArray[np.float64]  # (pairs, 3): the distance is this or more, 0 for any; its square, likewise
    radius: npt.NDArray[np.float64]  # by pair: no further apart than this, as far as it follows; in units of spots
    order: npt.NDArray[np.int8]  # by pair: whether i comes before j in canonical order, 1, or after it, -1
    link_start: npt.NDArray[np.int64]  # by pair, and the end: where its comparisons begin
    link: npt.NDArray[np.int32]  # (comparisons, 3): column of i, how, column of j


class Tuples(NamedTuple):
    """Rows by slot."""

    time: npt.NDArray[np.int64]
    stream: npt.NDArray[np.int32]
    place: npt.NDArray[np.float64]  # (slots, dimensions)
    spot: npt.NDArray[np.float64]  # (slots, 3): in space, such that what is near by distance is near here
    link: npt.NDArray[np.float64]  # (slots, columns that are compared)
    age: npt.NDArray[np.int64]  # its number, in the order in which tuples were played
    uses: npt.NDArray[np.int32]  # entries


class Entries(NamedTuple):
    """Entries by number, in a list for each variable, the newest first; and in lists for the cells of its grid."""

    tuple: npt.NDArray[np.int32]
    variable: npt.NDArray[np.int32]
    until: npt.NDArray[np.int64]  # the time after which it is of no use
    after: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]
    cell: npt.NDArray[np.int64]  # (entries, 3)
    bucket: npt.NDArray[np.int64]  # NONE if it is in no grid
    near_after: npt.NDArray[np.int32]
    near_before: npt.NDArray[np.int32]
    free: npt.NDArray[np.int32]
    due: npt.NDArray[np.int64]  # a heap by time: when to look at an entry, which may have been given more time since
    due_entry: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]  # by variable
    near_head: npt.NDArray[np.int32]  # by bucket: cells are hashed
    state: npt.NDArray[np.int64]


class Names(NamedTuple):
    """The names of streams, which order what is of one time."""

    starts: npt.NDArray[np.int64]
    text: npt.NDArray[np.uint8]


class Search(NamedTuple):
    """Room to work in."""

    entry: npt.NDArray[np.int32]  # candidates, variable after variable
    ruled_out: npt.NDArray[np.int8]  # by candidate: by which step of the search, NONE for by none
    start: npt.NDArray[np.int64]  # by variable: where its candidates begin
    stop: npt.NDArray[np.int64]
    at: npt.NDArray[np.int64]  # by step of the search: the candidate that is tried
    sequence: npt.NDArray[np.int64]  # by step: its variable
    chosen: npt.NDArray[np.int32]  # by variable: its tuple
    until: npt.NDArray[np.int64]  # by variable that a row may stand for: how long it will be of use, NEVER for not
