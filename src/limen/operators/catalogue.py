"""All queries of a job by id, whatever their family, and what changes to them cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from limen.errors import InvalidQuery
from limen.index.ids import Ids
from limen.index.level import NOBODY
from limen.model.change import Register
from limen.operators.area import AreaFamily
from limen.operators.around import AroundFamily
from limen.operators.border import BorderFamily
from limen.operators.conditions import check_condition
from limen.operators.match import MatchFamily
from limen.operators.pattern import PatternFamily
from limen.operators.replacing import as_replaced
from limen.operators.transition import TransitionFamily

if TYPE_CHECKING:
    import pyarrow as pa

    from limen.model.change import Deregister
    from limen.model.columns import Columns
    from limen.model.options import Options
    from limen.model.query import Query
    from limen.operators.base import QueryFamily
    from limen.operators.events import Events
    from limen.operators.line import TimeLine
    from limen.operators.streams import StreamTable

Slots = npt.NDArray[np.int32]

#: State names families by their position here, so new ones go to the end.
FAMILIES: dict[str, type[QueryFamily]] = {
    "border": BorderFamily,
    "match": MatchFamily,
    "transition": TransitionFamily,
    "area": AreaFamily,
    "around": AroundFamily,
    "pattern": PatternFamily,
}
_NUMBER = {name: number for number, name in enumerate(FAMILIES)}
_NONE = -1


class Catalogue:
    """Queries by id. A query's *handle* is the number of its id; families know queries by it."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.ids = Ids()
        self.families: list[QueryFamily] = [family(columns) for family in FAMILIES.values()]
        for each in self.families:
            each.use(options)
        self.family_of = np.empty(0, np.int8)
        self.renumbered = 0  # how often handles were given anew

    def __len__(self) -> int:
        return sum(family.count for family in self.families)

    def reports(self, query_id: str) -> bool:
        """Whether a query is registered that reports containment completely, so that its change can cause events."""
        if not any(family.reporting for family in self.families):
            return False
        handle = int(self.ids.find([query_id])[0])
        return handle >= 0 and self.family_of[handle] != _NONE and self.families[self.family_of[handle]].reports(handle)

    def __contains__(self, query_id: str) -> bool:
        handle = int(self.ids.find([query_id])[0])
        return handle >= 0 and self.family_of[handle] != _NONE

    def apply(
        self,
        changes: list[Register | Deregister],
        streams: StreamTable,
        time: int | None,
        line: TimeLine | None = None,
    ) -> tuple[list[Events], dict[str, int], list[str]]:
        """Make changes at a time, given in their order; return the events they cause, how they fared, and unknown ids.

        Of several changes to one id the last wins. Without a time the changes have been made elsewhere and cause
        nothing. Families on one time line are told of them when and as the line, if there is one, knows them.
        """
        final: dict[str, Query | None] = {}
        for change in changes:
            if isinstance(change, Register):
                final[change.query.id] = change.query
            else:
                final[change.id] = None
        handles = self.ids.slots(list(final))
        if len(self.ids) > len(self.family_of):
            more = max(len(self.ids), len(self.family_of) * 5 // 4) - len(self.family_of)
            self.family_of = np.concatenate([self.family_of, np.full(more, _NONE, np.int8)])
        # By family: handles to take out, queries to put in, and their handles. Lists, since one change is the usual
        # case.
        removed: list[list[int]] = [[] for _ in self.families]
        added: list[list[Query]] = [[] for _ in self.families]
        added_handles: list[list[int]] = [[] for _ in self.families]
        unknown: list[str] = []
        for handle, old, (id, query) in zip(
            handles.tolist(), self.family_of[handles].tolist(), final.items(), strict=True
        ):
            if old != _NONE:
                removed[old].append(handle)
            elif query is None:
                unknown.append(id)
            if query is None:
                self.family_of[handle] = _NONE
            else:
                new = _NUMBER[query.family]
                added[new].append(query)
                added_handles[new].append(handle)
                if new != old:
                    self.family_of[handle] = new
        # A query that stays where it is and one that moves may replace each other, though other families have them.
        shifted = self._shifted(removed, added_handles)
        events: list[Events] = []
        for family, gone, queries, theirs in zip(self.families, removed, added, added_handles, strict=True):
            if gone or queries:
                out = np.array(gone, np.int32) if gone else NOBODY
                known, when = streams, time
                if line is not None and family.one_line:
                    known, when = line.streams(streams), None if time is None else max(time, line.clock)
                events += family.change(out, queries, np.array(theirs, np.int32), known, when)
        if shifted:
            events = as_replaced(events, [handle for handle, on in shifted.items() if on == self._within_on(handle)])
        applied, superseded = len(final) - len(unknown), len(changes) - len(final)
        return events, {"applied": applied, "rejected": len(unknown), "superseded": superseded}, unknown

    def _shifted(self, removed: list[list[int]], added: list[list[int]]) -> dict[int, tuple[int, ...] | None]:
        """Find the `Within` queries that leave one family for another, and the columns that they are about."""
        numbers = [_NUMBER["area"], _NUMBER["around"]]
        found: dict[int, tuple[int, ...] | None] = {}
        for old, new in (numbers, numbers[::-1]):
            if removed[old] and added[new]:
                for handle in set(removed[old]) & set(added[new]):
                    found[handle] = self.families[old].within_on(handle)
        return {handle: on for handle, on in found.items() if on is not None}

    def _within_on(self, handle: int) -> tuple[int, ...] | None:
        return self.families[int(self.family_of[handle])].within_on(handle)

    @property
    def patterns(self) -> PatternFamily:
        """The patterns among them."""
        return cast("PatternFamily", self.families[_NUMBER["pattern"]])

    @property
    def needs_line(self) -> bool:
        """Whether there are queries that look at many streams at once."""
        return any(family.count for family in self.families if family.one_line)

    def check_conditions(self, columns: Columns, types: dict[str, pa.DataType]) -> None:
        """Test all conditions against the types of the data; an error names a query that does not fit."""
        for family in self.families:
            for condition, handle in family.conditions():
                try:
                    check_condition(condition, columns, types)
                except InvalidQuery as error:
                    name = self.ids.take(np.array([handle]))[0].as_py()
                    raise error.within(f"query {name!r}") from None

    def forget_unused(self) -> Slots | None:
        """Give back the handles of queries that are gone, when they have become the most.

        Returns the new handle of each old one, -1 for those that are gone; None when nothing was done.
        """
        if len(self.ids) < 2 * len(self) + 4096:
            return None
        used = np.flatnonzero(self.family_of[: len(self.ids)] != _NONE).astype(np.int32)
        number = np.full(len(self.ids), -1, np.int32)
        number[used] = np.arange(len(used))
        self.ids = Ids.of(self.ids.take(used))
        self.family_of = self.family_of[used]
        self.renumbered += 1
        for family in self.families:
            family.renumber(used)
        return number

    @property
    def nbytes(self) -> int:
        """Bytes held for queries, ids aside."""
        return self.family_of.nbytes + sum(family.nbytes_queries for family in self.families)
