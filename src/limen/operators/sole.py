"""Answers under tight memory: only streams that matter to some query are kept, and fewer when memory is short.

All answers are in it then, also those on regions that stay: they share what is kept.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.index.buffer_rules import Rules
from limen.index.shared_buffer import details_bytes
from limen.kernels import buffer_arrays as places
from limen.kernels.buffer_arrays import NO_SHEDDING, SHED_AREAS, SHED_OBJECTS, object_record, query_record
from limen.kernels.buffer_shedding import NOT_NOW
from limen.model.answer import AnswerQuery
from limen.model.change import Register
from limen.model.shape import MultiPolygon, Polygon
from limen.operators.answer import AnswerFamily
from limen.operators.cache_areas import CacheAreas
from limen.operators.places import on_sphere
from limen.operators.sole_group import SoleGroup

if TYPE_CHECKING:
    from limen.index.ids import Ids
    from limen.model.change import Deregister
    from limen.model.options import Options
    from limen.operators.answer_group import Key
    from limen.operators.catalogue import Catalogue
    from limen.operators.events import Events
    from limen.operators.shard import Shard
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable
    from limen.state.codec import Sections

Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

log = logging.getLogger("limen")

_SHEDDING = {None: NO_SHEDDING, "query": SHED_AREAS, "object": SHED_OBJECTS}
ID_BYTES = 32  # of a stream or a query: its id and what finds it


class SoleFamily(AnswerFamily[SoleGroup]):
    """Keeps answers, and of the streams what they need."""

    def use(self, options: Options) -> None:
        """Take the options that concern it, before the first query comes."""
        self._options = options
        self._areas = CacheAreas.of(options)
        self._noticed = False  # whether it was said that something is shed
        values, attributes = len(self.columns.values), len(self.columns.attributes)
        self._row_bytes = ID_BYTES + 17 + 8 * values + 9 * attributes  # of a stream in the stream table

    def new_group(self, key: Key) -> SoleGroup:
        """Make an empty group."""
        options, axes = self._options, max(len(key.columns), 2)
        shadow = object_record(axes).itemsize
        rules = Rules(
            max_speed=options.max_speed or 0.0,
            report_every=options.report_every or 0,
            expire_after=options.expire_after or 0,
            memory=np.inf if options.memory is None else options.memory,
            shedding=_SHEDDING[options.shedding],
            object_bytes=shadow + self._row_bytes,
            shadow_bytes=shadow,
            query_bytes=query_record(axes).itemsize + ID_BYTES,
        )
        return SoleGroup(key, rules, self._areas, lonlat=on_sphere(self.columns, key.columns))

    # ---- queries -----------------------------------------------------------------------------------------------------

    def admitted(
        self, changes: list[Register | Deregister], known: Catalogue
    ) -> tuple[list[Register | Deregister], list[str]]:
        """Leave out queries that are new, by `known` ids, and for which there is no room; return why, too."""
        admitted: list[Register | Deregister] = []
        refused = []
        focals, named = self._focals(), set[str | None]()
        taken = sum(int(group.index.taken_by_queries) for group in self.groups)
        full = any(group.index.books.shedding[places.FULL] for group in self.groups if len(group.index))
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
        """Return the bytes that a query takes, as far as can be told before it has looked around."""
        return query_record(self._axes).itemsize + ID_BYTES + _details(query)

    def change(
        self, removed: Slots, queries: list[Any], handles: Slots, streams: StreamTable, time: int | None
    ) -> list[Events]:
        """Take queries out and put queries in, and tell whose answers are gone, new or different."""
        events = super().change(removed, queries, handles, streams, time)
        for group in self.groups:
            group.index.books.shedding[places.FULL] &= len(removed) == 0  # there is more room, as will be seen
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
            group.index.books.rule[places.MEMORY] = share

    # ---- streams -----------------------------------------------------------------------------------------------------

    def prepare(self, streams: StreamTable) -> None:
        """Take in what was kept before, if that has not been done."""
        waiting = any(group.waits for group in self.groups)
        super().prepare(streams)
        if waiting:
            self._share_memory()

    def step(self, step: Step) -> list[Events]:
        """Tell how answers change."""
        events = super().step(step)
        self._share_memory()
        self._say_what_is_shed()
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Tell what follows from streams that are forgotten."""
        events = super().expire(expired, streams)
        self._share_memory()
        self._say_what_is_shed()
        return events

    def is_stored(self, streams: Slots) -> Mask:
        """Tell which streams are kept by some group."""
        stored = np.zeros(len(streams), np.bool_)
        for group in self.groups:
            stored |= group.index.is_stored(streams)
        return stored

    def _say_what_is_shed(self) -> None:
        """Say when shedding begins, and when it is over."""
        if self._options.memory is None:
            return
        shedding = any(group.index.books.shedding[places.SINCE] != NOT_NOW for group in self.groups)
        if shedding != self._noticed:
            self._noticed = shedding
            figures = self.figures()
            log.warning(
                "shedding by %s %s: %s of %s bytes in use, %s streams kept, %s dropped so far, %.0f %% of areas left",
                self._options.shedding, "begins" if shedding else "is over", f"{figures['used']:,}",
                f"{self._options.memory:,}", f"{figures['stored']:,}", f"{figures['shed']:,}", 100 * figures["share"],
            )  # fmt: skip

    # ---- what is kept ------------------------------------------------------------------------------------------------

    def part(self) -> dict[str, Any]:
        """Return what it keeps beside queries and streams, as named arrays, for `put_part`."""
        return {
            f"{_place_of(key)}/{name}": column
            for key, number in self.keys.items()
            for name, column in self.groups[number].part().items()
        }

    def put_part(self, part: Sections) -> None:
        """Become the family of which `part` was written, once its queries are there."""
        for key, number in self.keys.items():
            if f"{_place_of(key)}/stored" in part:
                self.groups[number].put_part(part, _place_of(key))

    # ---- figures -----------------------------------------------------------------------------------------------------

    def figures(self) -> dict[str, Any]:
        """Return what is kept, what was shed, and how accurate answers are."""
        books = [group.index.books for group in self.groups]
        counted = {
            name: sum(int(each.counts[place]) for each in books)
            for name, place in (
                ("stored", places.OBJECTS), ("shadows", places.SHADOWS), ("too_fast", places.TOO_FAST),
                ("insignificant", places.INSIGNIFICANT), ("shed", places.SHED),
            )
        }  # fmt: skip
        swept, overdrawn = (
            sum(int(each.shedding[place]) for each in books) for place in (places.SWEPT, places.OVERDRAWN)
        )
        accuracy = self.accuracy(None)
        percent = accuracy["accuracy"]
        return {
            **counted,
            "swept": swept,
            "full": any(bool(each.shedding[places.FULL]) for each in books),
            "overdrawn": overdrawn,
            "used": sum(int(group.index.used) for group in self.groups),
            "share": min((group.index.share for group in self.groups), default=1.0),
            "least_references": max((int(each.shedding[places.LEAST_REFERENCES]) for each in books), default=1),
            "locked": int(accuracy["locked"].sum()),
            "least_accuracy": float(percent.min(initial=100.0)),
            "mean_accuracy": float(percent.mean()) if len(percent) else 100.0,
        }

    def accuracy(self, streams: StreamTable | None) -> dict[str, npt.NDArray[Any]]:
        """Return columns of figures by query: handle, streams stored and missed, accuracy, share of the area, locked.

        With a stream table that knows all streams also how accurate answers truly are.
        """
        names = ("stored", "missed", "accuracy", "share", "locked")
        found: dict[str, list[npt.NDArray[Any]]] = {"handle": [np.empty(0, np.int32)]}
        found |= {name: [np.empty(0)] for name in (*names, "measured")}
        for group in self.groups:
            slots = np.flatnonzero(group.index.alive).astype(np.int32)
            found["handle"].append(group.handle[slots])
            for name, column in zip(names, group.index.assess(slots).T, strict=True):
                found[name].append(column)
            if streams is not None and group.index.ready:
                due, there = group.index.measure(slots, group.position(streams)).T
                found["measured"].append(100 * np.where(due > 0, there, 1) / np.maximum(due, 1))
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def accuracy_table(self, ids: Ids, streams: StreamTable | None) -> pa.Table:
        """Return the figures of `accuracy` with the ids of queries."""
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


def accuracy_of(shard: Shard) -> pa.Table:
    """Return how accurate the answers of a shard are, a row a query."""
    known = shard.line.streams(shard.streams) if shard.options.measure_accuracy else None
    return shard.answers.accuracy_table(shard.catalogue.ids, known)


def _place_of(key: Key) -> str:
    """Return the words under which what a group keeps is written: groups may be numbered otherwise when it is read."""
    return f"{','.join(map(str, key.columns))} {key.condition or ''}"
