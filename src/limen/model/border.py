"""Border queries: streams that enter and leave a region."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from limen.errors import InvalidQuery
from limen.model.debounced import BorderQuery
from limen.model.region import Region


@dataclass(frozen=True, slots=True, init=False)
class Border(BorderQuery):
    """Report each stream that enters or leaves a region.

    Parameters
    ----------
    id, region, on, streams, where
        See `Query`.
    initial
        ``"silent"`` reports moves over the border only; ``"report"`` also reports streams that appear or
        vanish inside, so that enters and exits always pair.
    crossings
        Whether to report streams that jump over the region, outside before and after, as ``cross``.
    margin
        How far outside the region a stream must be to have left it, in the units of its columns; in metres where they
        are longitude and latitude.
    confirm
        How many consecutive rows must be on the new side before the event.
    min_stay
        How long a stream must have been on the new side before the event: a timedelta, seconds, or text such as
        ``"5 seconds"``.

    Examples
    --------
    >>> from limen.model.region import Range
    >>> Border("cheap", Range(None, 40), streams="IBM").streams
    ('IBM',)
    >>> Border("steady", Range(None, 40), margin=0.5, min_stay="10 seconds").min_stay
    datetime.timedelta(seconds=10)
    """

    type: ClassVar[str] = "border"

    initial: str
    crossings: bool

    def __init__(
        self,
        id: str | int,
        region: Region,
        initial: str = "silent",
        crossings: bool = False,  # noqa: FBT001, FBT002  # the public order of arguments
        margin: float = 0,
        confirm: int = 1,
        min_stay: float | str | timedelta = 0,
        on: str | Sequence[str] | None = None,
        streams: str | int | Iterable[str | int] | None = None,
        where: str | None = None,
    ) -> None:
        self._set_common(id, on, streams, where)
        self._set_region(region)
        self._set_debounce(margin, confirm, min_stay)
        if initial not in ("silent", "report"):
            place = f"{self._place()}: initial"
            raise InvalidQuery(where=place, expected="'silent' or 'report'", got=repr(initial))
        if not isinstance(crossings, bool):
            raise InvalidQuery(where=f"{self._place()}: crossings", expected="true or false", got=repr(crossings))
        object.__setattr__(self, "initial", initial)
        object.__setattr__(self, "crossings", crossings)

    @property
    def reports(self) -> bool:
        """Whether it reports every stream inside."""
        return self.initial == "report"
