"""A cursor over the tokens of a statement, each with its line and column."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from limen.errors import InvalidQuery, InvalidStatement, did_you_mean, shorten
from limen.model.expressions.syntax import dialect

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token as SqlToken
    from sqlglot.tokenizer_core import TokenType

_NAME = re.compile(r"\w+")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COMPARISONS = ("=", "==", "<>", "!=", "<", "<=", ">", ">=")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
#: A statement longer than this is a mistake; reading it would take minutes.
LONGEST = 1 << 24


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a text or a mark.

    Attributes
    ----------
    kind
        ``"word"``, ``"name"`` (in backquotes), ``"text"``, ``"number"``, ``"mark"`` or ``"end"``.
    text
        Its text, without quotes.
    start, end
        Where it stands in the statement; the end is behind it.
    source
        What the SQL library read; None at the end.
    """

    kind: str
    text: str
    start: int
    end: int
    source: SqlToken | None = None

    @property
    def upper(self) -> str:
        """A word or a mark, to be compared; nothing for what is quoted."""
        return self.text.upper() if self.kind in ("word", "mark") else ""


class Cursor:
    """The position in a statement that is being parsed."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self._tokens = tokens
        self._at = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._at]

    @property
    def after(self) -> Token:
        """The token after the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    @property
    def line(self) -> int:
        """The line of the next token, from 1."""
        source = self.token.source
        return position(self.text, self.token.start)[0] if source is None else int(source.line)

    @property
    def ended(self) -> bool:
        """Whether the statement has ended."""
        return self.token.kind == "end"

    def take(self) -> Token:
        """Consume and return the next token."""
        token = self.token
        if token.kind != "end":
            self._at += 1
        return token

    def until(self, words: Iterable[str], *, values: bool = False) -> Sequence[Token]:
        """Take all before one of these words; within parentheses, or behind a dot, they are no such words.

        With `values`, neither are they behind a comparison, where they are what a column is compared with.
        """
        found: list[Token] = []
        depth, wanted = 0, set(words)
        openers = (".", *(_COMPARISONS if values else ()))
        while not self.ended:
            inner = bool(found) and found[-1].upper in openers
            if depth == 0 and not inner and self.token.kind == "word" and self.token.upper in wanted:
                break
            depth += (self.token.text in _OPENING) - (self.token.text in _CLOSING) if self.token.kind == "mark" else 0
            found.append(self.take())
        return found

    def accept(self, *words: str) -> bool:
        """Take these words or marks if they all come next, one after the other."""
        coming = self._tokens[self._at : self._at + len(words)]
        if [token.upper for token in coming] != list(words):
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str, hint: str | None = None) -> Token:
        """Take one of these words or marks."""
        if self.token.upper in words:
            return self.take()
        raise self.error(either(words), hint=hint or did_you_mean(self.token.text, words))

    def name(self, what: str) -> str:
        """Take a name: a word, in backquotes or not, or a text."""
        token = self.token
        if token.kind in ("name", "text") or (token.kind == "word" and _NAME.fullmatch(token.text)):
            if not token.text:
                self.fail(what, got="nothing between quotes")
            return self.take().text
        raise self.error(what)

    def id(self, what: str = "the id of a stream in quotes") -> str:
        """Take an id: a text, a whole number or a word."""
        if self.token.kind == "number" and self.token.text.isdigit():
            return self.take().text
        if self.token.kind == "text":  # an id may be empty, though it is odd
            return self.take().text
        return self.name(what)

    def number(self, what: str = "a number") -> int | float:
        """Take a number, with its sign."""
        first = self.token
        sign = -1 if self.accept("-") else 1
        if sign > 0:
            self.accept("+")
        dot = "." if self.token.text == "." and self.after.kind == "number" else ""
        if dot:
            self.take()
        token = self.token
        if token.kind != "number":
            self.fail(what)
        digits = dot + self.take().text
        try:
            number = float(digits)
        except ValueError:
            self.fail(what, token=token)
        if math.isinf(number):
            self.fail("a number that a float can hold", token=first, got=shorten(digits))
        return sign * int(digits) if digits.isdigit() else sign * number

    def whole(self, what: str) -> int:
        """Take a whole number."""
        token = self.token
        number = self.number(what)
        if not isinstance(number, int):
            self.fail(what, token=token)
        return number

    def listed(self, what: str) -> list[str]:
        """Take names between commas."""
        names = [self.name(what)]
        while self.accept(","):
            names.append(self.name(what))
        return names

    def end(self, expected: str = "the end of the statement") -> None:
        """Refuse further tokens."""
        if not self.ended:
            self.fail(expected)

    def error(self, expected: str | None = None, *, problem: str | None = None, got: str | None = None,
              hint: str | None = None, token: Token | None = None) -> InvalidStatement:  # fmt: skip
        """Return the error about a token, by default the next one."""
        token = token or self.token
        line, column = position(self.text, token.start)
        if got is None and problem is None:
            got = "the end" if token.kind == "end" else shorten(self.text[token.start : token.end], 60)
        return InvalidStatement(problem, line=line, column=column, expected=expected, got=got, hint=hint)

    def fail(self, expected: str, *, got: str | None = None, hint: str | None = None,
             token: Token | None = None) -> NoReturn:  # fmt: skip
        """Raise the error that the next token is unexpected."""
        raise self.error(expected, got=got, hint=hint, token=token)

    @contextmanager
    def placed(self, token: Token | None = None) -> Iterator[None]:
        """Have errors of queries and regions name the line and column of a word."""
        token = token or self.token
        try:
            yield
        except InvalidStatement:
            raise
        except InvalidQuery as error:
            raise InvalidStatement.at(*position(self.text, token.start), error) from error


def either(words: Sequence[str]) -> str:
    """Join words to choose from.

    Examples
    --------
    >>> either(["BOX", "CIRCLE", "RANGE"])
    'BOX, CIRCLE or RANGE'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def is_plain(name: str) -> bool:
    """Whether a name needs no backquotes: a word that SQL has no use for.

    Examples
    --------
    >>> is_plain("owner"), is_plain("order"), is_plain("no word")
    (True, False, False)
    """
    from sqlglot.tokenizer_core import TokenType  # noqa: PLC0415  # its import costs more than most runs need

    if not _PLAIN.fullmatch(name) or name.upper() in _first_words():
        return False
    (token,) = dialect()().tokenize(name)
    return bool(token.token_type == TokenType.VAR)


@cache
def _first_words() -> frozenset[str]:
    """Words that are of SQL together with the next one, as ORDER is in ORDER BY."""
    return frozenset(words.split()[0] for words in dialect().tokenizer_class.KEYWORDS if " " in words)


def position(text: str, start: int) -> tuple[int, int]:
    """Return line and column of a character, both from 1."""
    before = text[:start]
    return before.count("\n") + 1, start - before.rfind("\n")


def statements(text: str) -> list[Cursor]:
    """Cut a text into statements at semicolons; empty ones are left out.

    Raises
    ------
    InvalidStatement
        For text that cannot even be cut into words.
    """
    found, cut = [], [-1]
    tokens = _tokens(text)
    cut += [place for place, token in enumerate(tokens) if token.kind == "mark" and token.text == ";"]
    for first, last in zip(cut, [*cut[1:], len(tokens)], strict=True):
        part = tokens[first + 1 : last]
        if part:
            stop = tokens[last].start if last < len(tokens) else part[-1].end
            found.append(Cursor(text, [*part, Token("end", "", stop, stop)]))
    return found


def _tokens(text: str) -> list[Token]:
    from sqlglot.errors import SqlglotError  # noqa: PLC0415  # its import costs more than most runs need

    if len(text) > LONGEST:
        raise InvalidStatement(line=1, column=1, expected=f"at most {LONGEST:,} characters", got=f"{len(text):,}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line, column = position(text, error.start)
        got = "half of a surrogate pair"
        raise InvalidStatement(line=line, column=column, expected="text that UTF-8 can hold", got=got) from error
    try:
        return [_token(token) for token in dialect()().tokenize(text)]
    except SqlglotError as error:
        start = _unclosed(text)
        line, column = position(text, start)
        raise InvalidStatement(
            line=line, column=column, expected="a closing quote or the end of a comment", got=shorten(text[start:], 40)
        ) from error


@cache
def _kinds() -> dict[TokenType, str]:
    from sqlglot.tokenizer_core import TokenType  # noqa: PLC0415  # as above

    return {TokenType.STRING: "text", TokenType.NUMBER: "number", TokenType.IDENTIFIER: "name"}


def _token(token: SqlToken) -> Token:
    kind = _kinds().get(token.token_type) or ("word" if _NAME.fullmatch(token.text) else "mark")
    return Token(kind, token.text, token.start, token.end + 1, token)


def _unclosed(text: str) -> int:
    """Find the quote or comment that is never closed: what comes before it can be read."""
    from sqlglot.errors import SqlglotError  # noqa: PLC0415  # as above

    openings = [match.start() for match in re.finditer(r"['\"`]|/\*", text)]
    for start in openings:
        try:
            dialect()().tokenize(text[:start])
        except SqlglotError:
            continue
        try:
            dialect()().tokenize(text[start:])
        except SqlglotError:
            return start
    return openings[0] if openings else 0
