"""The place of a query: regions by their shape or name, comparisons, and places that move with a stream."""

import math
from collections.abc import Mapping

from limen.errors import InvalidQuery, did_you_mean
from limen.model.region import Box, Range, Region
from limen.model.shape import Circle
from limen.sql.cursor import Cursor, Token, either
from limen.sql.statement import Around, Place

SHAPES = ("RANGE", "BOX", "CIRCLE", "POLYGON", "MULTIPOLYGON")
_COMPARISONS = ("<", "<=", ">", ">=", "=")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_FORMS = f"a region: {either((*SHAPES, '(x1, y1, x2, y2)', 'a name', 'a comparison such as price < 40'))}"


def read_place(cursor: Cursor, regions: Mapping[str, Place]) -> Place:
    """Read a region or a moving place; `regions` has the named ones, by their names in small letters."""
    token, follows = cursor.token, cursor.after
    if token.text == "(" and token.kind == "mark":
        return _printed_in_the_paper(cursor)
    if token.kind == "number" or token.upper in ("-", "+", "."):
        return _comparison(cursor)
    if token.kind not in ("word", "name"):
        cursor.fail(_FORMS)
    if follows.text == "(" and follows.kind == "mark":
        if token.upper not in SHAPES:
            cursor.fail(either(SHAPES), hint=did_you_mean(token.text, SHAPES))
        cursor.take()
        return _shape(cursor, token)
    if follows.upper in (*_COMPARISONS, "BETWEEN", "<>", "!="):
        return _comparison(cursor)
    found = regions.get(token.text.casefold())
    if found is None:
        known = f"a region that has been created ({', '.join(regions)})" if regions else _FORMS
        hint = did_you_mean(token.text, regions) or "CREATE REGION name AS … gives a region a name"
        cursor.fail(known, hint=hint)
    cursor.take()
    return found


def _shape(cursor: Cursor, word: Token) -> Place:
    """Read the shape that a word announces, from its parentheses on."""
    if word.upper in ("POLYGON", "MULTIPOLYGON"):
        return Place(_polygon(cursor, word))
    numbers, nested = _numbers(cursor, word)
    if cursor.token.upper == "AROUND":
        return Place(_around(cursor, word, numbers))
    with cursor.placed(word):
        if word.upper == "CIRCLE":
            if len(numbers) != 3:
                cursor.fail("CIRCLE (x, y, radius), or CIRCLE (radius) AROUND 'id'", got=_count(numbers), token=word)
            return Place(Circle(_finite(cursor, word, numbers[:2]), _finite(cursor, word, numbers[2:])[0]))
        if word.upper == "RANGE":
            if len(numbers) != 2:
                cursor.fail("RANGE (lo, hi), or RANGE (width) AROUND 'id'", got=_count(numbers), token=word)
            return Place(Range(*numbers))
        if not nested and len(numbers) % 2:
            expected = "BOX (x1, y1, x2, y2): as many upper as lower ends, or BOX (width, height) AROUND 'id'"
            cursor.fail(expected, got=_count(numbers), token=word)
        half = nested or len(numbers) // 2
        return Place(Box(numbers[:half], numbers[half:]))


def _numbers(cursor: Cursor, word: Token) -> tuple[list[float | None], int]:
    """Read numbers in parentheses, those of a box in one list or in two; return how many the first of two has."""
    cursor.expect("(")
    numbers: list[float | None] = []
    if word.upper == "BOX" and cursor.accept("("):
        _list(cursor, numbers)
        first = len(numbers)
        cursor.expect(",")
        cursor.expect("(")
        _list(cursor, numbers)
        cursor.expect(")")
        return numbers, first
    _list(cursor, numbers)
    return numbers, 0


def _list(cursor: Cursor, numbers: list[float | None]) -> None:
    """Read numbers up to the closing parenthesis; NULL is an end that is infinite."""
    while True:
        numbers.append(None if cursor.accept("NULL") else cursor.number("a number, or NULL for no end"))
        if cursor.expect(",", ")").text == ")":
            return


def _around(cursor: Cursor, word: Token, numbers: list[float | None]) -> Around:
    cursor.expect("AROUND")
    focal = cursor.id()
    sizes = _finite(cursor, word, numbers)
    if word.upper == "BOX" and len(sizes) == 2:
        return Around(focal, width=sizes[0], height=sizes[1])
    if word.upper == "RANGE" and len(sizes) == 1:
        return Around(focal, width=sizes[0])
    if word.upper == "CIRCLE" and len(sizes) == 1:
        return Around(focal, radius=sizes[0])
    forms = {"BOX": "BOX (width, height)", "RANGE": "RANGE (width)", "CIRCLE": "CIRCLE (radius)"}
    raise cursor.error(f"{forms[word.upper]} before AROUND", got=_count(numbers), token=word)


def _polygon(cursor: Cursor, word: Token) -> Region:
    # Loaded here: it needs shapely, and most statements do not.
    from limen.formats.geo.from_shapely import parse  # noqa: PLC0415
    from limen.formats.geo.library import load_shapely  # noqa: PLC0415
    from limen.formats.geo.regions import region_of  # noqa: PLC0415

    cursor.expect("(")
    token = cursor.token
    expected = f"{word.upper} ('{word.upper} (…)'), the text being WKT"
    if token.kind != "text":
        cursor.fail(expected)
    text = cursor.take().text
    cursor.expect(")")
    with cursor.placed(token):
        outline = parse([text], load_shapely().from_wkt, "WKT such as POLYGON ((0 0, 4 0, 4 4, 0 0))")[0]
        if isinstance(outline, InvalidQuery):
            raise outline
        if outline.unclosed:
            cursor.fail("a ring that ends where it begins", got="one that does not", token=token)
        if outline.type not in ("Polygon", "MultiPolygon"):
            cursor.fail("WKT of a POLYGON or a MULTIPOLYGON", got=outline.type, token=token)
        if not outline.polygons:
            cursor.fail("vertices", got="none", token=token)
        return region_of(outline, None)


def _printed_in_the_paper(cursor: Cursor) -> Place:
    """Read ``(x1, y1, x2, y2)`` or ``('M', id, xdist, ydist)``."""
    opening = cursor.take()
    if moves(cursor):
        focal = cursor.id()
        cursor.expect(",")
        width = cursor.number("the size along the first column")
        cursor.expect(",")
        height = cursor.number("the size along the second column")
        cursor.expect(")")
        return Place(Around(focal, width=width, height=height))
    numbers: list[float | None] = []
    _list(cursor, numbers)
    if len(numbers) != 4 or None in numbers:
        hint = "BOX (…) and RANGE (lo, hi) take other numbers of columns, and NULL for no end"
        cursor.fail("two corners, (x1, y1, x2, y2)", got=_count(numbers), hint=hint, token=opening)
    x1, y1, x2, y2 = _finite(cursor, opening, numbers)
    if x2 >= -180 and x1 <= 180 and x1 - x2 > 180 and max(abs(y1), abs(y2)) <= 90:
        # Of corners in degrees it could be the long way round the world, or the short one over the antimeridian.
        low, high = min(y1, y2), max(y1, y2)
        hint = (
            f"BOX ({x1}, {low}, {x2}, {high}) goes from {x1} to the east, over the antimeridian; "
            f"BOX ({x2}, {low}, {x1}, {high}) from {x2} to {x1}"
        )
        expected = "the smaller x first, the two being more than 180 apart as degrees may be"
        cursor.fail(expected, got=f"{x1} before {x2}", hint=hint, token=opening)
    with cursor.placed(opening):
        return Place(Box((min(x1, x2), min(y1, y2)), (max(x1, x2), max(y1, y2))))


def moves(cursor: Cursor) -> bool:
    """Take the flag 'M' and its comma, if they come."""
    if cursor.token.kind != "text":
        return False
    if cursor.token.text.upper() != "M":
        cursor.fail("numbers, or 'M' for a place that moves")
    cursor.take()
    cursor.expect(",")
    return True


def _comparison(cursor: Cursor) -> Place:
    """Read comparisons of one column with numbers, joined by AND."""
    first, column, lo, hi = cursor.token, None, -math.inf, math.inf
    while True:
        token = cursor.token
        if token.kind in ("word", "name"):
            name = cursor.name("a column")
            if cursor.accept("BETWEEN"):
                low = cursor.number()
                cursor.expect("AND")
                ends = _ends(">=", low)[0], _ends("<=", cursor.number())[1]
            else:
                operator = _operator(cursor)
                ends = _ends(operator, cursor.number())
        else:
            number = cursor.number("a column, or a number to compare one with")
            operator = _MIRRORED[_operator(cursor)]
            name, ends = cursor.name("a column"), _ends(operator, number)
        if column not in (None, name):
            cursor.fail(f"a comparison of the column {column} again", token=token, hint="BOX (…) is about several")
        column, lo, hi = name, max(lo, ends[0]), min(hi, ends[1])
        if not cursor.accept("AND"):
            break
    with cursor.placed(first):
        return Place(Range(lo, hi), (str(column),))


def _operator(cursor: Cursor) -> str:
    return cursor.expect(*_COMPARISONS, hint="a region is one piece: <, <=, >, >=, = or BETWEEN").text


def _ends(operator: str, number: float) -> tuple[float, float]:
    """Return the two ends, the upper one outside: numbers have neighbours, so this covers all comparisons."""
    beyond = math.nextafter(number, math.inf)
    lower = {">": beyond, ">=": number, "=": number}.get(operator, -math.inf)
    upper = {"<": number, "<=": beyond, "=": beyond}.get(operator, math.inf)
    return lower, upper


def _finite(cursor: Cursor, token: Token, numbers: list[float | None]) -> list[float]:
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        cursor.fail("numbers", got="NULL", token=token)
    return found


def _count(numbers: list[float | None]) -> str:
    return f"{len(numbers)} number{'s' if len(numbers) != 1 else ''}"
