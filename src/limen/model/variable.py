"""A variable of a pattern: which tuples may take its place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from limen.errors import InvalidQuery, did_you_mean
from limen.model.expressions.expression import Expression
from limen.model.query import stream_ids
from limen.model.region import Region


@dataclass(frozen=True, slots=True, init=False)
class Variable:
    """One of the tuples that a `Pattern` looks for.

    Parameters
    ----------
    name
        The variable's name.
    where
        A condition in SQL on the columns of the tuple, its id and its time among them.
    region
        Where the tuple is, by its own values.
    streams
        The streams it is restricted to: one id or several.

    Examples
    --------
    >>> Variable("light", "wind < 5").where
    'wind < 5'
    """

    name: str
    where: str | None
    region: Region | None
    streams: tuple[str, ...] | None

    def __init__(
        self,
        name: str,
        where: str | None = None,
        region: Region | None = None,
        streams: str | int | Iterable[str | int] | None = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidQuery(where="variable", expected="a name: text that is not empty", got=repr(name))
        put, place = object.__setattr__, f"variable {name!r}"
        put(self, "name", name)
        if where is not None:
            if not isinstance(where, str):
                raise InvalidQuery(where=place, expected="a condition in SQL", got=repr(where))
            try:
                Expression.parse(where)
            except InvalidQuery as error:
                raise error.within(place) from error
        if region is not None and not isinstance(region, Region):
            expected = "a region such as Box((0, 0), (10, 10))"
            raise InvalidQuery(where=f"{place}: region", expected=expected, got=repr(region))
        put(self, "where", where)
        put(self, "region", region)
        put(self, "streams", None if streams is None else stream_ids(streams, place))

    @property
    def definition(self) -> tuple[str | None, Region | None, tuple[str, ...] | None]:
        """All of its definition but the name, equal for variables with the same constraints."""
        where = None if self.where is None else Expression.parse(self.where).exchanged({})
        return where, self.region, self.streams


def read_variables(given: object, place: str) -> tuple[Variable, ...]:
    """Read the variables of a pattern: by name, as text or as the parts of a `Variable`; or as such."""
    if isinstance(given, Mapping):
        return tuple(_read(name, each, place) for name, each in given.items())
    if isinstance(given, (list, tuple)) and all(isinstance(each, Variable) for each in given):
        return tuple(given)
    expected = "variables by name, such as {'a': 'humidity > 90', 'b': 'wind < 5'}"
    raise InvalidQuery(where=f"{place}: variables", expected=expected, got=repr(given))


_PARTS = [field.name for field in fields(Variable) if field.name != "name"]


def _read(name: str, given: object, place: str) -> Variable:
    if isinstance(given, Variable) and given.name == name:
        return given
    if given is None or isinstance(given, str):
        given = {"where": given}
    if not isinstance(given, Mapping):
        expected = "a condition in SQL, or where, region and streams"
        raise InvalidQuery(where=f"{place}: variable {name!r}", expected=expected, got=repr(given))
    for key in given:
        if key not in _PARTS:
            expected, hint = f"the keys {', '.join(_PARTS)}", did_you_mean(str(key), _PARTS)
            raise InvalidQuery(where=f"{place}: variable {name!r}", expected=expected, got=repr(key), hint=hint)
    try:
        return Variable(name, **given)
    except InvalidQuery as error:
        raise error.within(place) from error
