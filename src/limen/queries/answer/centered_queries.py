"""Columns of queries around a center, as the index stores them, and of the changes it emits."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from limen.arrays import Codes, Floats, Ints, Mask, Slots
from limen.model.nearest import Nearest
from limen.model.shape import Circle
from limen.model.within import Within
from limen.queries.answer.kernels.around import BOX, DISC, NEAREST
from limen.runtime.stream_table import StreamTable

ALL = -1  # streams, instead of a number of them


class Changes(NamedTuple):
    """Changes of answers: query, stream, whether it is added, the timeline entry that caused it, its row."""

    query: Slots
    stream: Slots
    adds: Mask
    entry: npt.NDArray[np.integer]
    row: npt.NDArray[np.integer]
    shed: bool | Mask = False  # whether that is to save memory


@dataclass(frozen=True, slots=True)
class Centered:
    """Queries as the index takes them, as columns.

    Attributes
    ----------
    kind : int8 array
        BOX, DISC or NEAREST of `limen.queries.answer.kernels.around`.
    focal : int32 array
        The stream that a query moves with; -1 for one that stays where it is.
    center : float array (n, dimensions)
        Of those that stay.
    half : float array (n, 2)
        Half the width and half the height of boxes.
    limit : float array
        Of discs: the square of the radius, or the radius in metres.
    wanted : int64 array
        Of nearest: how many.
    listed, counts : int32 array, int64 array
        The streams that queries are about, one query's after another's, and how many each has; -1 for all streams.
    """

    kind: Codes
    focal: Slots
    center: Floats
    half: Floats
    limit: Floats
    wanted: Ints
    listed: Slots
    counts: Ints

    def __len__(self) -> int:
        return len(self.kind)


#: What each column is made of, and the shape of a row, with -1 for the number of dimensions.
COLUMNS: dict[str, tuple[npt.DTypeLike, tuple[int, ...]]] = {
    "kind": (np.int8, ()),
    "focal": (np.int32, ()),
    "center": (np.float64, (-1,)),
    "half": (np.float64, (2,)),
    "limit": (np.float64, ()),
    "wanted": (np.int64, ()),
    "listed": (np.int32, ()),
    "counts": (np.int64, ()),
}


def centered_of(queries: list[Within | Nearest], streams: StreamTable, dimensions: int, *, lonlat: bool) -> Centered:
    """Return queries around a center, or on a circle, as columns."""
    n = len(queries)
    kind, center, half = np.full(n, DISC, np.int8), np.full((n, dimensions), np.nan), np.zeros((n, 2))
    limit, wanted = np.full(n, np.inf), np.zeros(n, np.int64)
    for number, query in enumerate(queries):
        if isinstance(query, Nearest):
            kind[number], wanted[number] = NEAREST, query.k
            center[number] = np.nan if query.center is None else query.center
            continue
        radius = query.radius
        if isinstance(query.region, Circle):
            center[number], radius = query.region.center, query.region.radius
        if radius is not None:
            limit[number] = radius if lonlat else radius * radius
        else:
            kind[number], half[number] = BOX, ((query.width or 0.0) / 2, (query.height or 0.0) / 2)
    if lonlat:  # as positions have it
        center[:, 0] = np.where(center[:, 0] >= 180, center[:, 0] - 360, center[:, 0])
    focal = np.full(n, -1, np.int32)
    moving = [number for number, query in enumerate(queries) if query.focal is not None]
    focal[moving] = streams.slots([query.focal for query in queries if query.focal is not None])
    counts = np.array([ALL if query.streams is None else len(query.streams) for query in queries], np.int64)
    listed = streams.slots([each for query in queries for each in query.streams or ()])
    return Centered(kind, focal, center, half, limit, wanted, listed, counts)


def record_of(dimensions: int) -> np.dtype[Any]:
    """Return the record type of a query; the fields read most often come first."""
    of_any = [
        ("half", np.float64, 2), ("limit", np.float64), ("listed_count", np.int64), ("focal", np.int32),
        ("kind", np.int8), ("wanted", np.int64), ("member_first", np.int64), ("member_count", np.int64),
        ("listed_first", np.int64), ("next_around", np.int32),
    ]  # fmt: skip
    return np.dtype([("center", np.float64, (dimensions,)), *of_any], align=True)
