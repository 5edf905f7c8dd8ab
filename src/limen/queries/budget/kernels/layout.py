"""Arrays of a shared buffer: queries, the objects stored for them, and the grid that indexes both.

A stream is kept as an *object* while it is significant: while it is in the region or the cache area of some query, or
some query moves with it. One that shedding has dropped stays behind as a *ghost*: where it was last, so that queries
know how many they miss, and nothing else. When ghosts become many, only every second stream has one, then every
fourth, and so on, as a hash of its id has it; each ghost then stands for as many. What is cut off an area that
shedding has shrunk is its *rim*: objects there are missed, as ghosts or as objects stored for other queries.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt  # Numba reads fields, and documentation their types

from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.layout import IdText

#: Modes of an object; one in passing was created in this instant, may end with it, and is not counted.
FREE, STORED, GHOST, PASSING = 0, 1, 2, 3
OUT, RIM, CACHE, IN = 0, 1, 2, 3  # where it is, for a query
KEPT, WHOLE = 0, 1  # areas of a query: what shedding leaves of region and cache area, and all of them
FIXED, SHAPE = 3, 4  # regions that stay, beside BOX, DISC and NEAREST of `around`
NOWHERE, IN_CELLS, EVERYWHERE = 0, 1, 2  # how a query is found from a point

# Places in `Accounting.counts`. Details are bytes, of edges and of lists of streams, which each query has its own of;
# the last are members of the nearest.
OBJECTS, GHOSTS, QUERIES, VACANT, CLOCK, TOO_FAST, INSIGNIFICANT, SHED, CELL_ENTRIES, DETAILS, MEMBERS = range(11)
COUNTS = 11
#: Places in `Accounting.shedding`: since when objects are shed, how many references keep one, whether nothing more can
#: go, when the share of areas was last changed, which quarter of `report_every` was last tidied, how often the budget
#: was overdrawn at the end of an instant, how often objects had to be swept out, how many references kept one when
#: objects were last shed, how often the number of ghosts was halved, and when it was last doubled again.
SINCE, LEAST_REFERENCES, FULL, CHANGED_AT, QUARTER, OVERDRAWN, SWEPT, LAST_LEAST, HALVED, HALVED_AT = range(10)
#: Places in `Accounting.rule`: bytes in all, of an object, of a ghost, of a query, of its entry in a cell and of one of
#: its nearest; which objects or areas are shed; the share that is left of areas; how fast a stream may be, in units a
#: microsecond; how often it reports, and when it is taken for gone, in microseconds.
MEMORY, A_OBJECT, A_GHOST, A_QUERY, AN_ENTRY, A_MEMBER, SHEDDING, SHARE, SPEED, REPORT_EVERY, EXPIRE_AFTER = range(11)
NO_SHEDDING, SHED_AREAS, SHED_OBJECTS = 0, 1, 2


def query_record(axes: int) -> np.dtype[Any]:
    """Return the record type of a query. The last row is spare: it holds a query as it was before a change."""
    return np.dtype(
        [
            ("center", np.float64, (axes,)),  # NaN while it is not known
            ("half", np.float64, (2,)),  # of a moving box
            ("limit", np.float64),  # the largest distance inside: a square, or metres
            ("bounds", np.float64, (axes, 2)),  # of a region that stays
            ("wide_half", np.float64, (2, 2)),  # as half, limit and bounds, of region and cache area: KEPT and WHOLE
            ("wide_limit", np.float64, (2,)),
            ("wide_bounds", np.float64, (2, axes, 2)),
            ("margin", np.float64),  # how far the cache area reaches beyond the region
            ("least", np.float64),  # the accuracy that shedding must leave it, in percent
            ("share", np.float64),  # what is left of region and cache area
            ("edge_first", np.int64),  # of a shape: where its edges begin …
            ("edge_count", np.int64),  # … and how many there are
            ("listed_first", np.int64),  # where the streams begin that it is about …
            ("listed_count", np.int64),  # … and how many there are, -1 for all streams
            ("wanted", np.int64),  # how many of the nearest
            ("member_first", np.int64),  # of the nearest: where the members are kept
            ("member_count", np.int64),
            ("stored", np.int64),  # objects in what is kept of region and cache area
            ("rim", np.int64),  # objects in the rest, which are kept for others
            ("shadows", np.int64),  # ghosts in all of it
            ("marked", np.int64),  # when it was last marked
            ("renewed", np.int64),  # the instant in which it was last to be looked at anew
            ("cells", np.int64, (4,)),  # first and last column, first and last row
            ("focal", np.int32),  # the stream it moves with, -1 for none
            ("next_around", np.int32),  # the next with the same focal
            ("after", np.int32),  # the next that is found everywhere
            ("before", np.int32),
            ("kind", np.int8),  # -1 for none
            ("found", np.int8),  # NOWHERE, IN_CELLS or EVERYWHERE
            ("shrunk", np.bool_),  # whether less than the whole area is kept
        ],
        align=True,
    )


def object_record(axes: int) -> np.dtype[Any]:
    """Return the record type of an object, stored or ghost."""
    return np.dtype(
        [
            ("point", np.float64, (axes,)),
            ("seen", np.int64),  # when it reported last
            ("name", np.uint64),  # a hash of the stream's id, by which a ghost is found again
            ("cell", np.int64),  # -1 for none
            ("stream", np.int32),  # -1 for a ghost of a stream that is no longer in the stream table
            ("references", np.int32),  # the number of queries that have it in their region or cache area
            ("after", np.int32),  # the next in the cell, or the next free one
            ("before", np.int32),
            ("mode", np.int8),  # FREE, STORED or GHOST
            ("looked_for", np.bool_),  # whether it satisfies the condition; else only queries that move with it use it
        ],
        align=True,
    )


#: A stream: the first query that moves with it, its object, and its last row in a batch; -1 for none.
STREAM = np.dtype([("row", np.int64), ("around", np.int32), ("object", np.int32)])
#: An entry of a cell: the query, and the next entry of the cell or the next free one.
CELL_ENTRY = np.dtype([("query", np.int32), ("after", np.int32)])
#: An entry of an instant: where the queries begin that its object was in, its object, and whether that was stored.
LINE_ENTRY = np.dtype([("first", np.int64), ("object", np.int64), ("was_stored", np.bool_)], align=True)


@by_reference
class BufferCells(NamedTuple):
    """A grid: the objects and the queries of each cell; the last cell has the queries that are everywhere."""

    frame: npt.NDArray[np.float64]  # (2, 3): by axis, where it begins, cells a unit, cells
    head: npt.NDArray[np.int32]  # by cell, its first object
    query_head: npt.NDArray[np.int32]  # by cell, the first entry; of the last cell, the first query
    entries: npt.NDArray[np.void]  # of CELL_ENTRY
    vacant: npt.NDArray[np.int64]  # (2,): the first free entry, and how many there are


@by_reference
class Accounting(NamedTuple):
    """Counts, and the rules of storing and shedding."""

    counts: npt.NDArray[np.int64]
    shedding: npt.NDArray[np.int64]
    rule: npt.NDArray[np.float64]
    tally: npt.NDArray[np.int64]  # objects by references; the last place is for that many and more


@by_reference
class BufferScratch(NamedTuple):
    """Preallocated work arrays."""

    disturbed: npt.NDArray[np.int32]  # nearest to be looked at anew in this instant
    moved: npt.NDArray[np.int32]  # queries that have moved in this instant
    entries: npt.NDArray[np.void]  # of LINE_ENTRY
    loose: npt.NDArray[np.int32]  # objects that may have become insignificant
    touched: npt.NDArray[np.int64]  # by object: the instant in which it was last touched
    met: npt.NDArray[np.int64]  # by object: when it was last met among the nearest
    loosened: npt.NDArray[np.int64]  # by object: the instant in which a query last dropped its reference
    extent: npt.NDArray[np.float64]
    kept: npt.NDArray[np.int32]  # streams, the nearest so far
    kept_far: npt.NDArray[np.float64]


@by_reference
class Buffer(NamedTuple):
    """All arrays of a shared buffer."""

    queries: npt.NDArray[np.void]
    objects: npt.NDArray[np.void]
    streams: npt.NDArray[np.void]
    cells: BufferCells
    accounting: Accounting
    scratch: BufferScratch
    edges: npt.NDArray[np.float64]  # of shapes, (edges, 4)
    listed: npt.NDArray[np.int32]  # the streams that queries are about, each query's sorted
    members: npt.NDArray[np.int32]  # objects that are the nearest
    names: IdText
    name_hashes: npt.NDArray[np.uint64]  # (streams, 2)
    lonlat: bool
    dimensions: int
