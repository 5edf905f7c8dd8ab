"""Test whether conditions fit the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from limen.errors import InvalidQuery
from limen.model.expression import Expression

if TYPE_CHECKING:
    from limen.model.columns import Columns
    from limen.model.query import Query


def check_condition(condition: Expression, columns: Columns, types: dict[str, pa.DataType]) -> None:
    """Evaluate a condition on no rows, so that one that does not fit fails before any row is taken.

    Attributes whose type is not known yet are left for later.
    """
    named = {name: pa.array([], pa.float64()) for name in columns.values}
    named |= {name: pa.nulls(0, types[name]) for name in columns.attributes if name in types}
    if set(condition.names) <= named.keys():
        condition.mask(named)


def check_query(query: Query, columns: Columns, types: dict[str, pa.DataType]) -> None:
    """Test a query against the columns of the data, and its condition against their types."""
    query.check(columns)
    if query.where is not None:
        try:
            check_condition(Expression.parse(query.where), columns, types)
        except InvalidQuery as error:
            raise error.within(f"query {query.id!r}") from None
