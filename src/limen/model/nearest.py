"""Nearest queries: the k streams that are closest to a place, or to a stream that moves."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np

from limen.errors import InvalidQuery
from limen.model.answer import AnswerQuery
from limen.model.columns import Columns
from limen.model.lonlat import check_degrees
from limen.model.query import check_distances, dimensions
from limen.model.region import read_number

MOST = 2**31 - 1  # the largest k


@dataclass(frozen=True, slots=True, init=False)
class Nearest(AnswerQuery):
    """Keep the set of the k closest streams, reported by its changes, ``add`` and ``remove``.

    Of streams equally far away the one with the smaller id is closer. With fewer than k streams known, all are in the
    answer.

    Parameters
    ----------
    id, on, streams, where
        See `Query`.
    k
        How many.
    center
        Closest to where: a number for each column.
    focal
        The id of the stream to look around. It is never in its own answer; the answer is empty while its position is
        not known.
    min_accuracy
        The least accuracy, in percent, that load shedding must leave it.

    Examples
    --------
    >>> Nearest("taxis for Ann", 5, center=(3, 4)).center
    (3.0, 4.0)
    """

    type: ClassVar[str] = "nearest"

    k: int
    center: tuple[float, ...] | None

    def __init__(
        self,
        id: str | int,
        k: int,
        *,
        center: Sequence[float] | None = None,
        focal: str | int | None = None,
        min_accuracy: float | None = None,
        on: str | Sequence[str] | None = None,
        streams: str | int | Iterable[str | int] | None = None,
        where: str | None = None,
    ) -> None:
        self._set_answer(id, on, streams, where, focal, min_accuracy)
        if isinstance(k, bool) or not isinstance(k, Integral) or not 1 <= int(k) <= MOST:
            raise InvalidQuery(where=f"{self._place()}: k", expected="a number of streams, 1 or more", got=repr(k))
        self._one_place({"center": center, "focal": focal})
        object.__setattr__(self, "k", int(k))
        object.__setattr__(self, "center", None if center is None else self._read_center(center))

    def _read_center(self, center: object) -> tuple[float, ...]:
        place, expected = f"{self._place()}: center", "a finite number for each column"
        given = center if isinstance(center, (list, tuple, np.ndarray)) else [center]
        read = tuple(read_number(each, place, expected) for each in given)
        if not read or not all(map(math.isfinite, read)):
            raise InvalidQuery(where=place, expected=expected, got=repr(center))
        return read

    def _check_place(self, columns: Columns, positions: tuple[int, ...]) -> None:
        check_distances(columns, positions, self._place(), "distances")
        if self.center is None:
            return
        if len(self.center) != len(positions):
            raise InvalidQuery(
                where=f"{self._place()}: center",
                expected=f"a place in {dimensions(len(positions))}",
                got=f"{len(self.center)}",
                hint="name the columns that the query is about with on=",
            )
        if columns.crs == "lonlat":
            check_degrees(np.array([self.center]), f"{self._place()}: center")
