"""Queries: each has an id, the columns it reads, and the streams it is restricted to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

from limen.errors import InvalidQuery, did_you_mean
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression
from limen.model.lonlat import check_on_sphere
from limen.model.region import Box, Range, Region


@dataclass(frozen=True, slots=True, init=False)
class Query:
    """What all queries have in common; subclasses add what is watched.

    Parameters
    ----------
    id
        The query's name; an integer is read as text.
    on
        The value columns that the query is about, in the order of its dimensions; by default all.
    streams
        The ids of the streams that the query is about, one or several; by default all.
    where
        A condition in SQL on attributes and values that a row must meet, else it counts as outside.
    """

    type: ClassVar[str]

    id: str
    on: tuple[str, ...] | None
    streams: tuple[str, ...] | None
    where: str | None

    def _set_common(
        self,
        id: str | int,
        on: str | Sequence[str] | None,
        streams: str | int | Iterable[str | int] | None,
        where: str | None,
    ) -> None:
        # Up to a million queries are built at the start, so the usual case costs a few comparisons.
        put = object.__setattr__
        put(self, "id", id if type(id) is str and id and id.isascii() else query_id(id))
        put(self, "on", None if on is None else _column_names(on, self._place()))
        put(self, "streams", None if streams is None else stream_ids(streams, self._place()))
        if where is not None:
            if not isinstance(where, str):
                raise InvalidQuery(where=f"{self._place()}: where", expected="SQL text", got=repr(where))
            try:
                Expression.parse(where)  # a condition that cannot be read fails here, not on the first row
            except InvalidQuery as error:
                raise error.within(self._place()) from error
        put(self, "where", where)

    def check(self, columns: Columns) -> tuple[int, ...]:
        """Test the query against the columns of the data.

        Returns
        -------
        tuple of int
            The query's columns as positions in ``columns.values``, in the order of its dimensions.

        Raises
        ------
        InvalidQuery
            When the query uses a column that is not there, or is about another number of dimensions.
        """
        if self.on is not None:
            for name in self.on:
                if name not in columns.values:
                    raise unknown_column(f"{self._place()}: on", name, columns.values, columns)
        positions = columns.positions(self.on)
        self._check_place(columns, positions)
        if self.where is not None:
            usable = columns.attributes + columns.values
            for name in Expression.parse(self.where).names:
                if name not in usable:
                    raise unknown_column(f"{self._place()}: where", name, usable, columns)
        return positions

    def _check_place(self, columns: Columns, positions: tuple[int, ...]) -> None:
        """Refuse a query that has no meaning in the coordinates of its columns."""
        raise NotImplementedError

    @property
    def family(self) -> str:
        """Which queries it is evaluated with."""
        return self.type

    @property
    def needs_global_order(self) -> bool:
        """Whether it looks at many streams at once, along one time line."""
        return False

    @property
    def sees_all_streams(self) -> bool:
        """Whether every shard that evaluates it needs all streams, so that jobs with it are split by query."""
        return False

    @property
    def has_deadlines(self) -> bool:
        """Whether time alone can cause its events."""
        return False

    @property
    def reports(self) -> bool:
        """Whether it reports every matching stream, so that registering or removing it can cause events."""
        return False

    def conditions(self) -> list[tuple[str, Expression]]:
        """Return its conditions, each with its place: what has to fit the types of the data."""
        return [] if self.where is None else [("", Expression.parse(self.where))]

    def remark(self) -> str | None:
        """Return a warning about a query that is allowed but may cost more than expected."""
        return None

    def _place(self) -> str:
        return f"query {self.id!r}"


@dataclass(frozen=True, slots=True, init=False)
class RegionQuery(Query):
    """A query on a region that stays where it is.

    Parameters
    ----------
    region
        Where it watches.
    """

    region: Region

    def _set_region(self, region: object) -> None:
        if not isinstance(region, Region):
            raise InvalidQuery(where=self._place(), expected="a region such as Range(0, 10)", got=repr(region))
        object.__setattr__(self, "region", region)

    def _check_place(self, columns: Columns, positions: tuple[int, ...]) -> None:
        check_region(self.region, columns, positions, self._place())


def check_region(region: Region, columns: Columns, positions: tuple[int, ...], place: str) -> None:
    """Refuse a region that has no meaning in the coordinates of its columns."""
    if region.dimensions != len(positions):
        raise InvalidQuery(
            where=place,
            expected=f"a region of {dimensions(len(positions))} ({_named(columns, positions)})",
            got=f"{region.dimensions}",
            hint="name the columns that the region is about with on=",
        )
    if columns.crs == "lonlat" and positions == (0, 1):
        check_on_sphere(region, f"{place}: region")
    elif isinstance(region, Box) and region.wraps:
        raise InvalidQuery(
            where=f"{place}: box, dimension 1",
            expected="lo < hi",
            got=f"lo {region.lo[0]}, hi {region.hi[0]}",
        )
    elif not isinstance(region, (Box, Range)):
        check_distances(columns, positions, place, "a shape")


def check_distances(columns: Columns, positions: tuple[int, ...], place: str, what: str) -> None:
    """Refuse what needs distances where there are none: beside longitude and latitude."""
    if columns.crs == "lonlat" and positions != (0, 1):
        raise InvalidQuery(
            where=place,
            expected=f"{what} on longitude and latitude ({', '.join(columns.values[:2])})",
            got=f"one on {_named(columns, positions)}",
        )


def _named(columns: Columns, positions: tuple[int, ...]) -> str:
    return ", ".join(columns.values[position] for position in positions)


def query_id(id: object) -> str:
    """Read a query's id: text that is not empty, or an integer."""
    name = id_text(id)
    if not name:
        raise InvalidQuery(where="query", expected="an id: text that is not empty, or an integer", got=repr(id))
    return name


def id_text(id: object) -> str | None:
    """Read an id, of a query or of a stream; None for what is none."""
    if not isinstance(id, bool) and isinstance(id, Integral):
        return str(int(id))
    if not isinstance(id, str):
        return None
    try:
        id.encode()  # half of a surrogate pair is valid text in Python only
    except UnicodeEncodeError:
        return None
    return str(id)


def _column_names(on: object, place: str) -> tuple[str, ...]:
    names = (on,) if isinstance(on, str) else tuple(on) if isinstance(on, (list, tuple)) else ()
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InvalidQuery(where=f"{place}: on", expected="names of value columns", got=repr(on))
    if len(set(names)) < len(names):
        raise InvalidQuery(where=f"{place}: on", expected="each column once", got=repr(on))
    return names


def stream_ids(streams: object, place: str) -> tuple[str, ...]:
    """Read one id of a stream or several, put into their order."""
    given = [streams] if isinstance(streams, (str, Integral)) else []
    if not given and isinstance(streams, Iterable) and not isinstance(streams, (bytes, Mapping)):
        given = list(streams)
    ids = {id_text(each) for each in given}
    if not ids or None in ids:
        raise InvalidQuery(where=f"{place}: streams", expected="one stream id or more", got=repr(streams))
    # Python orders text by code point, which is the order of UTF-8 bytes.
    return tuple(sorted(each for each in ids if each is not None))


def unknown_column(place: str, name: str, usable: tuple[str, ...], columns: Columns) -> InvalidQuery:
    """Return the error of a query that names a column that it cannot use."""
    taken = {columns.id: "the id column", columns.time: "the time column"}
    taken.update(dict.fromkeys(columns.attributes, "an attribute"))
    role = f", which is {taken[name]}" if name in taken else ""
    return InvalidQuery(
        where=place,
        expected=f"a column among {', '.join(usable)}",
        got=f"{name!r}{role}",
        hint=None if role else did_you_mean(name, usable),
    )


def dimensions(count: int) -> str:
    """Return the number of dimensions as text."""
    return "1 dimension" if count == 1 else f"{count} dimensions"
