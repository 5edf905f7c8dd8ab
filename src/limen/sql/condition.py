"""Conditions after WHERE: queries store the text as it was written."""

from collections.abc import Iterable, Sequence

from limen.model.expressions.expression import Expression
from limen.model.expressions.syntax import quote_it
from limen.sql.cursor import Cursor, Token

#: Words that end a condition; a column of such a name stands in backquotes, or the whole condition in parentheses.
SPATIAL = ("INSIDE", "KNN")


def read_condition(cursor: Cursor, stops: Iterable[str] = SPATIAL) -> str:
    """Read a condition up to one of these words; parentheses around the whole of it are no part of it."""
    first = cursor.token
    tokens = cursor.until(stops)
    if not tokens:
        cursor.fail("a condition after WHERE", hint=None if cursor.ended else quote_it(first.text))
    text = cursor.text[tokens[0].start : tokens[-1].end]
    if enclosed(tokens):
        text = cursor.text[tokens[0].end : tokens[-1].start].strip()
    with cursor.placed(first):
        Expression.parse(text)
    return text


def enclosed(tokens: Sequence[Token]) -> bool:
    """Return whether one pair of parentheses encloses all tokens."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.upper == "(") - (token.upper == ")")
        if depth == 0:
            return place > 0 and place == len(tokens) - 1
    return False
