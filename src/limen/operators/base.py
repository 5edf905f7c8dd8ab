"""What a family of queries is to the shard: it takes changes of queries, rows and the passing of time; it tells events.

A family knows a query by its *handle*, its place in the catalogue. Queries that can be looked up together are a group;
the family notes of each handle its group and its slot there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.index.growing import grown
from limen.index.level import NOBODY

if TYPE_CHECKING:
    from limen.model.columns import Columns
    from limen.model.expression import Expression
    from limen.model.options import Options
    from limen.operators.events import Events
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable

Slots = npt.NDArray[np.int32]


class QueryFamily:
    """Queries of one family, by handle."""

    one_line = False  # whether queries look at many streams at once, along one time line

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        # By handle: the query's group, -1 for none of this family, and its slot there.
        self.group_of = np.empty(0, np.int32)
        self.slot_of = np.empty(0, np.int32)
        self.count = 0

    def place(self, group: int, handles: Slots, slots: Slots) -> None:
        """Note that queries are in a group, and where."""
        if len(handles):
            self._make_room(int(handles[0] if len(handles) == 1 else handles.max()) + 1)
        self.group_of[handles] = group
        self.slot_of[handles] = slots
        self.count += len(handles)

    def displace(self, handles: Slots) -> None:
        """Note that queries are gone."""
        self.group_of[handles] = -1
        self.count -= len(handles)

    def numbers_of(self, handles: Slots) -> list[tuple[int, Slots]]:
        """Sort handles by the number of their group."""
        if len(handles) == 1:
            return [(int(self.group_of[handles[0]]), handles)]
        numbers = self.group_of[handles]
        return [(int(number), handles[numbers == number]) for number in np.unique(numbers)]

    def keep_handles(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        self._make_room(int(handles.max(initial=-1)) + 1)  # the last ones may be of other families
        self.group_of, self.slot_of = self.group_of[handles], self.slot_of[handles]

    def _make_room(self, handles: int) -> None:
        if handles > len(self.group_of):
            room = max(handles, len(self.group_of) * 5 // 4)
            self.group_of, self.slot_of = grown(self.group_of, room, -1), grown(self.slot_of, room, 0)

    # ---- what the shard asks -----------------------------------------------------------------------------------------

    def change(
        self, removed: Slots, queries: list[Any], handles: Slots, streams: StreamTable, time: int | None
    ) -> list[Events]:
        """Take queries out and put queries in, at a time; return the events this causes.

        Without a time the changes have been made elsewhere: what they made streams forget has been forgotten.
        """
        raise NotImplementedError

    def use(self, options: Options) -> None:
        """Take the options that concern it, before the first query comes."""

    def pass_time(self, before: int) -> None:
        """Take note that all before a time is over."""

    def prepare(self, streams: StreamTable) -> None:
        """See to it that all is known of streams that has to be before a step."""

    def step(self, step: Step) -> list[Events]:
        """Return the events that rows cause."""
        raise NotImplementedError

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:  # noqa: ARG002
        """Return the events that streams cause which are about to be forgotten."""
        return []

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> list[Events]:  # noqa: ARG002
        """Return the events that time causes before a time, all of it complete; rows of such times may still follow."""
        return []

    @property
    def reporting(self) -> bool:
        """Whether changes of queries can cause events."""
        raise NotImplementedError

    def reports(self, handle: int) -> bool:
        """Whether taking this query out, or replacing it, can cause events."""
        raise NotImplementedError

    def within_on(self, handle: int) -> tuple[int, ...] | None:  # noqa: ARG002
        """Return the columns of a query if it is a `Within`; else None."""
        return None

    def conditions(self) -> list[tuple[Expression, int]]:
        """Return the different conditions of all queries, each with the handle of a query that has it."""
        raise NotImplementedError

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        raise NotImplementedError

    def concerned(self) -> Slots:
        """Return the streams that queries name, which must not lose their slots."""
        return NOBODY

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""

    def forget_streams(self) -> None:
        """Forget what is known of streams beside the stream table, which has become another."""

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.group_of.nbytes + self.slot_of.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return 0
