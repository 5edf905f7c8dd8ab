"""The roles of the columns of the user's data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from limen.errors import InvalidInput, did_you_mean
from limen.model.time import TIME_UNITS


@dataclass(frozen=True, slots=True, init=False)
class Columns:
    """The names of the columns that queries are about.

    Parameters
    ----------
    id
        The column of stream ids.
    time
        The column of times.
    values
        The columns that regions are about, in the order of a region's dimensions; one name or several.
    attributes
        Further columns that ``where=`` may use; one name or several.
    crs
        How coordinates are meant: ``"planar"`` takes them as they are; with ``"lonlat"`` the first two values are
        longitude and latitude in degrees, and distances are in metres.
    time_unit
        What an integer in the time column counts: ``"s"``, ``"ms"``, ``"us"`` or ``"ns"`` since 1970.

    Examples
    --------
    >>> columns = Columns(id="vehicle", time="ts", values=("x", "y"), attributes="kind")
    >>> columns.attributes
    ('kind',)
    >>> columns.positions(("y",))
    (1,)
    """

    id: str
    time: str
    values: tuple[str, ...]
    attributes: tuple[str, ...]
    crs: str
    time_unit: str | None

    def __init__(
        self,
        id: str,
        time: str,
        values: str | Sequence[str],
        attributes: str | Sequence[str] = (),
        crs: str = "planar",
        time_unit: str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "id", _name(id, "id"))
        put(self, "time", _name(time, "time"))
        put(self, "values", _names(values, "values"))
        put(self, "attributes", _names(attributes, "attributes"))
        put(self, "crs", crs)
        put(self, "time_unit", time_unit)
        self._check()

    def _check(self) -> None:
        if not self.values:
            raise InvalidInput(where="columns: values", expected="at least one column", got="none")
        taken: dict[str, str] = {}
        for role, name in self._roles():
            if name in taken:
                raise InvalidInput(
                    where=f"columns: {name!r}",
                    expected="one role for each column",
                    got=f"{taken[name]} and {role}",
                )
            taken[name] = role
        if self.crs == "lonlat" and len(self.values) < 2:
            raise InvalidInput(
                where="columns: values", expected="longitude and latitude first, for crs 'lonlat'", got=self.values[0]
            )
        if self.crs not in ("planar", "lonlat"):
            raise InvalidInput(where="columns: crs", expected="'planar' or 'lonlat'", got=repr(self.crs))
        if self.time_unit is not None and self.time_unit not in TIME_UNITS:
            expected = "None, 's', 'ms', 'us' or 'ns'"
            raise InvalidInput(where="columns: time_unit", expected=expected, got=repr(self.time_unit))

    def _roles(self) -> Iterator[tuple[str, str]]:
        yield "id", self.id
        yield "time", self.time
        for name in self.values:
            yield "values", name
        for name in self.attributes:
            yield "attributes", name

    def positions(self, on: Sequence[str] | None = None) -> tuple[int, ...]:
        """Find value columns by name: their indexes into ``values``, all of them by default."""
        if on is None:
            return tuple(range(len(self.values)))
        for name in on:
            if name not in self.values:
                raise InvalidInput(
                    where="columns",
                    expected=f"a value column ({', '.join(self.values)})",
                    got=repr(name),
                    hint=did_you_mean(name, self.values),
                )
        return tuple(self.values.index(name) for name in on)

    def to_dict(self) -> dict[str, object]:
        """Write as plain data, as a snapshot or a job file holds it; defaults are left out."""
        plain: dict[str, object] = {"id": self.id, "time": self.time, "values": list(self.values)}
        if self.attributes:
            plain["attributes"] = list(self.attributes)
        if self.crs != "planar":
            plain["crs"] = self.crs
        if self.time_unit is not None:
            plain["time_unit"] = self.time_unit
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, object]) -> Columns:
        """Read what `to_dict` wrote."""
        for key in plain:
            if key not in cls.__slots__:
                raise InvalidInput(
                    where="columns",
                    expected=f"the keys {', '.join(cls.__slots__)}",
                    got=repr(key),
                    hint=did_you_mean(str(key), cls.__slots__),
                )
        for key in ("id", "time", "values"):
            if key not in plain:
                raise InvalidInput(where="columns", expected=f"the key {key!r}", got="none")
        return cls(**plain)  # type: ignore[arg-type]  # the constructor checks the types itself


def _name(name: object, role: str) -> str:
    if not isinstance(name, str) or not name:
        raise InvalidInput(where=f"columns: {role}", expected="the name of a column", got=repr(name))
    return name


def _names(names: object, role: str) -> tuple[str, ...]:
    if isinstance(names, str):
        names = (names,)
    if not isinstance(names, (list, tuple)):
        raise InvalidInput(where=f"columns: {role}", expected="names of columns", got=repr(names))
    return tuple(_name(name, role) for name in names)
