"""Compile conditions on two tuples to steps that a kernel computes with numbers during the search.

What concerns one tuple alone, `LIKE` among it, is a column of that tuple: 1, 0, or missing. What takes both is computed
for two tuples: sums and the like, comparisons, AND, OR, NOT, IN and IS NULL. Whole numbers and times are compared by
two halves each, since one float does not hold them; text is equal if two parts of its hash are, 106 bits. What numbers
cannot express is left: which text comes first, of one tuple or of the other, and ``%`` of whole numbers of both.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from limen.errors import InvalidQuery
from limen.model.columns import Columns
from limen.model.expressions.evaluation import evaluate
from limen.model.expressions.expression import load
from limen.model.expressions.tree import MIRRORED, Column, Constant, Node, OperatorNode, renamed
from limen.model.pair import Pair
from limen.queries.pattern.kernels import layout
from limen.queries.pattern.tables import HOW, ConditionStep
from limen.queries.pattern.tuple_columns import COMPUTED, HASH, HASH_TOO, HIGH, LOW, NUMBER, SLOT, Coded

#: Types of attributes that are known.
Types: TypeAlias = "dict[str, pa.DataType]"

_LOGIC = {"AND": layout.BOTH, "OR": layout.EITHER}
_ARITHMETIC = {"+": layout.PLUS, "-": layout.MINUS, "*": layout.TIMES, "/": layout.OVER, "%": layout.REST}
_WHOLE = (pa.int64(), pa.timestamp("us", "UTC"))
_FLOAT, _TRUTH, _TEXT, _NULL = pa.float64(), pa.bool_(), pa.string(), pa.null()


class NotByNumbers(Exception):  # no error: the condition is judged in another way
    """A condition that cannot be computed with numbers."""


class ConditionCompiler:
    """The steps of one condition on the tuples of a pair.

    Parameters
    ----------
    pair, columns, types
        The pair that has the condition, and the columns of its rows.
    link
        Gives the number of a column among those that kernels see.
    """

    def __init__(self, pair: Pair, columns: Columns, types: Types, link: Callable[[Coded], int]) -> None:
        self._pair, self._columns, self._types, self._link = pair, columns, types, link
        self._steps: list[ConditionStep] = []

    def of(self, condition: Node) -> tuple[ConditionStep, ...]:
        """Compile a condition to steps; the last step is its result.

        Raises
        ------
        NotByNumbers
            When the condition takes more.
        """
        if self._type(condition) not in (_TRUTH, _NULL):
            raise NotByNumbers
        self._steps = []
        self._add(layout.HOLDS, self._truth(condition))
        return tuple(self._steps)

    def _add(self, how: int, one: int = 0, other: int = 0, value: float = 0.0) -> int:
        self._steps.append(ConditionStep(how, one, other, value))
        return len(self._steps) - 1

    def _column(self, variable: str, coded: Coded) -> int:
        return self._add(layout.OF_ONE if variable == self._pair.a else layout.OF_OTHER, self._link(coded))

    # ---- conditions --------------------------------------------------------------------------------------------------

    def _truth(self, node: Node) -> int:
        variables = self._variables(node)
        if isinstance(node, Constant) or self._type(node) == _NULL:
            value = node.value if isinstance(node, Constant) else None
            return self._add(layout.GIVEN, value=np.nan if value is None else float(value))
        if len(variables) < 2:
            variable = next(iter(variables), self._pair.a)
            own = {name: found[1] for name in _names(node) if (found := self._pair.column(name))}
            return self._column(variable, Coded(renamed(node, own).text, COMPUTED))
        if isinstance(node, OperatorNode):
            return self._operation(node.operator, node.operands)
        raise NotByNumbers  # pragma: no cover  # what is neither constant nor operation is of one tuple

    def _operation(self, operator: str, operands: tuple[Node, ...]) -> int:
        if operator in _LOGIC:
            return self._chained(_LOGIC[operator], [self._truth(operand) for operand in operands])
        if operator == "NOT":
            return self._add(layout.NOT, self._truth(operands[0]))
        if operator == "IS NULL":
            return self._add(layout.MISSING, self._either_sort(operands[0]))
        if operator in MIRRORED:
            return self._compared(HOW[operator], *operands)
        if operator == "IN":
            value, *choices = operands
            return self._chained(layout.EITHER, [self._compared(layout.EQUAL, value, choice) for choice in choices])
        raise NotByNumbers

    def _chained(self, how: int, steps: list[int]) -> int:
        whole = steps[0]
        for step in steps[1:]:
            whole = self._add(how, whole, step)
        return whole

    def _either_sort(self, node: Node) -> int:
        return self._truth(node) if self._type(node) == _TRUTH else self._number(node)

    def _compared(self, how: int, one: Node, other: Node) -> int:
        types = {self._type(one), self._type(other)}
        if _NULL in types:
            return self._add(layout.GIVEN, value=np.nan)
        if types == {_TRUTH}:
            return self._add(layout.COMPARED + how, self._truth(one), self._truth(other))
        if len(types) == 1 and types <= set(_WHOLE):
            return self._compared_by_halves(how, one, other)
        if isinstance(one, Column) and isinstance(other, Column) and self._are_ids(one, other):
            if how not in (HOW["="], HOW["<>"]):
                raise NotByNumbers
            return self._add(layout.COMPARED + how, *(self._coded(each, SLOT) for each in (one, other)))
        if types == {_TEXT} and how in (HOW["="], HOW["<>"]):
            return self._compared_by_pairs(how, one, other, HASH, HASH_TOO)
        return self._add(layout.COMPARED + how, self._number(one), self._number(other))

    def _compared_by_pairs(self, how: int, one: Node, other: Node, *codings: str) -> int:
        """Compare two columns, each coded as two numbers, for being equal or unequal."""
        equal = [
            self._add(layout.COMPARED + layout.EQUAL, *(self._coded(each, coding) for each in (one, other)))
            for coding in codings
        ]
        same = self._add(layout.BOTH, *equal)
        return same if how == layout.EQUAL else self._add(layout.NOT, same)

    def _are_ids(self, *nodes: Column) -> bool:
        return all((self._pair.column(node.name) or ("", ""))[1] == self._columns.id for node in nodes)

    def _compared_by_halves(self, how: int, one: Node, other: Node) -> int:
        """Compare whole numbers: by the upper halves and, where these are equal, by the lower ones."""
        if how in (HOW["="], HOW["<>"]):
            return self._compared_by_pairs(how, one, other, HIGH, LOW)
        high, low = ([self._coded(each, half) for each in (one, other)] for half in (HIGH, LOW))
        level = self._add(layout.COMPARED + layout.EQUAL, *high)
        upper = layout.BELOW if how in (HOW["<"], HOW["<="]) else HOW[">"]
        within = self._add(layout.BOTH, level, self._add(layout.COMPARED + how, *low))
        return self._add(layout.EITHER, self._add(layout.COMPARED + upper, *high), within)

    # ---- numbers -----------------------------------------------------------------------------------------------------

    def _coded(self, node: Node, coding: str) -> int:
        found = self._pair.column(node.name) if isinstance(node, Column) else None
        if found is None:
            raise NotByNumbers
        return self._column(found[0], Coded(found[1], coding))

    def _number(self, node: Node) -> int:
        kind = self._type(node)
        if kind == _NULL:
            return self._add(layout.GIVEN, value=np.nan)
        if kind not in (_FLOAT, _WHOLE[0]):
            raise NotByNumbers
        if isinstance(node, Constant):
            return self._add(layout.GIVEN, value=float(node.value or 0))
        if isinstance(node, Column):
            return self._coded(node, NUMBER)
        if node.operator == "%" and kind != _FLOAT:
            raise NotByNumbers  # a float does not hold its remainder
        operands = [self._number(operand) for operand in node.operands]
        if node.operator == "NEGATE":
            return self._add(layout.NEGATIVE, operands[0])
        return self._chained(_ARITHMETIC[node.operator], operands)

    # ---- what is known of nodes --------------------------------------------------------------------------------------

    def _variables(self, node: Node) -> set[str]:
        return {found[0] for name in _names(node) if (found := self._pair.column(name))}

    def _type(self, node: Node) -> pa.DataType:
        """Return the type of the result, by evaluating it on no rows."""
        empty = {name: load(pa.nulls(0, self._type_of_column(name))) for name in _names(node)}
        try:
            return evaluate(node, empty, node.text).type
        except InvalidQuery as error:  # the error is raised when there are rows
            raise NotByNumbers from error

    def _type_of_column(self, name: str) -> pa.DataType:
        column = (self._pair.column(name) or ("", ""))[1]
        if column in self._columns.values:
            return _FLOAT
        if column == self._columns.id:
            return pa.string()
        return _WHOLE[1] if column == self._columns.time else self._types.get(column, _NULL)


def _names(node: Node) -> set[str]:
    if isinstance(node, Column):
        return {node.name}
    return set().union(*map(_names, node.operands)) if isinstance(node, OperatorNode) else set()
