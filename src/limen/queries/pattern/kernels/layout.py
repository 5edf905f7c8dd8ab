"""Arrays shared by the kernels of patterns.

A *tuple* is a row that may be part of an alert. An *entry* lists it as a candidate for a variable, and until
when. Variables of all patterns are numbered one after another. What is looked at together is one record: kernels that
are called for every candidate then have few arguments.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.kernels.by_reference import by_reference

NONE = -1
#: Places in the state: stored entries and tuples, the largest number of each, entries ever used, free ones, alerts
#: that were left out; entries that expire as soon as time advances, and their time.
ENTRIES, TUPLES, MOST_ENTRIES, MOST_TUPLES, USED, FREE, LEFT_OUT, BRIEF, BRIEF_TIME, COUNTS = range(10)
#: How two columns are compared.
EQUAL, UNEQUAL, BELOW, AT_MOST, ABOVE, AT_LEAST = range(6)
#: Steps of a computation: a column of i or of j, a number, and what is made of earlier steps. The last one must hold.
OF_ONE, OF_OTHER, GIVEN, HOLDS, PLUS, MINUS, TIMES, OVER, REST, NEGATIVE, BOTH, EITHER, NOT, MISSING, COMPARED = range(
    6, 21
)
#: How distances are measured: of three columns or less, of more, and of longitude and latitude.
IN_SPACE, OF_COLUMNS, ON_EARTH = range(3)

PATTERN = np.dtype(
    [
        ("first", np.int64),  # its first variable
        ("size", np.int64),  # how many it has
        ("base", np.int64),  # where its pairs begin: that of its variables i and j is at base + i * size + j
        ("most", np.int64),  # alerts for each last tuple, NONE for any number
    ]
)
VARIABLE = np.dtype(
    [
        ("pattern", np.int64),
        ("longest", np.int64),  # how long after it another one may come
        ("side", np.float64),  # of the cells of its grid, 0 for none
    ]
)
PAIR = np.dtype(
    [
        ("earliest", np.int64),  # the least and the most time from i to j
        ("latest", np.int64),
        ("near", np.float64),  # the distance is below this, infinite for any;
        ("near_low", np.float64),  # a square below which it surely is,
        ("near_high", np.float64),  # and one above which it surely is not
        ("beyond", np.float64),  # the distance is this or more, 0 for any; and squares likewise
        ("beyond_low", np.float64),
        ("beyond_high", np.float64),
        ("reach", np.float64),  # no further apart than the root of this, as far as it follows; in units of spots
        ("sure", np.float64),  # with a square below this there is nothing left to look at but time, -1 for never
        ("order", np.int64),  # whether i comes before j in canonical order, 1, or after it, -1
        ("first_link", np.int64),  # comparisons of columns
        ("last_link", np.int64),
    ]
)
TUPLE = np.dtype(
    [
        ("time", np.int64),
        ("x", np.float64),  # its spot in space: such that what is near by distance is near here
        ("y", np.float64),
        ("z", np.float64),
        ("age", np.int64),  # its number, in the order in which tuples were played
        ("stream", np.int32),
        ("uses", np.int32),  # entries
    ]
)
#: The fields read along a list come first, and are duplicated here, so that a walk reads no other record.
ENTRY = np.dtype(
    [
        ("time", np.int64),  # of its tuple
        ("x", np.float64),  # and its spot
        ("y", np.float64),
        ("z", np.float64),
        ("tuple", np.int32),
        ("after", np.int32),  # in the list of its variable, the newest first
        ("near_after", np.int32),  # in the list of its bucket
        ("variable", np.int32),
        ("cell_x", np.int64),  # of its grid
        ("cell_y", np.int64),
        ("cell_z", np.int64),
        ("bucket", np.int64),  # of the table of cells, NONE if it is in no grid
        ("until", np.int64),  # the time after which it is of no use
        ("before", np.int32),
        ("near_before", np.int32),
    ]
)


#: A comparison of two columns, or a step of a computation.
STEP = np.dtype(
    [
        ("how", np.int32),
        ("one", np.int32),  # a column, or an earlier step
        ("other", np.int32),
        ("value", np.float64),  # of a step; NaN for what is missing, conditions are 1 or 0
    ]
)


@by_reference
class Patterns(NamedTuple):
    """Patterns as records."""

    pattern: npt.NDArray[np.void]
    variable: npt.NDArray[np.void]
    pair: npt.NDArray[np.void]
    link: npt.NDArray[np.void]  # what is compared and computed, pair after pair


@by_reference
class Tuples(NamedTuple):
    """Tuples by slot."""

    record: npt.NDArray[np.void]
    place: npt.NDArray[np.float64]  # (slots, dimensions)
    link: npt.NDArray[np.float64]  # (slots, columns that are compared)


@by_reference
class Entries(NamedTuple):
    """Entries by number, and the lists they are in."""

    record: npt.NDArray[np.void]
    head: npt.NDArray[np.int32]  # by variable, the newest
    near_head: npt.NDArray[np.int32]  # by bucket: cells are hashed
    free: npt.NDArray[np.int32]
    due: npt.NDArray[np.int64]  # a heap by time: when to look at an entry, which may have been given more time since
    due_entry: npt.NDArray[np.int32]  # its entries; brief ones are at the end, the first of them last
    state: npt.NDArray[np.int64]


@by_reference
class StreamNames(NamedTuple):
    """Names of streams, which order tuples of the same time."""

    starts: npt.NDArray[np.int64]
    text: npt.NDArray[np.uint8]


@by_reference
class Search(NamedTuple):
    """Work arrays of the search."""

    entry: npt.NDArray[np.int32]  # candidates, variable after variable
    ruled_out: npt.NDArray[np.int8]  # by candidate: by which step of the search, NONE for by none
    start: npt.NDArray[np.int64]  # by variable: where its candidates begin
    stop: npt.NDArray[np.int64]
    at: npt.NDArray[np.int64]  # by step of the search: the candidate that is tried
    sequence: npt.NDArray[np.int64]  # by step: its variable
    chosen: npt.NDArray[np.int32]  # by variable: its tuple
    until: npt.NDArray[np.int64]  # by variable that a row may stand for: how long it will be of use, NEVER for not
