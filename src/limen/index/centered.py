"""Queries around a center as an index takes and keeps them, and what it tells of their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]


class Changes(NamedTuple):
    """Changes of answers: query, stream, whether it comes, the entry of the line that it follows from, its row."""

    query: Slots
    stream: Slots
    adds: npt.NDArray[np.bool_]
    entry: npt.NDArray[np.integer]
    row: npt.NDArray[np.integer]
    shed: bool | npt.NDArray[np.bool_] = False  # whether that is to save memory


@dataclass(frozen=True, slots=True)
class Centered:
    """Queries as the index takes them, as columns.

    Attributes
    ----------
    kind : int8 array
        BOX, DISC or NEAREST of `limen.kernels.around`.
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

    kind: npt.NDArray[np.int8]
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
    """Return what is kept of a query; what is asked for most often comes first."""
    of_any = [
        ("half", np.float64, 2), ("limit", np.float64), ("listed_count", np.int64), ("focal", np.int32),
        ("kind", np.int8), ("wanted", np.int64), ("member_first", np.int64), ("member_count", np.int64),
        ("listed_first", np.int64), ("next_around", np.int32),
    ]  # fmt: skip
    return np.dtype([("center", np.float64, (dimensions,)), *of_any], align=True)
