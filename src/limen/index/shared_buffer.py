"""A shared buffer: queries, and of the streams those that matter to some query; answers kept up to date.

It is the memory that queries share: a stream is kept once, with the number of queries that want it, and forgotten when
none does. See `limen.kernels.buffer_instants` for what happens when a stream reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from limen.index.asked import Asked
from limen.index.buffer_store import NO_CELLS, BufferStore
from limen.index.centered import Changes
from limen.index.frame import on_a_plane
from limen.kernels import buffer_arrays as places
from limen.kernels.around import NEAREST
from limen.kernels.buffer_accuracy import measure
from limen.kernels.buffer_arrays import SHADOW, STORED, Books
from limen.kernels.buffer_books import assess, needed, taken_by_queries, used
from limen.kernels.buffer_cells import detach
from limen.kernels.buffer_instants import play
from limen.kernels.buffer_settling import answers_of, dismiss, let_some_go, put_objects, settle
from limen.kernels.buffer_shedding import set_shares
from limen.kernels.object_grid import PRESENT

if TYPE_CHECKING:
    from limen.index.buffer_rules import Rules
    from limen.index.ids import Ids
    from limen.kernels.answer_arrays import Line

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

SOME = 1024  # rows of room for changes, to begin with


class Kept(NamedTuple):
    """Objects as they are written: of streams in the stream table, and shadows; and the grid they are in."""

    stored: Slots  # streams
    shadow_name: npt.NDArray[np.uint64]
    shadow_point: Floats
    shadow_seen: Ints
    grid: Floats  # as `BufferStore.grid`; what earlier versions wrote has none


class SharedBuffer:
    """Queries by slot, and the objects that are kept for them."""

    def __init__(self, dimensions: int, rules: Rules, *, lonlat: bool = False) -> None:
        self.dimensions, self.lonlat = dimensions, lonlat
        self.count = 0
        self._free: list[int] = []
        self._used = 0
        self._store = BufferStore(dimensions, rules, lonlat=lonlat)
        self._told = np.empty((SOME, 6), np.int32)

    def __len__(self) -> int:
        return self.count

    @property
    def ready(self) -> bool:
        """Whether there is anything to ask."""
        return self._store.ready

    # ---- queries -----------------------------------------------------------------------------------------------------

    def insert(self, new: Asked, ids: Ids, streams: int) -> Slots:
        """Add queries, let them look at what is stored, and return their slots. There are so many streams now."""
        n, store = len(new), self._store
        reused = [self._free.pop() for _ in range(min(n, len(self._free)))]
        slots = np.array([*reused, *range(self._used, self._used + n - len(reused))], np.int32)
        self._used += n - len(reused)
        if not store.ready:
            store.lay_for(np.empty((0, store.axes)))
        store.have_queries(self._used)
        store.have_streams(ids, streams)
        queries = store.arrays.queries
        queries["kind"][slots], queries["focal"][slots], queries["limit"][slots] = new.kind, new.focal, new.limit
        region = np.isin(new.kind, (places.FIXED, places.SHAPE))  # they have bounds, and need no center
        queries["center"][slots] = on_a_plane(np.where(region[:, None], 0.0, new.center))
        queries["half"][slots] = new.half if self.dimensions > 1 else new.half[:, [0, 0]]
        queries["wanted"][slots], queries["margin"][slots], queries["least"][slots] = new.wanted, new.margin, new.least
        queries["bounds"][slots] = (-np.inf, np.inf)
        queries["bounds"][slots, : self.dimensions] = new.bounds
        queries["edge_first"][slots], queries["edge_count"][slots] = store.edges.put(slots, new.edges, new.edge_counts)
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
        self._told = settle(store.arrays, slots, self._told)
        return slots

    def remove(self, slots: Slots) -> None:
        """Take queries out, and forget whom nobody wants any more."""
        store = self._store
        queries = store.arrays.queries
        focal = queries["focal"][slots]
        self._told = dismiss(store.arrays, slots, self._told)
        detach(queries, store.arrays.streams, slots)
        let_some_go(store.arrays, focal[focal >= 0])
        bound = slots[queries["listed_count"][slots] >= 0]
        store.owners.drop(bound)
        store.edges.drop(slots)
        store.drop_rooms(slots)
        self._count(slots, -1)
        self.books.counts[places.MEMBERS] -= int(queries["member_count"][slots].sum())
        queries["member_count"][slots] = 0
        queries["kind"][slots] = queries["focal"][slots] = queries["listed_count"][slots] = -1
        self._free += slots.tolist()
        if len(bound):
            store.list_all()

    def queries(self, slots: Slots) -> Asked:
        """Return queries in the form in which they are inserted."""
        own, axes = self._store.arrays.queries, slice(self.dimensions)
        listed, _ = self._store.owners.of(slots[own["listed_count"][slots] >= 0])
        focal, kind = own["focal"][slots], own["kind"][slots]
        nowhere = (focal >= 0) | np.isin(kind, (places.FIXED, places.SHAPE))
        return Asked(
            kind, focal, np.where(nowhere[:, None], np.nan, own["center"][slots, axes]), own["half"][slots],
            np.where(kind == NEAREST, np.inf, own["limit"][slots]), own["wanted"][slots], own["bounds"][slots, axes],
            *self._store.edges.of(slots), own["margin"][slots], own["least"][slots], listed, own["listed_count"][slots],
        )  # fmt: skip

    def is_nearest(self, slot: int) -> bool:
        """Whether the query in a slot asks for the nearest."""
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

    def play(self, line: Line, time: Ints, ids: Ids, streams: int) -> Changes:
        """Play a line of entries, each with its time, and return how answers change. There are so many streams now."""
        store = self._store
        line = line._replace(point=on_a_plane(line.point))
        store.have_streams(ids, streams)
        store.have_objects(len(line.stream))
        store.lay_for(line.point[line.code == PRESENT])
        count, self._told = play(store.arrays, line, time, self._told)
        found = self._told[:count]
        query, stream, adds, entry, row, shed = (np.ascontiguousarray(found[:, column]) for column in range(6))
        store.give_back()
        told = Changes(query, stream, adds == 1, entry.astype(np.int64), row.astype(np.int64), shed == 1)
        return told if self.books.rule[places.SHEDDING] == places.NO_SHEDDING else _net(told, line.instant)

    def answers(self, slots: Slots) -> tuple[Ints, Slots]:
        """Return the answers of queries: places among `slots`, and streams."""
        count, out = answers_of(self._store.arrays, slots, np.empty((SOME, 2), np.int32))
        return out[:count, 0].astype(np.int64), out[:count, 1].copy()

    def is_stored(self, streams: Slots) -> Mask:
        """Tell which streams are stored."""
        arrays = self._store.arrays
        stored = np.zeros(len(streams), np.bool_)
        known = np.flatnonzero(streams < len(arrays.streams))
        found = arrays.streams["object"][streams[known]]
        stored[known] = (found >= 0) & (arrays.objects["mode"][found] == STORED if len(arrays.objects) else False)
        return stored

    def kept(self) -> Kept:
        """Return what `fill` needs to become the same."""
        objects = self._store.arrays.objects
        shadows = np.flatnonzero(objects["mode"] == SHADOW)
        return Kept(
            np.sort(objects["stream"][objects["mode"] == STORED]), objects["name"][shadows],
            objects["point"][shadows][:, : self.dimensions], objects["seen"][shadows], self._store.grid,
        )  # fmt: skip

    def fill(self, kept: Kept, points: Floats, seen: Ints, looked_for: Mask, ids: Ids, streams: int) -> None:
        """Begin with what was kept: of streams that are stored, where they are, since when, and who looks for them."""
        store, shadows = self._store, len(kept.shadow_name)
        store.forget()
        store.have_streams(ids, streams)
        store.have_objects(len(kept.stored) + shadows)
        points, shadow_points = on_a_plane(points), on_a_plane(kept.shadow_point)
        if len(kept.grid):
            store.lay_again(kept.grid)
        else:
            store.lay_for(np.concatenate([points[looked_for], shadow_points]))
        names = ids.hashes[kept.stored, 0]
        put_objects(store.arrays, kept.stored, names, points, seen, looked_for, STORED)
        put_objects(
            store.arrays, np.full(shadows, -1, np.int32), kept.shadow_name, shadow_points, kept.shadow_seen,
            np.ones(shadows, np.bool_), SHADOW,
        )  # fmt: skip
        store.find_shadows(0, len(ids))
        self._told = settle(store.arrays, np.flatnonzero(self.alive).astype(np.int32), self._told)

    def forget_objects(self) -> None:
        """Forget all that is kept but queries."""
        self._store.forget()

    def resume(self, counts: Ints, shedding: Ints, share: float, own: tuple[Slots, Floats]) -> None:
        """Go on counting and shedding where books were written; objects are given to `fill`.

        `own` has the slots of queries with a least accuracy, and their shares.
        """
        books = self.books
        for each in (places.CLOCK, places.TOO_FAST, places.INSIGNIFICANT, places.SHED):
            books.counts[each] = counts[each]
        books.shedding[: len(shedding)] = shedding  # earlier versions wrote fewer
        books.rule[places.SHARE] = share
        queries, (slots, shares) = self._store.arrays.queries, own
        set_shares(queries, np.flatnonzero(self.alive).astype(np.int32), share)
        queries["share"][slots] = shares

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one, -1 for one that is gone."""
        self._store.renumber(number)

    # ---- figures -----------------------------------------------------------------------------------------------------

    @property
    def books(self) -> Books:
        """What is counted, and what is being shed."""
        return self._store.arrays.books

    @property
    def share(self) -> float:
        """What is left of the areas of queries that have no least accuracy."""
        return float(self.books.rule[places.SHARE])

    def own_shares(self) -> tuple[Slots, Floats]:
        """Return the slots of queries with a least accuracy, and what is left of their areas."""
        queries = self._store.arrays.queries
        slots = np.flatnonzero(self.alive & (queries["least"][:-1] > 0)).astype(np.int32)
        return slots, queries["share"][slots]

    @property
    def used(self) -> float:
        """Bytes in use, by count."""
        return float(used(self.books))

    @property
    def needed(self) -> float:
        """Bytes that would be in use with all that is missed, by count."""
        return float(needed(self._store.arrays, 0.0))

    @property
    def taken_by_queries(self) -> float:
        """Bytes that queries take, of those in use."""
        return float(taken_by_queries(self.books))

    def assess(self, slots: Slots) -> Floats:
        """Return of queries (n, 5): objects, who is missed, accuracy in percent, share of the area, if it is locked."""
        out = np.empty((len(slots), 5))
        assess(self._store.arrays, slots, out)
        return out

    def measure(self, slots: Slots, position: Floats) -> Ints:
        """Return of queries (n, 2) how many streams are due in the answer, and how many of these are in it.

        `position` (streams, dimensions) is where all are that anyone looks for, stored or not; NaN for others.
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
        return self._store.nbytes_streams + self._told.nbytes

    def _count(self, slots: Slots, sign: int) -> None:
        """Count queries that come, or go, and what each has its own of."""
        self.count += sign * len(slots)
        self.books.counts[places.QUERIES] = self.count
        queries = self._store.arrays.queries
        listed = int(np.maximum(queries["listed_count"][slots], 0).sum())
        self.books.counts[places.DETAILS] += sign * details_bytes(int(queries["edge_count"][slots].sum()), listed)


def details_bytes(edges: int, listed: int) -> int:
    """Return the bytes that edges of shapes, and streams that queries are about, take."""
    return 4 * 8 * edges + 4 * listed


def _net(told: Changes, instant: Ints) -> Changes:
    """Leave of what was told of one query and stream in one instant only what it comes to: one change, or none.

    What shedding takes may have come in the same instant, or come back as one of the nearest.
    """
    when = instant[told.entry]
    order = np.lexsort((np.arange(len(when)), told.stream, told.query, when))
    column = [each[order] for each in (when, told.query, told.stream)]
    first = np.ones(len(order), np.bool_)
    first[1:] = np.any([each[1:] != each[:-1] for each in column], axis=0)
    begin = np.flatnonzero(first)
    if len(begin) == len(order):
        return told
    counts = np.diff(np.append(begin, len(order)))
    shed = np.logical_or.reduceat(np.asarray(told.shed)[order], begin)
    odd = counts % 2 == 1
    last = order[(begin + counts - 1)[odd]]
    query, stream, adds, entry, row = (each[last] for each in told[:5])
    return Changes(query, stream, adds, entry, row, shed[odd] & ~adds)
