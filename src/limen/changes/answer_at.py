"""Answers rebuilt from their changes: each member, since when it is one, and its values when it was added."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.changes.change_rows import PHASE, SIGN, TIME, folded_rows, names_of, table_of
from limen.changes.fold import in_order, with_column
from limen.changes.members import steps_of, still_there
from limen.model.event import MICROS

#: Columns that describe a change, not a member; a projection may have dropped any of them.
OF_CHANGES = ("event_id", "kind", "time", "started_at", "reason", "bindings", "sign")


@dataclass(frozen=True, slots=True)
class Answer:
    """All members of all queries."""

    by: tuple[str, ...]
    member: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that identify a member."""
        return tuple(dict.fromkeys((*self.by, *self.member)))

    def needs(self, names: Sequence[str]) -> list[str]:
        """Return the columns that it reads."""
        return [name for name in names if name in {"kind", "time", "reason", "sign"} or name not in OF_CHANGES]

    def rows(self, changes: Any) -> pa.Table:
        """Read changes."""
        table = table_of(changes)
        names_of(table.schema.names, "columns", taken=("since",))
        return folded_rows(table, (*self.keys, *self.further(table.schema.names)))

    def further(self, names: Sequence[str]) -> list[str]:
        """Return the columns of members beside their keys."""
        return [name for name in names if name not in {*self.keys, *OF_CHANGES}]

    def take(self, rows: pa.Table, carried: int) -> tuple[pa.Table, pa.Table]:
        """Fold rows."""
        carry = still_there(rows, steps_of(rows, carried, self.keys))
        return self.answer(carry), carry

    def answer(self, carry: pa.Table) -> pa.Table:
        """Return the carried state as a result set."""
        answer = with_column(carry.select(list(self.keys)), "since", carry[TIME].cast(MICROS))
        for name in carry.schema.names:
            if name not in {*self.keys, TIME, PHASE, SIGN}:
                answer = with_column(answer, name, carry[name])
        return in_order(answer, self.keys)

    def nested(self, answer: pa.Table, rows: pa.Table) -> pa.Table:
        """Make one row of each query that rows are about: the time of the last of them, and a list of its members."""
        (query,) = self.by
        touched = in_order(rows.group_by(query).aggregate([(TIME, "max")]), self.by)
        place = pc.index_in(answer[query], value_set=touched[query].combine_chunks())
        members = answer.filter(pc.is_valid(place)).drop_columns(query)
        # Both are sorted by query, so the members of one are next to each other.
        offsets = np.searchsorted(place.drop_null().to_numpy(), np.arange(len(touched) + 1))
        each = pa.StructArray.from_arrays([column.combine_chunks() for column in members.columns], members.schema.names)
        lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), each)
        return pa.table({query: touched[query], "time": touched[f"{TIME}_max"].cast(MICROS), "members": lists})
