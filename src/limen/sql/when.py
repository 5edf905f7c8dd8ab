"""The conditions of a pattern after WHEN, sorted: those on one variable, and what holds between two.

``DISTANCE(a.r, b.r) < 1`` and ``b.t - a.t IN [0, 5]`` are distance and time; all else compares columns.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from limen.errors import did_you_mean
from limen.model.expressions.syntax import WORDS
from limen.model.expressions.tree import Constant
from limen.model.pair import Pair
from limen.model.time import MICROSECOND
from limen.model.variable import Variable
from limen.sql.condition import enclosed
from limen.sql.cursor import Cursor, Token
from limen.sql.durations import read_duration, read_interval

_POSITION, _TIME = ("r", "position"), ("t", "time")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: Words before a text that give its type.
_BEFORE_TEXT = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "INTERVAL")


def read_when(
    cursor: Cursor, names: list[str], stops: Iterable[str], *, lenient: bool
) -> tuple[list[Variable], list[Pair], list[str]]:
    """Read conditions on these variables up to one of the `stops`; return variables, pairs and warnings.

    With `lenient` a bare name is a text, as the paper writes it; else it is an error.
    """
    tokens = cursor.until(stops, values=lenient)
    if not tokens:
        cursor.fail("conditions after WHEN")
    reader = _WhenReader(cursor, names, lenient=lenient)
    for part in _parts(cursor, tokens):
        reader.read(part)
    variables = [Variable(name, " AND ".join(reader.wheres[name]) or None) for name in names]
    return variables, reader.pairs, reader.warnings


def _parts(cursor: Cursor, tokens: Sequence[Token]) -> list[list[Token]]:
    """Cut conditions at AND; not at the one of BETWEEN, nor within parentheses."""
    parts: list[list[Token]] = [[]]
    depth, between = 0, False
    for token in tokens:
        depth += (token.upper in ("(", "[")) - (token.upper in (")", "]"))
        if depth == 0 and token.upper == "OR":
            cursor.fail("conditions joined by AND", token=token, hint="put what OR joins into parentheses")
        between = between or (depth == 0 and token.upper == "BETWEEN")
        if depth == 0 and token.upper == "AND" and not between:
            parts.append([])
        else:
            between = between and not (depth == 0 and token.upper == "AND")
            parts[-1].append(token)
    if not all(parts):
        cursor.fail("a condition on each side of AND", token=tokens[-1])
    return parts


def _both(one: Pair, other: Pair) -> Pair | None:
    """Make one pair of two about the same variables, named as in the first; None where their times exclude each other.

    In that case the pattern reports the error, since it has all pairs.
    """
    low, high = other.after or (None, None)
    if one.a != other.a:
        low, high = (None if high is None else -high), (None if low is None else -low)
    start, end = one.after or (None, None)
    lows, highs = (
        [each for each in (start, low) if each is not None],
        [each for each in (end, high) if each is not None],
    )
    after = (max(lows, default=None), min(highs, default=None))
    if lows and highs and max(lows) > min(highs):
        return None
    nearer = [each for each in (one.distance, other.distance) if each is not None]
    farther = [each for each in (one.beyond, other.beyond) if each is not None]
    wheres = [each for each in (one.where, other.where) if each is not None]
    return Pair(
        one.a,
        one.b,
        after=None if after == (None, None) else after,
        distance=min(nearer, default=None),
        beyond=max(farther, default=None),
        where=" AND ".join(wheres) or None,
    )


class _WhenReader:
    """Sort the conditions after WHEN to variables and pairs."""

    def __init__(self, cursor: Cursor, names: list[str], *, lenient: bool) -> None:
        self._cursor, self._names, self._lenient = cursor, names, lenient
        self._spelled = {name.casefold(): name for name in names}
        self.wheres: dict[str, list[str]] = {name: [] for name in names}
        self.pairs: list[Pair] = []
        self.warnings: list[str] = []

    def read(self, tokens: list[Token]) -> None:
        """Read one condition."""
        end = tokens[-1].end
        part = Cursor(self._cursor.text, [*tokens, Token("end", "", end, end)])
        if any(token.upper == "DISTANCE" for token in tokens) and not enclosed(tokens):
            self._distance(part)
        elif self._is_difference(tokens):
            self._difference(part)
        else:
            self._condition(part, tokens)

    def _add(self, pair: Pair) -> None:
        """Add what holds between two variables to what is known of them already."""
        for place, known in enumerate(self.pairs):
            if {known.a, known.b} == {pair.a, pair.b}:
                # The pair with a time constraint decides which variable comes first.
                first, second = (known, pair) if known.after is not None or pair.after is None else (pair, known)
                if (together := _both(first, second)) is not None:
                    self.pairs[place] = together
                    return
        self.pairs.append(pair)

    def _distance(self, part: Cursor) -> None:
        """Read ``DISTANCE(a.r, b.r) < d``, or ``>= d``; either way round."""
        first = part.token
        limit = None if first.upper == "DISTANCE" else part.number("DISTANCE(…), or a number to compare it with")
        mirrored = None if limit is None else _MIRRORED.get(part.take().text)
        part.expect("DISTANCE")
        part.expect("(")
        a = self._variable(part, _POSITION)
        part.expect(",")
        b = self._variable(part, _POSITION)
        part.expect(")")
        operator = mirrored
        if limit is None:
            operator = part.token.text
            if operator not in ("<", ">="):
                part.fail("< or >=, which distances are compared by")
            part.take()
            limit = part.number("a distance")
        part.end("AND or the end of the conditions")
        if operator not in ("<", ">="):
            part.fail("DISTANCE(…) < d or DISTANCE(…) >= d", token=first)
        with part.placed(first):
            near = operator == "<"
            self._add(Pair(a, b, distance=limit if near else None, beyond=None if near else limit))

    def _is_difference(self, tokens: list[Token]) -> bool:
        """Return whether the tokens begin with ``b.t - a.t``, or another column's difference before ``IN [``."""
        words = [token.text.casefold() for token in tokens[:9]]
        if len(words) < 7 or not (words[1] == words[5] == "." and words[3] == "-" and words[2] == words[6]):
            return False
        return words[2] in _TIME or words[7:9] == ["in", "["]

    def _difference(self, part: Cursor) -> None:
        """Read ``b.t - a.t IN [0, 5]``, or a comparison of the difference."""
        first = part.token
        b = self._variable(part, _TIME)
        part.expect("-")
        a = self._variable(part, _TIME)
        low: timedelta | None = None
        high: timedelta | None = None
        if part.accept("IN"):
            low, high = read_interval(part)
        elif part.accept("BETWEEN"):
            low = read_duration(part)
            part.expect("AND")
            high = read_duration(part)
        else:
            operator = part.expect("<", "<=", ">", ">=", "IN", "BETWEEN").text
            limit = read_duration(part)
            if operator in ("<", "<="):
                high = limit - (operator == "<") * MICROSECOND
            else:
                low = limit + (operator == ">") * MICROSECOND
        part.end("AND or the end of the conditions")
        with part.placed(first):
            self._add(Pair(a, b, after=(low, high)))

    def _variable(self, part: Cursor, columns: Sequence[str]) -> str:
        """Read ``a.r``: a variable and what of it is meant; its position may be left out."""
        name = self._named(part, part.token)
        part.take()
        if part.accept("."):
            column = part.token
            if part.name("a column").casefold() not in columns:
                hint = "of other columns BETWEEN … AND … compares the difference" if columns is _TIME else None
                part.fail(f"{name}.{columns[0]}", token=column, hint=hint)
        elif columns is _TIME:
            part.fail(f"{name}.{columns[0]}")
        return name

    def _named(self, part: Cursor, token: Token) -> str:
        found = self._spelled.get(token.text.casefold())
        if found is None:
            hint = did_you_mean(token.text, self._names)
            part.fail(f"a variable ({', '.join(self._names)})", token=token, hint=hint)
        return found

    def _condition(self, part: Cursor, tokens: list[Token]) -> None:
        """Sort a condition on columns to the variable, or the two, that it is about."""
        used: list[str] = []
        for place, token in enumerate(tokens):
            if self._is_qualifier(tokens, place):
                name = self._named(part, token)
                used += [name] if name not in used else []
        if not 1 <= len(used) <= 2:
            expected = "a condition on the columns of one variable or two"
            got = f"one on {', '.join(used)}" if used else "one on none"
            part.fail(expected, got=got, hint=f"write {self._names[0]}.column", token=tokens[0])
        text = self._text(part, tokens, keep=len(used) == 2)
        with part.placed(tokens[0]):
            if len(used) == 2:
                a, b = sorted(used, key=self._names.index)
                self._add(Pair(a, b, where=text))
            else:
                Variable(used[0], text)
                self.wheres[used[0]].append(text)

    def _text(self, part: Cursor, tokens: list[Token], *, keep: bool) -> str:
        """Write a condition as the model has it: of one variable without its name, and bare names as texts."""
        text, at = "", tokens[0].start
        for place, token in enumerate(tokens):
            if self._is_qualifier(tokens, place):
                text += part.text[at : token.start] + (f"{self._named(part, token)}." if keep else "")
                at = tokens[place + 1].end
            elif self._is_bare(tokens, place):
                text += part.text[at : token.start] + self._bare(part, token)
                at = token.end
        return text + part.text[at : tokens[-1].end]

    def _bare(self, part: Cursor, token: Token) -> str:
        """Read a bare name as a text."""
        if not self._lenient:
            column = f"a column of a variable, such as {self._names[0]}.{token.text}, or a text in quotes"
            part.fail(column, token=token)
        self.warnings.append(f"{token.text} is no column of a variable, and was read as the text '{token.text}'")
        return Constant("text", token.text).text

    @staticmethod
    def _is_qualifier(tokens: list[Token], place: int) -> bool:
        behind = place > 0 and tokens[place - 1].upper == "."
        before = place + 1 < len(tokens) and tokens[place + 1].upper == "."
        return before and not behind and tokens[place].kind in ("word", "name")

    @staticmethod
    def _is_bare(tokens: list[Token], place: int) -> bool:
        """Return whether a token is a name that stands alone; elsewhere it may be an SQL keyword."""
        token = tokens[place]
        if token.kind not in ("word", "name") or token.upper in WORDS:
            return False
        behind = place > 0 and tokens[place - 1].upper == "."
        follows = tokens[place + 1] if place + 1 < len(tokens) else None
        if follows is not None and (
            follows.upper in (".", "(") or (token.upper in _BEFORE_TEXT and follows.kind == "text")
        ):
            return False
        return not behind
