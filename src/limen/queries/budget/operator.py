"""Maintain live result sets under a memory budget.

The idea: store a stream only while it is significant, that is in the region or the cache area of some query, in one
buffer that all queries share. A cache area around each region avoids uncertainty: no stream enters the region
unobserved. When the buffer outgrows its memory, load shedding shrinks areas or evicts the streams with the fewest
references, and answers become approximate. Stationary regions share the buffer, too.

The paper: Mokbel and Aref, "SOLE: Scalable On-Line Execution of Continuous Queries on Spatio-temporal Data Streams":
section 4 (significant objects in 4.2, uncertainty and cache areas in 4.3 to 4.5), section 5 (shared buffer in 5.2,
shared join in 5.3) and section 6 (load shedding of queries in 6.3, of objects in 6.4, accuracy in 6.5).
"""

import logging
from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Array, Mask, Slots
from limen.checkpoint.codec import Sections
from limen.model.answer import AnswerQuery
from limen.model.change import Deregister, Register
from limen.model.options import Options
from limen.model.shape import MultiPolygon, Polygon
from limen.queries.answer.base import AnswerOperator
from limen.queries.answer.group import AnswerKey
from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.group import BudgetGroup
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.layout import NO_SHEDDING, SHED_AREAS, SHED_OBJECTS, object_record, query_record
from limen.queries.budget.kernels.shedding import NOT_NOW
from limen.queries.budget.shared_buffer import details_bytes
from limen.regions.region_index import on_sphere
from limen.runtime.catalogue import Catalogue
from limen.runtime.events import Events
from limen.runtime.ids import Ids
from limen.runtime.step import Expired, Step
from limen.runtime.stream_table import StreamTable

log = logging.getLogger("limen")

_SHEDDING = {None: NO_SHEDDING, "query": SHED_AREAS, "object": SHED_OBJECTS}
ID_BYTES = 32  # of a stream or a query: its id and what finds it


class BudgetOperator(AnswerOperator[BudgetGroup]):
    """Maintain answers, and store the streams that they need."""

    stores_streams = True

    def use(self, options: Options) -> None:
        """Take the options that concern it, before the first query comes."""
        self._options = options
        self._noticed = False  # whether the start of shedding was logged
        values, attributes = len(self.columns.values), len(self.columns.attributes)
        self._row_bytes = ID_BYTES + 17 + 8 * values + 9 * attributes  # of a stream in the stream table

    def new_group(self, key: AnswerKey) -> BudgetGroup:
        """Make an empty group."""
        options, axes = self._options, max(len(key.columns), 2)
        ghost = object_record(axes).itemsize
        rules = BudgetRules(
            max_speed=options.max_speed or 0.0,
            report_every=options.report_every or 0,
            expire_after=options.expire_after or 0,
            memory=np.inf if options.memory is None else options.memory,
            shedding=_SHEDDING[options.shedding],
            object_bytes=ghost + self._row_bytes,
            ghost_bytes=ghost,
            query_bytes=query_record(axes).itemsize + ID_BYTES,
        )
        return BudgetGroup(key, rules, options, lonlat=on_sphere(self.columns, key.columns))

    # ---- queries -----------------------------------------------------------------------------------------------------

    def admit(
        self, changes: list[Register | Deregister], known: Catalogue
    ) -> tuple[list[Register | Deregister], list[str]]:
        """Return the changes for which there is room, and why others are refused."""
        if self._options.memory is None or not self._options.keeps_significant:
            return changes, []
        admitted: list[Register | Deregister] = []
        refused = []
        focals, named = self._focals(), set[str | None]()
        taken = sum(int(group.index.taken_by_queries) for group in self.groups)
        full = any(group.index.accounting.shedding[layout.FULL] for group in self.groups if len(group.index))
        for change in changes:
            if isinstance(change, Register) and isinstance(change.query, AnswerQuery) and change.query.id not in known:
                own = {change.query.focal} - {None} - named
                needed = taken + self._least_bytes(change.query) + (focals + len(named | own)) * self._object_bytes
                if full or needed > (self._options.memory or 0):
                    refused.append(self._refusal(change.query.id, needed, full=full))
                    continue
                taken += self._least_bytes(change.query)
                named |= own
            admitted.append(change)
        return admitted, refused

    def _refusal(self, query_id: str, needed: int, *, full: bool) -> str:
        if full:
            return f"query {query_id!r}: refused, since memory is full and every query is at its least accuracy"
        return (
            f"query {query_id!r}: refused, since queries and the streams they move with would take "
            f"{needed:,} bytes of {self._options.memory:,}"
        )

    def _focals(self) -> int:
        """Return how many streams queries move with."""
        found = [group.index.focals() for group in self.groups]
        return len(np.unique(np.concatenate([np.empty(0, np.int32), *found])))

    @property
    def _axes(self) -> int:
        return max([2, *(group.index.dimensions for group in self.groups)])

    @property
    def _object_bytes(self) -> int:
        """Return the bytes that a stream takes."""
        return object_record(self._axes).itemsize + self._row_bytes

    def _least_bytes(self, query: AnswerQuery) -> int:
        """Estimate the bytes of a query before it is evaluated."""
        return query_record(self._axes).itemsize + ID_BYTES + _details(query)

    def change(
        self, removed: Slots, queries: list[Any], handles: Slots, streams: StreamTable, time: int | None
    ) -> list[Events]:
        """Remove and add queries; emit the differences between old and new answers."""
        events = super().change(removed, queries, handles, streams, time)
        for group in self.groups:
            group.index.accounting.shedding[layout.FULL] &= len(removed) == 0  # there is more room, as will be seen
        self._share_memory()
        return events

    def _share_memory(self) -> None:
        """Divide the memory among groups: each has what it uses, and of what is free a part by its queries.

        If all that is missed would fit, each has what it needs for that.
        """
        memory = self._options.memory
        if memory is None or not self.count:
            return
        used = [group.index.needed for group in self.groups]
        if sum(used) > memory:
            used = [group.index.used for group in self.groups]
        free = memory - sum(used)
        for group, own in zip(self.groups, used, strict=True):
            share = own + free * len(group.index) / self.count if free >= 0 else memory * own / sum(used)
            group.index.accounting.rule[layout.MEMORY] = share

    # ---- streams -----------------------------------------------------------------------------------------------------

    def prepare(self, streams: StreamTable) -> None:
        """Restore the objects that `load` read, once."""
        waiting = any(group.waits for group in self.groups)
        super().prepare(streams)
        if waiting:
            self._share_memory()

    def step(self, step: Step) -> list[Events]:
        """Emit the changes of answers that a step causes."""
        events = super().step(step)
        self._share_memory()
        self._log_shedding()
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Emit the changes of answers that expired streams cause."""
        events = super().expire(expired, streams)
        self._share_memory()
        self._log_shedding()
        return events

    def is_stored(self, streams: Slots) -> Mask:
        """Return which streams some group stores."""
        stored = np.zeros(len(streams), np.bool_)
        for group in self.groups:
            stored |= group.index.is_stored(streams)
        return stored

    def _log_shedding(self) -> None:
        """Log when shedding begins, and when it ends."""
        if self._options.memory is None:
            return
        shedding = any(group.index.accounting.shedding[layout.SINCE] != NOT_NOW for group in self.groups)
        if shedding != self._noticed:
            self._noticed = shedding
            counts = self.counts()
            log.warning(
                "shedding by %s %s: %s of %s bytes in use, %s streams kept, %s dropped so far, %.0f %% of areas left",
                self._options.shedding, "begins" if shedding else "is over", f"{counts['used']:,}",
                f"{self._options.memory:,}", f"{counts['stored']:,}", f"{counts['shed']:,}", 100 * counts["share"],
            )  # fmt: skip

    # ---- what is kept ------------------------------------------------------------------------------------------------

    def dump(self) -> tuple[dict[str, Any], list[Any]]:
        """Return the stored streams as named arrays, for `load`."""
        arrays = {
            f"{_place_of(key)}/{name}": column
            for key, number in self.keys.items()
            for name, column in self.groups[number].dump().items()
        }
        return arrays, []

    def load(self, arrays: Sections, facts: list[Any], types: dict[str, pa.DataType], ids: Ids) -> None:  # noqa: ARG002
        """Replace the stored streams by what `dump` returned, once queries and streams are there."""
        for key, number in self.keys.items():
            if f"{_place_of(key)}/stored" in arrays:
                self.groups[number].load(arrays, _place_of(key))

    def gauges(self, streams: StreamTable) -> dict[str, Any]:  # noqa: ARG002
        """Return how much is stored now, by name."""
        return {"kept": self.counts()} if self._options.keeps_significant else {}

    # ---- counts ------------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, Any]:
        """Return the stored and the shed streams, and the accuracy of results, by query."""
        accounting = [group.index.accounting for group in self.groups]
        counted = {
            name: sum(int(each.counts[place]) for each in accounting)
            for name, place in (
                ("stored", layout.OBJECTS), ("shadows", layout.GHOSTS), ("too_fast", layout.TOO_FAST),
                ("insignificant", layout.INSIGNIFICANT), ("shed", layout.SHED),
            )
        }  # fmt: skip
        swept, overdrawn = (
            sum(int(each.shedding[place]) for each in accounting) for place in (layout.SWEPT, layout.OVERDRAWN)
        )
        accuracy = self.accuracy(None)
        percent = accuracy["accuracy"]
        return {
            **counted,
            "swept": swept,
            "full": any(bool(each.shedding[layout.FULL]) for each in accounting),
            "overdrawn": overdrawn,
            "used": sum(int(group.index.used) for group in self.groups),
            "share": min((group.index.share for group in self.groups), default=1.0),
            "least_references": max((int(each.shedding[layout.LEAST_REFERENCES]) for each in accounting), default=1),
            "locked": int(accuracy["locked"].sum()),
            "least_accuracy": float(percent.min(initial=100.0)),
            "mean_accuracy": float(percent.mean()) if len(percent) else 100.0,
        }

    def accuracy(self, streams: StreamTable | None) -> dict[str, Array]:
        """Return by query as columns: handle, streams stored and missed, accuracy, share of the area, locked.

        With a stream table that knows all streams also how accurate answers truly are.
        """
        names = ("stored", "missed", "accuracy", "share", "locked")
        found: dict[str, list[Array]] = {"handle": [np.empty(0, np.int32)]}
        found |= {name: [np.empty(0)] for name in (*names, "measured")}
        for group in self.groups:
            slots = np.flatnonzero(group.index.alive).astype(np.int32)
            found["handle"].append(group.handle[slots])
            for name, column in zip(names, group.index.assess(slots).T, strict=True):
                found[name].append(column)
            if streams is not None and group.index.ready:
                due, there = group.index.measure(slots, group.positions(streams)[1]).T
                found["measured"].append(100 * np.where(due > 0, there, 1) / np.maximum(due, 1))
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def accuracy_table(self, ids: Ids, streams: StreamTable | None) -> pa.Table:
        """Return the columns of `accuracy` with the ids of queries."""
        found = self.accuracy(streams)
        names = ["stored", "missed", "accuracy", "share", "locked"] + ["measured"] * (streams is not None)
        whole = {"stored": pa.int64(), "missed": pa.int64(), "locked": pa.bool_()}
        columns = {name: pa.array(found[name]).cast(whole.get(name, pa.float64())) for name in names}
        return pa.table({"query_id": ids.take(found["handle"]), **columns})


def _details(query: AnswerQuery) -> int:
    """Return the bytes of what a query has its own of: edges of a polygon, and streams it is about."""
    region = getattr(query, "region", None)
    edges = sum(map(len, region.rings)) if isinstance(region, (Polygon, MultiPolygon)) else 0
    return details_bytes(edges, len(query.streams or ()))


def _place_of(key: AnswerKey) -> str:
    """Return the section name of a group: the numbers of groups may differ when it is read."""
    return f"{','.join(map(str, key.columns))} {key.condition or ''}"
