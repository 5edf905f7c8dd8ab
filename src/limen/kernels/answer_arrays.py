"""The arrays that kernels for answers hand on to each other, by what they are about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np  # noqa: TC002  # Numba reads fields, and documentation their types
import numpy.typing as npt  # noqa: TC002

from limen.kernels.mustering import Muster, Order  # noqa: TC001
from limen.kernels.passing_streams import Moves  # noqa: TC001


class Line(NamedTuple):
    """What happens, in the order in which it happens.

    An entry's stream is gone; or present at a point; or barred: at a point, for those who move with it, but not for
    those who look for streams; or the same as before.
    """

    instant: npt.NDArray[np.int64]  # entries of one instant have the same number
    stream: npt.NDArray[np.int32]
    code: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]  # of the batch, -1 for none
    point: npt.NDArray[np.float64]  # (entries, dimensions)


class Listed(NamedTuple):
    """The streams that queries are about, of those that are not about all."""

    stream: npt.NDArray[np.int32]
    query: npt.NDArray[np.int32]
    after: npt.NDArray[np.int64]  # the next place with the same stream
    head: npt.NDArray[np.int64]  # by stream, the first place


class Names(NamedTuple):
    """The names of streams, which decide between those that are equally far away."""

    starts: npt.NDArray[np.int64]
    text: npt.NDArray[np.uint8]


class Scratch(NamedTuple):
    """Room to work in."""

    entry: npt.NDArray[np.int64]  # by stream: its entry in this instant, -1 for none
    row: npt.NDArray[np.int64]  # by stream: its last row in this batch, -1 for none
    met: npt.NDArray[np.int64]  # by stream: when it was last met among the nearest
    marked: npt.NDArray[np.int64]  # by query: when it was last marked
    clock: npt.NDArray[np.int64]  # (1,): counts instants, and then some
    found: npt.NDArray[np.int32]  # streams,
    found_here: npt.NDArray[np.float64]  # where they are,
    found_there: npt.NDArray[np.float64]  # and where they were or will be
    found_queries: npt.NDArray[np.int32]
    asked: npt.NDArray[np.int32]  # the queries that are asked in this instant
    old_center: npt.NDArray[np.float64]  # by place among them
    new_center: npt.NDArray[np.float64]
    old_point: npt.NDArray[np.float64]  # by entry of this instant
    kept: npt.NDArray[np.int32]
    kept_far: npt.NDArray[np.float64]
    extent: npt.NDArray[np.float64]
    columns: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]  # by cell
    cells: npt.NDArray[np.int64]  # by place among the queries asked
    order: Order  # all queries, if they are asked at once,
    muster: Muster  # what is known of those who are,
    moves: Moves  # and the streams they are asked about
    bounds: npt.NDArray[np.int64]  # (9,): of a region, as `coarse` has them
    bits: npt.NDArray[np.int64]  # of some places after each other: a bit for each whose stream may come or go
    places: npt.NDArray[np.int64]  # the first of these
    picked: npt.NDArray[np.int64]  # the places of all who may
    square: npt.NDArray[np.float64]  # by place in a row of cells: of the distance
    singly: npt.NDArray[np.bool_]  # by place among the queries asked: whether it is not done yet
    said: npt.NDArray[np.int64]  # by stream: its entry in this passage, -1 for none
    earlier_row: npt.NDArray[np.int64]  # by stream that has one: its last row before that
