"""The contract between the shard and a query family.

An operator takes changes of queries, rows and the passing of time, and returns events. The shard, the engine and Spark
know families through this contract only; a family that does not override a method does not have what it is about.

A family knows a query by its *handle*, its place in the catalogue. Queries that can be looked up together are a group;
the operator stores for each handle its group and its slot there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from limen.arrays import Mask, Slots
from limen.checkpoint.codec import Sections
from limen.growable import grown
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression
from limen.model.options import Options
from limen.regions.edges import NO_STREAMS
from limen.runtime.events import Events
from limen.runtime.ids import Ids
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable

if TYPE_CHECKING:
    from limen.runtime.catalogue import Catalogue


class QueryOperator:
    """Queries of one family, by handle."""

    #: Whether queries look at many streams at once, and so see all rows in one order of time.
    needs_global_order = False
    #: Whether the operator stores the streams that it needs by itself, so that the stream table may evict others.
    stores_streams = False
    #: Whether time alone can cause events, so that `due` is called whenever it passes.
    has_deadlines = False
    #: The name under which state beside queries and streams is written; None for one by the operator's number.
    state_name: str | None = None

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        # By handle: the query's group, -1 for none of this family, and its slot there.
        self.group_of = np.empty(0, np.int32)
        self.slot_of = np.empty(0, np.int32)
        self.count = 0

    def place(self, group: int, handles: Slots, slots: Slots) -> None:
        """Store the group and the slots of queries."""
        if len(handles):
            self._make_room(int(handles[0] if len(handles) == 1 else handles.max()) + 1)
        self.group_of[handles] = group
        self.slot_of[handles] = slots
        self.count += len(handles)

    def displace(self, handles: Slots) -> None:
        """Remove queries from their groups."""
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
        self.group_of, self.slot_of = grown(self.group_of, handles, -1), grown(self.slot_of, handles)

    # ---- queries -----------------------------------------------------------------------------------------------------

    def use(self, options: Options) -> None:
        """Set the options of the family, before the first query is registered."""

    def admit(
        self,
        changes: list[Register | Deregister],
        known: Catalogue,  # noqa: ARG002
    ) -> tuple[list[Register | Deregister], list[str]]:
        """Return the changes for which there is room, and why others are refused."""
        return changes, []

    def change(
        self, removed: Slots, queries: list[Any], handles: Slots, streams: StreamTable, time: int | None
    ) -> list[Events]:
        """Remove queries and add queries, at a time; return the events this causes.

        Without a time the changes were made elsewhere: streams have already forgotten what they made them forget.
        """
        raise NotImplementedError

    @property
    def reporting(self) -> bool:
        """Whether changes of queries can cause events."""
        raise NotImplementedError

    def reports(self, handle: int) -> bool:
        """Return whether removing or replacing this query can cause events."""
        raise NotImplementedError

    def replacement_key(self, handle: int) -> tuple[int, ...] | None:  # noqa: ARG002
        """Return what a query shares with any of another operator that can replace it; None where none can."""
        return None

    def conditions(self) -> list[tuple[Expression, int]]:
        """Return the different conditions of all queries, each with the handle of a query that has it."""
        raise NotImplementedError

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        raise NotImplementedError

    # ---- rows and time -----------------------------------------------------------------------------------------------

    def prepare(self, streams: StreamTable) -> None:
        """Load the stream state needed before a step."""

    def step(self, step: Step) -> list[Events]:
        """Return the events that rows cause."""
        raise NotImplementedError

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:  # noqa: ARG002
        """Return the events of streams that are about to be forgotten."""
        return []

    def pass_time(self, before: int) -> None:
        """Release state that is not needed once all times before this one are complete."""

    def due(self, before: int, streams: StreamTable, *, rows_may_follow: bool) -> list[Events]:  # noqa: ARG002
        """Return the events that time causes before a time, all of it complete; rows of such times may still follow."""
        return []

    # ---- streams -----------------------------------------------------------------------------------------------------

    def is_stored(self, streams: Slots) -> Mask:
        """Return which streams the operator stores, if it `stores_streams`."""
        raise NotImplementedError

    def concerned(self) -> Slots:
        """Return the streams that queries name, which must not lose their slots."""
        return NO_STREAMS

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""

    def forget_streams(self) -> None:
        """Forget what is known of streams beside the stream table, which has been replaced."""

    # ---- state and counters ----------------------------------------------------------------------------------------

    def dump_queries(self, place: str, arrays: dict[str, Any]) -> list[Any]:
        """Add all queries to `arrays`, under names that begin with `place`; return facts about them."""
        raise NotImplementedError

    def load_queries(self, place: str, arrays: Sections, facts: list[Any], streams: StreamTable) -> None:
        """Add the queries that `dump_queries` wrote."""
        raise NotImplementedError

    def dump(self) -> tuple[dict[str, Any], list[Any]]:
        """Return state beside queries and streams as named arrays, and facts about it, for `load`."""
        return {}, []

    def load(self, arrays: Sections, facts: list[Any], types: dict[str, pa.DataType], ids: Ids) -> None:
        """Replace state by what `dump` returned, once queries and streams are there."""

    @property
    def left_out(self) -> int:
        """How many results a cap has left out so far."""
        return 0

    def gauges(self, streams: StreamTable) -> dict[str, Any]:  # noqa: ARG002
        """Return how much is stored now, by name."""
        return {}

    def accuracy_table(self, ids: Ids, streams: StreamTable | None) -> pa.Table | None:  # noqa: ARG002
        """Return the accuracy of results, a row a query; None where all are exact."""
        return None

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.group_of.nbytes + self.slot_of.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return 0
