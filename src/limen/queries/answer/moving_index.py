"""Index of moving queries and moving streams that maintains the answer of each query."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from limen.arrays import Array, Floats, Ints, Mask, Slots
from limen.growable import grown, with_rows
from limen.queries.answer.center_table import empty_table, enlarged_table
from limen.queries.answer.centered_queries import Centered, Changes, record_of
from limen.queries.answer.grid_frame import on_a_plane
from limen.queries.answer.kernels.around import NEAREST, CenteredQueries
from limen.queries.answer.kernels.center_grid import CenterGrid
from limen.queries.answer.kernels.gathering import HOW_MANY, Order, QueryBatch
from limen.queries.answer.kernels.grid_insert import take_back
from limen.queries.answer.kernels.instants import answers_of, initialize, play, sweep_all, sweep_ranges
from limen.queries.answer.kernels.layout import IdText, Listed, PositionTimeline, Scratch
from limen.queries.answer.kernels.linked_lists import attach, detach
from limen.queries.answer.kernels.moving_streams import MovedStreams
from limen.queries.answer.kernels.object_grid import PRESENT
from limen.queries.answer.kernels.simd import LANES
from limen.queries.answer.member_slab import MemberSlab
from limen.queries.answer.position_grid import PositionGrid
from limen.queries.answer.stream_lists import listed_of
from limen.regions.owners import BoundStreams
from limen.regions.slots import SlotPool
from limen.runtime.ids import Ids

SOME = 1024  # rows of room for changes, to begin with
ALL = -1  # instead of a number of listed streams


class MovingIndex:
    """Maintain the answers of queries around moving centers, queries and streams by slot.

    The positions of streams are derived state: `fill` loads them, `play` updates them, and after `forget_streams`
    they must be loaded again.

    Parameters
    ----------
    dimensions : int
    lonlat : bool
        Whether coordinates are longitude and latitude, and distances metres.
    """

    def __init__(self, dimensions: int, *, lonlat: bool = False) -> None:
        self.dimensions, self.lonlat = dimensions, lonlat
        self._axes = max(dimensions, 2)  # streams on a line are on a plane, at the height of 0
        self._ranges = 0  # of the queries, how many are boxes and circles
        self._out = np.empty((5, SOME), np.int32)  # room, which will be wanted again
        self.ready = False
        self.owners = BoundStreams()
        self._slots = SlotPool()
        # Two at least: to the compiler, columns of a single record are arrays of another kind.
        self._queries = self._columns(np.empty(0, record_of(self._axes)))
        self._make_room(2)
        # What follows is there while the index is ready.
        self._streams: PositionGrid
        self._around = np.empty(0, np.int32)
        self._member_slab = MemberSlab()
        self._short = False  # whether a query may have more members than it has room for
        self._listed: Listed
        self._centers: CenterGrid
        self._names: IdText
        self._scratch: Scratch

    def __len__(self) -> int:
        return self._slots.count

    # ---- queries -----------------------------------------------------------------------------------------------------

    def insert(self, new: Centered, streams: int) -> Slots:
        """Add queries and return their slots; `streams` is the number of streams."""
        slots = self._slots.take(len(new))
        self._make_room(self._slots.used)
        queries = self._queries
        queries.kind[slots], queries.focal[slots] = new.kind, new.focal
        queries.center[slots], queries.half[slots] = on_a_plane(new.center), new.half
        if self.dimensions == 1:
            queries.half[slots, 1] = new.half[:, 0]
        queries.limit[slots], queries.wanted[slots] = new.limit, new.wanted
        queries.listed_count[slots] = new.counts
        queries.member_count[slots] = 0
        bound = new.counts >= 0
        if bound.any():
            self.owners.put(slots[bound], new.listed, new.counts[bound])
        self._ranges += int(np.count_nonzero(new.kind != NEAREST))
        if self.ready:
            if streams > len(self._streams):
                self._add_streams(streams)
            self._scratch.order.state[HOW_MANY] = 0  # it has none of these
            attach(queries.focal, queries.next_around, self._around, slots[new.focal >= 0])
            if bound.any():
                self._list_all()
            self._allocate_members(slots)
            if self._member_slab.wasteful:
                self._reallocate_members()
            self._initialize(slots)
        return slots

    def remove(self, slots: Slots) -> None:
        """Remove queries."""
        if self.ready:
            self._scratch.order.state[HOW_MANY] = 0
            take_back(self._centers, slots)
            detach(self._queries.focal, self._queries.next_around, self._around, slots)
            self._member_slab.drop(slots[self._queries.kind[slots] == NEAREST])
        bound = slots[self._queries.listed_count[slots] >= 0]
        self.owners.drop(bound)
        self._ranges -= int(np.count_nonzero(self._queries.kind[slots] != NEAREST))
        self._queries.kind[slots] = -1
        self._queries.focal[slots] = -1
        self._queries.listed_count[slots] = ALL
        self._slots.give_back(slots)
        if self.ready and len(bound):
            self._list_all()

    def queries(self, slots: Slots) -> Centered:
        """Return queries in the form in which they are inserted."""
        own = self._queries
        listed, _ = self.owners.of(slots[own.listed_count[slots] >= 0])
        focal = own.focal[slots]
        center = np.where(focal[:, None] >= 0, np.nan, own.center[slots, : self.dimensions])
        limit = np.where(own.kind[slots] == NEAREST, np.inf, own.limit[slots])
        return Centered(
            own.kind[slots], focal, center, own.half[slots], limit, own.wanted[slots], listed, own.listed_count[slots]
        )

    def is_nearest(self, slot: int) -> bool:
        """Return whether the query in a slot is a `Nearest`."""
        return bool(self._queries.kind[slot] == NEAREST)

    @property
    def room(self) -> int:
        """The number of slots, taken or free."""
        return len(self._queries.kind)

    @property
    def alive(self) -> Mask:
        """Which slots are taken."""
        return self._queries.kind >= 0

    def concerned(self) -> Slots:
        """Return the streams that queries name, as their focal stream or in their list."""
        alive = np.flatnonzero(self.alive).astype(np.int32)
        focal = self._queries.focal[alive]
        listed, _ = self.owners.of(alive[self._queries.listed_count[alive] >= 0])
        return np.concatenate([focal[focal >= 0], listed])

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        focal = self._queries.focal
        moving = focal >= 0
        focal[moving] = number[focal[moving]]
        self.owners.renumber(number)
        self.forget_streams()

    # ---- streams -----------------------------------------------------------------------------------------------------

    def forget_streams(self) -> None:
        """Discard the positions of streams."""
        self.ready = False

    def fill(self, position: Floats, known: Floats, ids: Ids) -> None:
        """Load the positions of all streams, (streams, dimensions), NaN for a stream without one.

        `known` holds the positions for queries that move with a stream, also where the condition excludes that stream
        from answers; it may be the same array.
        """
        flat = on_a_plane(position)
        self._streams = PositionGrid(flat, flat if known is position else on_a_plane(known))
        self._centers = empty_table(len(self._queries.kind))
        self._names = IdText(*ids.text())
        self._new_scratch()
        self._link_all()
        self.ready = True
        all_slots = np.flatnonzero(self.alive).astype(np.int32)
        self._member_slab, self._short = MemberSlab(), False
        self._queries.member_count[:] = 0
        self._allocate_members(all_slots)
        self._initialize(all_slots)

    def play(self, timeline: PositionTimeline, ids: Ids, streams: int) -> Changes:
        """Apply a timeline and return the changes of answers, valid until the next call; `streams` is their number."""
        timeline = timeline._replace(point=on_a_plane(timeline.point))
        self._names = IdText(*ids.text())
        if streams > len(self._streams):
            self._add_streams(streams)
        present = timeline.code == PRESENT
        if self._streams.prepare_for(timeline.stream[present], timeline.point[present]):
            self._scratch = self._scratch._replace(counts=np.empty(self._streams.cells + 1, np.int64))
        if len(timeline.stream) > len(self._scratch.old_point):
            self._scratch = self._scratch._replace(old_point=np.empty((len(timeline.stream), self._axes)))
        count = self._play(timeline)
        query, stream, adds, entry, row = self._out[:, :count]
        return Changes(query, stream, adds == 1, entry, row)

    def answers(self, slots: Slots) -> tuple[Ints, Slots]:
        """Return the answers of queries: places among `slots`, and streams."""
        count, out = answers_of(
            self._queries, self._streams.grid, self._member_slab.members, self._listed, slots, self.lonlat,
            self._scratch, np.empty((2, SOME), np.int32),
        )  # fmt: skip
        return out[0, :count].astype(np.int64), out[1, :count].copy()

    # ---- helpers -----------------------------------------------------------------------------------------------------

    def _play(self, timeline: PositionTimeline) -> int:
        """Apply a timeline, and return the number of changes in `_out`."""
        queries, grid, known, scratch = self._queries, self._streams.grid, self._streams.known, self._scratch
        members, listed, names, lonlat = self._member_slab.members, self._listed, self._names, self.lonlat
        # Nearest queries and queries about listed streams must be evaluated one instant after the other.
        plain = len(self) == self._ranges and len(listed.stream) == 0 and not lonlat and self._axes == 2
        first = tried = count = 0
        while True:
            first, last, tried, affected, is_run, count, self._out = play(
                queries, grid, self._centers, known, self._around, members, listed, names, timeline, plain, len(self),
                self._ranges, lonlat, scratch, first, tried, count, self._out,
            )  # fmt: skip
            if first == last:
                return int(count)
            if plain:
                count, self._out = sweep_ranges(
                    queries, grid, self._centers, known, timeline, first, last, affected, len(self), is_run, lonlat,
                    scratch, self._out, count,
                )  # fmt: skip
            else:
                count, self._out = sweep_all(
                    queries, grid, self._centers, known, members, listed, names, timeline, first, last, affected,
                    len(self), self._ranges, lonlat, scratch, self._out, count,
                )  # fmt: skip
            first = last

    def _initialize(self, slots: Slots) -> None:
        initialize(
            self._queries, self._streams.grid, self._centers, self._streams.known, self._member_slab.members,
            self._listed, self._names, slots, self.lonlat, self._scratch, np.empty((5, SOME), np.int32),
        )  # fmt: skip

    def _add_streams(self, streams: int) -> None:
        self._streams.grow(streams)
        self._around = with_rows(self._around, streams, -1)
        self._listed = self._listed._replace(head=with_rows(self._listed.head, streams, -1))
        self._new_scratch()
        if self._short:
            self._reallocate_members()

    def _new_scratch(self) -> None:
        streams, queries = len(self._streams), len(self._queries.kind)
        # Apart like the centers of queries, so that what is compiled for those can be used.
        centers = np.empty((queries, 2, self._axes))
        self._scratch = Scratch(
            entry=np.full(streams, -1, np.int64),
            row=np.full(streams, -1, np.int64),
            met=np.full(streams, -1, np.int64),
            marked=np.full(queries, -1, np.int64),
            clock=np.zeros(1, np.int64),
            found=np.empty(streams, np.int32),
            found_here=np.empty((streams, self._axes)),
            found_there=np.empty((streams, self._axes)),
            found_queries=np.empty(queries, np.int32),
            affected=np.empty(queries, np.int32),
            old_center=centers[:, 0],
            new_center=centers[:, 1],
            old_point=np.empty((0, self._axes)),
            kept=np.empty(streams, np.int32),
            kept_far=np.empty(streams),
            extent=np.zeros(4),
            columns=np.zeros(4, np.int64),
            counts=np.empty(self._streams.cells + 1, np.int64),
            cells=np.empty(queries, np.int64),
            order=Order(np.empty(queries, np.int32), np.zeros(2, np.int64)),
            query_batch=QueryBatch(np.empty((queries, 8)), np.empty((queries, 3), np.int32)),
            moves=MovedStreams(
                np.empty((2 * streams, 4)),
                np.empty((2 * streams, 3), np.int32),
                np.zeros((4, 2 * streams + LANES), np.int16),
            ),
            bounds=np.empty(9, np.int64),
            bits=np.empty(2 * streams + 1, np.int64),
            places=np.empty(2 * streams + 1, np.int64),
            picked=np.empty(2 * streams + 1, np.int64),
            square=np.empty(streams),
            singly=np.zeros(queries, np.bool_),
            entry_in_run=np.full(streams, -1, np.int64),
            earlier_row=np.empty(streams, np.int64),
        )

    def _columns(self, records: Array) -> CenteredQueries:
        """Return the columns of records; the fields of one query are adjacent, since they are read together."""
        self._records = records
        return CenteredQueries(**{name: records[name] for name in CenteredQueries._fields})

    def _make_room(self, queries: int) -> None:
        have, records = len(self._records), grown(self._records, queries)
        if len(records) == have:
            return
        new = records[have:]
        new["kind"] = new["focal"] = new["listed_count"] = -1
        self._queries = self._columns(records)
        if self.ready:
            self._centers = enlarged_table(self._centers, len(records), self._queries.center)
            self._new_scratch()

    def _link_all(self) -> None:
        """Rebuild the lists of queries by focal stream."""
        self._around = np.full(len(self._streams), -1, np.int32)
        queries, moving = self._queries, np.flatnonzero(self._queries.focal >= 0).astype(np.int32)
        attach(queries.focal, queries.next_around, self._around, moving)
        self._list_all()

    def _list_all(self) -> None:
        """Rebuild the lists of streams of the queries that list any."""
        queries = self._queries
        bound = np.flatnonzero(queries.listed_count >= 0).astype(np.int32)
        streams, counts = self.owners.of(bound)
        queries.listed_first[bound] = np.cumsum(counts) - counts
        self._listed = listed_of(bound, streams, counts, len(self._streams))

    def _allocate_members(self, slots: Slots) -> None:
        """Allocate for each nearest query as many members as it can have."""
        queries = self._queries
        nearest = slots[queries.kind[slots] == NEAREST]
        sizes = np.minimum(queries.wanted[nearest], max(len(self._streams), 1))
        self._short = self._short or bool((sizes < queries.wanted[nearest]).any())
        queries.member_first[nearest] = self._member_slab.give(nearest, sizes)

    def _reallocate_members(self) -> None:
        queries, old = self._queries, self._member_slab
        nearest = np.flatnonzero(queries.kind == NEAREST).astype(np.int32)
        before, counts = queries.member_first[nearest], queries.member_count[nearest]
        self._member_slab, self._short = MemberSlab(), False
        self._allocate_members(nearest)
        self._member_slab.copy(old, before, queries.member_first[nearest], counts)

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        own = self._records.nbytes + self.owners.nbytes
        return own + (sum(array.nbytes for array in self._centers) + self._member_slab.nbytes if self.ready else 0)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        if not self.ready:
            return 0
        scratch = _nbytes(self._scratch)
        return self._streams.nbytes + scratch + self._around.nbytes + self._out.nbytes


def _nbytes(arrays: Iterable[Any]) -> int:
    """Return the bytes of arrays, and of arrays in them."""
    return sum(_nbytes(one) if isinstance(one, tuple) else int(one.nbytes) for one in arrays)
