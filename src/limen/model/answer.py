"""Queries with a live result set, a set of streams: the common part of `Within` and `Nearest`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from limen.errors import InvalidQuery
from limen.model.query import Query, id_text
from limen.model.region import read_number


@dataclass(frozen=True, slots=True, init=False)
class AnswerQuery(Query):
    """A query with an answer that is kept up to date.

    Parameters
    ----------
    focal
        The id of the stream that the query moves with; None for one that stays where it is.
    min_accuracy
        The least accuracy, in percent, that load shedding must leave it; by default whatever remains.
    """

    focal: str | None
    min_accuracy: float | None

    def _set_answer(
        self,
        id: str | int,
        on: str | Sequence[str] | None,
        streams: str | int | Iterable[str | int] | None,
        where: str | None,
        focal: str | int | None,
        min_accuracy: float | None,
    ) -> None:
        self._set_common(id, on, streams, where)
        object.__setattr__(self, "focal", None if focal is None else self._read_focal(focal))
        object.__setattr__(self, "min_accuracy", None if min_accuracy is None else self._read_accuracy(min_accuracy))

    @property
    def family(self) -> str:
        """Which queries it is evaluated with: those on regions that stay where they are, or those around a center."""
        return "area" if getattr(self, "region", None) is not None else "around"

    @property
    def needs_global_order(self) -> bool:
        """Whether it looks at many streams at once, along one time line: all answers do."""
        return True

    @property
    def sees_all_streams(self) -> bool:
        """Whether every shard that evaluates it needs all streams: around a center, but not in a fixed region."""
        return self.family == "around"

    @property
    def reports(self) -> bool:
        """Whether it reports every stream in the answer: always."""
        return True

    def _read_focal(self, focal: object) -> str:
        name = id_text(focal)
        if name is None:
            raise InvalidQuery(where=f"{self._place()}: focal", expected="the id of a stream", got=repr(focal))
        return name

    def _read_accuracy(self, percent: object) -> float:
        place, expected = f"{self._place()}: min_accuracy", "a percentage above 0, up to 100"
        least = read_number(percent, place, expected)
        if not 0 < least <= 100:
            raise InvalidQuery(where=place, expected=expected, got=repr(percent))
        return least

    def _one_place(self, places: dict[str, object]) -> None:
        """Refuse a query with both, or neither, of two ways to give its place."""
        given = [name for name, value in places.items() if value is not None]
        if len(given) != 1:
            either = " or ".join(f"{name}=" for name in places)
            raise InvalidQuery(where=self._place(), expected=f"either {either}", got="both" if given else "neither")


def read_size(value: object, place: str, largest: float) -> float:
    """Read a length above 0."""
    expected = "a number above 0"
    size = read_number(value, place, expected)
    if not 0 < size <= largest:
        expected = f"at most {largest:g}" if size > largest else expected
        raise InvalidQuery(where=place, expected=expected, got=repr(value))
    return size
