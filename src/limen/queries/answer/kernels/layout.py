"""Arrays shared by the kernels of live result sets."""

from typing import NamedTuple

import numpy as np  # Numba reads fields, and documentation their types
import numpy.typing as npt

from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.gathering import Order, QueryBatch
from limen.queries.answer.kernels.moving_streams import MovedStreams


@by_reference
class PositionTimeline(NamedTuple):
    """Position updates of streams, in order of time.

    The stream of an entry is gone; or present at a point; or barred: queries that move with it use the point, but no
    answer contains the stream; or the same as before.
    """

    instant: npt.NDArray[np.int64]  # entries of one instant have the same number
    stream: npt.NDArray[np.int32]
    code: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]  # of the batch, -1 for none
    point: npt.NDArray[np.float64]  # (entries, dimensions)


@by_reference
class Listed(NamedTuple):
    """The streams that queries list; a query without a list is about all streams."""

    stream: npt.NDArray[np.int32]
    query: npt.NDArray[np.int32]
    after: npt.NDArray[np.int64]  # the next place with the same stream
    head: npt.NDArray[np.int64]  # by stream, the first place


@by_reference
class IdText(NamedTuple):
    """Ids of streams, which break ties between equal distances."""

    starts: npt.NDArray[np.int64]
    text: npt.NDArray[np.uint8]


@by_reference
class Scratch(NamedTuple):
    """Preallocated work arrays."""

    entry: npt.NDArray[np.int64]  # by stream: its entry in this instant, -1 for none
    row: npt.NDArray[np.int64]  # by stream: its last row in this batch, -1 for none
    met: npt.NDArray[np.int64]  # by stream: when it was last met among the nearest
    marked: npt.NDArray[np.int64]  # by query: when it was last marked
    clock: npt.NDArray[np.int64]  # (1,): counts instants, and then some
    found: npt.NDArray[np.int32]  # streams,
    found_here: npt.NDArray[np.float64]  # where they are,
    found_there: npt.NDArray[np.float64]  # and where they were or will be
    found_queries: npt.NDArray[np.int32]
    affected: npt.NDArray[np.int32]  # the queries evaluated in this instant
    old_center: npt.NDArray[np.float64]  # by place among them
    new_center: npt.NDArray[np.float64]
    old_point: npt.NDArray[np.float64]  # by entry of this instant
    kept: npt.NDArray[np.int32]
    kept_far: npt.NDArray[np.float64]
    extent: npt.NDArray[np.float64]
    columns: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]  # by cell
    cells: npt.NDArray[np.int64]  # by place among the affected queries
    order: Order  # all queries, if all are evaluated together
    query_batch: QueryBatch  # the affected queries, laid out for a sweep
    moves: MovedStreams  # the streams, arranged by their moves
    bounds: npt.NDArray[np.int64]  # (9,): of a region, as `quantized` has them
    bits: npt.NDArray[np.int64]  # of consecutive places: a bit for each place with a stream that may enter or leave
    places: npt.NDArray[np.int64]  # the first of these
    picked: npt.NDArray[np.int64]  # the places of all streams that may enter or leave
    square: npt.NDArray[np.float64]  # by place in a row of cells: of the distance
    singly: npt.NDArray[np.bool_]  # by place among the affected queries: whether it is not done yet
    entry_in_run: npt.NDArray[np.int64]  # by stream: its entry in this run of instants, -1 for none
    earlier_row: npt.NDArray[np.int64]  # by stream that has one: its last row before that
