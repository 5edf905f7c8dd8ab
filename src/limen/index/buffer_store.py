"""The arrays of a shared buffer, and room in them: for queries, objects, streams, and cells of the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.index.buffer_columns import (
    cells_in,
    desk_of,
    frame_over,
    objects_of,
    queries_of,
    streams_of,
    with_rows,
)
from limen.index.edge_lists import EdgeLists
from limen.index.frame import outside, spread
from limen.index.listed import sorted_lists
from limen.index.owners import Owners
from limen.index.rooms import Rooms
from limen.kernels import buffer_arrays as places
from limen.kernels.around import NEAREST
from limen.kernels.buffer_arrays import FREE, Books, Buffer
from limen.kernels.buffer_cells import attach
from limen.kernels.buffer_settling import lay
from limen.kernels.buffer_shedding import NOT_NOW

if TYPE_CHECKING:
    from limen.index.buffer_rules import Rules
    from limen.index.ids import Ids

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

MOST_REFERENCES = 1024  # that are told apart
MANY_OUTSIDE = 8  # the grid is laid anew when one in so many rows is beyond it
FEWEST_OBJECTS = 1024  # that there may always be room for
FEWEST_ENTRIES = 1024  # of queries in cells, that there is room for
NO_CELLS = (0, -1, 0, -1)


class BufferStore:
    """Arrays that grow."""

    def __init__(self, dimensions: int, rules: Rules, *, lonlat: bool = False) -> None:
        self.dimensions, self.lonlat, self.rules = dimensions, lonlat, rules
        self.axes = max(dimensions, 2)  # streams on a line are on a plane, at the height of 0
        self.owners, self.edges = Owners(), EdgeLists()
        self._rooms = Rooms()
        self._known = 0  # streams
        self._laid_for = -1  # objects; -1 before there is a grid
        books = Books(
            counts=np.zeros(places.COUNTS, np.int64),
            shedding=np.array([NOT_NOW, 1, 0, NOT_NOW, NOT_NOW, 0, 0, 2, 0, NOT_NOW]),
            rule=rules.as_row(),
            tally=np.zeros(MOST_REFERENCES + 1, np.int64),
        )
        books.counts[places.VACANT] = -1
        nobody = np.empty(0, np.int32)
        self.arrays = Buffer(
            queries=queries_of(2, self.axes),
            objects=objects_of(0, self.axes),
            streams=streams_of(0),
            cells=cells_in(frame_over(np.zeros(2), np.zeros(2), 1), 0),
            books=books,
            desk=desk_of(2, 0, 0),
            edges=self.edges.all,
            listed=nobody,
            members=nobody,
            name_starts=np.zeros(1, np.int64),
            name_text=np.empty(0, np.uint8),
            name_hashes=np.empty((0, 2), np.uint64),
            lonlat=lonlat,
            dimensions=dimensions,
        )

    # ---- room --------------------------------------------------------------------------------------------------------

    def have_queries(self, queries: int) -> None:
        """Have room for so many queries in all, and one that is nobody's."""
        asking = self.arrays.queries
        if queries >= len(asking):
            asking["kind"][-1] = asking["focal"][-1] = asking["listed_count"][-1] = -1
            asking["found"][-1] = places.NOWHERE
            self.arrays = self.arrays._replace(queries=with_rows(asking, max(queries + 1, len(asking) * 5 // 4)))
            self._set_desk(0)

    def have_objects(self, more: int) -> None:
        """Have room for so many more objects, and for as many entries of an instant."""
        arrays, count = self.arrays, self.arrays.books.counts
        room = len(arrays.objects)
        short = more - (room - int(count[places.OBJECTS] + count[places.SHADOWS]))
        if short > 0:
            rows = max(room + short, room * 5 // 4)
            larger = with_rows(arrays.objects, rows)
            larger["after"][room:] = np.arange(room + 1, rows + 1)
            larger["after"][-1] = count[places.VACANT]
            count[places.VACANT] = room
            self.arrays = arrays._replace(objects=larger)
        if short > 0 or more >= len(arrays.desk.entries):
            self._set_desk(more)
        if short > 0:
            self._give_rooms_anew()

    def give_back(self) -> None:
        """Give back most of the room that streams took which have turned out to matter to nobody."""
        arrays, counts = self.arrays, self.arrays.books.counts
        stay = np.flatnonzero(arrays.objects["mode"] != FREE)
        if len(arrays.objects) <= 4 * len(stay) + FEWEST_OBJECTS:
            return
        number = np.full(len(arrays.objects), -1, np.int32)
        number[stay] = np.arange(len(stay))
        objects = arrays.objects[stay]
        known = objects["stream"] >= 0
        arrays.streams["object"][objects["stream"][known]] = np.flatnonzero(known)
        nearest = np.flatnonzero(arrays.queries["kind"][:-1] == NEAREST).astype(np.int32)
        first, count = arrays.queries["member_first"][nearest], arrays.queries["member_count"][nearest]
        taken = np.repeat(first, count) + np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        arrays.members[taken] = number[arrays.members[taken]]
        counts[places.VACANT] = -1
        desk = desk_of(len(arrays.queries), len(objects), 0)
        self.arrays = arrays._replace(objects=objects, desk=desk)
        self._lay(arrays.cells.frame)
        self._give_rooms_anew()

    def have_streams(self, ids: Ids, streams: int) -> None:
        """Know so many streams, and their names; those that come may be known as shadows."""
        have = len(self.arrays.streams)
        if streams > have:
            self.arrays = self.arrays._replace(streams=with_rows(self.arrays.streams, max(streams, have * 5 // 4)))
        starts, text = ids.text()
        self.arrays = self.arrays._replace(name_starts=starts, name_text=text, name_hashes=ids.hashes)
        before, self._known = self._known, min(streams, len(ids))
        if self._known > before:
            self.find_shadows(before, self._known)

    def find_shadows(self, first: int, last: int) -> None:
        """Give shadows whose streams had been forgotten their streams, if they are among some that came."""
        objects = self.arrays.objects
        estranged = np.flatnonzero((objects["mode"] != FREE) & (objects["stream"] < 0))
        if not len(estranged):
            return
        names = self.arrays.name_hashes[first:last, 0]
        order = np.argsort(names)
        place = np.minimum(np.searchsorted(names[order], objects["name"][estranged]), len(names) - 1)
        stream = order[place]
        found = names[stream] == objects["name"][estranged]
        objects["stream"][estranged[found]] = first + stream[found]
        self.arrays.streams["object"][first + stream[found]] = estranged[found]

    def _set_desk(self, entries: int) -> None:
        arrays = self.arrays
        entries = max(entries, len(arrays.desk.entries) - 1)
        desk = desk_of(len(arrays.queries), len(arrays.objects), entries)
        self.arrays = arrays._replace(desk=desk)

    # ---- the grid ----------------------------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether there is a grid: objects and queries have met."""
        return self._laid_for >= 0

    def lay_for(self, points: Floats) -> None:
        """Lay another grid if this one does not suit objects that are about to come to some points."""
        cells, count = self.arrays.cells, self.arrays.books.counts
        entries = int(count[places.CELL_ENTRIES])
        soon = int(count[places.OBJECTS]) + len(points)
        far = MANY_OUTSIDE * outside(cells.frame, points) > len(points) + 64
        if not self.ready or soon > 4 * self._laid_for + 64 or far:
            objects = self.arrays.objects
            low, high = spread(np.concatenate([objects["point"][objects["cell"] >= 0], points]))
            self._lay(frame_over(low, high, self.rules.cells_a_side))
            self._laid_for = soon
        elif cells.vacant[1] <= entries // 4:
            self._lay(cells.frame)

    @property
    def grid(self) -> Floats:
        """What `lay_again` needs: frame, objects it was laid for, and room for entries. Nothing before there is one."""
        cells = self.arrays.cells
        return np.append(cells.frame.ravel(), [self._laid_for, len(cells.entries)]) if self.ready else np.empty(0)

    def lay_again(self, grid: Floats) -> None:
        """Lay a grid as it was: what queries take depends on it, and so does shedding."""
        self._lay(grid[:6].reshape(2, 3).copy(), int(grid[7]))
        self._laid_for = int(grid[6])

    def _lay(self, frame: Floats, room: int = FEWEST_ENTRIES) -> None:
        """Put all objects and queries into another grid, with room for as many entries of queries again."""
        queries, counts = self.arrays.queries, self.arrays.books.counts
        room = max(2 * int(counts[places.CELL_ENTRIES]), 4 * len(queries), room)
        queries["found"] = places.NOWHERE
        counts[places.CELL_ENTRIES] = 0
        self.arrays = self.arrays._replace(cells=cells_in(frame, room))
        lay(self.arrays)

    def forget(self) -> None:
        """Have no objects, and queries that have not looked around."""
        arrays, counts = self.arrays, self.arrays.books.counts
        counts[[places.OBJECTS, places.SHADOWS, places.CELL_ENTRIES, places.MEMBERS]] = 0
        counts[places.VACANT] = -1
        arrays.books.tally[:] = 0
        arrays.streams["object"] = -1
        for name in ("stored", "rim", "shadows", "member_count", "found"):
            arrays.queries[name] = 0
        arrays.queries["cells"] = NO_CELLS
        cells = cells_in(frame_over(np.zeros(2), np.zeros(2), 1), 0)
        self.arrays = arrays._replace(objects=objects_of(0, self.axes), cells=cells)
        self._laid_for, self._known = -1, 0

    # ---- what queries refer to ---------------------------------------------------------------------------------------

    def refer(self, slots: Slots) -> None:
        """Link new queries with their focal streams, list the streams they are about, give them room for members."""
        queries = self.arrays.queries
        attach(queries, self.arrays.streams, slots[queries["focal"][slots] >= 0])
        if (queries["listed_count"][slots] >= 0).any():
            self.list_all()
        nearest = slots[queries["kind"][slots] == NEAREST]
        queries["member_first"][nearest] = self._rooms.give(nearest, self._sizes(nearest))
        if self.edges.wasteful:
            alive = np.flatnonzero(queries["kind"][:-1] >= 0).astype(np.int32)
            queries["edge_first"][alive] = self.edges.close_gaps(alive)
        self.arrays = self.arrays._replace(members=self._rooms.members, edges=self.edges.all)
        if self._rooms.wasteful:
            self._give_rooms_anew()

    def drop_rooms(self, slots: Slots) -> None:
        """Take back the room for members of queries."""
        self._rooms.drop(slots[self.arrays.queries["kind"][slots] == NEAREST])

    def list_all(self) -> None:
        """Find anew which streams queries are about, of those that are not about all."""
        queries = self.arrays.queries
        bound = np.flatnonzero(queries["listed_count"][:-1] >= 0).astype(np.int32)
        streams, counts = self.owners.of(bound)
        queries["listed_first"][bound] = np.cumsum(counts) - counts
        self.arrays = self.arrays._replace(listed=sorted_lists(streams, counts))

    def _sizes(self, nearest: Slots) -> Ints:
        wanted: Ints = self.arrays.queries["wanted"][nearest]
        return np.minimum(wanted, max(len(self.arrays.objects), 1))

    def _give_rooms_anew(self) -> None:
        """Give room for members again: for another number of objects, or to tidy up."""
        queries, old = self.arrays.queries, self._rooms.members
        nearest = np.flatnonzero(queries["kind"][:-1] == NEAREST).astype(np.int32)
        before, counts = queries["member_first"][nearest], queries["member_count"][nearest]
        self._rooms = Rooms()
        queries["member_first"][nearest] = self._rooms.give(nearest, self._sizes(nearest))
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        now = np.repeat(queries["member_first"][nearest], counts) + within
        self._rooms.members[now] = old[np.repeat(before, counts) + within]
        self.arrays = self.arrays._replace(members=self._rooms.members)

    def renumber(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one, -1 for one that is gone."""
        queries, objects = self.arrays.queries, self.arrays.objects
        moving = queries["focal"][:-1] >= 0
        queries["focal"][:-1][moving] = number[queries["focal"][:-1][moving]]
        self.owners.renumber(number)
        known = (objects["mode"] != FREE) & (objects["stream"] >= 0)
        objects["stream"][known] = number[objects["stream"][known]]
        self._known = int(number.max(initial=-1)) + 1
        self.arrays = self.arrays._replace(streams=streams_of(self._known))
        known &= objects["stream"] >= 0
        self.arrays.streams["object"][objects["stream"][known]] = np.flatnonzero(known)
        attach(queries, self.arrays.streams, np.flatnonzero(moving).astype(np.int32))
        self.list_all()

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        arrays = self.arrays
        own = arrays.queries.nbytes + sum(column.nbytes for column in arrays.cells)
        return own + self.owners.nbytes + self.edges.nbytes + self._rooms.nbytes + arrays.listed.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        arrays = self.arrays
        return arrays.objects.nbytes + arrays.streams.nbytes + sum(column.nbytes for column in arrays.desk)
