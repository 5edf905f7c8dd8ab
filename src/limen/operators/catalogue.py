"""All queries of a job by id, whatever their family, and what changes to them cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.index.ids import Ids
from limen.model.change import Deregister, Register
from limen.operators.border import BorderFamily
from limen.operators.match import MatchFamily

if TYPE_CHECKING:
    from limen.model.columns import Columns
    from limen.model.expression import Expression
    from limen.model.query import Query
    from limen.operators.events import Events
    from limen.operators.family import Family
    from limen.operators.streams import StreamTable

Slots = npt.NDArray[np.int32]

FAMILIES: dict[str, type[Family]] = {"border": BorderFamily, "match": MatchFamily}
_NUMBER = {name: number for number, name in enumerate(FAMILIES)}
_NONE = -1


class Catalogue:
    """Queries by id. A query's *handle* is the number of its id; families know queries by it."""

    def __init__(self, columns: Columns) -> None:
        self.ids = Ids()
        self.families: list[Family] = [family(columns) for family in FAMILIES.values()]
        self.family_of = np.empty(0, np.int8)

    def __len__(self) -> int:
        return sum(family.count for family in self.families)

    def __contains__(self, query_id: str) -> bool:
        handle = int(self.ids.find(pa.array([query_id]))[0])
        return handle >= 0 and self.family_of[handle] != _NONE

    def apply(
        self, changes: list[Register | Deregister], streams: StreamTable, time: int | None
    ) -> tuple[list[Events], dict[str, int]]:
        """Make changes at a time, given in their order; return the events they cause and how they fared.

        Of several changes to one id the last wins.
        """
        final: dict[str, Query | None] = {}
        for change in changes:
            if isinstance(change, Register):
                final[change.query.id] = change.query
            else:
                final[change.id] = None
        handles = self.ids.slots(pa.array(final.keys(), pa.string()))
        if len(self.ids) > len(self.family_of):
            more = max(len(self.ids), len(self.family_of) * 5 // 4) - len(self.family_of)
            self.family_of = np.concatenate([self.family_of, np.full(more, _NONE, np.int8)])
        queries = list(final.values())
        old = self.family_of[handles]
        new = np.array([_NONE if query is None else _NUMBER[query.type] for query in queries], np.int8)
        events: list[Events] = []
        for number, family in enumerate(self.families):
            removed, added = old == number, new == number
            if added.all():
                events += family.change(handles[removed], queries, handles, streams, time)  # type: ignore[arg-type]
            elif removed.any() or added.any():
                chosen = [query for query in queries if query is not None and _NUMBER[query.type] == number]
                events += family.change(handles[removed], chosen, handles[added], streams, time)
        self.family_of[handles] = new
        unknown = int(((old == _NONE) & (new == _NONE)).sum())
        return events, {
            "applied": len(final) - unknown,
            "rejected": unknown,
            "superseded": len(changes) - len(final),
        }

    def conditions(self) -> list[Expression]:
        """Return the different conditions of all queries."""
        return [condition for family in self.families for condition in family.conditions()]

    def forget_unused(self) -> None:
        """Give back the handles of queries that are gone, when they have become the most."""
        used = np.flatnonzero(self.family_of[: len(self.ids)] != _NONE).astype(np.int32)
        if len(self.ids) < 2 * len(used) + 4096:
            return
        self.ids = Ids.of(self.ids.take(used))
        self.family_of = self.family_of[used]
        for family in self.families:
            family.renumber(used)

    @property
    def nbytes(self) -> int:
        """Bytes held for queries, ids aside."""
        return self.family_of.nbytes + sum(family.nbytes_queries for family in self.families)
