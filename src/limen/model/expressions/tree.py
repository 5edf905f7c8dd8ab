"""Conditions as a small tree of three sorts of node, each with one of five kinds of value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from limen.model.time import from_micros

LOGIC = ("AND", "OR", "NOT")
ARITHMETIC = ("+", "-", "*", "/", "%", "NEGATE")
PATTERNS = ("LIKE", "ILIKE")


@dataclass(frozen=True, slots=True)
class Column:
    """A column's value; ``a.kind`` is the column of that full name."""

    name: str

    @property
    def kind(self) -> None:
        """Unknown until there is data."""
        return

    @property
    def text(self) -> str:
        """The column in SQL, quoted so that any name is safe."""
        return "`" + self.name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the kind ``null``, ``boolean``, ``number``, ``text`` or ``time`` (microseconds)."""

    kind: str
    value: bool | int | float | str | None

    @property
    def text(self) -> str:
        """The constant in SQL."""
        if self.kind == "text":
            return "'" + str(self.value).replace("\\", "\\\\").replace("'", "\\'") + "'"
        if self.kind == "time":
            return f"TIMESTAMP '{from_micros(int(self.value or 0))}'"
        return "NULL" if self.value is None else str(self.value).upper()


@dataclass(frozen=True, slots=True)
class OperatorNode:
    """An operator and what it is applied to."""

    operator: str
    operands: tuple[Node, ...]

    @property
    def kind(self) -> str:
        """The kind of the result."""
        return "number" if self.operator in ARITHMETIC else "boolean"

    @property
    def text(self) -> str:
        """The operation in SQL, in parentheses."""
        first, *rest = (operand.text for operand in self.operands)
        if self.operator == "IN":
            return f"({first} IN ({', '.join(rest)}))"
        if self.operator == "IS NULL":
            return f"({first} IS NULL)"
        if not rest:
            return f"({'-' if self.operator == 'NEGATE' else 'NOT'} {first})"
        return f"({f' {self.operator} '.join([first, *rest])})"


Node: TypeAlias = Column | Constant | OperatorNode


def misfit(operator: str, kinds: Sequence[str | None]) -> str | None:
    """Return what an operator expects if it cannot take these kinds; an unknown kind or null always fits."""
    known = {kind for kind in kinds if kind not in (None, "null")}
    if operator in LOGIC:
        return "conditions" if known - {"boolean"} else None
    if operator in ARITHMETIC:
        return "numbers" if known - {"number"} else None
    if operator in PATTERNS:
        return "text" if known - {"text"} else None
    return "values of one kind" if operator != "IS NULL" and len(known) > 1 else None


#: Comparisons, each with the equivalent one for exchanged sides.
MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """Give columns other names; those that are not named keep theirs."""
    if isinstance(node, Column):
        return Column(names.get(node.name, node.name))
    if isinstance(node, OperatorNode):
        return OperatorNode(node.operator, tuple(renamed(operand, names) for operand in node.operands))
    return node


def in_canonical_order(node: Node) -> Node:
    """Put what may be exchanged without a difference into one order: sides of comparisons, parts of AND and OR."""
    if not isinstance(node, OperatorNode):
        return node
    operands = tuple(in_canonical_order(operand) for operand in node.operands)
    if node.operator in ("AND", "OR", "+", "*"):
        return OperatorNode(node.operator, tuple(sorted(operands, key=lambda operand: operand.text)))
    if node.operator in MIRRORED and operands[1].text < operands[0].text:
        return OperatorNode(MIRRORED[node.operator], operands[::-1])
    return OperatorNode(node.operator, operands)


def conjuncts(node: Node) -> list[Node]:
    """Return the conditions that must all be true for this one to be."""
    if isinstance(node, OperatorNode) and node.operator == "AND":
        return [part for operand in node.operands for part in conjuncts(operand)]
    return [node]
