"""Conditions in SQL on the columns of a row, evaluated for many rows at once.

The evaluation is loaded with the first rows: queries are read and checked without Arrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from limen.errors import InvalidInput, did_you_mean
from limen.model.expressions import syntax as _syntax
from limen.model.expressions import tree as _tree
from limen.model.expressions.tree import Node

if TYPE_CHECKING:
    import pyarrow as pa

    from limen.arrays import Floats, Mask


@dataclass(frozen=True, slots=True)
class Expression:
    """A condition that a row meets or not; `parse` makes one from text.

    Two expressions are equal when they are the same but for white space, parentheses and the like.

    Attributes
    ----------
    canonical
        The condition in one normal form, itself readable by `parse`: equal conditions can share work by it.
    names
        The columns that it uses, sorted; ``a.kind`` is the column of that full name.
    text
        What the user wrote.

    Examples
    --------
    >>> heavy = Expression.parse("kind = 'truck' and weight / 1000 > 3.5")
    >>> heavy.names
    ('kind', 'weight')
    >>> import pyarrow as pa
    >>> heavy.mask({"kind": pa.array(["truck", "car", "truck"]), "weight": pa.array([7500, 9000, None])})
    array([ True, False, False])
    """

    canonical: str
    names: tuple[str, ...] = field(compare=False)
    text: str = field(compare=False, repr=False)
    _tree: _tree.Node = field(compare=False, repr=False)

    @staticmethod
    def parse(text: str) -> Expression:
        """Read a condition in SQL, as Spark writes it; texts seen lately are remembered."""
        return _parse(text)

    def exchanged(self, names: Mapping[str, str]) -> str:
        """Write the condition with other names of columns, and with what may stand in any order in one order.

        Examples
        --------
        >>> one = Expression.parse("a.speed > b.speed and a.kind <> b.kind")
        >>> other = Expression.parse("a.kind <> b.kind and b.speed < a.speed")
        >>> one.exchanged({}) == other.exchanged({})
        True
        """
        return _tree.in_canonical_order(_tree.renamed(self._tree, names)).text

    def parts(self) -> list[Node]:
        """Return the conditions that must all hold for this one to hold."""
        return _tree.conjuncts(self._tree)

    def bounds(self) -> list[tuple[str, str, float]] | None:
        """Return the condition as comparisons of columns with numbers that must all hold; None where it is more.

        Examples
        --------
        >>> Expression.parse("x >= 1 and 5 > y").bounds()
        [('x', '>=', 1.0), ('y', '<', 5.0)]
        >>> Expression.parse("x >= 1 or y < 5").bounds() is None
        True
        """
        found = []
        for part in _tree.conjuncts(self._tree):
            if not isinstance(part, _tree.OperatorNode) or part.operator not in _tree.MIRRORED:
                return None
            (one, other), operator = part.operands, part.operator
            if isinstance(one, _tree.Constant):
                one, other, operator = other, one, _tree.MIRRORED[operator]
            if not isinstance(one, _tree.Column) or not isinstance(other, _tree.Constant) or other.kind != "number":
                return None
            found.append((one.name, operator, float(other.value or 0)))
        return found

    def truth(self, columns: Mapping[str, pa.Array], rows: int) -> Floats:
        """Return for every row of loaded columns 1 if the condition is true, 0 if it is false, NaN if it is unknown.

        Examples
        --------
        >>> import pyarrow as pa
        >>> Expression.parse("not kind like 't%'").truth({"kind": pa.array(["car", "truck", None])}, 3)
        array([ 1.,  0., nan])
        """
        from limen.model.expressions.evaluation import truth  # noqa: PLC0415  # as the file says

        return truth(self._tree, columns, rows, self.text)

    def mask(self, columns: Mapping[str, pa.Array]) -> Mask:
        """Return for every row whether the condition is true; with a missing value it is not.

        Parameters
        ----------
        columns
            The columns by name, all of one length; those that the condition does not use may be left out as
            long as one column gives the number of rows.
        """
        if not columns:
            raise InvalidInput(where=f"expression {self.text!r}", expected="at least one column", got="none")
        for name in self.names:
            if name not in columns:
                raise InvalidInput(
                    where=f"expression {self.text!r}",
                    expected=f"the column {name!r}",
                    got=", ".join(columns),
                    hint=did_you_mean(name, columns),
                )
        loaded = {name: load(columns[name]) for name in self.names}
        return self.mask_of_loaded(loaded, len(next(iter(columns.values()))))

    def mask_of_loaded(self, loaded: Mapping[str, pa.Array], rows: int) -> Mask:
        """Do the same with columns that `load` has made ready, so that many conditions share that work."""
        from limen.model.expressions.evaluation import mask  # noqa: PLC0415  # as the file says

        return mask(self._tree, loaded, rows, self.text)


def load(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Make a column ready for `Expression.mask_of_loaded`."""
    from limen.model.expressions import evaluation  # noqa: PLC0415  # as the file says

    return evaluation.load(column)


# Many queries share few conditions; those that do not are read again at some 0.1 ms each.
@lru_cache(maxsize=4096)
def _parse(text: str) -> Expression:
    tree = _syntax.read(text)
    return Expression(tree.text, tuple(sorted(_names(tree))), text, tree)


def _names(node: _tree.Node) -> set[str]:
    if isinstance(node, _tree.Column):
        return {node.name}
    if isinstance(node, _tree.OperatorNode):
        return set().union(*(_names(operand) for operand in node.operands))
    return set()
