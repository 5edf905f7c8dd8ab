"""Columns of queries around a center, as the index stores them, and of the changes it emits."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from limen.arrays import Codes, Floats, Ints, Mask, Slots


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


def record_of(dimensions: int) -> np.dtype[Any]:
    """Return the record type of a query; the fields read most often come first."""
    of_any = [
        ("half", np.float64, 2), ("limit", np.float64), ("listed_count", np.int64), ("focal", np.int32),
        ("kind", np.int8), ("wanted", np.int64), ("member_first", np.int64), ("member_count", np.int64),
        ("listed_first", np.int64), ("next_around", np.int32),
    ]  # fmt: skip
    return np.dtype([("center", np.float64, (dimensions,)), *of_any], align=True)
