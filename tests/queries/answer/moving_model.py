"""Answers around centers by looking at every stream for every query, and an index that is played beside it."""

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from limen.queries.answer.centered_queries import Centered
from limen.queries.answer.kernels.around import BOX, DISC, NEAREST
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.kernels.object_grid import BARRED, GONE, PRESENT, SAME
from limen.queries.answer.moving_index import MovingIndex
from limen.runtime.ids import Ids
from tests.oracle.answer import in_box_of_metres
from tests.oracle.region import haversine

#: An instant: of some streams, each once, a code and a place; None for no place.
Entry = tuple[int, int, tuple[float, ...] | None]
Point = tuple[float, ...]


@dataclass
class Query:
    kind: int
    center: Point | None = None
    focal: int = -1
    size: tuple[float, float] = (0.0, 0.0)  # width and height, or the radius twice
    k: int = 0
    listed: list[int] | None = None


@dataclass
class Picture:
    """Where streams are: for those who look for them, and for those who move with them."""

    names: list[str]
    lonlat: bool
    position: dict[int, Point] = field(default_factory=dict)
    known: dict[int, Point] = field(default_factory=dict)

    def take(self, entries: list[Entry]) -> None:
        for stream, code, place in entries:
            if code == SAME:
                continue
            self.position.pop(stream, None)
            self.known.pop(stream, None)
            if code in (PRESENT, BARRED):
                self.known[stream] = place
            if code == PRESENT:
                self.position[stream] = place

    def distance(self, one: Point, other: Point) -> float:
        if self.lonlat:
            return haversine(one, other)
        total = 0.0
        for a, b in zip(one, other, strict=True):
            total += (b - a) * (b - a)
        return total

    def answer(self, query: Query) -> set[int]:
        center = query.center if query.focal < 0 else self.known.get(query.focal)
        if center is None:
            return set()
        meant = [
            stream
            for stream in self.position
            if stream != query.focal and (query.listed is None or stream in query.listed)
        ]
        if query.kind == NEAREST:
            far = {stream: self.distance(center, self.position[stream]) for stream in meant}
            return set(sorted(meant, key=lambda each: (far[each], self.names[each].encode()))[: query.k])
        return {stream for stream in meant if self.is_in(query, center, self.position[stream])}

    def is_in(self, query: Query, center: Point, place: Point) -> bool:
        if query.kind == DISC:
            radius = query.size[0]
            return self.distance(center, place) <= (radius if self.lonlat else radius * radius)
        if self.lonlat:
            return in_box_of_metres(center, place, *query.size)
        return all(c - s / 2 <= x < c + s / 2 for c, s, x in zip(center, query.size, place, strict=False))


def centered(queries: list[Query], dimensions: int, lonlat: bool) -> Centered:
    """Return queries as the index takes them."""
    nowhere = (math.nan,) * dimensions
    half = [[side / 2 for side in each.size] if each.kind == BOX else [0.0, 0.0] for each in queries]
    limit = [
        math.inf if each.kind != DISC else each.size[0] if lonlat else each.size[0] * each.size[0] for each in queries
    ]
    return Centered(
        kind=np.array([each.kind for each in queries], np.int8),
        focal=np.array([each.focal for each in queries], np.int32),
        center=np.array([each.center or nowhere for each in queries]).reshape(-1, dimensions),
        half=np.array(half).reshape(-1, 2),
        limit=np.array(limit),
        wanted=np.array([each.k for each in queries], np.int64),
        listed=np.array([stream for each in queries for stream in each.listed or ()], np.int32),
        counts=np.array([-1 if each.listed is None else len(each.listed) for each in queries], np.int64),
    )


def line_of(instants: list[list[Entry]], dimensions: int) -> PositionTimeline:
    """Return a line of instants, each entry with its number as its row; of those that are gone none."""
    entries = [entry for instant in instants for entry in instant]
    nowhere = (math.nan,) * dimensions
    return PositionTimeline(
        instant=np.repeat(np.arange(len(instants)), [len(instant) for instant in instants]),
        stream=np.array([stream for stream, _, _ in entries], np.int32),
        code=np.array([code for _, code, _ in entries], np.int8),
        row=np.array([-1 if code == GONE else row for row, (_, code, _) in enumerate(entries)], np.int64),
        point=np.array([place or nowhere for _, _, place in entries]).reshape(-1, dimensions),
    )


class Both:
    """An index and, beside it, its queries by slot, and the picture of its streams."""

    def __init__(self, names: list[str], streams: int, dimensions: int, *, lonlat: bool = False) -> None:
        self.index = MovingIndex(dimensions, lonlat=lonlat)
        self.dimensions, self.streams, self.names = dimensions, streams, names
        self.ids = Ids.of(names)
        self.picture = Picture(names, lonlat)
        self.queries: dict[int, Query] = {}

    def insert(self, queries: list[Query]) -> list[int]:
        slots = self.index.insert(centered(queries, self.dimensions, self.picture.lonlat), self.streams).tolist()
        assert len(set(slots)) == len(queries)
        assert not self.queries.keys() & set(slots), "a slot that is in use was given away"
        self.queries.update(zip(slots, queries, strict=True))
        assert len(self.index) == len(self.queries)
        assert np.flatnonzero(self.index.alive).tolist() == sorted(self.queries)
        return slots

    def remove(self, slots: list[int]) -> None:
        self.index.remove(np.array(slots, np.int32))
        for slot in slots:
            del self.queries[slot]
        assert len(self.index) == len(self.queries)

    def arrays(self, *, shared: bool) -> tuple[np.ndarray, np.ndarray]:
        position, known = (np.full((self.streams, self.dimensions), np.nan) for _ in range(2))
        for array, places in ((position, self.picture.position), (known, self.picture.known)):
            for stream, place in places.items():
                array[stream] = place
        return (position, position) if shared else (position, known)

    def fill(self, *, shared: bool = False) -> None:
        """Give the streams to the index; it can be told of those who are barred only if it has two arrays."""
        self.index.fill(*self.arrays(shared=shared), self.ids)

    def play(self, instants: list[list[Entry]], streams: int | None = None) -> None:
        """Play instants, and compare the changes with the difference between answers before and after each."""
        self.streams = max(self.streams, streams or 0)
        instants = [instant for instant in instants if instant]
        line = line_of(instants, self.dimensions)
        changes = self.index.play(line, self.ids, self.streams)
        when = line.instant[changes.entry]
        got = Counter(
            zip(when.tolist(), changes.query.tolist(), changes.stream.tolist(), changes.adds.tolist(),
                changes.row.tolist(), strict=True)
        )  # fmt: skip
        expected: Counter[tuple[int, int, int, bool, int]] = Counter()
        answers = self.expected()
        last_row, row = {}, 0
        for number, instant in enumerate(instants):
            for stream, code, _ in instant:
                if code != GONE:
                    last_row[stream] = row
                row += 1
            self.picture.take(instant)
            later = self.expected()
            for slot, answer in later.items():
                for stream in answer ^ answers[slot]:
                    expected[number, slot, stream, stream in answer, last_row.get(stream, -1)] += 1
            answers = later
        assert got == expected
        self.check()

    def expected(self) -> dict[int, set[int]]:
        return {slot: self.picture.answer(query) for slot, query in self.queries.items()}

    def check(self) -> None:
        """Compare the answers of all queries, asked for in some order."""
        slots = sorted(self.queries, key=lambda slot: slot * 7919 % 101)
        assert answers_of(self.index, slots) == self.expected()

    def check_against_a_fresh_index(self) -> None:
        """An index that has seen it all knows what one knows that is given the streams as they are."""
        slots = sorted(self.queries)
        fresh = MovingIndex(self.dimensions, lonlat=self.picture.lonlat)
        placed = fresh.insert(self.index.queries(np.array(slots, np.int32)), self.streams).tolist()
        fresh.fill(*self.arrays(shared=False), self.ids)
        of_fresh = answers_of(fresh, placed)
        assert {slot: of_fresh[place] for slot, place in zip(slots, placed, strict=True)} == self.expected()
        self.check()

    def renumber(self, order: list[int]) -> None:
        """Number the streams in another order: `order` are old slots."""
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        self.index.renumber_streams(number)
        new = number.tolist()
        self.names = [self.names[old] for old in order] + self.names[len(order) :]
        self.ids, self.picture.names = Ids.of(self.names), self.names
        self.picture.position = {new[stream]: place for stream, place in self.picture.position.items()}
        self.picture.known = {new[stream]: place for stream, place in self.picture.known.items()}
        for query in self.queries.values():
            query.focal = new[query.focal] if query.focal >= 0 else -1
            query.listed = None if query.listed is None else [new[stream] for stream in query.listed]


def answers_of(index: MovingIndex, slots: list[int]) -> dict[int, set[int]]:
    places, streams = index.answers(np.array(slots, np.int32))
    answers: dict[int, set[int]] = {slot: set() for slot in slots}
    for place, stream in zip(places.tolist(), streams.tolist(), strict=True):
        assert stream not in answers[slots[place]], "a stream was told twice"
        answers[slots[place]].add(stream)
    return answers
