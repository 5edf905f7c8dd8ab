"""Queries and changes as JSON, one object each; what is written can be read back unchanged."""

import json
import math
from collections.abc import Iterable, Mapping
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from limen.errors import InvalidInput, InvalidQuery, did_you_mean
from limen.model.border import Border
from limen.model.change import Advance, Change, Deregister, Register
from limen.model.debounced import NO_TIME
from limen.model.match import Match
from limen.model.nearest import Nearest
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.model.query import Query
from limen.model.region import Box, Range, Region
from limen.model.shape import Circle, MultiPolygon, Polygon
from limen.model.time import from_micros, to_micros
from limen.model.transition import TRANSITIONS, Transition
from limen.model.variable import Variable
from limen.model.within import Within

#: Whatever JSON can hold; the readers of each part check it.
Json: TypeAlias = Any
Plain: TypeAlias = dict[str, Json]

_QUERIES: dict[str, type[Border | Match | Transition | Within | Nearest | Pattern]] = {
    each.type: each for each in (Border, Match, Transition, Within, Nearest, Pattern)
}
# The keys of each type and what each means when left out; a key without a default must be given.
_SUBJECT = {"on": None, "streams": None, "where": None}
_COMMON = {"id": ..., "region": ..., **_SUBJECT}
_DEBOUNCING = {"margin": 0, "confirm": 1, "min_stay": NO_TIME}
_BORDER = {**_COMMON, "initial": "silent", "crossings": False, **_DEBOUNCING}
_TRANSITION = {**_COMMON, "within": ..., "kinds": TRANSITIONS, **_DEBOUNCING}
_WITHIN = {
    **_COMMON, "region": None, "focal": None, "width": None, "height": None, "radius": None, "min_accuracy": None,
}  # fmt: skip
_NEAREST = {"id": ..., "k": ..., "center": None, "focal": None, "min_accuracy": None, **_SUBJECT}
_PATTERN = {"id": ..., "variables": ..., "pairs": (), "report": "all", "cap": None, "retain": None, **_SUBJECT}
_KEYS: dict[str, Plain] = {
    "border": _BORDER, "match": _COMMON, "transition": _TRANSITION, "within": _WITHIN, "nearest": _NEAREST,
    "pattern": _PATTERN,
}  # fmt: skip
_PARTS: dict[type, Plain] = {
    Variable: {"name": ..., "where": None, "region": None, "streams": None},
    Pair: {"a": ..., "b": ..., "after": None, "distance": None, "beyond": None, "where": None},
}
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def query_to_dict(query: Query) -> Plain:
    """Write a query as plain data; what has its default value is left out.

    Examples
    --------
    >>> query_to_dict(Border("cheap", Range(None, 40), streams="IBM"))
    {'type': 'border', 'id': 'cheap', 'region': {'type': 'range', 'hi': 40.0}, 'streams': ['IBM']}
    """
    plain: Plain = {"type": query.type}
    for key, default in _KEYS[query.type].items():
        value = getattr(query, key)
        if value is not default and value != default:
            plain[key] = _plain(value)
    return plain


def _plain(value: Json) -> Json:
    if isinstance(value, timedelta):
        whole, rest = divmod(value, timedelta(seconds=1))
        return (whole + rest.total_seconds() if whole < 2**32 else f"{value // rest.resolution} us") if rest else whole
    if isinstance(value, Region):
        return _region_to_dict(value)
    if type(value) in _PARTS:
        parts = {key: getattr(value, key) for key in _PARTS[type(value)]}
        return {key: _plain(part) for key, part in parts.items() if part is not None}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def query_from_dict(plain: object) -> Query:
    """Read a query that `query_to_dict` or a user wrote."""
    read = _object(plain, "query")
    kind = _choice(read, "type", _QUERIES, "query")
    place = f"query {read['id']!r}" if "id" in read else "query"
    arguments = {key: value for key, value in read.items() if key != "type"}
    _check_keys(arguments, _KEYS[kind], place)
    if arguments.get("region") is not None or _KEYS[kind].get("region") is ...:
        arguments["region"] = _region_from_dict(arguments["region"], place)
    if kind == "pattern":
        arguments["variables"] = _variables_from_plain(arguments["variables"], place)
        pairs = _list(arguments.get("pairs", []), f"{place}: pairs")
        arguments["pairs"] = [_part(Pair, pair, f"{place}: pairs") for pair in pairs]
    return _QUERIES[kind](**arguments)


def _variables_from_plain(plain: Json, place: str) -> Json:
    """Read variables as a list, which keeps their order, or as an object in its order."""
    if isinstance(plain, list):
        return [_part(Variable, each, f"{place}: variables") for each in plain]
    if not isinstance(plain, Mapping):
        return plain
    with_parts = {name: {"name": name, **each} for name, each in plain.items() if isinstance(each, Mapping)}
    return {**plain, **{name: _part(Variable, each, place) for name, each in with_parts.items()}}


def _part(kind: type, plain: object, place: str) -> Json:
    read = dict(_object(plain, place))
    _check_keys(read, _PARTS[kind], place)
    if read.get("region") is not None:
        read["region"] = _region_from_dict(read["region"], place)
    try:
        return kind(**read)
    except InvalidQuery as error:
        raise error.within(place) from error


def change_to_dict(change: Change) -> Plain:
    """Write a change as plain data."""
    if isinstance(change, Advance):
        return {"op": "advance", "to": from_micros(change.to)}
    if isinstance(change, Register):
        plain: Plain = {"op": "register", "query": query_to_dict(change.query)}
    else:
        plain = {"op": "deregister", "id": change.id}
    if change.at is not None:
        plain["at"] = from_micros(change.at)
    if change.seq is not None:
        plain["seq"] = change.seq
    return plain


def change_from_dict(plain: object, stream: str | None = None) -> Change:
    """Read a change that `change_to_dict` or a user wrote; SQL in it is about the stream of this name, if given."""
    read = _object(plain, "change")
    timed = {"at": None, "seq": None}
    keys: dict[str, Plain] = {
        "register": {"sql" if "sql" in read else "query": ..., **timed},
        "deregister": {"id": ..., **timed},
        "advance": {"to": ...},
    }
    op = _choice(read, "op", keys, "change")
    _check_keys({key: value for key, value in read.items() if key != "op"}, keys[op], f"change {op}")
    if op == "advance":
        return Advance(_micros(read["to"], "change advance: to"))
    at, seq = read.get("at"), read.get("seq")
    at = None if at is None else _micros(at, f"change {op}: at")
    if op == "deregister":
        return Deregister(read["id"], at, seq)
    query = query_from_sql(read["sql"], stream) if "sql" in read else query_from_dict(read["query"])
    return Register(query, at, seq)


def query_from_sql(statement: object, stream: str | None = None) -> Query:
    """Read a query from a CREATE statement; see `limen.sql`."""
    # By name: the language knows the model, and the model nothing of it.
    query: Query = import_module("limen.sql").query_from_sql(statement, stream)
    return query


def change_from_json(text: str, stream: str | None = None) -> Change:
    """Read a change from one JSON object; SQL in it is about the stream of this name, if given.

    Examples
    --------
    >>> change_from_json('{"op": "advance", "to": "1970-01-01T00:00:01Z"}')
    Advance(to=1000000)
    """
    return change_from_dict(parse_json(text), stream)


def canonical_json(plain: object) -> str:
    """Write JSON in the one form by which changes are ordered: sorted keys, no spaces, text as it is."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def write_queries(path: Path, queries: Iterable[Query]) -> None:
    """Write a file of queries, one JSON object a line."""
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(canonical_json(query_to_dict(query)) + "\n" for query in queries)


def parse_json(text: str) -> Json:
    """Read JSON; a key given twice is an error, for one of the two would be lost."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except InvalidQuery:
        raise
    except json.JSONDecodeError as error:
        got = f"{error.msg} at character {error.pos + 1}"
        raise InvalidQuery(where="JSON", expected="one object", got=got) from error
    except RecursionError as error:
        raise InvalidQuery(where="JSON", expected="one object", got="endlessly nested ones") from error
    except ValueError as error:  # Python reads no integers of thousands of digits
        raise InvalidQuery(
            where="JSON", expected="numbers of a few digits", got=str(error).partition(";")[0]
        ) from error


def _micros(value: Json, where: str) -> int:
    try:
        return to_micros(value, where=where)
    except InvalidInput as error:  # here the time is a part of the change
        raise InvalidQuery(str(error)) from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> Plain:
    plain = dict(pairs)
    if len(plain) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidQuery(where="JSON", expected="each key once", got=f"{twice!r} twice")
    return plain


def _region_to_dict(region: Region) -> Plain:
    if isinstance(region, Range):
        ends = {"lo": region.lo, "hi": region.hi}
        return {"type": "range", **{end: value for end, value in ends.items() if math.isfinite(value)}}
    if isinstance(region, Circle):
        return {"type": "circle", "center": list(region.center), "radius": region.radius}
    if isinstance(region, Polygon):
        return {"type": "polygon", **_polygon_to_dict(region)}
    if isinstance(region, MultiPolygon):
        return {"type": "multipolygon", "polygons": [_polygon_to_dict(part) for part in region.polygons]}
    corners = {"lo": region.lower, "hi": region.upper}
    return {
        "type": "box",
        **{end: [v if math.isfinite(v) else None for v in corner] for end, corner in corners.items()},
    }


def _polygon_to_dict(polygon: Polygon) -> Plain:
    plain: Plain = {"shell": polygon.shell.tolist()}
    if polygon.holes:
        plain["holes"] = [hole.tolist() for hole in polygon.holes]
    return plain


_ENDS: Plain = {"lo": None, "hi": None}
_REGIONS: dict[str, Plain] = {
    "range": _ENDS,
    "box": _ENDS,
    "circle": {"center": ..., "radius": ...},
    "polygon": {"shell": ..., "holes": ()},
    "multipolygon": {"polygons": ...},
}


def _region_from_dict(plain: object, place: str) -> Region:
    where = f"{place}: region"
    read = _object(plain, where)
    kind = _choice(read, "type", _REGIONS, where)
    arguments = {key: value for key, value in read.items() if key != "type"}
    _check_keys(arguments, _REGIONS[kind], where)
    try:
        if kind == "circle":
            return Circle(**arguments)
        if kind == "polygon":
            return Polygon(**arguments)
        if kind == "multipolygon":
            return MultiPolygon([_polygon_from_dict(part, where) for part in _list(read["polygons"], where)])
        lo, hi = read.get("lo"), read.get("hi")
        if kind == "range":
            return Range(_bound(lo), _bound(hi))
        # A corner that is left out lies at infinity; the other one gives the number of dimensions.
        if lo is None and isinstance(hi, list):
            lo = [None] * len(hi)
        if hi is None and isinstance(lo, list):
            hi = [None] * len(lo)
        return Box(_corner(lo), _corner(hi))
    except InvalidQuery as error:
        raise error.within(place) from error


def _polygon_from_dict(plain: object, where: str) -> Polygon:
    read = _object(plain, f"{where}: polygon")
    _check_keys(read, _REGIONS["polygon"], f"{where}: polygon")
    return Polygon(**read)


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidQuery(where=where, expected="a list", got=f"{value!r:.80}")
    return value


def _bound(value: Json) -> Json:
    return _INFINITE.get(value, value) if isinstance(value, str) else value


def _corner(values: Json) -> Json:
    return [_bound(value) for value in values] if isinstance(values, list) else values


def _object(plain: object, where: str) -> Mapping[str, Any]:
    if not isinstance(plain, Mapping):
        raise InvalidQuery(where=where, expected="a JSON object", got=repr(plain))
    return plain


def _choice(read: Mapping[str, Any], key: str, choices: Iterable[str], where: str) -> str:
    value = read.get(key)
    if not isinstance(value, str) or value not in choices:
        *others, last = (repr(choice) for choice in choices)
        expected = f"{key} {', '.join(others)} or {last}"
        got = "none" if value is None else repr(value)
        hint = did_you_mean(value, choices) if isinstance(value, str) else None
        raise InvalidQuery(where=where, expected=expected, got=got, hint=hint)
    return value


def _check_keys(read: Mapping[str, Any], known: Plain, where: str) -> None:
    for key in read:
        if key not in known:
            expected = f"the keys {', '.join(known)}"
            raise InvalidQuery(where=where, expected=expected, got=repr(key), hint=did_you_mean(key, known))
    for key, default in known.items():
        if default is ... and key not in read:
            raise InvalidQuery(where=where, expected=f"the key {key!r}", got="none")
