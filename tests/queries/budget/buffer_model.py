"""A shared buffer by looking at every stream for every query, and one that is played beside it."""

import math
from dataclasses import dataclass

import numpy as np

from limen.queries.answer.kernels.around import BOX, DISC, NEAREST
from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.buffered_queries import BufferedQueries
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.areas import interest
from limen.queries.budget.kernels.layout import FIXED, SHAPE
from limen.queries.budget.kernels.refresh import counts_ghost
from limen.queries.budget.shared_buffer import SharedBuffer
from limen.regions.shapes import edges_of_ring
from limen.runtime.ids import Ids
from tests.oracle.region import contains
from tests.queries.answer.moving_model import Entry, Picture, Point, Query, line_of


@dataclass
class Wanted(Query):
    """A query with a cache area."""

    margin: float = 0.0
    least: float = 0.0
    bounds: tuple[tuple[float, float], ...] = ()  # of a region that stays
    ring: tuple[Point, ...] = ()  # of a shape


def asked_of(queries: list[Wanted], dimensions: int, lonlat: bool) -> BufferedQueries:
    """Return queries as a buffer takes them."""
    nowhere, anywhere = (math.nan,) * dimensions, ((-math.inf, math.inf),) * dimensions
    edges = [edges_of_ring(np.array(each.ring)) if each.ring else np.empty((0, 4)) for each in queries]
    return BufferedQueries(
        kind=np.array([each.kind for each in queries], np.int8),
        focal=np.array([each.focal for each in queries], np.int32),
        center=np.array([each.center or nowhere for each in queries]).reshape(-1, dimensions),
        half=np.array([[side / 2 for side in each.size] for each in queries]).reshape(-1, 2),
        limit=np.array(
            [math.inf if each.kind != DISC else each.size[0] if lonlat else each.size[0] ** 2 for each in queries]
        ),
        wanted=np.array([each.k for each in queries], np.int64),
        bounds=np.array([each.bounds or anywhere for each in queries]).reshape(-1, dimensions, 2),
        edges=np.concatenate([np.empty((0, 4)), *edges]),
        edge_counts=np.array([len(each) for each in edges], np.int64),
        margin=np.array([each.margin for each in queries]),
        least=np.array([each.least for each in queries]),
        listed=np.array([stream for each in queries for stream in each.listed or ()], np.int32),
        counts=np.array([-1 if each.listed is None else len(each.listed) for each in queries], np.int64),
    )


class Kept(Picture):
    """Streams that are kept because they matter to some query."""

    def is_in(self, query: Wanted, center: Point, place: Point) -> bool:
        if query.kind == SHAPE:
            return contains({"type": "polygon", "shell": query.ring, "holes": []}, place, lonlat=False)
        if query.kind == FIXED:
            return all(low <= x < high for (low, high), x in zip(query.bounds, place, strict=True))
        return super().is_in(query, center, place)

    def answer(self, query: Wanted) -> set[int]:
        if query.kind in (FIXED, SHAPE):
            meant = [each for each in self.position if query.listed is None or each in query.listed]
            return {each for each in meant if self.is_in(query, (), self.position[each])}
        return super().answer(query)

    def interested(self, query: Wanted) -> set[int]:  # noqa: PLR0911  # one a kind
        """Who is in the region or the cache area."""
        center = query.center if query.focal < 0 else self.known.get(query.focal)
        if query.kind in (FIXED, SHAPE):
            center = ()
        if center is None:
            return set()
        members = self.answer(query)
        meant = {
            each for each in self.position if each != query.focal and (query.listed is None or each in query.listed)
        }
        if query.kind == NEAREST:
            if len(members) < query.k:
                return meant
            far = max(self.distance(center, self.position[each]) for each in members)
            reach = (far if self.lonlat else math.sqrt(far)) + query.margin
            limit = max(reach if self.lonlat else reach * reach, far)
            return {each for each in meant if self.distance(center, self.position[each]) <= limit}
        if not query.margin:
            return members
        if query.kind == DISC:
            reach = query.size[0] + query.margin
            limit = reach if self.lonlat else reach * reach
            return members | {each for each in meant if self.distance(center, self.position[each]) <= limit}
        if query.kind == BOX:
            wider = Query(BOX, size=tuple(side + 2 * query.margin for side in query.size))
            return members | {each for each in meant if super(Kept, self).is_in(wider, center, self.position[each])}
        bounds = query.bounds
        wide = [(low - query.margin, high + query.margin) for low, high in bounds]
        return {
            each
            for each in meant
            if all(low <= x < high for (low, high), x in zip(wide, self.position[each], strict=True))
        }

    def forget(self, queries: dict[int, Wanted]) -> dict[int, int]:
        """Forget whoever matters to nobody; return how many queries want each of the others."""
        references = dict.fromkeys(self.known, 0)
        for query in queries.values():
            for each in self.interested(query):
                references[each] += 1
        focals = {query.focal for query in queries.values()}
        for each in [each for each, count in references.items() if not count and each not in focals]:
            del references[each]
            del self.known[each]
            self.position.pop(each, None)
        return references


class Beside:
    """A buffer and, beside it, its queries by slot, and the picture of what is kept."""

    def __init__(self, names: list[str], dimensions: int, rules: BudgetRules, *, lonlat: bool = False) -> None:
        self.ids = Ids.of(names)
        self.buffer = SharedBuffer(dimensions, rules, lonlat=lonlat)
        self.picture = Kept(names, lonlat)
        self.queries: dict[int, Wanted] = {}
        self.answers: dict[int, set[int]] = {}
        self.time = 0
        self.dimensions, self.lonlat = dimensions, lonlat

    def insert(self, queries: list[Wanted]) -> None:
        slots = self.buffer.insert(asked_of(queries, self.dimensions, self.lonlat), self.ids, len(self.ids))
        for slot, query in zip(slots.tolist(), queries, strict=True):
            self.queries[slot] = query
            self.answers[slot] = self.picture.answer(query)
        self.compare()

    def remove(self, number: int) -> None:
        slot = sorted(self.queries)[number % len(self.queries)]
        self.buffer.remove(np.array([slot], np.int32))
        del self.queries[slot], self.answers[slot]
        self.compare()

    def renumber(self, order: list[int]) -> None:
        """Give streams other numbers: `order` has the old number of each."""
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order))
        self.buffer.renumber_streams(number)
        self.ids = Ids.of([self.picture.names[old] for old in order])
        self.buffer._store.have_streams(self.ids, len(order))
        self.picture.names = [self.picture.names[old] for old in order]
        for each in ("position", "known"):
            setattr(self.picture, each, {int(number[old]): at for old, at in getattr(self.picture, each).items()})
        for query in self.queries.values():
            query.focal = int(number[query.focal]) if query.focal >= 0 else -1
            query.listed = None if query.listed is None else [int(number[old]) for old in query.listed]
        self.answers = {slot: {int(number[old]) for old in answer} for slot, answer in self.answers.items()}
        self.compare()

    def play(self, instants: list[list[Entry]]) -> None:
        line = line_of(instants, self.dimensions)
        times = np.repeat(self.time + 1_000_000 * np.arange(len(instants)), [len(each) for each in instants])
        self.time += 1_000_000 * len(instants)
        changes = self.buffer.play(line, times, self.ids, len(self.ids))
        at = line.instant[changes.entry]
        for number, entries in enumerate(instants):
            chosen = np.flatnonzero(at == number)
            self.picture.take(entries)
            told = set()
            for query, stream, adds in zip(
                changes.query[chosen].tolist(), changes.stream[chosen].tolist(), changes.adds[chosen].tolist(),
                strict=True,
            ):  # fmt: skip
                assert (query, stream) not in told
                assert (stream in self.answers[query]) != adds
                told.add((query, stream))
                self.answers[query] ^= {stream}
            for slot, query in self.queries.items():
                assert self.answers[slot] == self.picture.answer(query), (slot, query)
            self.picture.forget(self.queries)
        self.compare()

    def compare(self) -> None:
        references = self.picture.forget(self.queries)
        slots = np.array(sorted(self.queries), np.int32)
        which, streams = self.buffer.answers(slots)
        found: dict[int, set[int]] = {slot: set() for slot in self.queries}
        for at, stream in zip(which.tolist(), streams.tolist(), strict=True):
            found[int(slots[at])].add(stream)
        assert found == self.answers
        assert references == references_of(self.buffer), (
            references,
            references_of(self.buffer),
            self.queries,
            self.picture,
        )
        check_books(self.buffer)


def references_of(buffer: SharedBuffer) -> dict[int, int]:
    objects = buffer._store.arrays.objects
    stored = np.flatnonzero(objects["mode"] == layout.STORED)
    return dict(zip(objects["stream"][stored].tolist(), objects["references"][stored].tolist(), strict=True))


def check_books(buffer: SharedBuffer) -> None:
    """Count everything again."""
    check_bytes(buffer)
    arrays = buffer._store.arrays
    objects, queries, count, tally = arrays.objects, arrays.queries, arrays.accounting.counts, arrays.accounting.tally
    stored, shadow = objects["mode"] == layout.STORED, objects["mode"] == layout.GHOST
    assert count[layout.OBJECTS] == stored.sum()
    assert count[layout.GHOSTS] == shadow.sum()
    alive = queries[:-1][queries["kind"][:-1] >= 0]
    assert count[layout.MEMBERS] == alive["member_count"].sum()
    assert count[layout.DETAILS] == 32 * alive["edge_count"].sum() + 4 * np.maximum(alive["listed_count"], 0).sum()
    assert np.array_equal(
        tally, np.bincount(np.minimum(objects["references"][stored], len(tally) - 1), minlength=len(tally))
    )
    known = np.flatnonzero((stored | shadow) & (objects["stream"] >= 0))
    assert np.array_equal(arrays.streams["object"][objects["stream"][known]], known)
    assert (arrays.streams["object"] >= 0).sum() == len(known)
    references = np.zeros(len(objects["mode"]), np.int64)
    for q in np.flatnonzero(queries["kind"][:-1] >= 0):
        there = np.flatnonzero((stored | shadow) & (objects["cell"] >= 0))
        where = np.array([interest(arrays, q, o) for o in there], np.int64)
        rim = there[(where == layout.RIM) & stored[there]]
        inside = np.setdiff1d(there[where != layout.OUT], rim)
        references[inside] += 1
        assert queries["stored"][q] == stored[inside].sum()
        assert queries["rim"][q] == len(rim)
        counted = [o for o in inside if shadow[o] and counts_ghost(arrays, q, o)]
        assert queries["shadows"][q] == len(counted)
    assert np.array_equal(references[stored | shadow], objects["references"][stored | shadow])


def check_bytes(buffer: SharedBuffer) -> None:
    """Count the bytes in use again, from what there is."""
    arrays, rules = buffer._store.arrays, buffer._store.rules
    cells, queries, entries = arrays.cells, arrays.queries[:-1], 0
    for first in cells.query_head[:-1]:
        entry = first
        while entry >= 0:
            entry, entries = cells.entries["after"][entry], entries + 1
    assert entries + cells.vacant[1] == len(cells.entries)
    alive = queries[queries["kind"] >= 0]
    members = sum(len(answer) for answer in answers_of_nearest(buffer))
    modes = arrays.objects["mode"]
    streams = rules.object_bytes * (modes == layout.STORED).sum() + rules.ghost_bytes * (modes == layout.GHOST).sum()
    lists = rules.entry_bytes * entries + rules.member_bytes * members
    details = 32 * alive["edge_count"].sum() + 4 * np.maximum(alive["listed_count"], 0).sum()
    assert buffer.used == streams + rules.query_bytes * len(alive) + lists + details
    assert buffer.used <= buffer.needed


def answers_of_nearest(buffer: SharedBuffer) -> list[list[int]]:
    queries = buffer._store.arrays.queries[:-1]
    slots = np.flatnonzero(queries["kind"] == NEAREST).astype(np.int32)
    which, streams = buffer.answers(slots)
    return [streams[which == at].tolist() for at in range(len(slots))]
