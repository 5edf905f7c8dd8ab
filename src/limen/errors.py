"""Errors: where, what was expected, what came, and a hint how to correct it.

Every error names the place, what was expected there, what came instead and, where one is known, a remedy.
"""

import difflib
from collections.abc import Iterable
from typing import Self

#: Ids may be 10 KB long; an error quotes no more of anything than this many characters.
LONGEST_QUOTE = 160


class LimenError(Exception):
    """The base class of Limen's errors.

    Parameters
    ----------
    problem
        A sentence, for what does not fit "expected this, got that".
    where
        The place: a query, a column, a line of a file.
    expected
        What would have been accepted.
    got
        What came instead: text is quoted as it is, anything else by its ``repr``; shortened when long.
    hint
        What to do about it.

    Examples
    --------
    >>> print(LimenError(where="query 'q'", expected="lo < hi", got="lo 3, hi 1", hint="swap them"))
    query 'q': expected lo < hi, got lo 3, hi 1. Hint: swap them
    """

    def __init__(
        self,
        problem: str | None = None,
        *,
        where: str | None = None,
        expected: str | None = None,
        got: object = None,
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.where = None if where is None else shorten(where)
        self.expected = expected
        self.got = None if got is None else shorten(got if isinstance(got, str) else repr(got))
        self.hint = hint
        # A single text as the only argument keeps errors picklable: Spark carries them between processes.
        super().__init__(self._text())

    def within(self, place: str) -> Self:
        """Return the same error with an outer place in front of its place.

        Examples
        --------
        >>> print(LimenError(where="region", expected="lo < hi").within("query 'q'"))
        query 'q': region: expected lo < hi
        """
        where = place if self.where is None else f"{place}: {self.where}"
        return type(self)(self.problem, where=where, expected=self.expected, got=self.got, hint=self.hint)

    def _text(self) -> str:
        contrast = [
            f"{word} {part}" for word, part in (("expected", self.expected), ("got", self.got)) if part is not None
        ]
        body = ": ".join(part for part in (self.problem, ", ".join(contrast)) if part)
        text = ": ".join(part for part in (self.where, body) if part)
        return f"{text}. Hint: {self.hint}" if self.hint else text


class InvalidQuery(LimenError, ValueError):
    """A query that cannot be answered, or not by this version."""


class InvalidStatement(InvalidQuery):
    """SQL that cannot be parsed or executed; its place is a line and a column.

    Parameters
    ----------
    line, column
        Where in the text it goes wrong, both from 1.
    problem, where, expected, got, hint
        See `LimenError`.

    Examples
    --------
    >>> print(InvalidStatement(line=1, column=8, expected="BORDER", got="BODER"))
    line 1, column 8: expected BORDER, got BODER
    """

    def __init__(
        self,
        problem: str | None = None,
        *,
        line: int | None = None,
        column: int | None = None,
        where: str | None = None,
        expected: str | None = None,
        got: object = None,
        hint: str | None = None,
    ) -> None:
        self.line, self.column = line, column
        if line is not None:
            place = f"line {line}, column {column}"
            where = place if where is None else f"{place}: {where}"
        super().__init__(problem, where=where, expected=expected, got=got, hint=hint)

    @classmethod
    def at(cls, line: int, column: int, error: LimenError, **instead: str | None) -> Self:
        """Add the place in a statement to an error of its query; `instead` replaces parts of it."""
        parts = {"where": error.where, "expected": error.expected, "got": error.got, "hint": error.hint, **instead}
        return cls(error.problem, line=line, column=column, **parts)

    def within(self, place: str) -> Self:
        """Return the same error with the enclosing place in front of its own; line and column stay."""
        error = super().within(place)
        error.line, error.column = self.line, self.column
        return error


class InvalidInput(LimenError, ValueError):
    """Data, columns, options or files that cannot be used."""


class StateError(LimenError):
    """A snapshot or checkpoint that cannot be read."""


class Unreachable(LimenError):
    """A server that does not answer; it may do so later."""


def shorten(text: str, limit: int = LONGEST_QUOTE) -> str:
    """Shorten a long text to its two ends and its length.

    Examples
    --------
    >>> shorten("a" * 1000 + "b", limit=10)
    'aaaaa…aaaab (1001 characters)'
    """
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[-(limit // 2) :]} ({len(text)} characters)"


def did_you_mean(name: str, choices: Iterable[str]) -> str | None:
    """Word a hint when one of the choices resembles the name.

    Examples
    --------
    >>> did_you_mean("knid", ("kind", "speed"))
    "did you mean 'kind'?"
    >>> did_you_mean("kind", ("Kind", "find"))
    "did you mean 'Kind'?"
    >>> did_you_mean("bmq-1o", ("bmq-10", "bmq-21"))
    "did you mean 'bmq-10'?"
    """
    spelled = {choice.casefold(): choice for choice in choices}
    wanted = name.casefold()
    close = difflib.get_close_matches(wanted, spelled, n=9)
    if not close:
        return None
    # Among equally close names, prefer the longest common prefix.
    best = max(close, key=lambda each: (difflib.SequenceMatcher(None, each, wanted).ratio(), _common(each, wanted)))
    return f"did you mean {spelled[best]!r}?"


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
