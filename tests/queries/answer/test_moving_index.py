"""Queries around centers that move, against looking at everyone after every instant."""

import math
from operator import attrgetter
from random import Random

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.growable import with_rows
from limen.queries.answer import moving_index
from limen.queries.answer.grid_frame import frame_of, on_a_plane, outside
from limen.queries.answer.kernels.around import BOX, DISC, NEAREST
from limen.queries.answer.kernels.gathering import FRESH
from limen.queries.answer.kernels.object_grid import ARRANGED, BARRED, GONE, PRESENT, SAME
from limen.queries.answer.moving_index import MovingIndex
from limen.runtime.ids import Ids
from tests.kernels.room import Room
from tests.queries.answer.moving_model import Both, Query, answers_of, centered, line_of

STREAMS = 7
#: Prefixes of one another, beyond ASCII, longer than the head of a name, and in no order.
NAMES = ["b", "a", "ab", "é", "z" * 17, "𝄞", "z" * 40 + "a", "｡", "B", "z" * 40, "aa", "abc"]
#: Few, so that streams meet, are equally near and stand on borders.
ON_GRID = (0.0, 1.0, 1.0, 2.0, 3.0, 4.0)
ODD = (-1.0, 0.5, 0.1 + 0.2, math.nextafter(2, 3), 5e-324, 1e-200, 1e16, 1e150, 1e300, -1e300)
SIZES = (1.0, 2.0, 2.0, 3.0, 4.0)
ODD_SIZES = (5e-324, 1e-170, 1e-9, math.nextafter(2, 0), 1e16, 1e150)
LONGITUDES = (-180.0, -179.5, 179.5, 179.0, 0.0, 90.0, math.nextafter(180, 0))
LATITUDES = (0.0, 0.5, 45.0, 89.9, 90.0, -90.0, -89.5)
METRES = (1.0, 60_000.0, 120_000.0, 1e6, 1.2e7, 5e7)
ALL_CODES = (PRESENT, PRESENT, PRESENT, PRESENT, GONE, BARRED, SAME)


class Chance:
    """Streams and queries by chance, as the kind of a space has them; `odd` of a hundred numbers are odd ones."""

    def __init__(self, random: Random, dimensions: int, *, lonlat: bool, streams: int, odd: int = 5, grid=ON_GRID):
        self.random, self.dimensions, self.lonlat, self.streams = random, dimensions, lonlat, streams
        self.odd, self.grid = odd, grid

    def number(self, usual, odd):
        return self.random.choice(odd if self.random.randrange(100) < self.odd else usual)

    def place(self):
        if self.lonlat:
            return self.random.choice(LONGITUDES), self.random.choice(LATITUDES)
        return tuple(self.number(self.grid, ODD) for _ in range(self.dimensions))

    def size(self):
        return self.random.choice(METRES) if self.lonlat else self.number(SIZES, ODD_SIZES)

    def query(self):
        random = self.random
        kinds = (BOX, DISC, NEAREST) if self.dimensions < 3 else (DISC, NEAREST)
        kind = random.choice(kinds)
        radius = self.size()
        query = Query(kind, size=(radius, self.size()) if kind == BOX else (radius, radius))
        if kind == NEAREST:
            query.k = random.choice((1, 1, 2, 3, self.streams - 1, self.streams, self.streams + 5, 2**31 - 1))
        if random.randrange(2):
            query.focal = random.randrange(self.streams)
        else:
            query.center = self.place()
        if random.randrange(4) == 0:
            query.listed = random.sample(range(self.streams), random.randrange(min(self.streams, 4)))
        return query

    def instant(self, most, codes=ALL_CODES):
        moved = self.random.sample(range(self.streams), self.random.randint(1, min(most, self.streams)))
        return [(stream, code, self.place_for(code)) for stream in moved for code in [self.random.choice(codes)]]

    def place_for(self, code):
        # What is said of a point that is gone, or of one that stays, is not to be read.
        return None if code == GONE else self.place()


spaces = st.sampled_from(((2, False), (2, False), (1, False), (3, False), (2, True)))


def act(both, chance, action):
    """Do something to an index, and look whether it is right."""
    random = chance.random
    if action == "insert":
        both.insert([chance.query() for _ in range(random.randint(0, 4))])
        both.check()
    elif action == "remove" and both.queries:
        both.remove(random.sample(sorted(both.queries), random.randint(1, len(both.queries))))
        both.check()
    elif action == "play":
        both.play([chance.instant(random.choice((1, 2, STREAMS))) for _ in range(random.randint(0, 4))])
    elif action == "forget":
        both.index.forget_streams()
        both.fill()
        both.check()
    elif action == "more streams" and chance.streams < len(both.names):
        chance.streams += random.randint(1, len(both.names) - chance.streams)
        both.play([chance.instant(3)], chance.streams)
    elif action == "renumber":
        both.renumber(random.sample(range(both.streams), both.streams))
        both.insert([chance.query()])  # also while nobody is known
        both.fill()
        both.check()


ACTIONS = ("insert", "insert", "remove", "play", "play", "play", "play", "forget", "more streams", "renumber")


@given(
    space=spaces, seed=st.integers(0, 2**32), fillers=st.sampled_from((0, 0, 0, 70)),
    actions=st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=10),
)  # fmt: skip
def test_an_index_tells_what_looking_at_everyone_tells(space, seed, fillers, actions):
    chance = Chance(Random(seed), space[0], lonlat=space[1], streams=STREAMS)
    both = Both(NAMES, STREAMS, space[0], lonlat=space[1])
    both.picture.take(chance.instant(STREAMS))
    both.insert([chance.query() for _ in range(3 + fillers)])  # with many the streams are arranged for them
    both.fill()
    both.check()
    for action in actions:
        act(both, chance, action)
    both.check_against_a_fresh_index()


@pytest.mark.parametrize(
    ("dimensions", "lonlat", "streams", "queries"),
    [(2, False, 90, 30), (2, False, 60, 100), (1, False, 60, 80), (3, False, 50, 80), (2, True, 50, 80)],
)
def test_swarms(dimensions, lonlat, streams, queries):
    random = Random(streams + queries + dimensions)
    names = [f"{random.randrange(10**6)}-{i}" for i in range(streams + 40)]
    chance = Chance(random, dimensions, lonlat=lonlat, streams=streams, odd=0, grid=[x / 2 for x in range(17)])
    both = Both(names, streams, dimensions, lonlat=lonlat)
    both.insert([chance.query() for _ in range(queries)])
    both.fill()
    # Few and many in turn, so that streams are linked and arranged in turn.
    both.play([chance.instant(most) for most in (1, streams, 2, 1, streams, streams, 3)])
    both.remove(random.sample(sorted(both.queries), queries // 2))
    both.play([chance.instant(most) for most in (1, streams)])
    both.insert([chance.query() for _ in range(queries * 3 // 4)])
    chance.streams += 40
    both.play([chance.instant(most) for most in (2, chance.streams, 1)], chance.streams)
    both.check_against_a_fresh_index()


@given(seed=st.integers(0, 2**32), moving=st.sampled_from((0, 1, 2)), odd=st.sampled_from((0, 0, 5)))
def test_ranges_where_every_stream_speaks_at_a_time_of_its_own(seed, moving, odd):
    """Many instants are then played at once; each stream and each query moves at some time in between."""
    random, streams = Random(seed), 12
    chance = Chance(random, 2, lonlat=False, streams=streams, odd=odd, grid=[x / 2 for x in range(9)])
    both = Both(NAMES, streams, 2)
    both.picture.take(chance.instant(streams))
    queries = []
    for number in range(70 if moving else 40):
        kind = random.choice((BOX, DISC))
        size = (chance.size(), chance.size()) if kind == BOX else (chance.size(),) * 2
        focal = random.randrange(streams) if moving == 1 or number % 3 else -1
        queries.append(Query(kind, size=size, focal=focal, center=None if focal >= 0 else chance.place()))
    both.insert(queries)
    both.fill()
    for _ in range(2):
        rounds = []
        for _ in range(random.randint(1, 3)):
            speakers = random.sample(range(streams), random.randint(1, streams))
            while speakers:
                together, speakers = speakers[: random.choice((1, 1, 1, 2, 3))], speakers[1:]
                speakers = [each for each in speakers if each not in together]
                code = random.choice(ALL_CODES)
                rounds.append([(each, code, chance.place_for(code)) for each in together])
        both.play(rounds)
    both.check_against_a_fresh_index()


def test_a_passage_with_jumps_with_strangers_and_with_very_many_changes():
    random, streams = Random(3), 60
    both = Both([str(i) for i in range(streams)], streams, 2)
    both.picture.take([(i, PRESENT, (float(i % 8), float(i // 8))) for i in range(50)])  # ten have not been seen yet
    both.insert([Query((BOX, DISC)[i % 2], size=(9.0, 9.0), focal=i % 56) for i in range(120)])
    both.fill()
    far = [(i, PRESENT, (1e6 + i, 1e6)) for i in range(0, 50, 3)]
    near = [(i, PRESENT, (random.uniform(0, 8), random.uniform(0, 8))) for i in range(1, 54, 3)]
    both.play([[entry] for pair in zip(far, near, strict=False) for entry in pair])
    both.play([[(i, GONE, None)] for i in range(0, 50, 3)] + [[(i, PRESENT, (4.0, 4.0))] for i in range(1, 56, 3)])
    both.check_against_a_fresh_index()


def test_many_queries_around_one_stream_among_others_that_wait():
    streams = 60
    both = Both([str(i) for i in range(streams)], streams, 2)
    both.picture.take([(i, PRESENT, (float(i % 8), float(i // 8))) for i in range(streams)])
    both.insert([Query((BOX, DISC)[i % 2], size=(2.0 + i / 9, 3.0), focal=0) for i in range(90)])
    both.insert([Query(BOX, size=(3.0, 3.0), focal=i) for i in range(1, 9)])
    both.insert([Query((BOX, DISC)[i % 2], size=(4.0, 4.0), center=(float(i), 4.0)) for i in range(9)])
    both.fill()
    for x in range(9):  # one moves, with most of the queries; and then all do, more often than an order is good for
        both.play([[(0, PRESENT, (float(x), 5.0))]])
    for turn in range(FRESH + 3):
        both.play([[(i, PRESENT, ((i + turn) % 8 + 0.5, float((i + 3 * turn) // 8))) for i in range(streams)]])
        if turn == 5:
            both.insert([Query(BOX, size=(3.0, 3.0), focal=7)])
    both.check_against_a_fresh_index()


def test_a_sweep_with_more_changes_than_there_is_room_for():
    streams = 60
    both = Both([str(i) for i in range(streams)], streams, 2)
    both.picture.take([(i, PRESENT, (float(i % 8), float(i // 8))) for i in range(streams)])
    both.insert([Query(BOX, size=(9.0, 9.0), focal=i % streams) for i in range(120)])
    both.fill()
    both.play([[(i, PRESENT, (100.0 * i, 0.0)) for i in range(streams)]])
    both.check_against_a_fresh_index()


def test_everyone_moves_a_little_all_the_time():
    random, streams = Random(5), 40
    both = Both([str(i) for i in range(streams)], streams, 2)
    chance = Chance(random, 2, lonlat=False, streams=streams)
    places = {i: (random.uniform(0, 10), random.uniform(0, 10)) for i in range(streams)}
    both.picture.take([(i, PRESENT, place) for i, place in places.items()])
    both.insert([Query(NEAREST, k=3, focal=i) for i in range(streams)])
    both.insert([Query(BOX, size=(2.0, 3.0), focal=i) for i in range(streams)])
    both.fill(shared=True)
    for _ in range(4):
        places = {i: (x + random.gauss(0, 0.3), y + random.gauss(0, 0.3)) for i, (x, y) in places.items()}
        both.play([[(i, PRESENT, place) for i, place in places.items()]])
    assert both.index._streams.grid.state[ARRANGED] == 1
    both.insert([chance.query() for _ in range(9)])
    both.check()
    both.remove(both.insert([Query(NEAREST, k=3, focal=0)]))
    both.play([[(0, PRESENT, chance.place())], [(1, GONE, None)]])
    both.check_against_a_fresh_index()


# ---- who is where ----------------------------------------------------------------------------------------------------


def standing(places, queries, *, names=None, dimensions=2, lonlat=False):
    """An index with streams at some places, None for nowhere."""
    both = Both(names or NAMES[: len(places)], len(places), dimensions, lonlat=lonlat)
    both.picture.take([(i, PRESENT, place) for i, place in enumerate(places) if place is not None])
    both.insert(queries)
    both.fill()
    both.check()
    return both


def answer(both, slot=0):
    return {both.names[stream] for stream in answers_of(both.index, [slot])[slot]}


MANY = 70  # queries, enough for streams to be arranged for them


@pytest.mark.parametrize("fillers", [0, MANY])
def test_of_those_equally_near_the_smaller_names_are_nearer(fillers):
    names = ["𝄞", "｡", "z" * 18, "z" * 17, "é", "ab", "a", "B", "b"]
    both = standing([(1.0, 0.0)] * len(names), [Query(NEAREST, (0.0, 0.0), k=4)] * (1 + fillers), names=names)
    assert answer(both) == {"B", "a", "ab", "b"}
    both.play([[(names.index("B"), GONE, None)]])
    assert answer(both) == {"a", "ab", "b", "z" * 17}
    # On another spot, as near as before.
    both.play([[(names.index("𝄞"), PRESENT, (0.0, -1.0)), (names.index("ab"), PRESENT, (-1.0, 0.0))]])
    both.play([[(names.index("a"), PRESENT, (0.0, 1.5)), (names.index("𝄞"), PRESENT, (0.0, 0.5))]])
    assert answer(both) == {"𝄞", "ab", "b", "z" * 17}


@pytest.mark.parametrize("fillers", [0, MANY])
@pytest.mark.parametrize("k", [1, 3, 4, 5])
def test_k_may_be_the_population_or_more(k, fillers):
    both = standing([(float(i), 0.0) for i in range(4)], [Query(NEAREST, (0.0, 0.0), k=k)] * (1 + fillers))
    both.play([[(0, GONE, None)], [(1, BARRED, (0.0, 0.0)), (2, GONE, None)], [(3, GONE, None)]])
    assert answer(both) == set()
    both.play([[(i, PRESENT, (2.0, 2.0)) for i in range(4)], [(0, PRESENT, (9.0, 9.0))]])
    both.check_against_a_fresh_index()


@pytest.mark.parametrize("fillers", [0, MANY])
def test_borders_hit_exactly(fillers):
    queries = [Query(BOX, focal=0, size=(2.0, 4.0)), Query(DISC, focal=0, size=(5.0, 5.0))]
    queries += [Query(BOX, focal=0, size=(2.0, 4.0))] * fillers
    places = [(0.0, 0.0), (-1.0, -2.0), (1.0, 0.0), (0.0, 2.0), (3.0, 4.0), (3.0, math.nextafter(4, 5))]
    both = standing(places, queries)
    assert answers_of(both.index, [0, 1]) == {0: {1}, 1: {1, 2, 3, 4}}
    both.play([[(0, PRESENT, (2.0, 2.0))], [(0, PRESENT, (0.0, 0.0)), (1, PRESENT, (1.0, 0.0))]])
    both.play([[(i, PRESENT, (x - 1.0, y - 2.0)) for i, (x, y) in enumerate(places)]])
    assert answers_of(both.index, [0, 1]) == {0: {1}, 1: {1, 2, 3, 4}}


@pytest.mark.parametrize("fillers", [0, MANY])
def test_focals_are_each_others_members_and_never_their_own(fillers):
    queries = [Query(NEAREST, focal=i, k=2) for i in range(3)] + [
        Query(DISC, focal=i, size=(9.0, 9.0)) for i in range(3)
    ]
    queries += [Query(DISC, focal=0, size=(1.0, 1.0))] * fillers
    both = standing([None] * 3, queries)
    both.play([[(1, PRESENT, (1.0, 1.0))], [(0, PRESENT, (1.0, 1.0)), (2, BARRED, (1.0, 1.0))]])
    both.play([[(2, PRESENT, (1.0, 1.0)), (0, BARRED, (1.0, 1.0))], [(1, GONE, None), (0, PRESENT, (50.0, 1.0))]])
    both.play([[(0, GONE, None), (1, GONE, None), (2, GONE, None)], [(0, BARRED, (1.0, 1.0))]])
    assert not any(answers_of(both.index, sorted(both.queries)).values())


@pytest.mark.parametrize("fillers", [0, MANY])
def test_queries_about_some_streams_also_such_as_never_come(fillers):
    queries = [
        Query(NEAREST, (0.0, 0.0), k=2, listed=[0, 5, 3]),
        Query(DISC, focal=0, size=(2.0, 2.0), listed=[0, 1, 6]),
        Query(BOX, focal=1, size=(2.0, 2.0), listed=[]),
        *[Query(NEAREST, (9.0, 9.0), k=1, listed=[2])] * fillers,
    ]
    both = standing([(1.0, 0.0), (2.0, 0.0), (0.0, 0.0), (3.0, 0.0), (4.0, 0.0), None, None], queries)
    assert answers_of(both.index, [0, 1, 2]) == {0: {0, 3}, 1: {1}, 2: set()}
    both.play([[(5, PRESENT, (0.5, 0.0))], [(6, BARRED, (0.5, 0.0)), (3, GONE, None)], [(6, PRESENT, (0.5, 0.0))]])
    both.play([[(i, PRESENT, (0.25, 0.25)) for i in range(7)]])
    both.check_against_a_fresh_index()


def test_nobody_and_nothing():
    both = Both([], 0, 2)
    both.index.fill(np.empty((0, 2)), np.empty((0, 2)), both.ids)
    assert both.insert([]) == []
    both.insert([Query(NEAREST, (0.0, 0.0), k=3), Query(BOX, (0.0, 0.0), size=(1.0, 1.0))])
    both.play([])
    both.check_against_a_fresh_index()
    both.remove([0, 1])
    both.play([])
    assert answers_of(both.index, []) == {}


def test_one_stream_alone():
    both = standing([None], [Query(NEAREST, focal=0, k=1), Query(NEAREST, (0.0, 0.0), k=1)], names=["a"])
    both.play([[(0, PRESENT, (1e300, -1e300))], [(0, SAME, (5.0, 5.0))], [(0, PRESENT, (0.0, 0.0))], [(0, GONE, None)]])


@pytest.mark.parametrize("fillers", [0, MANY])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-9, 1e9, 1e140, 1e299])
def test_the_smallest_and_the_largest_coordinates(scale, fillers):
    random, streams = Random(3), 30
    radius = min(scale, 1e149)
    chance = Chance(random, 2, lonlat=False, streams=streams, odd=0, grid=[x * scale for x in range(8)])
    both = Both([str(i) for i in range(streams)], streams, 2)
    both.picture.take([(i, PRESENT, chance.place()) for i in range(streams)])
    both.insert([Query(NEAREST, focal=i, k=1 + i % 5) for i in range(8)])
    both.insert([Query(DISC, focal=i, size=(radius * 2, radius)) for i in range(8)])
    both.insert([Query(BOX, chance.place(), size=(radius * 2, radius * 3)) for _ in range(8 + fillers)])
    both.fill()
    both.check()
    both.play([chance.instant(most, (PRESENT, PRESENT, GONE)) for most in (1, 3, streams, 1)])


def test_all_streams_in_one_cell_and_then_far_away():
    streams = 100
    both = Both([str(i) for i in range(streams)], streams, 2)
    both.picture.take([(i, PRESENT, (5.0, 5.0)) for i in range(streams)])
    both.insert([Query(NEAREST, (5.0, 5.0), k=7), Query(NEAREST, focal=3, k=99), Query(DISC, focal=2, size=(1.0, 1.0))])
    both.fill()
    both.check()
    both.play([[(i, PRESENT, (-1e300, 1e300))] for i in range(0, 10, 2)])
    both.play([[(i, PRESENT, (1e300, i * 1e290)) for i in range(streams)]])
    both.play([[(i, PRESENT, (i / 7, 5.0)) for i in range(streams)]])
    both.check_against_a_fresh_index()


def test_round_the_world_and_over_the_poles():
    places = [(179.9, 0.0), (-179.9, 0.0), (0.0, 89.99), (180.0 - 1e-9, -89.99), (90.0, 90.0), (-180.0, 0.0)]
    queries = [Query(DISC, focal=i, size=(30_000.0,) * 2) for i in range(6)]
    queries += [Query(BOX, focal=i, size=(30_000.0, 50_000.0)) for i in range(6)]
    queries += [Query(NEAREST, focal=i, k=2) for i in range(6)]
    both = standing(places, queries, lonlat=True)
    assert answers_of(both.index, [0, 1]) == {0: {1, 5}, 1: {0, 5}}
    both.play([[(0, PRESENT, (-179.9, 0.0))], [(0, PRESENT, (100.0, 89.95))], [(5, PRESENT, (179.99, 0.0))]])
    both.play([[(i, PRESENT, (180.0 - (i + 1) / 8, -89.9)) for i in range(6)]])
    both.check_against_a_fresh_index()


# ---- room ------------------------------------------------------------------------------------------------------------


def crowded(fillers=0):
    """An index of which one instant makes thousands of changes."""
    streams = 60
    both = Both([f"{i:02}" for i in range(streams)], streams, 2)
    both.picture.take([(i, PRESENT, (i / 10, 0.0)) for i in range(streams)])
    both.insert([Query(DISC, (0.0, 0.0), size=(50.0, 50.0)) for _ in range(25)])
    both.insert([Query(NEAREST, (0.0, 0.0), k=30, listed=list(range(0, streams, 2)))])
    both.insert([Query(BOX, focal=i % streams, size=(30.0, 30.0)) for i in range(15 + fillers)])
    both.insert([Query(NEAREST, (100.0, 0.0), k=20) for _ in range(5)])
    both.fill()
    return both


LEAVE = [(i, PRESENT, (100.0 + i, 0.0)) for i in range(0, 60, 2)]


@pytest.mark.parametrize("fillers", [0, 40])
@pytest.mark.parametrize("room", [0, 1, 7, 1024])
def test_the_room_for_changes_grows_and_nothing_is_written_past_it(monkeypatch, room, fillers):
    rooms, first_play = [], moving_index.play

    def in_room(kernel, width):
        def called(*arguments):
            if kernel is first_play and arguments[-2] > 0:  # the changes so far are in the room
                return kernel(*arguments)
            rooms.append(Room.of_columns(width, room))
            return kernel(*arguments[:-1], rooms[-1].columns)

        return called

    for name, width in (("play", 5), ("initialize", 5), ("answers_of", 2)):
        monkeypatch.setattr(moving_index, name, in_room(getattr(moving_index, name), width))
    both = crowded(fillers)
    both.check()
    both.play([LEAVE, LEAVE[:1], [(0, GONE, None)], [(i, PRESENT, (i / 9, 1.0)) for i in range(60)]])
    both.play([[(i, PRESENT, (50.0 if i == 1 else 1.0, 1.0))] for i in range(3)])
    assert len(rooms) >= 6
    for each in rooms:
        each.assert_unharmed()


def test_more_changes_than_there_is_room_for_at_first():
    both = crowded()
    changes = both.index.play(line_of([LEAVE], 2), both.ids, both.streams)
    assert len(changes.query) > moving_index.SOME
    both.picture.take(LEAVE)
    both.check()


def test_slots_are_used_again_and_the_table_of_centers_grows():
    both = standing([(float(i), 0.0) for i in range(6)], [Query(BOX, focal=0, size=(3.0, 3.0))])
    table = len(both.index._centers.head)
    for count in (1, 3, 9, 27):
        both.insert([Query(DISC, focal=i % 6, size=(2.0, 2.0)) for i in range(count)])
        both.insert([Query(NEAREST, (float(i % 6), 0.0), k=1 + i % 8) for i in range(count)])
        both.play([[(2, PRESENT, (count / 9, 0.0))]])
        gone = sorted(both.queries)[::3]
        both.remove(gone)
        both.play([[(3, PRESENT, (count / 9, 0.0))], [(4, GONE, None)], [(4, PRESENT, (4.0, 0.0))]])
        assert both.insert([Query(NEAREST, focal=5, k=2)])[0] in gone
    assert len(both.index._centers.head) > table
    both.check_against_a_fresh_index()


def test_the_table_of_centers_grows_after_all_queries_were_asked_and_a_focal_is_gone():
    both = standing([(float(i), 0.0) for i in range(3)], [Query(DISC, focal=0, size=(2.0, 2.0))])
    both.play([[(i, PRESENT, (float(i), 1.0)) for i in range(3)], [(0, GONE, None), (1, PRESENT, (1.0, 2.0))]])
    both.insert([Query(DISC, focal=i % 3, size=(2.0, 2.0)) for i in range(40)])
    both.play([[(0, PRESENT, (0.0, 0.0))], [(2, PRESENT, (0.0, 0.0))]])
    both.check_against_a_fresh_index()


@pytest.mark.parametrize("shared", [False, True])
def test_streams_beyond_the_room_come_with_entries_and_with_queries(shared):
    names = [str(i) for i in range(400)]
    both = Both(names, 2, 2)
    both.insert([Query(NEAREST, (0.0, 0.0), k=300), Query(NEAREST, focal=1, k=2)])
    both.fill(shared=shared)
    both.play([[(1, PRESENT, (0.0, 0.0))]])
    both.play([[(i, PRESENT, (float(i % 20), float(i // 20)))] for i in range(5)], streams=5)
    both.streams = 60  # those that queries name are streams
    both.insert([Query(NEAREST, focal=59, k=3), Query(DISC, (0.0, 0.0), size=(9.0, 9.0), listed=[55, 3])])
    both.play([[(59, PRESENT, (1.0, 0.0))], [(55, PRESENT, (1.0, 2.0))]])
    laid_for = both.index._streams._laid_for
    both.play([[(i, PRESENT, (float(i % 20), float(i // 20))) for i in range(400)]], streams=400)
    both.play([[(3, PRESENT, (0.0, 0.0))]])
    assert both.index._streams._laid_for > laid_for, "the grid was to be laid anew"
    both.play([[(i, GONE, None) for i in range(10, 400)]])
    both.play([[(4, PRESENT, (0.0, 0.0))]])
    assert both.index._streams._laid_for == 16
    both.check_against_a_fresh_index()


def test_a_grid_is_laid_anew_when_most_are_beyond_it():
    streams = 120
    both = Both([str(i) for i in range(streams)], streams, 2)
    both.insert([Query(NEAREST, focal=i, k=3) for i in range(5)])
    both.picture.take([(i, PRESENT, (i % 11, i // 11)) for i in range(streams)])
    both.fill()
    before = both.index._streams.grid.frame.copy()
    both.play([[(i, PRESENT, (1000.0 + i % 11, 1000.0 + i // 11)) for i in range(streams)]])
    both.play([[(i, PRESENT, (1001.0 + i % 11, 1000.0 + i // 11)) for i in range(streams)]])
    assert (both.index._streams.grid.frame[:, 0] > before[:, 0]).all()
    both.check_against_a_fresh_index()


def test_what_is_forgotten_is_given_anew():
    both = crowded()
    size = both.index.nbytes_streams
    assert size > 0
    both.index.forget_streams()
    assert both.index.nbytes_streams == 0
    queries = both.index.nbytes_queries
    both.insert([Query(NEAREST, focal=4, k=2)])
    both.remove([0, 3])
    both.fill()
    assert both.index.nbytes_queries > queries
    both.check()


def test_streams_of_an_index_are_renumbered():
    both = crowded()
    both.renumber([*range(59, -1, -1)])
    both.fill()
    both.play([[(0, PRESENT, (0.0, 0.0))], [(59, GONE, None)], LEAVE])
    both.check_against_a_fresh_index()


def test_one_query_or_stream_and_many_are_the_same_to_the_compiler():
    # Else whoever begins with one waits for a minute of compilation, and with the second for another.
    indexes = [MovingIndex(dimensions) for dimensions in (1, 2, 2, 2, 3)]
    for index, queries in zip(indexes, (3, 0, 1, 2, 3), strict=True):
        some = [Query(NEAREST, (0.0,) * index.dimensions, k=1)] * queries
        index.insert(centered(some, index.dimensions, False), 0)
        names = [f"s{number}" for number in range(queries)]
        position = np.full((queries, index.dimensions), np.nan)
        index.fill(position, position, Ids.of(names))
    for part in ("_queries", "_centers", "_streams.grid", "_scratch", "_listed", "_names"):
        assert len({numba.typeof(attrgetter(part)(index)) for index in indexes}) == 1, part


def test_where_there_are_no_streams_there_is_nothing_to_renumber():
    index = MovingIndex(2)
    index.insert(centered([Query(NEAREST, (0.0, 0.0), k=1)], 2, False), 0)
    index.renumber_streams(np.empty(0, np.int32))
    assert index.concerned().tolist() == []


def test_queries_come_out_as_they_went_in():
    queries = [
        Query(BOX, focal=1, size=(2.0, 4.0)),
        Query(DISC, (1.0, 2.0), size=(3.0, 3.0), listed=[2, 0]),
        Query(NEAREST, (1.0, 2.0), k=2),
        Query(NEAREST, focal=2, k=5, listed=[]),
    ]
    both = standing([(0.0, 0.0)] * 3, queries)
    got = both.index.queries(np.array([3, 2, 1, 0], np.int32))
    given_in = centered(queries[::-1], 2, False)
    for name in given_in.__slots__:
        assert np.array_equal(getattr(got, name), getattr(given_in, name), equal_nan=True), name
    assert len(got) == 4
    assert sorted(both.index.concerned().tolist()) == [0, 1, 2, 2]


# ---- the frame -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "points",
    [
        [],
        [[1.0, 2.0]],
        [[1.0, 2.0]] * 50,
        [[0.0, i / 3] for i in range(40)],
        [[i * 1e-12, float(i)] for i in range(40)],
        [[i * 1e-200, i * 1e-200] for i in range(40)],
        [[i * 1e300, -i * 1e300] for i in range(40)],
        [[i * 1e-309, 0.0] for i in range(40)],
        [[5e-324, 0.0], [0.0, 5e-324]],
        [[-1.7e308, 0.0], [1.7e308, 1.0]],
    ],
)
def test_a_frame_has_as_many_cells_as_points_at_most_and_finite_ones(points):
    frame = frame_of(np.array(points).reshape(-1, 2))
    assert np.isfinite(frame).all()
    assert (frame[:, 1:] > 0).all()
    assert 1 <= frame[0, 2] * frame[1, 2] <= max(len(points), 1)
    assert np.array_equal(frame[:, 2], np.floor(frame[:, 2]))


def test_frames_of_one_and_of_three_dimensions():
    line = np.arange(100.0)[:, None]
    assert frame_of(on_a_plane(line))[:, 2].tolist() in ([99, 1], [100, 1])  # as rounding has it
    assert frame_of(np.hstack([line, line, line]))[:, 2].tolist() in ([9, 9], [10, 10])


def test_a_few_far_away_do_not_make_a_grid_coarse():
    points = np.array([[i % 40, i // 40] for i in range(1600)] + [[1e300, -1e300]] * 5, np.float64)
    frame = frame_of(points)
    assert frame[0, 0] > -2
    assert frame[0, 1] > 0.9
    assert outside(frame, points) < 200


@pytest.mark.parametrize(("scale", "far"), [(1.0, 1e300), (1e-20, 1e300), (1e-200, 1e300), (1.0, 1.7e308)])
def test_those_beyond_a_frame_are_counted_however_far_they_are(scale, far):
    frame = frame_of(np.array([[i % 10, i // 10] for i in range(100)]) * scale)
    points = np.array([[5.0 * scale, 5.0 * scale], [far, 5.0 * scale], [5.0 * scale, -far], [-far, far]])
    assert outside(frame, points) == 3


def test_grown_arrays_keep_what_they_had():
    assert with_rows(np.array([1, 2]), 4, -1).tolist() == [1, 2, -1, -1]
    assert with_rows(np.array([[1.0, 2.0]]), 2, 0.5).tolist() == [[1.0, 2.0], [0.5, 0.5]]
