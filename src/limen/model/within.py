"""Within queries: the streams in a region, or around a stream that moves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from limen.errors import InvalidQuery
from limen.model.answer import AnswerQuery, read_size
from limen.model.columns import Columns
from limen.model.query import check_distances, check_region, dimensions
from limen.model.region import Region
from limen.model.shape import LARGEST_RADIUS


@dataclass(frozen=True, slots=True, init=False)
class Within(AnswerQuery):
    """Keep the set of streams in a region, reported by its changes, ``add`` and ``remove``.

    Parameters
    ----------
    id, on, streams, where
        See `Query`.
    region
        Where to look, for a query that stays where it is.
    focal
        The id of the stream to look around. It is never in its own answer; the answer is empty while its position is
        not known.
    width, height
        The size of the box around the focal stream, along the first and the second column; of one column, the width
        only. In metres where the columns are longitude and latitude.
    radius
        The size of the circle around the focal stream, of any number of columns; in metres as well.
    min_accuracy
        The least accuracy, in percent, that load shedding must leave it.

    Examples
    --------
    >>> Within("around the police", focal="car 54", radius=500).radius
    500.0
    """

    type: ClassVar[str] = "within"

    region: Region | None
    width: float | None
    height: float | None
    radius: float | None

    def __init__(
        self,
        id: str | int,
        region: Region | None = None,
        *,
        focal: str | int | None = None,
        width: float | None = None,
        height: float | None = None,
        radius: float | None = None,
        min_accuracy: float | None = None,
        on: str | Sequence[str] | None = None,
        streams: str | int | Iterable[str | int] | None = None,
        where: str | None = None,
    ) -> None:
        self._set_answer(id, on, streams, where, focal, min_accuracy)
        self._one_place({"region": region, "focal": focal})
        place, put = self._place(), object.__setattr__
        sizes = {"width": width, "height": height, "radius": radius}
        given = [name for name, value in sizes.items() if value is not None]
        if region is not None:
            if not isinstance(region, Region):
                raise InvalidQuery(where=place, expected="a region such as Circle((0, 0), 5)", got=repr(region))
            if given:
                raise InvalidQuery(where=f"{place}: {given[0]}", expected="none: the region has a size", got="one")
        elif given not in (["width"], ["width", "height"], ["radius"]):
            raise InvalidQuery(
                where=place, expected="width= and height=, or radius=, around focal=", got=" and ".join(given) or "none"
            )
        put(self, "region", region)
        for name, value in sizes.items():
            put(self, name, None if value is None else read_size(value, f"{place}: {name}", LARGEST_RADIUS))

    def _check_place(self, columns: Columns, positions: tuple[int, ...]) -> None:
        if self.region is not None:
            check_region(self.region, columns, positions, self._place())
            return
        check_distances(columns, positions, self._place(), "a query around a stream")
        if self.radius is None:
            sized = 1 if self.height is None else 2
            if sized != len(positions):
                raise InvalidQuery(
                    where=self._place(),
                    expected=f"a box of {dimensions(len(positions))}"
                    if len(positions) < 3
                    else "radius=, or two columns",
                    got="width alone" if sized == 1 else "width and height",
                    hint="name the columns that the query is about with on=",
                )
