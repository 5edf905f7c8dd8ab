"""Queries around a center, and the streams they look for: answers that are kept up to date as both move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.index.center_table import empty_table, enlarged_table
from limen.index.centered import Centered, Changes, record_of
from limen.index.frame import on_a_plane
from limen.index.growing import grown
from limen.index.listed import listed_of
from limen.index.owners import Owners
from limen.index.rooms import Rooms
from limen.index.whereabouts import Whereabouts
from limen.kernels.answer_arrays import Line, Listed, Names, Scratch
from limen.kernels.around import NEAREST, Around
from limen.kernels.instants import answers_of, play, settle
from limen.kernels.lanes import LANES
from limen.kernels.mustering import HOW_MANY, Muster, Order
from limen.kernels.object_grid import PRESENT
from limen.kernels.passing_streams import Moves
from limen.kernels.placing import link, unlink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from limen.index.ids import Ids
    from limen.kernels.center_grid import CenterGrid

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

SOME = 1024  # rows of room for changes, to begin with
ALL = -1  # instead of a number of listed streams


class AroundIndex:
    """Queries by slot around centers that may move, streams by slot, and who is in whose answer.

    What is known of streams can be derived from elsewhere: it is given by `fill`, kept up to date by `play`, and given
    anew after `forget_streams`.

    Parameters
    ----------
    dimensions : int
    lonlat : bool
        Whether coordinates are longitude and latitude, and distances metres.
    """

    def __init__(self, dimensions: int, *, lonlat: bool = False) -> None:
        self.dimensions, self.lonlat = dimensions, lonlat
        self._axes = max(dimensions, 2)  # streams on a line are on a plane, at the height of 0
        self.count = 0
        self._ranges = 0  # of the queries, how many are boxes and circles
        self._told = np.empty((5, SOME), np.int32)  # room, which will be wanted again
        self.ready = False
        self.owners = Owners()
        self._free: list[int] = []
        self._used = 0
        # Two at least: to the compiler, columns of a single record are arrays of another kind.
        self._queries = self._columns(np.empty(0, record_of(self._axes)))
        self._make_room(2)
        # What follows is there while the index is ready.
        self._streams: Whereabouts
        self._around = np.empty(0, np.int32)
        self._rooms, self._short = Rooms(), False  # short: whether a query may have more members than it has room for
        self._listed: Listed
        self._centers: CenterGrid
        self._names: Names
        self._scratch: Scratch

    def __len__(self) -> int:
        return self.count

    # ---- queries -----------------------------------------------------------------------------------------------------

    def insert(self, new: Centered, streams: int) -> Slots:
        """Add queries and return their slots. There are so many streams now."""
        n = len(new)
        reused = [self._free.pop() for _ in range(min(n, len(self._free)))]
        slots = np.concatenate([np.array(reused, np.int32), np.arange(self._used, self._used + n - len(reused))])
        slots = slots.astype(np.int32)
        self._used += n - len(reused)
        self._make_room(self._used)
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
        self.count += n
        self._ranges += int(np.count_nonzero(new.kind != NEAREST))
        if self.ready:
            if streams > len(self._streams):
                self._add_streams(streams)
            self._scratch.order.state[HOW_MANY] = 0  # it has none of these
            link(queries, self._around, slots[new.focal >= 0])
            if bound.any():
                self._list_all()
            self._give_rooms(slots)
            if self._rooms.wasteful:
                self._give_rooms_anew()
            self._settle(slots)
        return slots

    def remove(self, slots: Slots) -> None:
        """Take queries out."""
        if self.ready:
            self._scratch.order.state[HOW_MANY] = 0
            unlink(self._queries, self._around, self._centers, slots)
            self._rooms.drop(slots[self._queries.kind[slots] == NEAREST])
        bound = slots[self._queries.listed_count[slots] >= 0]
        self.owners.drop(bound)
        self._ranges -= int(np.count_nonzero(self._queries.kind[slots] != NEAREST))
        self._queries.kind[slots] = -1
        self._queries.focal[slots] = -1
        self._queries.listed_count[slots] = ALL
        self._free += slots.tolist()
        self.count -= len(slots)
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
        """Whether the query in a slot asks for the nearest."""
        return bool(self._queries.kind[slot] == NEAREST)

    @property
    def room(self) -> int:
        """How many slots there are, taken or not."""
        return len(self._queries.kind)

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Which slots are taken."""
        return self._queries.kind >= 0

    def concerned(self) -> Slots:
        """Return the streams that queries name, as their focal stream or as one they are about."""
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
        """Forget where streams are."""
        self.ready = False

    def fill(self, position: Floats, known: Floats, ids: Ids) -> None:
        """Take in where all streams are, (streams, dimensions), NaN for nowhere.

        `known` is the same for those who move with a stream, also where nobody looks for it; it may be the same array.
        """
        flat = on_a_plane(position)
        self._streams = Whereabouts(flat, flat if known is position else on_a_plane(known))
        self._centers = empty_table(len(self._queries.kind))
        self._names = Names(*ids.text())
        self._new_scratch()
        self._link_all()
        self.ready = True
        everyone = np.flatnonzero(self.alive).astype(np.int32)
        self._rooms, self._short = Rooms(), False
        self._queries.member_count[:] = 0
        self._give_rooms(everyone)
        self._settle(everyone)

    def play(self, line: Line, ids: Ids, streams: int) -> Changes:
        """Play a line of entries and return how answers change, good until the next. There are so many streams."""
        line = line._replace(point=on_a_plane(line.point))
        self._names = Names(*ids.text())
        if streams > len(self._streams):
            self._add_streams(streams)
        present = line.code == PRESENT
        if self._streams.prepare_for(line.stream[present], line.point[present]):
            self._scratch = self._scratch._replace(counts=np.empty(self._streams.cells + 1, np.int64))
        if len(line.stream) > len(self._scratch.old_point):
            self._scratch = self._scratch._replace(old_point=np.empty((len(line.stream), self._axes)))
        count, self._told = play(
            self._queries, self._streams.grid, self._centers, self._streams.known, self._around, self._rooms.members,
            self._listed, self._names, line, self.count, self._ranges, self.lonlat, self._scratch, self._told,
        )  # fmt: skip
        query, stream, adds, entry, row = self._told[:, :count]
        return Changes(query, stream, adds == 1, entry, row)

    def answers(self, slots: Slots) -> tuple[Ints, Slots]:
        """Return the answers of queries: places among `slots`, and streams."""
        count, out = answers_of(
            self._queries, self._streams.grid, self._rooms.members, self._listed, slots, self.lonlat, self._scratch,
            np.empty((2, SOME), np.int32),
        )  # fmt: skip
        return out[0, :count].astype(np.int64), out[1, :count].copy()

    # ---- the parts ---------------------------------------------------------------------------------------------------

    def _settle(self, slots: Slots) -> None:
        settle(
            self._queries, self._streams.grid, self._centers, self._streams.known, self._rooms.members, self._listed,
            self._names, slots, self.lonlat, self._scratch, np.empty((5, SOME), np.int32),
        )  # fmt: skip

    def _add_streams(self, streams: int) -> None:
        self._streams.grow(streams)
        self._around = grown(self._around, streams, -1)
        self._listed = self._listed._replace(head=grown(self._listed.head, streams, -1))
        self._new_scratch()
        if self._short:
            self._give_rooms_anew()

    def _new_scratch(self) -> None:
        streams, queries = len(self._streams), len(self._queries.kind)
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
            asked=np.empty(queries, np.int32),
            old_center=np.empty((queries, self._axes)),
            new_center=np.empty((queries, self._axes)),
            old_point=np.empty((0, self._axes)),
            kept=np.empty(streams, np.int32),
            kept_far=np.empty(streams),
            extent=np.zeros(4),
            columns=np.zeros(4, np.int64),
            counts=np.empty(self._streams.cells + 1, np.int64),
            cells=np.empty(queries, np.int64),
            order=Order(np.empty(queries, np.int32), np.zeros(2, np.int64)),
            muster=Muster(np.empty((queries, 8)), np.empty((queries, 3), np.int32)),
            moves=Moves(
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
            said=np.full(streams, -1, np.int64),
            earlier_row=np.empty(streams, np.int64),
        )

    def _columns(self, records: npt.NDArray[Any]) -> Around:
        """Return the columns of records: what is said of one query lies together, since it is asked for together."""
        self._records = records
        return Around(**{name: records[name] for name in Around._fields})

    def _make_room(self, queries: int) -> None:
        have = len(self._queries.kind)
        if queries <= have:
            return
        room = max(queries, have * 5 // 4)
        records = np.zeros(room, record_of(self._axes))
        records["kind"] = records["focal"] = records["listed_count"] = -1
        records[:have] = self._records
        self._queries = self._columns(records)
        if self.ready:
            self._centers = enlarged_table(self._centers, room, self._queries.center)
            self._new_scratch()

    def _link_all(self) -> None:
        """Find anew which queries move with a stream."""
        self._around = np.full(len(self._streams), -1, np.int32)
        link(self._queries, self._around, np.flatnonzero(self._queries.focal >= 0).astype(np.int32))
        self._list_all()

    def _list_all(self) -> None:
        """Find anew which queries are about which streams, of those that are not about all."""
        queries = self._queries
        bound = np.flatnonzero(queries.listed_count >= 0).astype(np.int32)
        streams, counts = self.owners.of(bound)
        queries.listed_first[bound] = np.cumsum(counts) - counts
        self._listed = listed_of(bound, streams, counts, len(self._streams))

    def _give_rooms(self, slots: Slots) -> None:
        """Give queries room for as many nearest as there can be; for another number of streams, or to tidy up, anew."""
        queries = self._queries
        nearest = slots[queries.kind[slots] == NEAREST]
        sizes = np.minimum(queries.wanted[nearest], max(len(self._streams), 1))
        self._short = self._short or bool((sizes < queries.wanted[nearest]).any())
        queries.member_first[nearest] = self._rooms.give(nearest, sizes)

    def _give_rooms_anew(self) -> None:
        queries, old = self._queries, self._rooms.members
        nearest = np.flatnonzero(queries.kind == NEAREST).astype(np.int32)
        before, counts = queries.member_first[nearest], queries.member_count[nearest]
        self._rooms, self._short = Rooms(), False
        self._give_rooms(nearest)
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        self._rooms.members[np.repeat(queries.member_first[nearest], counts) + within] = old[
            np.repeat(before, counts) + within
        ]

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        own = self._records.nbytes + self.owners.nbytes
        return own + (sum(array.nbytes for array in self._centers) + self._rooms.nbytes if self.ready else 0)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        if not self.ready:
            return 0
        scratch = _nbytes(self._scratch)
        return self._streams.nbytes + scratch + self._around.nbytes + self._told.nbytes


def _nbytes(arrays: Iterable[Any]) -> int:
    """Return the bytes of arrays, and of arrays in them."""
    return sum(_nbytes(one) if isinstance(one, tuple) else int(one.nbytes) for one in arrays)
