"""Match queries: every row inside a region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from limen.model.query import RegionQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
