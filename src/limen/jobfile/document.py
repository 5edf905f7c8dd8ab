"""A TOML document that knows in which line each key stands, so that a mistake can be shown where it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from limen.errors import InvalidInput

#: Where a value stands: keys, and numbers of the entries of lists.
Place = tuple[str | int, ...]

_WORD = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_NAME = rf"{_WORD}(?:\s*\.\s*{_WORD})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_NAME})\s*\]")
_KEY = re.compile(rf"\s*({_NAME})\s*=")


class Document:
    """The content of a file, and the lines of its keys."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        try:
            self.content: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"at line (\d+)", str(error))
            where = f"{name}:{line[1]}" if line else name
            raise InvalidInput(where=where, expected="TOML", got=str(error)) from None
        self._lines = dict(_lines(text))

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read a file."""
        try:
            return cls(path.name, path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise InvalidInput(where=str(path), expected="a job file", got=error.strerror) from error
        except UnicodeDecodeError as error:
            raise InvalidInput(where=str(path), expected="UTF-8 text", got=str(error)) from error

    def line(self, place: Place) -> int:
        """Return the line of a value, or of what it is a part of; 0 for the whole."""
        while place and place not in self._lines and (*place, 0) not in self._lines:
            place = place[:-1]
        return self._lines.get(place) or self._lines.get((*place, 0), 0)


def _lines(text: str) -> Iterator[tuple[Place, int]]:
    r"""Yield the place of each header and key, and its line.

    Examples
    --------
    >>> list(_lines("a = 1\n[b]\nc.d = 2\n[[e]]\nf = 3\n"))
    [(('a',), 1), (('b',), 2), (('b', 'c', 'd'), 3), (('e', 0), 4), (('e', 0, 'f'), 5)]
    """
    table: Place = ()
    entries: dict[Place, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _words(header[2])
            if header[1] == "[[":
                entry = entries[table] = entries.get(table, -1) + 1
                table = (*table, entry)
            yield table, number
        elif key := _KEY.match(line):
            yield (*table, *_words(key[1])), number


def _words(name: str) -> Place:
    return tuple(word.strip("\"' ") for word in re.findall(_WORD, name))
