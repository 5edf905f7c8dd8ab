"""Match queries: every row inside a region."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from limen.model.query import RegionQuery
from limen.model.region import Region


@dataclass(frozen=True, slots=True, init=False)
class Match(RegionQuery):
    """Report every row inside a region; see `RegionQuery` for the parameters."""

    type: ClassVar[str] = "match"

    def __init__(
        self,
        id: str | int,
        region: Region,
        on: str | Sequence[str] | None = None,
        streams: str | int | Iterable[str | int] | None = None,
        where: str | None = None,
    ) -> None:
        self._set_common(id, on, streams, where)
        self._set_region(region)
