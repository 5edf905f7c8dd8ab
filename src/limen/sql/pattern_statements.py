"""CREATE PATTERN, and CREATE TRIGGER as the paper on patterns has it."""

from collections.abc import Mapping
from typing import Any

from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.model.variable import Variable
from limen.sql.condition import read_condition
from limen.sql.cursor import Cursor, Token
from limen.sql.durations import read_duration, read_interval
from limen.sql.query_statements import (
    Reader,
    agreed_columns,
    place_arguments,
    read_clauses,
    read_ids,
    read_options,
    read_stream,
)
from limen.sql.region_clause import read_place
from limen.sql.statement import CreateQuery, Place
from limen.sql.when import read_when

_OPTIONS: dict[str, Reader] = {
    "REPORT": ("report", lambda cursor: cursor.expect("FIRST", "ALL").text.lower()),
    "CAP": ("cap", lambda cursor: cursor.whole("a number of alerts")),
    "RETAIN": ("retain", read_duration),
}
#: Words that end a condition within a pattern.
PATTERN_WORDS = ("VARIABLE", "PAIR", "INSIDE", "AT", "AS", "DISTANCE", "BEYOND", "WITHIN", *_OPTIONS)
#: What a pair, or every pair of AT LEAST, may require.
_CONDITIONS: dict[str, Reader] = {
    "WHERE": ("where", lambda cursor: read_condition(cursor, PATTERN_WORDS)),
    "DISTANCE": ("distance", lambda cursor: cursor.number("a distance")),
    "BEYOND": ("beyond", lambda cursor: cursor.number("a distance")),
}


def read_pattern(cursor: Cursor, regions: Mapping[str, Place], *, replace: bool) -> CreateQuery:
    """Read CREATE PATTERN from its name on."""
    name_token = cursor.token
    common: dict[str, Any] = {"id": cursor.name("a name for the pattern")}
    stream, common["on"] = read_stream(cursor)
    if cursor.accept("FOR"):
        common["streams"] = read_ids(cursor)
    if cursor.accept("WHERE"):
        common["where"] = read_condition(cursor, PATTERN_WORDS)
    word = cursor.expect("VARIABLE", "AS", "AT")
    if word.upper == "AT":
        return CreateQuery(_read_at_least(cursor, common, name_token), stream, replace)
    if word.upper == "AS":
        names = cursor.listed("a name for a variable")
        cursor.expect("WHEN")
        variables, pairs, _ = read_when(cursor, names, _OPTIONS, lenient=False)
    else:
        variables, pairs = _read_parts(cursor, regions, common["on"])
    return CreateQuery(_finish(cursor, common, variables, pairs, name_token), stream, replace)


def read_trigger(cursor: Cursor, *, replace: bool) -> CreateQuery:
    """Read CREATE TRIGGER from its name on: ``FOR E AS V1, E AS V2 WHEN …``."""
    name_token = cursor.token
    common: dict[str, Any] = {"id": cursor.name("a name for the trigger")}
    cursor.expect("FOR")
    streams: list[str] = []
    names: list[str] = []
    while True:
        token = cursor.token
        streams.append(cursor.name("the name of a stream"))
        if streams[0].casefold() != streams[-1].casefold():
            cursor.fail(f"the stream {streams[0]} again: all tuples of a pattern are of one", token=token)
        cursor.expect("AS")
        names.append(cursor.name("a name for a variable"))
        if not cursor.accept(","):
            break
    cursor.expect("WHEN")
    variables, pairs, warnings = read_when(cursor, names, _OPTIONS, lenient=True)
    query = _finish(cursor, common, variables, pairs, name_token)
    return CreateQuery(query, streams[0], replace, tuple(f"trigger {query.id}: {each}" for each in warnings))


def _finish(
    cursor: Cursor, common: dict[str, Any], variables: list[Variable], pairs: list[Pair], name_token: Token
) -> Pattern:
    options = read_options(cursor, _OPTIONS)
    with cursor.placed(name_token):
        return Pattern(variables=variables, pairs=pairs, **common, **options)


def _read_parts(
    cursor: Cursor, regions: Mapping[str, Place], on: tuple[str, ...] | None
) -> tuple[list[Variable], list[Pair]]:
    """Read variables and pairs, from the name of the first variable on."""
    variables = [_read_variable(cursor, regions, on)]
    while cursor.accept("VARIABLE"):
        variables.append(_read_variable(cursor, regions, on))
    pairs = []
    while cursor.accept("PAIR"):
        pairs.append(_read_pair(cursor))
    if cursor.token.upper == "VARIABLE":
        cursor.fail("PAIR, REPORT, CAP or RETAIN", hint="variables come before pairs")
    return variables, pairs


def _read_variable(cursor: Cursor, regions: Mapping[str, Place], on: tuple[str, ...] | None) -> Variable:
    first = cursor.token
    parts: dict[str, Any] = {"name": cursor.name("a name for a variable")}
    if cursor.accept("FOR"):
        parts["streams"] = read_ids(cursor)
    if cursor.accept("WHERE"):
        parts["where"] = read_condition(cursor, PATTERN_WORDS)
    if cursor.accept("INSIDE"):
        token = cursor.token
        place = read_place(cursor, regions)
        if place.on is not None:
            hint = "a comparison is a condition: WHERE"
            cursor.fail("a region on the pattern's columns", got="a comparison", hint=hint, token=token)
        agreed_columns(cursor, token, place, on)
        parts |= place_arguments(cursor, token, place, "PATTERN")
    with cursor.placed(first):
        return Variable(**parts)


def _read_pair(cursor: Cursor) -> Pair:
    first = cursor.token
    parts: dict[str, Any] = {"a": cursor.name("a variable")}
    cursor.expect(",")
    parts["b"] = cursor.name("a variable")
    parts |= read_clauses(cursor, {"AFTER": ("after", read_interval), **_CONDITIONS}, "each part of a pair once")
    with cursor.placed(first):
        return Pair(**parts)


def _read_at_least(cursor: Cursor, common: dict[str, Any], name_token: Token) -> Pattern:
    """Read ``AT LEAST 5 WHERE … DISTANCE 5 WITHIN INTERVAL 5 MINUTES``, from LEAST on."""
    cursor.expect("LEAST")
    count = cursor.whole("how many")
    parts = read_clauses(cursor, {**_CONDITIONS, "WITHIN": ("within", read_duration)}, "each part once")
    options = read_options(cursor, _OPTIONS)
    if "where" in common and "where" in parts:
        cursor.fail("one WHERE, before AT LEAST or behind it", got="two", token=name_token)
    # A condition before AT LEAST is the pattern's, behind it that of every variable: alike in meaning.
    others = {name: value for name, value in common.items() if name not in ("id", "where")}
    where = parts.pop("where", common.get("where"))
    with cursor.placed(name_token):
        return Pattern.at_least(common["id"], count, where=where, **parts, **others, **options)
