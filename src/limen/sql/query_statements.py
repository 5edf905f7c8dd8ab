"""CREATE BORDER, TRANSITION, MATCH, WITHIN and NEAREST: one query a statement."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from limen.errors import did_you_mean
from limen.model.border import Border
from limen.model.match import Match
from limen.model.nearest import Nearest
from limen.model.query import Query, dimensions
from limen.model.transition import TRANSITIONS, Transition
from limen.model.within import Within
from limen.sql.condition import read_condition
from limen.sql.cursor import Cursor, Token, either
from limen.sql.durations import read_duration
from limen.sql.region_clause import moves, read_place
from limen.sql.statement import Around, CreateQuery, Place

#: The argument that an option gives, and how its value is read.
Reader: TypeAlias = tuple[str, Callable[[Cursor], Any]]
#: Those on one place; patterns have a grammar of their own.
FAMILIES: dict[str, Callable[..., Query]] = {
    "BORDER": Border, "TRANSITION": Transition, "MATCH": Match, "WITHIN": Within, "NEAREST": Nearest,
}  # fmt: skip
_DEBOUNCING = ("MARGIN", "CONFIRM", "MIN_STAY")
#: What may come behind the place, in any order, each once.
OPTIONS: dict[str, tuple[str, ...]] = {
    "BORDER": ("INITIAL", "CROSSINGS", *_DEBOUNCING),
    "TRANSITION": ("WITHIN", "REPORT", *_DEBOUNCING),
    "MATCH": (),
    "WITHIN": ("MIN_ACCURACY",),
    "NEAREST": ("MIN_ACCURACY",),
}


def read_query(cursor: Cursor, family: str, regions: Mapping[str, Place], *, replace: bool) -> CreateQuery:
    """Read a statement from its name on."""
    name_token = cursor.token
    arguments: dict[str, Any] = {"id": cursor.name(f"a name for the {family.lower()} query")}
    stream, on = read_stream(cursor)
    arguments["on"] = on
    if cursor.accept("FOR"):
        arguments["streams"] = read_ids(cursor)
    if cursor.accept("WHERE"):
        arguments["where"] = read_condition(cursor)
    if family == "NEAREST":
        cursor.expect("KNN", hint=_misplaced(cursor, family))
        k, target = read_nearest(cursor)
        arguments |= {"k": k, ("focal" if isinstance(target, str) else "center"): target}
    else:
        cursor.expect("INSIDE", hint=_misplaced(cursor, family))
        arguments |= _read_region(cursor, family, regions, on)
    arguments |= read_options(cursor, {word: _READERS[word] for word in OPTIONS[family]})
    if family == "TRANSITION" and "within" not in arguments:
        cursor.fail("WITHIN, how long a stream has, such as WITHIN INTERVAL 3 MINUTES")
    with cursor.placed(name_token):
        query = FAMILIES[family](**arguments)
    return CreateQuery(query, stream, replace)


def read_stream(cursor: Cursor) -> tuple[str, tuple[str, ...] | None]:
    """Read ``ON stream (x, y)``; the columns may be left out."""
    cursor.expect("ON")
    stream = cursor.name("the name of a stream")
    return stream, read_columns(cursor) if cursor.token.upper == "(" else None


def read_columns(cursor: Cursor) -> tuple[str, ...]:
    """Read ``(x, y)``."""
    cursor.expect("(")
    names = cursor.listed("a value column")
    cursor.expect(",", ")")
    return tuple(names)


def _misplaced(cursor: Cursor, family: str) -> str | None:
    """Return a hint for a word that belongs elsewhere."""
    word = cursor.token.upper
    if word in ("INSIDE", "KNN"):
        other = "CREATE NEAREST" if word == "KNN" else "CREATE WITHIN"
        return f"{cursor.token.text} belongs to {other}"
    if word in OPTIONS[family]:
        return f"{word} comes behind the place"
    return did_you_mean(cursor.token.text, ("INSIDE", "KNN", "FOR", "WHERE"))


def read_ids(cursor: Cursor) -> list[str]:
    """Read ids of streams, after FOR."""
    parenthesis = cursor.accept("(")
    ids = [cursor.id()]
    while cursor.accept(","):
        ids.append(cursor.id())
    if parenthesis:
        cursor.expect(",", ")")
    return ids


def read_nearest(cursor: Cursor) -> tuple[int, list[float] | str]:
    """Read ``(k, x, y)``, ``(k) AROUND id`` or ``('M', k, id)``, after kNN."""
    cursor.expect("(")
    what = "how many, a whole number"
    if moves(cursor):
        k = cursor.whole(what)
        cursor.expect(",")
        focal = cursor.id()
        cursor.expect(")")
        return k, focal
    k = cursor.whole(what)
    center: list[float] = []
    while cursor.expect(",", ")").text == ",":
        center.append(cursor.number("a number for each column"))
    if cursor.token.upper == "AROUND" and not center:
        cursor.take()
        return k, cursor.id()
    if not center:
        cursor.fail("a center, kNN (k, x, y), or kNN (k) AROUND 'id'")
    return k, center


def _read_region(
    cursor: Cursor, family: str, regions: Mapping[str, Place], on: tuple[str, ...] | None
) -> dict[str, Any]:
    token = cursor.token
    place = read_place(cursor, regions)
    columns = agreed_columns(cursor, token, place, on)
    return {"on": columns, **place_arguments(cursor, token, place, family)}


def agreed_columns(cursor: Cursor, token: Token, place: Place, on: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the columns of a query whose place may name them too, and has as many dimensions."""
    if place.on is not None and on not in (None, place.on):
        got = f"{', '.join(place.on)}, beside ON … ({', '.join(on or ())})"
        cursor.fail("the same column after ON and in the comparison", got=got, token=token)
    columns = place.on if on is None else on
    size = place.what.dimensions
    if columns is not None and size is not None and size != len(columns):
        expected = f"a region of {dimensions(len(columns))} ({', '.join(columns)})"
        cursor.fail(expected, got=str(size), token=token)
    return columns


def place_arguments(cursor: Cursor, token: Token, place: Place, family: str) -> dict[str, Any]:
    """Return the arguments of a query for its place."""
    if not isinstance(place.what, Around):
        return {"region": place.what}
    if family != "WITHIN":
        hint = "CREATE WITHIN takes places that move"
        cursor.fail("a region that stays where it is", got=f"one around {place.what.focal!r}", hint=hint, token=token)
    around = place.what
    return {"focal": around.focal, "width": around.width, "height": around.height, "radius": around.radius}


def read_options(cursor: Cursor, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Read options in any order, each once, up to the end of the statement; return the arguments of the query."""
    arguments: dict[str, Any] = {}
    while not cursor.ended:
        word = cursor.token.upper
        left = [each for each, (name, _) in readers.items() if name not in arguments]
        if word not in left:
            got = f"{word} again" if word in readers else None
            hint = "it comes before INSIDE" if word in ("WHERE", "FOR") else did_you_mean(cursor.token.text, left)
            cursor.fail(either([*left, "the end of the statement"]), got=got, hint=hint)
        cursor.take()
        name, read = readers[word]
        arguments[name] = read(cursor)
    return arguments


def read_clauses(cursor: Cursor, readers: Mapping[str, Reader], expected: str) -> dict[str, Any]:
    """Read clauses in any order, each once, up to another word; return the arguments that they give."""
    arguments: dict[str, Any] = {}
    while (word := cursor.token.upper) in readers:
        name, read = readers[word]
        if name in arguments:
            cursor.fail(expected, got=f"{word} again")
        cursor.take()
        arguments[name] = read(cursor)
    return arguments


def _read_kinds(cursor: Cursor) -> list[str]:
    kinds = []
    while True:
        kind = cursor.token.text.lower()
        if kind not in TRANSITIONS:
            cursor.fail(either(TRANSITIONS), hint=did_you_mean(kind, TRANSITIONS))
        cursor.take()
        kinds.append(kind)
        if not cursor.accept(","):
            return kinds


_READERS: dict[str, Reader] = {
    "INITIAL": ("initial", lambda cursor: cursor.expect("REPORT", "SILENT").text.lower()),
    "CROSSINGS": ("crossings", lambda _: True),
    "MARGIN": ("margin", lambda cursor: cursor.number("a distance")),
    "CONFIRM": ("confirm", lambda cursor: cursor.whole("a number of rows, 1 or more")),
    "MIN_STAY": ("min_stay", read_duration),
    "WITHIN": ("within", read_duration),
    "REPORT": ("kinds", _read_kinds),
    "MIN_ACCURACY": ("min_accuracy", lambda cursor: cursor.number("a percentage above 0, up to 100")),
}
