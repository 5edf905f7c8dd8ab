"""SELECT in this process: rows of a replay in, result rows out, as on Spark."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from limen import changes
from limen.changes.aggregate import Aggregate
from limen.changes.distinct import Distinct
from limen.changes.fold import Fold, take
from limen.changes.several import Several
from limen.engine import Engine
from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression
from limen.sql.planning import Plan
from limen.sql.planning.plan import COPY, OWN, STREAM, WHEN, WHICH, WHY, value_name

_VIEW = f"{OWN}changes"


class RunningSelect:
    """A SELECT that takes rows table after table, and may join `tables` by their names."""

    def __init__(self, plan: Plan, columns: Columns, tables: Mapping[str, pa.Table]) -> None:
        for table in plan.scope.others:
            if not table.selectable:
                raise InvalidInput(
                    where="SELECT",
                    expected="joins that this process can do, JOIN and LEFT JOIN",
                    got=f"LEFT {table.how.upper()} JOIN",
                    hint="limen.spark.sql does more",
                )
        self._plan, self._columns = plan, columns
        self._tables = {name: _copies(table.to_pylist()) for name, table in tables.items()}
        self._schemas = {name: dict.fromkeys((*table.schema.names, COPY), "string") for name, table in tables.items()}
        self._engine = Engine(columns)
        self._whole = False  # whether ids are whole numbers
        self._fold, self._carried = self._make_fold(), None
        condition = plan.before()
        self._before = None if condition is None else Expression.parse(condition)
        keys = plan.keys()
        self._ids = None if keys is None else {str(row[0]) for row in self._run(keys)}

    def begin(self, latest: pa.Table | None) -> pa.Table:
        """Register the query; return the streams that match already, from the latest row of each stream."""
        if latest is not None:
            self._engine.process(self._kept(latest))
        return self._output(self._engine.register(self._plan.query))

    def take(self, rows: pa.Table) -> pa.Table:
        """Process the next rows; return the new output."""
        return self._output(self._engine.process(self._kept(rows)))

    def _make_fold(self) -> Fold | None:
        output = self._plan.output
        names = tuple(self._plan.names)
        if output.distinct:
            return Distinct(names)
        if not output.numbers:
            return None
        member = tuple(self._plan.members())
        parts = [Aggregate(number.helper, names, member, None if number.value is None else value_name(place))
                 for place, number in enumerate(output.numbers)]  # fmt: skip
        return Several(tuple(number.name for number in output.numbers), tuple(parts))

    def _kept(self, rows: pa.Table) -> pa.Table:
        """Filter out streams, as Spark does before the operator."""
        self._whole = pa.types.is_integer(rows[self._columns.id].type)
        ids = rows[self._columns.id].cast(pa.string())
        kept = [True] * len(rows)
        if self._before is not None:
            kept = self._before.mask({self._columns.id: rows[self._columns.id].combine_chunks()}).tolist()
        if self._ids is not None:
            kept = [each and id in self._ids for each, id in zip(kept, ids.to_pylist(), strict=True)]
        focal = self._plan.focal
        return rows.filter(pa.array([each or id == focal for each, id in zip(kept, ids.to_pylist(), strict=True)]))

    def _output(self, events: pa.Table) -> pa.Table:
        signed = changes.signed(events)
        rows = []
        for event in signed.to_pylist():
            values = dict(zip(self._columns.values, event["values"], strict=True))
            own = {STREAM: event["stream_id"], WHEN: event["time"], WHICH: event["sign"], WHY: event["reason"]}
            # Ids were cast to text; cast them back, so that joins compare equal types.
            id = int(event["stream_id"]) if self._whole else event["stream_id"]
            rows.append({self._columns.id: id, self._columns.time: event["time"], **values, **own})
        names = list(self._plan.names)
        numbers = self._plan.output.numbers
        if numbers:
            names += [value_name(place) for place, number in enumerate(numbers) if number.value is not None]
            names += [*self._plan.members(), "reason"]
        names += [name for name in ("time", "sign") if name not in {each.casefold() for each in names}]
        found = self._run(self._plan.statement({self._plan.scope.stream.alias: _VIEW}), rows) if rows else []
        table = pa.table({name: _column(name, [row[place] for row in found]) for place, name in enumerate(names)})
        if self._fold is None or not len(table):
            return table
        for place, number in enumerate(numbers):
            kind = None if number.value is None else table[value_name(place)].type
            if kind is not None and not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
                self._plan.refuse(place, str(kind))
        result, self._carried = take(self._fold, self._carried, table)
        shown = {name: item.name for name, item in zip(self._plan.names, self._plan.output.items, strict=True)}
        return result.rename_columns([shown.get(name, name) for name in result.schema.names])

    def _run(self, statement: str, rows: list[dict[str, Any]] | None = None) -> list[tuple[Any, ...]]:
        from sqlglot import executor  # noqa: PLC0415  # its import costs more than most runs need
        from sqlglot.errors import SqlglotError  # noqa: PLC0415

        tables = {**self._tables, **({} if rows is None else {_VIEW: rows})}
        schema = {**self._schemas, **({} if not rows else {_VIEW: dict.fromkeys(rows[0], "string")})}
        try:
            return list(executor.execute(statement, schema=schema, tables=tables, dialect="spark").rows)
        except SqlglotError as error:
            raise InvalidInput(
                where="SELECT",
                expected="SQL that this process can do",
                got=str(error),
                hint="limen.spark.sql does more",
            ) from error


def _copies(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number rows that are alike, so that each counts."""
    seen: Counter[str] = Counter()
    for row in rows:
        key = repr(row)
        seen[key] += 1
        row[COPY] = seen[key]
    return rows


def _column(name: str, values: list[Any]) -> pa.Array:
    kind = {"time": pa.timestamp("us", "UTC"), "sign": pa.int64()}.get(name)
    return pa.array(values, kind)
