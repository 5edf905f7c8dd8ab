"""The words of the language: to complete what is being typed, and to colour it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from limen.sql.durations import UNITS
from limen.sql.pattern_statements import PATTERN_WORDS
from limen.sql.query_statements import FAMILIES, OPTIONS
from limen.sql.region_clause import SHAPES

#: Commands of the shell itself.
COMMANDS = {
    ".run": "let 10 seconds of the stream go by, or as many as are given, and show the events",
    ".stream": "show the stream and its columns",
    ".help": "show this",
    ".quit": "leave",
}
_SELECT = ("SELECT", "DISTINCT", "FROM", "JOIN", "LEFT", "ON", "WHERE", "GROUP BY", "AS", "AND", "OR", "NOT", "IN",
           "BETWEEN", "LIKE", "IS NULL", "count(*)", "sum(", "avg(")  # fmt: skip
_PATTERN = ("PATTERN", "TRIGGER", *PATTERN_WORDS, "AFTER", "LEAST", "WHEN", "FIRST")
_PLACE = ("INSIDE", "kNN", "AROUND", "FOR", "INTERVAL", *SHAPES, *UNITS)
_OPTIONS = (*(word for words in OPTIONS.values() for word in words), "SILENT")
_STATEMENT = ("CREATE", "OR REPLACE", "REGION", *FAMILIES, "DROP QUERY", "SHOW QUERIES", "EXPLAIN")
KEYWORDS = tuple(dict.fromkeys((*_STATEMENT, *_PLACE, *_OPTIONS, *_PATTERN, *_SELECT)))
_LAST = re.compile(r"[\w.(*)`]*$")
_BARE = {part.upper() for word in KEYWORDS for part in re.findall(r"\w+", word)}


def completions(before: str, names: Iterable[str]) -> list[str]:
    """Return keywords and names, of streams, columns, regions and queries, that complete the text before the cursor.

    Examples
    --------
    >>> completions("CREATE BO", ["positions"])
    ['BORDER', 'BOX']
    >>> completions("create border b on pos", ["positions"])
    ['positions']
    """
    start = (_LAST.search(before) or [""])[0].casefold()
    if not start:
        return []
    choices = COMMANDS if before.lstrip().startswith(".") else [*KEYWORDS, *names]
    found = [word for word in choices if word.casefold().startswith(start) and word.casefold() != start]
    return sorted(dict.fromkeys(found), key=str.casefold)


def lexer() -> Any:
    """Return a lexer of Pygments that knows our words beside those of SQL."""
    from pygments.lexers.sql import SqlLexer  # noqa: PLC0415  # only a terminal needs it
    from pygments.token import Keyword, Name  # noqa: PLC0415

    class LimenLexer(SqlLexer):  # type: ignore[misc]  # it has no types
        name = "Limen SQL"

        def get_tokens_unprocessed(self, text: str, *rest: Any) -> Iterator[tuple[int, Any, str]]:
            for place, kind, word in super().get_tokens_unprocessed(text, *rest):
                ours = kind in Name and word.upper() in _BARE
                yield place, Keyword if ours else kind, word

    return LimenLexer()
