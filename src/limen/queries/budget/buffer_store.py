"""Arrays of a shared buffer that grow with queries, objects, streams, and cells of the grid."""

import numpy as np

from limen.arrays import Floats, Ints, Slots
from limen.growable import larger_size
from limen.queries.answer.grid_frame import outside, spread
from limen.queries.answer.kernels.around import NEAREST
from limen.queries.answer.kernels.layout import IdText
from limen.queries.answer.kernels.linked_lists import attach
from limen.queries.answer.member_slab import MemberSlab, ranges_of
from limen.queries.budget.buffer_columns import cells_in, frame_over, records_of, scratch_of, with_rows
from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.layout import FREE, Accounting, Buffer
from limen.queries.budget.kernels.registration import lay
from limen.queries.budget.kernels.shedding import NOT_NOW
from limen.regions.owners import BoundStreams
from limen.runtime.ids import Ids

MOST_REFERENCES = 1024  # counted separately
MANY_OUTSIDE = 8  # the grid is laid anew when one in so many rows is beyond it
FEWEST_OBJECTS = 1024  # the least capacity
FEWEST_ENTRIES = 1024  # of queries in cells, that there is room for
NO_CELLS = (0, -1, 0, -1)


class BufferStore:
    """Arrays that grow."""

    def __init__(self, dimensions: int, rules: BudgetRules, *, lonlat: bool = False) -> None:
        self.dimensions, self.lonlat, self.rules = dimensions, lonlat, rules
        self.axes = max(dimensions, 2)  # streams on a line are on a plane, at the height of 0
        self.owners = BoundStreams()
        self._member_slab = MemberSlab()
        self._known = 0  # streams
        self._laid_for = -1  # objects; -1 before there is a grid
        accounting = Accounting(
            counts=np.zeros(layout.COUNTS, np.int64),
            shedding=np.array([NOT_NOW, 1, 0, NOT_NOW, NOT_NOW, 0, 0, 2, 0, NOT_NOW]),
            rule=rules.as_row(),
            tally=np.zeros(MOST_REFERENCES + 1, np.int64),
        )
        accounting.counts[layout.VACANT] = -1
        nothing = np.empty(0, np.int32)
        self.arrays = Buffer(
            queries=records_of(2, layout.query_record(self.axes)),
            objects=records_of(0, layout.object_record(self.axes)),
            streams=records_of(0, layout.STREAM),
            cells=cells_in(frame_over(np.zeros(2), np.zeros(2), 1), 0),
            accounting=accounting,
            scratch=scratch_of(2, 0, 0),
            edges=np.empty((0, 4)),
            listed=nothing,
            members=nothing,
            names=IdText(np.zeros(1, np.int64), np.empty(0, np.uint8)),
            name_hashes=np.empty((0, 2), np.uint64),
            lonlat=lonlat,
            dimensions=dimensions,
        )

    # ---- room --------------------------------------------------------------------------------------------------------

    def have_queries(self, queries: int) -> None:
        """Ensure room for a number of queries, and for the spare row that holds a previous version."""
        queries_now = self.arrays.queries
        if queries >= len(queries_now):
            queries_now["kind"][-1] = queries_now["focal"][-1] = queries_now["listed_count"][-1] = -1
            queries_now["found"][-1], queries_now["edge_count"][-1] = layout.NOWHERE, 0
            rows = larger_size(len(queries_now), queries + 1)
            self.arrays = self.arrays._replace(queries=with_rows(queries_now, rows))
            self._set_scratch(0)

    def have_objects(self, more: int) -> None:
        """Ensure room for more objects, and for as many entries of an instant."""
        arrays, count = self.arrays, self.arrays.accounting.counts
        room = len(arrays.objects)
        short = more - (room - int(count[layout.OBJECTS] + count[layout.GHOSTS]))
        if short > 0:
            rows = larger_size(room, room + short)
            larger = with_rows(arrays.objects, rows)
            larger["after"][room:] = np.arange(room + 1, rows + 1)
            larger["after"][-1] = count[layout.VACANT]
            count[layout.VACANT] = room
            self.arrays = arrays._replace(objects=larger)
        if short > 0 or more >= len(arrays.scratch.entries):
            self._set_scratch(more)
        if short > 0:
            self._reallocate_members()

    def give_back(self) -> None:
        """Shrink the array of objects after most streams turned out to be insignificant."""
        arrays, counts = self.arrays, self.arrays.accounting.counts
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
        taken = ranges_of(first, count)
        arrays.members[taken] = number[arrays.members[taken]]
        counts[layout.VACANT] = -1
        scratch = scratch_of(len(arrays.queries), len(objects), 0)
        self.arrays = arrays._replace(objects=objects, scratch=scratch)
        self._lay(arrays.cells.frame)
        self._reallocate_members()

    def have_streams(self, ids: Ids, streams: int) -> None:
        """Ensure room for streams and their ids; new streams may have ghosts."""
        have = len(self.arrays.streams)
        if streams > have:
            self.arrays = self.arrays._replace(streams=with_rows(self.arrays.streams, larger_size(have, streams)))
        self.arrays = self.arrays._replace(names=IdText(*ids.text()), name_hashes=ids.hashes)
        before, self._known = self._known, min(streams, len(ids))
        if self._known > before:
            self.relink_ghosts(before, self._known)

    def relink_ghosts(self, first: int, last: int) -> None:
        """Link ghosts of evicted streams to these streams, if they have returned."""
        objects = self.arrays.objects
        orphans = np.flatnonzero((objects["mode"] != FREE) & (objects["stream"] < 0))
        if not len(orphans):
            return
        names = self.arrays.name_hashes[first:last, 0]
        order = np.argsort(names)
        place = np.minimum(np.searchsorted(names[order], objects["name"][orphans]), len(names) - 1)
        stream = order[place]
        found = names[stream] == objects["name"][orphans]
        objects["stream"][orphans[found]] = first + stream[found]
        self.arrays.streams["object"][first + stream[found]] = orphans[found]

    def _set_scratch(self, entries: int) -> None:
        arrays = self.arrays
        entries = max(entries, len(arrays.scratch.entries) - 1)
        scratch = scratch_of(len(arrays.queries), len(arrays.objects), entries)
        self.arrays = arrays._replace(scratch=scratch)

    # ---- the grid ----------------------------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether there is a grid: it is made with the first objects."""
        return self._laid_for >= 0

    def lay_for(self, points: Floats) -> None:
        """Lay another grid if this one does not suit objects that are about to come to some points."""
        cells, count = self.arrays.cells, self.arrays.accounting.counts
        entries = int(count[layout.CELL_ENTRIES])
        soon = int(count[layout.OBJECTS]) + len(points)
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
        queries, counts = self.arrays.queries, self.arrays.accounting.counts
        room = max(2 * int(counts[layout.CELL_ENTRIES]), 4 * len(queries), room)
        queries["found"] = layout.NOWHERE
        counts[layout.CELL_ENTRIES] = 0
        self.arrays = self.arrays._replace(cells=cells_in(frame, room))
        lay(self.arrays)

    def forget(self) -> None:
        """Remove all objects, and reset the counts of queries."""
        arrays, counts = self.arrays, self.arrays.accounting.counts
        counts[[layout.OBJECTS, layout.GHOSTS, layout.CELL_ENTRIES, layout.MEMBERS]] = 0
        counts[layout.VACANT] = -1
        arrays.accounting.tally[:] = 0
        arrays.streams["object"] = -1
        for name in ("stored", "rim", "shadows", "member_count", "found"):
            arrays.queries[name] = 0
        arrays.queries["cells"] = NO_CELLS
        cells = cells_in(frame_over(np.zeros(2), np.zeros(2), 1), 0)
        self.arrays = arrays._replace(objects=records_of(0, layout.object_record(self.axes)), cells=cells)
        self._laid_for, self._known = -1, 0

    # ---- what queries refer to ---------------------------------------------------------------------------------------

    def refer(self, slots: Slots) -> None:
        """Link new queries with their focal streams, list the streams they are about, give them room for members."""
        queries = self.arrays.queries
        self._attach(slots[queries["focal"][slots] >= 0])
        if (queries["listed_count"][slots] >= 0).any():
            self.list_all()
        nearest = slots[queries["kind"][slots] == NEAREST]
        queries["member_first"][nearest] = self._member_slab.give(nearest, self._sizes(nearest))
        self.arrays = self.arrays._replace(members=self._member_slab.members)
        if self._member_slab.wasteful:
            self._reallocate_members()

    def put_edges(self, slots: Slots, edges: Floats, counts: Ints) -> None:
        """Store the edges of the shapes of new queries; close the gaps that removed queries left, if these are many."""
        queries, have = self.arrays.queries, self.arrays.edges
        queries["edge_first"][slots], queries["edge_count"][slots] = len(have) + np.cumsum(counts) - counts, counts
        self.arrays = self.arrays._replace(edges=np.concatenate([have, edges]) if len(edges) else have)
        if len(self.arrays.edges) > 2 * int(queries["edge_count"][:-1].sum()) + 4096:
            used = np.flatnonzero(queries["edge_count"][:-1]).astype(np.int32)
            closed, counts = self.edges_of(used)
            queries["edge_first"][used] = np.cumsum(counts) - counts
            self.arrays = self.arrays._replace(edges=closed)

    def edges_of(self, slots: Slots) -> tuple[Floats, Ints]:
        """Return the edges of the shapes of queries, one after another, and how many each has."""
        queries = self.arrays.queries
        counts: Ints = queries["edge_count"][slots]
        return self.arrays.edges[ranges_of(queries["edge_first"][slots], counts)], counts

    def _attach(self, slots: Slots) -> None:
        queries = self.arrays.queries
        attach(queries["focal"], queries["next_around"], self.arrays.streams["around"], slots)

    def free_members(self, slots: Slots) -> None:
        """Take back the room for members of queries."""
        self._member_slab.drop(slots[self.arrays.queries["kind"][slots] == NEAREST])

    def list_all(self) -> None:
        """Find anew which streams queries are about, of those that are not about all."""
        queries = self.arrays.queries
        bound = np.flatnonzero(queries["listed_count"][:-1] >= 0).astype(np.int32)
        streams, counts = self.owners.of(bound)
        queries["listed_first"][bound] = np.cumsum(counts) - counts
        of_query = np.repeat(np.arange(len(counts)), counts)
        self.arrays = self.arrays._replace(listed=streams[np.lexsort((streams, of_query))])

    def _sizes(self, nearest: Slots) -> Ints:
        wanted: Ints = self.arrays.queries["wanted"][nearest]
        return np.minimum(wanted, max(len(self.arrays.objects), 1))

    def _reallocate_members(self) -> None:
        """Give room for members again: for another number of objects, or to tidy up."""
        queries, old = self.arrays.queries, self._member_slab
        nearest = np.flatnonzero(queries["kind"][:-1] == NEAREST).astype(np.int32)
        before, counts = queries["member_first"][nearest], queries["member_count"][nearest]
        self._member_slab = MemberSlab()
        queries["member_first"][nearest] = self._member_slab.give(nearest, self._sizes(nearest))
        self._member_slab.copy(old, before, queries["member_first"][nearest], counts)
        self.arrays = self.arrays._replace(members=self._member_slab.members)

    def renumber(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one, -1 for one that is gone."""
        queries, objects = self.arrays.queries, self.arrays.objects
        moving = queries["focal"][:-1] >= 0
        queries["focal"][:-1][moving] = number[queries["focal"][:-1][moving]]
        self.owners.renumber(number)
        known = (objects["mode"] != FREE) & (objects["stream"] >= 0)
        objects["stream"][known] = number[objects["stream"][known]]
        self._known = int(number.max(initial=-1)) + 1
        self.arrays = self.arrays._replace(streams=records_of(self._known, layout.STREAM))
        known &= objects["stream"] >= 0
        self.arrays.streams["object"][objects["stream"][known]] = np.flatnonzero(known)
        self._attach(np.flatnonzero(moving).astype(np.int32))
        self.list_all()

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        arrays = self.arrays
        own = arrays.queries.nbytes + sum(column.nbytes for column in arrays.cells)
        return own + self.owners.nbytes + arrays.edges.nbytes + self._member_slab.nbytes + arrays.listed.nbytes

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        arrays = self.arrays
        return arrays.objects.nbytes + arrays.streams.nbytes + sum(column.nbytes for column in arrays.scratch)
