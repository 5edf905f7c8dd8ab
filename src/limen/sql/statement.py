"""Statements as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from limen.model.query import Query
from limen.model.region import Region
from limen.sql.cursor import Cursor, Token


@dataclass(frozen=True, slots=True)
class Around:
    """A place that moves with a stream: a box or a range by its size, or a circle by its radius."""

    focal: str
    width: float | None = None
    height: float | None = None
    radius: float | None = None

    @property
    def dimensions(self) -> int | None:
        """How many columns it is about; None for a circle, which takes as many as there are."""
        return None if self.radius is not None else 1 if self.height is None else 2


@dataclass(frozen=True, slots=True)
class Place:
    """The region of a query, and its columns if the region names them, as ``price < 40`` does."""

    what: Region | Around
    on: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CreateQuery:
    """CREATE BORDER and the like: a query, and the stream that it is about."""

    query: Query
    stream: str
    replace: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateRegion:
    """CREATE REGION: a place with a name."""

    name: str
    place: Place
    replace: bool = False


@dataclass(frozen=True, slots=True)
class DropQuery:
    """DROP QUERY."""

    name: str


@dataclass(frozen=True, slots=True)
class ShowQueries:
    """SHOW QUERIES."""


@dataclass(frozen=True, slots=True)
class Select:
    """SELECT … INSIDE …: the streams inside a region, and the ordinary SQL around them.

    Attributes
    ----------
    tree
        The statement without its spatial clause, as the SQL library reads it.
    place, nearest
        Where to look; or how many, and around what: a center or the id of a stream.
    on
        The columns that the region is about, where the statement names them.
    cursor, spatial
        The text, and where in it the spatial clause begins, for errors.
    """

    tree: Any
    place: Place | None
    nearest: tuple[int, Sequence[float] | str] | None
    on: tuple[str, ...] | None
    cursor: Cursor = field(repr=False, compare=False)
    spatial: Token = field(repr=False, compare=False)

    def tables(self) -> list[str]:
        """Return the names of what it selects from, streams and tables."""
        parts = [self.tree.args.get("from_"), *(self.tree.args.get("joins") or [])]
        named = [part.this for part in parts if part is not None and part.this.key == "table"]
        return [".".join(part.name for part in table.parts) for table in named]


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN: how a statement would be done."""

    statement: CreateQuery | Select


Statement: TypeAlias = CreateQuery | CreateRegion | DropQuery | ShowQueries | Select | Explain
