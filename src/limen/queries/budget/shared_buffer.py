"""Shared buffer of queries and of the streams that are significant for some query.

A stream is stored once, with the number of queries that refer to it, and evicted when none does. See
`limen.queries.budget.kernels.instants` for what happens when a stream reports.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats, Ints, Mask, Slots
from limen.queries.answer.centered_queries import Changes
from limen.queries.answer.grid_frame import on_a_plane
from limen.queries.answer.kernels.around import NEAREST
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.kernels.linked_lists import detach
from limen.queries.answer.kernels.object_grid import PRESENT
from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.buffer_store import NO_CELLS, BufferStore
from limen.queries.budget.buffered_queries import BufferedQueries
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.accounting import assess, needed, taken_by_queries, used
from limen.queries.budget.kernels.accuracy import measure
from limen.queries.budget.kernels.instants import play
from limen.queries.budget.kernels.layout import GHOST, STORED, Accounting
from limen.queries.budget.kernels.registration import answers_of, detach_queries, evict_some, initialize, put_objects
from limen.queries.budget.kernels.shedding import set_shares
from limen.regions.slots import SlotPool
from limen.runtime.ids import Ids

SOME = 1024  # rows of room for changes, to begin with


class BufferState(NamedTuple):
    """Objects as they are written: of streams in the stream table, and ghosts; and the grid they are in."""

    stored: Slots  # streams
    shadow_name: npt.NDArray[np.uint64]
    shadow_point: Floats
    shadow_seen: Ints
    grid: Floats  # as `BufferStore.grid`; what earlier versions wrote has none


class SharedBuffer:
    """Maintain queries by slot, and the objects stored for them."""

    def __init__(self, dimensions: int, rules: BudgetRules, *, lonlat: bool = False) -> None:
        self.dimensions, self.lonlat = dimensions, lonlat
        self._slots = SlotPool()
        self._store = BufferStore(dimensions, rules, lonlat=lonlat)
        self._out = np.empty((6, SOME), np.int32)

    def __len__(self) -> int:
        return self._slots.count

    @property
    def ready(self) -> bool:
        """Whether there is a grid to search."""
        return self._store.ready

    # ---- queries -----------------------------------------------------------------------------------------------------

    def insert(self, new: BufferedQueries, ids: Ids, streams: int) -> Slots:
        """Add queries, evaluate them on the stored objects, and return their slots; `streams` is their number."""
        store, slots = self._store, self._slots.take(len(new))
        if not store.ready:
            store.lay_for(np.empty((0, store.axes)))
        store.have_queries(self._slots.used)
        store.have_streams(ids, streams)
        queries = store.arrays.queries
        queries["kind"][slots], queries["focal"][slots], queries["limit"][slots] = new.kind, new.focal, new.limit
        region = np.isin(new.kind, (layout.FIXED, layout.SHAPE))  # they have bounds, and need no center
        queries["center"][slots] = on_a_plane(np.where(region[:, None], 0.0, new.center))
        queries["half"][slots] = new.half if self.dimensions > 1 else new.half[:, [0, 0]]
        queries["wanted"][slots], queries["margin"][slots], queries["least"][slots] = new.wanted, new.margin, new.least
        queries["bounds"][slots] = (-np.inf, np.inf)
        queries["bounds"][slots, : self.dimensions] = new.bounds
        store.put_edges(slots, new.edges, new.edge_counts)
        queries["listed_count"][slots] = new.counts
        queries["cells"][slots] = NO_CELLS
        queries["stored"][slots] = queries["rim"][slots] = queries["shadows"][slots] = 0
        queries["member_count"][slots] = 0
        set_shares(queries, slots, self.share)
        bound = new.counts >= 0
        if bound.any():
            store.owners.put(slots[bound], new.listed, new.counts[bound])
        self._count(slots, 1)
        store.refer(slots)
        self._out = initialize(store.arrays, slots, self._out)
        return slots

    def remove(self, slots: Slots) -> None:
        """Remove queries, and evict the streams that have become insignificant."""
        store = self._store
        queries = store.arrays.queries
        focal = queries["focal"][slots]
        self._out = detach_queries(store.arrays, slots, self._out)
        detach(queries["focal"], queries["next_around"], store.arrays.streams["around"], slots)
        evict_some(store.arrays, focal[focal >= 0])
        bound = slots[queries["listed_count"][slots] >= 0]
        store.owners.drop(bound)
        store.free_members(slots)
        self._slots.give_back(slots)
        self._count(slots, -1)
        self.accounting.counts[layout.MEMBERS] -= int(queries["member_count"][slots].sum())
        queries["member_count"][slots] = 0
        queries["edge_count"][slots] = 0
        queries["kind"][slots] = queries["focal"][slots] = queries["listed_count"][slots] = -1
        if len(bound):
            store.list_all()

    def queries(self, slots: Slots) -> BufferedQueries:
        """Return queries in the form in which they are inserted."""
        own, axes = self._store.arrays.queries, slice(self.dimensions)
        listed, _ = self._store.owners.of(slots[own["listed_count"][slots] >= 0])
        focal, kind = own["focal"][slots], own["kind"][slots]
        nowhere = (focal >= 0) | np.isin(kind, (layout.FIXED, layout.SHAPE))
        return BufferedQueries(
            kind, focal, np.where(nowhere[:, None], np.nan, own["center"][slots, axes]), own["half"][slots],
            np.where(kind == NEAREST, np.inf, own["limit"][slots]), own["wanted"][slots], listed,
            own["listed_count"][slots], own["bounds"][slots, axes], *self._store.edges_of(slots), own["margin"][slots],
            own["least"][slots],
        )  # fmt: skip

    def is_nearest(self, slot: int) -> bool:
        """Return whether the query in a slot is a `Nearest`."""
        return bool(self._store.arrays.queries["kind"][slot] == NEAREST)

    @property
    def room(self) -> int:
        """How many slots there are, taken or not."""
        return len(self._store.arrays.queries) - 1

    @property
    def alive(self) -> Mask:
        """Which slots are taken."""
        taken: Mask = self._store.arrays.queries["kind"][:-1] >= 0
        return taken

    def focals(self) -> Slots:
        """Return the streams that queries move with, some perhaps several times."""
        found: Slots = self._store.arrays.queries["focal"][:-1][self.alive]
        return found[found >= 0]

    def concerned(self) -> Slots:
        """Return the streams that queries name, as their focal stream or as one they are about."""
        queries = self._store.arrays.queries
        alive = np.flatnonzero(self.alive).astype(np.int32)
        focal = queries["focal"][alive]
        listed, _ = self._store.owners.of(alive[queries["listed_count"][alive] >= 0])
        return np.concatenate([focal[focal >= 0], listed])

    # ---- streams -----------------------------------------------------------------------------------------------------

    def play(self, timeline: PositionTimeline, time: Ints, ids: Ids, streams: int) -> Changes:
        """Apply a timeline, each entry with its time, and return the changes of answers; `streams` is their number."""
        store = self._store
        timeline = timeline._replace(point=on_a_plane(timeline.point))
        store.have_streams(ids, streams)
        store.have_objects(len(timeline.stream))
        store.lay_for(timeline.point[timeline.code == PRESENT])
        count, self._out = play(store.arrays, timeline, time, self._out)
        store.give_back()
        query, stream, adds, entry, row, shed = self._out[:, :count]
        changes = Changes(query, stream, adds == 1, entry, row, shed == 1)
        if self.accounting.rule[layout.SHEDDING] == layout.NO_SHEDDING:
            return changes
        return _net(changes, timeline.instant)

    def answers(self, slots: Slots) -> tuple[Ints, Slots]:
        """Return the answers of queries: places among `slots`, and streams."""
        count, out = answers_of(self._store.arrays, slots, np.empty((2, SOME), np.int32))
        return out[0, :count].astype(np.int64), out[1, :count].copy()

    def is_stored(self, streams: Slots) -> Mask:
        """Return which streams are stored."""
        arrays = self._store.arrays
        stored = np.zeros(len(streams), np.bool_)
        known = np.flatnonzero(streams < len(arrays.streams))
        found = arrays.streams["object"][streams[known]]
        stored[known] = (found >= 0) & (arrays.objects["mode"][found] == STORED if len(arrays.objects) else False)
        return stored

    def kept(self) -> BufferState:
        """Return the state that `fill` restores."""
        objects = self._store.arrays.objects
        ghosts = np.flatnonzero(objects["mode"] == GHOST)
        return BufferState(
            np.sort(objects["stream"][objects["mode"] == STORED]), objects["name"][ghosts],
            objects["point"][ghosts][:, : self.dimensions], objects["seen"][ghosts], self._store.grid,
        )  # fmt: skip

    def fill(self, kept: BufferState, points: Floats, seen: Ints, looked_for: Mask, ids: Ids, streams: int) -> None:
        """Restore stored objects: positions, times, and whether each stream satisfies the condition."""
        store, ghosts = self._store, len(kept.shadow_name)
        store.forget()
        store.have_streams(ids, streams)
        store.have_objects(len(kept.stored) + ghosts)
        points, ghost_points = on_a_plane(points), on_a_plane(kept.shadow_point)
        if len(kept.grid):
            store.lay_again(kept.grid)
        else:
            store.lay_for(np.concatenate([points[looked_for], ghost_points]))
        names = ids.hashes[kept.stored, 0]
        put_objects(store.arrays, kept.stored, names, points, seen, looked_for, STORED)
        put_objects(
            store.arrays, np.full(ghosts, -1, np.int32), kept.shadow_name, ghost_points, kept.shadow_seen,
            np.ones(ghosts, np.bool_), GHOST,
        )  # fmt: skip
        store.relink_ghosts(0, len(ids))
        self._out = initialize(store.arrays, np.flatnonzero(self.alive).astype(np.int32), self._out)

    def forget_streams(self) -> None:
        """Remove all objects, and keep the queries."""
        self._store.forget()

    def resume(self, counts: Ints, shedding: Ints, share: float, own: tuple[Slots, Floats]) -> None:
        """Restore counts and the state of shedding from a checkpoint; `fill` restores objects.

        `own` has the slots of queries with a least accuracy, and their shares.
        """
        accounting = self.accounting
        for each in (layout.CLOCK, layout.TOO_FAST, layout.INSIGNIFICANT, layout.SHED):
            accounting.counts[each] = counts[each]
        accounting.shedding[: len(shedding)] = shedding  # earlier versions wrote fewer
        accounting.rule[layout.SHARE] = share
        queries, (slots, shares) = self._store.arrays.queries, own
        set_shares(queries, np.flatnonzero(self.alive).astype(np.int32), share)
        queries["share"][slots] = shares

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one, -1 for one that is gone."""
        self._store.renumber(number)

    # ---- counts ------------------------------------------------------------------------------------------------------

    @property
    def accounting(self) -> Accounting:
        """The counters, and the state of shedding."""
        return self._store.arrays.accounting

    @property
    def share(self) -> float:
        """What is left of the areas of queries that have no least accuracy."""
        return float(self.accounting.rule[layout.SHARE])

    def own_shares(self) -> tuple[Slots, Floats]:
        """Return the slots of queries with a least accuracy, and what is left of their areas."""
        queries = self._store.arrays.queries
        slots = np.flatnonzero(self.alive & (queries["least"][:-1] > 0)).astype(np.int32)
        return slots, queries["share"][slots]

    @property
    def used(self) -> float:
        """Bytes in use, by count."""
        return float(used(self.accounting))

    @property
    def needed(self) -> float:
        """Bytes that would be in use with all missed streams stored, by count."""
        return float(needed(self._store.arrays, 0.0))

    @property
    def taken_by_queries(self) -> float:
        """Bytes that queries take, of those in use."""
        return float(taken_by_queries(self.accounting))

    def assess(self, slots: Slots) -> Floats:
        """Return for queries (n, 5): objects, objects missed, accuracy in percent, share of the area, locked."""
        out = np.empty((len(slots), 5))
        assess(self._store.arrays, slots, out)
        return out

    def measure(self, slots: Slots, position: Floats) -> Ints:
        """Return of queries (n, 2) how many streams are due in the answer, and how many of these are in it.

        `position` (streams, dimensions) holds all streams that satisfy the condition, stored or not; NaN for others.
        """
        out, streams = np.zeros((len(slots), 2), np.int64), max(len(position), 1)
        room = np.empty(streams, np.int32), np.empty(streams)
        measure(self._store.arrays, on_a_plane(position), slots, *room, out)
        return out

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self._store.nbytes_queries

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return self._store.nbytes_streams + self._out.nbytes

    def _count(self, slots: Slots, sign: int) -> None:
        """Count added or removed queries, and the bytes of their edges and lists."""
        self.accounting.counts[layout.QUERIES] = len(self)
        queries = self._store.arrays.queries
        listed = int(np.maximum(queries["listed_count"][slots], 0).sum())
        self.accounting.counts[layout.DETAILS] += sign * details_bytes(int(queries["edge_count"][slots].sum()), listed)


def details_bytes(edges: int, listed: int) -> int:
    """Return the bytes that edges of shapes, and streams that queries are about, take."""
    return 4 * 8 * edges + 4 * listed


def _net(changes: Changes, instant: Ints) -> Changes:
    """Reduce the changes of one query and stream in one instant to their net effect: one change, or none.

    Shedding may evict a stream that was added in the same instant, or that returns as one of the nearest.
    """
    when = instant[changes.entry]
    order = np.lexsort((np.arange(len(when)), changes.stream, changes.query, when))
    column = [each[order] for each in (when, changes.query, changes.stream)]
    first = np.ones(len(order), np.bool_)
    first[1:] = np.any([each[1:] != each[:-1] for each in column], axis=0)
    begin = np.flatnonzero(first)
    if len(begin) == len(order):
        return changes
    counts = np.diff(np.append(begin, len(order)))
    shed = np.logical_or.reduceat(np.asarray(changes.shed)[order], begin)
    odd = counts % 2 == 1
    last = order[(begin + counts - 1)[odd]]
    query, stream, adds, entry, row = (each[last] for each in changes[:5])
    return Changes(query, stream, adds, entry, row, shed[odd] & ~adds)
