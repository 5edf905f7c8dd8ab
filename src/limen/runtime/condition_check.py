"""Test whether conditions fit the data."""

import pyarrow as pa

from limen.errors import InvalidQuery
from limen.model.columns import Columns
from limen.model.event import MICROS
from limen.model.expressions.expression import Expression
from limen.model.query import Query


def check_condition(condition: Expression, columns: Columns, types: dict[str, pa.DataType]) -> None:
    """Evaluate a condition on no rows, so that one that does not fit fails before any row is taken.

    Attributes whose type is not known yet are left for later. Of two tuples compared, ``a.kind`` is the column `kind`.
    """
    known = {columns.id: pa.array([], pa.string()), columns.time: pa.array([], MICROS)}
    known |= {name: pa.array([], pa.float64()) for name in columns.values}
    known |= {name: pa.nulls(0, types[name]) for name in columns.attributes if name in types}
    named = {}
    for name in condition.names:
        plain = name if name in known else name.partition(".")[2]
        if plain not in known:
            return
        named[name] = known[plain]
    condition.mask(named or known)


def check_query(query: Query, columns: Columns, types: dict[str, pa.DataType]) -> None:
    """Test a query against the columns of the data, and its conditions against their types."""
    query.check(columns)
    for place, condition in query.conditions():
        try:
            check_condition(condition, columns, types)
        except InvalidQuery as error:
            raise error.within(f"query {query.id!r}" + (f": {place}" if place else "")) from None
