"""The queries that a file of shapes can become: of one kind, with the same arguments for all."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from limen.errors import InvalidInput, InvalidQuery, did_you_mean
from limen.model.border import Border
from limen.model.match import Match
from limen.model.query import Query
from limen.model.region import Region
from limen.model.transition import Transition
from limen.model.within import Within

_KINDS: dict[str, type[Border | Match | Transition | Within]] = {
    query.type: query for query in (Border, Match, Transition, Within)
}
_OF_FEATURE = ("self", "id", "region", "focal", "width", "height", "radius")  # or of queries that have no region

#: Options for all queries of a kind at once, beside the id and region that each has from its feature.
ARGUMENTS = {
    kind: tuple(name for name in inspect.signature(query.__init__).parameters if name not in _OF_FEATURE)
    for kind, query in _KINDS.items()
}


def query_maker(kind: str, arguments: Mapping[str, Any], name: str) -> Callable[[str, Region], Query]:
    """Return what makes a query of an id and a region; a kind or an argument that is wrong is an error at once.

    Examples
    --------
    >>> from limen.model.region import Range
    >>> query_maker("match", {}, "zones.geojson")("1", Range(0, 1)).type
    'match'
    >>> query_maker("transition", {"whithin": 3}, "zones.geojson")
    Traceback (most recent call last):
    limen.errors.InvalidInput: zones.geojson: expected arguments of a transition query: within, kinds, on, streams,
    where, margin, confirm, min_stay, got 'whithin'. Hint: did you mean 'within'?
    """
    if kind not in _KINDS:
        hint = did_you_mean(kind, _KINDS) if isinstance(kind, str) else None
        *others, last = map(repr, _KINDS)
        expected = f"{', '.join(others)} or {last}"
        raise InvalidInput(where=f"{name}: kind", expected=expected, got=repr(kind), hint=hint)
    query = _KINDS[kind]
    parameters = inspect.signature(query.__init__).parameters
    known = ARGUMENTS[kind]
    for argument in arguments:
        if argument not in known:
            expected = f"arguments of a {kind} query: {', '.join(known)}"
            raise InvalidInput(where=name, expected=expected, got=repr(argument), hint=did_you_mean(argument, known))
    for parameter in known:
        if parameters[parameter].default is inspect.Parameter.empty and parameter not in arguments:
            raise InvalidInput(where=name, expected=f"the argument {parameter!r} of a {kind} query", got="none")

    def make(id: str, region: Region) -> Query:
        try:
            return query(id, region, **arguments)
        except InvalidQuery as error:  # ids and regions are valid, so the error is in an argument, for all queries
            raise error.within(name) from error

    return make
