"""Queries and regions as statements: what is written can be read back unchanged."""

import math
import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from limen.errors import InvalidStatement
from limen.model.expressions.expression import Expression
from limen.model.expressions.tree import Constant
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.model.query import Query
from limen.model.region import Box, Range, Region
from limen.model.shape import Circle, MultiPolygon, Polygon
from limen.model.transition import TRANSITIONS
from limen.sql.condition import SPATIAL, read_condition
from limen.sql.cursor import statements
from limen.sql.durations import write_duration
from limen.sql.pattern_statements import PATTERN_WORDS
from limen.sql.statement import Around

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def to_sql(query: Query, stream: str = "stream") -> str:
    """Write a query as a statement.

    Parameters
    ----------
    query
        The query.
    stream
        The name of the stream that it is about, which the query itself does not know.

    Examples
    --------
    >>> from limen.model import Border, Range
    >>> print(to_sql(Border("cheap", Range(None, 40), on="price", streams="IBM", initial="report"), "prices"))
    CREATE BORDER cheap ON prices FOR 'IBM' INSIDE price < 40 INITIAL REPORT
    """
    compared = _comparison(query)
    stops = PATTERN_WORDS if query.type == "pattern" else SPATIAL
    head = f"CREATE {query.type.upper()} {name(query.id)} ON {name(stream)}"
    if query.on is not None and compared is None:
        head += f" ({', '.join(map(name, query.on))})"
    if query.streams is not None:
        head += f" FOR {', '.join(map(text, query.streams))}"
    if query.where is not None:
        head += f" WHERE {write_condition(query.where, stops)}"
    if isinstance(query, Pattern):
        return "\n".join([head, *_pattern(query)])
    place = f"INSIDE {compared}" if compared is not None else _place(query)
    return " ".join([head, place, *_options(query)])


def name(name: str) -> str:
    """Write a name, in backquotes where it is not a plain word."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def text(value: str) -> str:
    """Write a text."""
    return Constant("text", value).text


def number(value: float | None) -> str:
    """Write a number in the fewest digits that identify it.

    Examples
    --------
    >>> number(40.0), number(0.1), number(1e22)
    ('40', '0.1', '1e+22')
    """
    return repr(value).removesuffix(".0")


def write_condition(where: str, stops: Sequence[str] = SPATIAL) -> str:
    """Write a condition so that it comes back as it was; in its normal form if nothing else does."""
    where = where.strip()
    for written in (where, f"({where})", f"({where}\n)"):
        if _comes_back(written, where, stops):
            return written
    return Expression.parse(where).canonical


def _comes_back(written: str, where: str, stops: Sequence[str]) -> bool:
    try:
        found = statements(f"WHERE {written} {stops[0]}")
        found[0].take()
        return read_condition(found[0], stops) == where and len(found) == 1 and found[0].token.upper in stops
    except InvalidStatement:
        return False


def _comparison(query: Query) -> str | None:
    """Write a range of one column as a comparison."""
    region = getattr(query, "region", None)
    if not isinstance(region, Range) or query.on is None or len(query.on) != 1:
        return None
    return write_comparison(query.on[0], region)


def write_comparison(column: str, region: Range) -> str | None:
    """Write a range of a column; None for a range without ends, which compares nothing."""
    ends = [
        f"{name(column)} {sign} {number(end)}"
        for sign, end in ((">=", region.lo), ("<", region.hi))
        if math.isfinite(end)
    ]
    return " AND ".join(ends) or None


def write_region(region: Region | Around) -> str:
    """Write a region, or a place that moves."""
    if isinstance(region, Around):
        shape = (
            f"CIRCLE ({number(region.radius)})" if region.radius is not None
            else f"RANGE ({number(region.width)})" if region.height is None
            else f"BOX ({number(region.width)}, {number(region.height)})"
        )  # fmt: skip
        return f"{shape} AROUND {text(region.focal)}"
    if isinstance(region, Range):
        return f"RANGE ({_end(region.lo)}, {_end(region.hi)})"
    if isinstance(region, Box):
        lo, hi = (", ".join(map(_end, corner)) for corner in (region.lo, region.hi))
        return f"BOX (({lo}), ({hi}))"
    if isinstance(region, Circle):
        return f"CIRCLE ({', '.join(map(number, (*region.center, region.radius)))})"
    if isinstance(region, Polygon):
        return f"POLYGON ('POLYGON {_rings(region)}')"
    assert isinstance(region, MultiPolygon)
    return f"MULTIPOLYGON ('MULTIPOLYGON ({', '.join(map(_rings, region.polygons))})')"


def _end(value: float) -> str:
    return number(value) if math.isfinite(value) else "NULL"


def _rings(polygon: Polygon) -> str:
    rings = []
    for ring in polygon.rings:
        vertices = ring.tolist()
        rings.append(f"({', '.join(f'{number(x)} {number(y)}' for x, y in [*vertices, vertices[0]])})")
    return f"({', '.join(rings)})"


def _pattern(query: Pattern) -> list[str]:
    """Write what is particular to a pattern, a line for each part."""
    lines = []
    for variable in query.variables:
        parts = [f"VARIABLE {name(variable.name)}"]
        if variable.streams is not None:
            parts.append(f"FOR {', '.join(map(text, variable.streams))}")
        if variable.where is not None:
            parts.append(f"WHERE {write_condition(variable.where, PATTERN_WORDS)}")
        if variable.region is not None:
            parts.append(f"INSIDE {write_region(variable.region)}")
        lines.append(" ".join(parts))
    lines += [_pair(pair) for pair in query.pairs]
    if query.report != "all":
        lines.append(f"REPORT {query.report.upper()}")
    if query.cap is not None:
        lines.append(f"CAP {query.cap}")
    if query.retain is not None:
        lines.append(f"RETAIN {write_duration(query.retain)}")
    return lines


def _pair(pair: Pair) -> str:
    parts = [f"PAIR {name(pair.a)}, {name(pair.b)}"]
    if pair.after is not None:
        parts.append(f"AFTER [{', '.join(map(_end_of_time, pair.after))}]")
    if pair.distance is not None:
        parts.append(f"DISTANCE {number(pair.distance)}")
    if pair.beyond is not None:
        parts.append(f"BEYOND {number(pair.beyond)}")
    if pair.where is not None:
        parts.append(f"WHERE {write_condition(pair.where, PATTERN_WORDS)}")
    return " ".join(parts)


def _end_of_time(end: timedelta | None) -> str:
    if end is None:
        return "NULL"
    seconds, rest = divmod(end, timedelta(seconds=1))
    return write_duration(end) if rest else str(seconds)


def _place(query: Any) -> str:
    if query.type == "nearest":
        if query.center is None:
            return f"kNN ({query.k}) AROUND {text(query.focal)}"
        return f"kNN ({', '.join([str(query.k), *map(number, query.center)])})"
    if query.region is None:
        return f"INSIDE {write_region(Around(query.focal, query.width, query.height, query.radius))}"
    return f"INSIDE {write_region(query.region)}"


def _options(query: Any) -> list[str]:
    """Write what is not as it is by default."""
    written = []
    if query.type == "transition":
        written.append(f"WITHIN {write_duration(query.within)}")
        if query.kinds != TRANSITIONS:
            written.append(f"REPORT {', '.join(query.kinds)}")
    if getattr(query, "initial", "silent") != "silent":
        written.append("INITIAL REPORT")
    if getattr(query, "crossings", False):
        written.append("CROSSINGS")
    if getattr(query, "margin", 0):
        written.append(f"MARGIN {number(query.margin)}")
    if getattr(query, "confirm", 1) != 1:
        written.append(f"CONFIRM {query.confirm}")
    if getattr(query, "min_stay", timedelta(0)):
        written.append(f"MIN_STAY {write_duration(query.min_stay)}")
    if getattr(query, "min_accuracy", None) is not None:
        written.append(f"MIN_ACCURACY {number(query.min_accuracy)}")
    return written
