"""Conditions read from SQL text.

A library knows SQL; here its tree becomes ours. What goes beyond ours is refused while reading, so that
evaluation meets nothing that it does not know.
"""

from __future__ import annotations

import math
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from limen.errors import InvalidInput, InvalidQuery, shorten
from limen.model.expressions.tree import Column, Constant, Node, OperatorNode, misfit
from limen.model.time import to_micros

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect

_SUPPORTED = (
    "a condition may have comparisons, AND, OR, NOT, IN (constants), BETWEEN, LIKE, ILIKE, IS NULL, "
    "+ - * / %, columns, numbers, 'text', TRUE, FALSE, NULL, DATE '…' and TIMESTAMP '…'"
)
_BINARY = {
    "eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=",
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%",
    "like": "LIKE", "ilike": "ILIKE",
}  # fmt: skip
# The parts that each sort of SQL node may have; any other part that is set means something we do not do.
_PARTS = {
    **{sort: {"this", "expression", "typed", "safe", "negate"} for sort in _BINARY},
    "between": {"this", "low", "high"},
    "in": {"this", "expressions"},
    "is": {"this", "expression"},
    "column": {"this", "table"},
    "cast": {"this", "to"},
}
_TIMES = ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "DATETIME")
# Reading and evaluating are recursive; this depth is far from Python's limit and further from any real need.
_DEEPEST = 100

#: Words that conditions are made of.
WORDS = frozenset(("AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "ILIKE", "ESCAPE", "IS", "NULL", "TRUE", "FALSE"))


def read(text: str) -> Node:
    """Read a condition.

    Raises
    ------
    InvalidQuery
        When the text is no SQL condition, or uses more of SQL than conditions do.
    """
    if not text.strip():
        raise InvalidQuery(where="expression", expected="a condition", got=repr(text))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _refusal(text, "text that UTF-8 can hold", "half of a surrogate pair") from error
    from sqlglot import errors, exp  # noqa: PLC0415  # its import costs more than most runs need

    try:
        trees = [tree for tree in dialect()().parse_into(exp.Condition, text) if tree is not None]
        if len(trees) != 1:
            raise _refusal(text, "one condition", f"{len(trees)}")
        node = _ConditionReader(text).read(trees[0])
    except errors.ParseError as error:
        details = error.errors[0] if error.errors else {}
        near = (
            f" near {details['highlight']!r} in line {details['line']}, column {details['col']}"
            if details.get("highlight")
            else ""
        )
        raise _refusal(text, "a condition in SQL", f"a syntax error{near}", _quoting(text)) from error
    except errors.SqlglotError as error:
        raise _refusal(text, "a condition in SQL", "text or a name without its closing quote") from error
    except RecursionError as error:
        raise _too_deep(text) from error
    if node.kind not in (None, "null", "boolean"):
        raise _refusal(text, "a condition", f"a {node.kind}")
    return node


class _ConditionReader:
    """Turn what the SQL parser saw into our tree; ``_read_x`` is for its nodes of the sort x."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0

    def read(self, tree: exp.Expr) -> Node:
        """Read one node and all below it."""
        sort = tree.key
        reader = self._read_binary if sort in _BINARY else getattr(self, f"_read_{sort}", None)
        if reader is None or (sort in _PARTS and {part for part, value in tree.args.items() if value} - _PARTS[sort]):
            raise self._unsupported(tree)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _too_deep(self.text)
        node: Node = reader(tree)
        self.depth -= 1
        return node

    def _read_paren(self, tree: exp.Expr) -> Node:
        return self.read(tree.this)

    def _read_and(self, tree: exp.Expr) -> Node:
        # The parser nests `a AND b AND c …` to the left, as deep as it is long.
        sort, parts = tree.key, []
        while tree.key == sort:
            parts.append(tree.expression)
            tree = tree.this
        return self._operation(sort.upper(), tree, *reversed(parts))

    _read_or = _read_and

    def _read_not(self, tree: exp.Expr) -> Node:
        return self._operation("NOT", tree.this)

    def _read_binary(self, tree: exp.Expr) -> Node:
        if tree.key in ("like", "ilike"):
            return self._pattern(tree)
        return self._operation(_BINARY[tree.key], tree.this, tree.expression)

    def _read_between(self, tree: exp.Expr) -> Node:
        low = self._operation(">=", tree.this, tree.args["low"])
        return self._apply("AND", low, self._operation("<=", tree.this, tree.args["high"]))

    def _read_in(self, tree: exp.Expr) -> Node:
        choices = [self.read(choice) for choice in tree.expressions]
        if not choices or not all(isinstance(choice, Constant) for choice in choices):
            raise self._unsupported(tree)
        return self._apply("IN", self.read(tree.this), *choices)

    def _read_is(self, tree: exp.Expr) -> Node:
        if tree.expression.key != "null":
            raise self._unsupported(tree)
        return self._operation("IS NULL", tree.this)

    def _read_neg(self, tree: exp.Expr) -> Node:
        inner = self.read(tree.this)
        if isinstance(inner, Constant) and isinstance(inner.value, (int, float)) and inner.kind == "number":
            return Constant("number", 0 - inner.value)  # which, unlike -x, has no -0.0
        return self._apply("NEGATE", inner)

    def _read_column(self, tree: exp.Expr) -> Node:
        if tree.this.key != "identifier":
            raise self._unsupported(tree)
        return Column(f"{tree.text('table')}.{tree.name}" if tree.text("table") else tree.name)

    def _read_null(self, _tree: exp.Expr) -> Node:
        return Constant("null", None)

    def _read_boolean(self, tree: exp.Expr) -> Node:
        return Constant("boolean", bool(tree.this))

    def _read_literal(self, tree: exp.Expr) -> Node:
        if tree.is_string:
            return Constant("text", tree.name)
        number = float(tree.name)
        if math.isinf(number):
            raise _refusal(self.text, "a number that a float can hold", tree.name)
        whole = tree.name.isdigit() and int(tree.name) < 2**63
        return Constant("number", int(tree.name) if whole else number)

    def _read_cast(self, tree: exp.Expr) -> Node:
        target = tree.args["to"].this.value
        if not tree.this.is_string or target not in ("DATE", *_TIMES):
            raise self._unsupported(tree)
        written = tree.this.name
        try:
            return Constant("time", to_micros(date.fromisoformat(written).isoformat() if target == "DATE" else written))
        except (InvalidInput, ValueError) as error:
            expected = "DATE 'YYYY-MM-DD'" if target == "DATE" else "TIMESTAMP 'YYYY-MM-DDThh:mm:ssZ'"
            raise _refusal(self.text, expected, repr(written)) from error

    def _pattern(self, tree: exp.Expr) -> Node:
        pattern = self.read(tree.expression)
        if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
            raise self._unsupported(tree)
        letters = iter(pattern.value)
        if any(next(letters, "") not in ("%", "_", "\\") for letter in letters if letter == "\\"):
            raise _refusal(self.text, "%, _ or \\ after \\ in a pattern", repr(pattern.value))
        like = self._apply(_BINARY[tree.key], self.read(tree.this), pattern)
        return self._apply("NOT", like) if tree.args.get("negate") else like

    def _operation(self, operator: str, *trees: exp.Expr) -> Node:
        return self._apply(operator, *(self.read(tree) for tree in trees))

    def _apply(self, operator: str, *operands: Node) -> Node:
        operation = OperatorNode(operator, operands)
        expected = misfit(operator, [operand.kind for operand in operands])
        if expected is not None:
            raise _refusal(self.text, f"{expected} for {operator}", shorten(operation.text))
        return operation

    def _unsupported(self, tree: exp.Expr) -> InvalidQuery:
        starts = [node.meta["start"] for node in tree.walk() if "start" in node.meta]
        position = f" at character {min(starts) + 1}" if starts else ""
        got = shorten(tree.sql(dialect="spark", comments=False)) + position
        return _refusal(self.text, "a condition of simple parts", got, _SUPPORTED)


@cache
def dialect() -> type[Dialect]:
    """Spark's SQL, in which a doubled quote inside text stands for one, as it does in the standard."""
    from sqlglot.dialects.spark import Spark  # noqa: PLC0415  # as in `read`

    class Dialect(Spark):
        class Tokenizer(Spark.Tokenizer):
            STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012  # the parser's own form
            COMMANDS = set()  # noqa: RUF012  # words whose statements would be left unread

    return Dialect


def _quoting(text: str) -> str | None:
    """Advise to quote a word of SQL that may be meant as the name of a column."""
    from sqlglot.tokenizer_core import TokenType  # noqa: PLC0415  # as in `read`

    plain = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER)
    for token in dialect()().tokenize(text):
        if token.text.isidentifier() and token.token_type not in plain and token.text.upper() not in WORDS:
            return quote_it(token.text)
    return None


def quote_it(word: str) -> str:
    """Advise to quote a word."""
    return f"a column whose name is a word of SQL goes into backquotes: `{word}`"


def _refusal(text: str, expected: str, got: str, hint: str | None = None) -> InvalidQuery:
    return InvalidQuery(where=f"expression {text!r}", expected=expected, got=got, hint=hint)


def _too_deep(text: str) -> InvalidQuery:
    return _refusal(text, f"parts nested at most {_DEEPEST} deep", "more")
