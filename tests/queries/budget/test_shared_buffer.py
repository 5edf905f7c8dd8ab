"""A shared buffer against looking at everyone after every instant, and its books against counting again."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limen.queries.answer.kernels.around import BOX, DISC, NEAREST
from limen.queries.answer.kernels.object_grid import BARRED, GONE, PRESENT, SAME
from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.layout import FIXED, GHOST, SHAPE, SHED_AREAS, SHED_OBJECTS
from limen.queries.budget.kernels.shedding import least_references
from limen.queries.budget.shared_buffer import SharedBuffer
from limen.runtime.ids import Ids
from tests.queries.answer.moving_model import line_of
from tests.queries.answer.test_moving_index import LATITUDES, LONGITUDES, METRES, NAMES
from tests.queries.budget.buffer_model import Beside, Kept, Wanted, asked_of, check_books

SECOND = 1_000_000
RULES = BudgetRules(max_speed=10.0, report_every=10 * SECOND, expire_after=10 * SECOND)
CODES = (*[PRESENT] * 8, BARRED, GONE, SAME)


class Chance:
    """Streams and queries by chance, close together."""

    def __init__(self, random: Random, dimensions: int, *, lonlat: bool) -> None:
        self.random, self.dimensions, self.lonlat = random, dimensions, lonlat

    def place(self) -> tuple[float, ...]:
        if self.lonlat:
            return self.random.choice(LONGITUDES), self.random.choice(LATITUDES)
        far = self.random.randrange(20) == 0
        return tuple(float(self.random.choice((-1000, 1e9, 50) if far else range(7))) for _ in range(self.dimensions))

    def size(self) -> float:
        return self.random.choice(METRES if self.lonlat else (1.0, 2.0, 3.0))

    def query(self, least: tuple[float, ...] = (0.0,)) -> Wanted:
        random, dimensions = self.random, self.dimensions
        kind = random.choice((BOX, DISC, NEAREST, FIXED, SHAPE) if dimensions == 2 else (DISC, NEAREST, FIXED))
        radius = self.size()
        query = Wanted(kind, size=(radius, self.size()) if kind == BOX else (radius, radius))
        query.margin = random.choice((0.0, 0.0, 60_000.0) if self.lonlat else (0.0, 0.0, 1.0, 2.5))
        query.least = random.choice(least)
        query.k = random.choice((1, 2, 3, 50)) if kind == NEAREST else 0
        query.listed = random.sample(range(len(NAMES)), 3) if random.randrange(5) == 0 else None
        if kind in (FIXED, SHAPE):
            corner = self.place()
            if self.lonlat:
                corner, query.margin = (0.0, 0.0), 0.0
            query.bounds = tuple((x, x + 3) for x in corner)
            if random.randrange(6) == 0 and kind == FIXED:
                query.bounds = ((-math.inf, corner[0]), *query.bounds[1:])
            if kind == SHAPE:
                x, y = corner
                query.ring = ((x, y), (x + 3, y), (x + 3, y + 1), (x + 1, y + 1), (x + 1, y + 3), (x, y + 3))
        elif random.randrange(2) or kind == BOX:
            query.focal = random.randrange(len(NAMES))
        else:
            query.center = self.place()
        return query

    def instant(self) -> list[tuple[int, int, tuple[float, ...] | None]]:
        moved = self.random.sample(range(len(NAMES)), self.random.choice((1, 2, len(NAMES))))
        return [
            (stream, code, self.place() if code in (PRESENT, BARRED) else None)
            for stream in moved
            for code in [self.random.choice(CODES)]
        ]


spaces = st.sampled_from(((2, False), (2, False), (1, False), (3, False), (2, True)))
actions = st.lists(st.sampled_from(("insert", "insert", "remove", "play", "play", "play", "renumber")), max_size=9)


@given(space=spaces, actions=actions, cells=st.sampled_from((1, 3, 64)), random=st.randoms(use_true_random=False))
def test_answers_and_references_are_those_of_a_scan(space, actions, cells, random):
    dimensions, lonlat = space
    rules = BudgetRules(10.0, 10 * SECOND, 10 * SECOND, cells_a_side=cells)
    chance, beside = Chance(random, dimensions, lonlat=lonlat), Beside(NAMES, dimensions, rules, lonlat=lonlat)
    for action in actions:
        if action == "insert":
            beside.insert([chance.query() for _ in range(random.randint(1, 4))])
        elif action == "remove" and beside.queries:
            beside.remove(random.randrange(99))
        elif action == "renumber":
            beside.renumber(random.sample(range(len(NAMES)), len(NAMES)))
        else:
            beside.play([chance.instant() for _ in range(random.randint(1, 4))])


@given(
    shedding=st.sampled_from((SHED_AREAS, SHED_OBJECTS)),
    memory=st.sampled_from((900, 1500, 2500, 4000)),
    random=st.randoms(use_true_random=False),
)
def test_books_under_shedding_are_those_of_a_count_from_scratch(shedding, memory, random):
    rules = BudgetRules(
        10.0, 4 * SECOND, 4 * SECOND, memory, shedding, object_bytes=100, ghost_bytes=20, query_bytes=100,
        cells_a_side=8,
    )  # fmt: skip
    chance = Chance(random, 2, lonlat=False)
    buffer, ids = SharedBuffer(2, rules), Ids.of(NAMES)
    answers: dict[int, set[int]] = {}
    over_since, time = None, 0
    for _ in range(random.randint(1, 6)):
        if random.randrange(3) == 0 or not answers:
            slots = buffer.insert(asked_of([chance.query((0.0, 0.0, 50.0, 90.0))], 2, False), ids, len(ids))
            answers |= answers_in(buffer, slots)
        elif random.randrange(8) == 0:
            slot = random.choice(sorted(answers))
            buffer.remove(np.array([slot], np.int32))
            del answers[slot]
        for _ in range(random.randint(1, 6)):
            time += SECOND
            line = line_of([chance.instant()], 2)
            changes = buffer.play(line, np.full(len(line.stream), time), ids, len(ids))
            for query, stream, adds in zip(*(each.tolist() for each in changes[:3]), strict=True):
                assert (stream in answers[query]) != adds
                answers[query] ^= {stream}
            check_books(buffer)
            assert answers == answers_in(buffer, np.array(sorted(answers), np.int32))
            figures = buffer.assess(np.array(sorted(answers), np.int32))
            least = buffer._store.arrays.queries["least"][sorted(answers)]
            assert ((figures[:, 2] >= least) | (figures[:, 4] == 1) | (figures[:, 0] == 0)).all()
            over = buffer.used > memory and not buffer.accounting.shedding[layout.FULL]
            if shedding == SHED_AREAS:
                assert not over
            over_since = (time if over_since is None else over_since) if over else None
            assert over_since is None or time - over_since <= rules.report_every + rules.report_every / 4


def answers_in(buffer, slots):
    found = {int(slot): set() for slot in slots}
    for at, stream in zip(*(each.tolist() for each in buffer.answers(slots)), strict=True):
        found[int(slots[at])].add(stream)
    return found


@pytest.mark.parametrize("shedding", [SHED_AREAS, SHED_OBJECTS])
@given(random=st.randoms(use_true_random=False))
def test_what_is_kept_can_be_written_and_taken_up_again(shedding, random):
    rules = BudgetRules(10.0, 4 * SECOND, 4 * SECOND, 1500, shedding, object_bytes=100, ghost_bytes=20, query_bytes=100)
    chance, ids = Chance(random, 2, lonlat=False), Ids.of(NAMES)
    one = SharedBuffer(2, rules)
    queries = [chance.query((0.0, 40.0, 80.0)) for _ in range(4)]
    slots = one.insert(asked_of(queries, 2, False), ids, len(ids))
    for time in range(6):
        line = line_of([chance.instant()], 2)
        one.play(line, np.full(len(line.stream), time * SECOND), ids, len(ids))
    other = SharedBuffer(2, rules)
    other.insert(one.queries(slots), ids, len(ids))
    kept, objects = one.kept(), one._store.arrays.objects
    mine = one._store.arrays.streams["object"][kept.stored]
    other.resume(one.accounting.counts, one.accounting.shedding, one.share, one.own_shares())
    other.fill(
        kept, objects["point"][mine], objects["seen"][mine], objects["looked_for"][mine], ids, len(ids)
    )  # fmt: skip
    check_books(other)
    assert answers_in(one, slots) == answers_in(other, slots)
    assert np.array_equal(one.assess(slots), other.assess(slots))
    for time in range(6, 12):
        line = line_of([chance.instant()], 2)
        told = [each.play(line, np.full(len(line.stream), time * SECOND), ids, len(ids)) for each in (one, other)]
        assert changed(told[0]) == changed(told[1])
    check_books(other)


def changed(told):
    return sorted(zip(*(each.tolist() for each in (*told[:3], told.shed)), strict=True))


def test_the_fewest_references_go_first():
    """Seven streams with one reference, five with two and three with three: down to 80 %, those with one may go."""
    rules = BudgetRules(
        10.0, 10 * SECOND, 10 * SECOND, 16, SHED_OBJECTS, object_bytes=1, ghost_bytes=0, query_bytes=0, entry_bytes=0,
        cells_a_side=4,
    )  # fmt: skip
    names = [f"s{number}" for number in range(17)]
    ids, buffer = Ids.of(names), SharedBuffer(1, rules)
    spans = [(0.0, 15.0), (0.0, 8.0), (0.0, 3.0)]
    buffer.insert(asked_of([Wanted(FIXED, bounds=(span,)) for span in spans], 1, False), ids, len(ids))
    report = [[(stream, PRESENT, (float(stream),))] for stream in range(15)]
    play_all(buffer, report, ids, 0)
    assert buffer.accounting.tally[:4].tolist() == [0, 7, 5, 3]
    buffer.accounting.rule[layout.MEMORY] = 12 / 0.9 + 0.01  # 15 are too many, 12 are to stay
    play_all(buffer, [[(0, PRESENT, (0.0,))]], ids, 1)
    assert buffer.accounting.shedding[layout.LEAST_REFERENCES] == 2
    told = play_all(buffer, report[3:12], ids, 2)  # with three and two references, and four with one
    assert sorted(told.stream.tolist()) == [8, 9, 10]
    assert told.shed.all()
    assert buffer.accounting.shedding[layout.LEAST_REFERENCES] == 1  # three have gone; that is enough
    told = play_all(buffer, [[(8, PRESENT, (8.0,))]], ids, 3)
    assert told.adds.tolist() == [True]  # there is room again


def play_all(buffer, instants, ids, second):
    line = line_of(instants, 1)
    return buffer.play(line, second * SECOND + line.instant, ids, len(ids))


def test_a_stream_that_is_too_fast_is_counted():
    ids, buffer = Ids.of(["a"]), SharedBuffer(1, RULES)
    buffer.insert(asked_of([Wanted(FIXED, bounds=((0.0, 1000.0),))], 1, False), ids, 1)
    for second, (place, count) in enumerate([(0.0, 0), (10.0, 0), (20.5, 1), (30.5, 1), (10.0, 2)]):
        play_all(buffer, [[(0, PRESENT, (place,))]], ids, second)
        assert buffer.accounting.counts[layout.TOO_FAST] == count
    assert answers_in(buffer, np.array([0], np.int32)) == {0: {0}}


@pytest.mark.parametrize("shedding", [SHED_AREAS, SHED_OBJECTS])
def test_when_the_load_falls_all_is_whole_again(shedding):
    rules = BudgetRules(
        10.0, 8 * SECOND, 8 * SECOND, 1000, shedding, object_bytes=100, ghost_bytes=20, query_bytes=50, cells_a_side=4
    )
    names = [f"s{number}" for number in range(30)]
    ids, buffer = Ids.of(names), SharedBuffer(1, rules)
    slots = buffer.insert(asked_of([Wanted(FIXED, bounds=((0.0, 30.0),))] * 2, 1, False), ids, len(ids))
    for second in range(0, 24, 4):
        play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(30)]], ids, second)
    assert buffer.used <= 1000
    assert (buffer.assess(slots)[:, 2] < 100).all()
    everyone_else = [(stream, GONE, None) for stream in range(5, 30)]
    play_all(buffer, [everyone_else], ids, 24)
    for second in range(28, 28 + 4 * 100, 4):
        play_all(buffer, [[(stream, PRESENT, (float(stream) + 10,)) for stream in range(5)]], ids, second)
    assert (buffer.assess(slots)[:, 2] == 100).all()
    assert answers_in(buffer, slots) == {int(slot): set(range(5)) for slot in slots}
    check_books(buffer)


@pytest.mark.parametrize("load", [0.5, 0.75, 0.85, 0.95, 0.99])  # of the memory
@pytest.mark.parametrize(("spike", "strict"), [(150, False), (400, True)])  # streams, where a hundred or so fit
@pytest.mark.parametrize("shedding", [SHED_AREAS, SHED_OBJECTS])
def test_after_a_spike_all_that_fits_comes_back(load, spike, shedding, strict):
    """However much of the memory it takes, in five times `report_every` at most; and then it stays."""
    rules = BudgetRules(
        10.0, 8 * SECOND, 8 * SECOND, 10_000, shedding, object_bytes=100, ghost_bytes=50, query_bytes=50,
        cells_a_side=4,
    )  # fmt: skip
    ids, buffer = Ids.of([f"s{number}" for number in range(spike)]), SharedBuffer(1, rules)
    queries = [
        Wanted(FIXED, bounds=((0.0, 100.0),), margin=5.0),
        Wanted(FIXED, bounds=((20.0, 60.0),), least=70.0 * strict),
        Wanted(NEAREST, center=(50.0,), k=30, margin=10.0),
    ]
    slots = buffer.insert(asked_of(queries, 1, False), ids, len(ids))
    random = Random(spike)
    place = [random.uniform(0, 100) for _ in range(spike)]

    def seconds(begin, end, streams):
        for second in range(begin, end):
            told = play_all(
                buffer, [[(each, PRESENT, (place[each],)) for each in range(second % 8, streams, 8)]], ids, second
            )
            yield told
        check_books(buffer)

    for _ in seconds(0, 24, spike):
        pass
    assert (buffer.assess(slots)[:, 2] < 100).any()
    queries_take = 3 * rules.query_bytes + 3 * 4 * rules.entry_bytes + 30 * rules.member_bytes
    fit = int((load * rules.memory - queries_take) / rules.object_bytes)
    play_all(buffer, [[(each, GONE, None) for each in range(fit, spike)]], ids, 24)
    for _ in seconds(24, 64, fit):
        assert buffer.used <= rules.memory
    assert buffer.assess(slots)[:, 2].tolist() == [100.0] * 3
    assert buffer.share == 1.0
    assert buffer.needed == buffer.used > load * rules.memory - 2 * rules.object_bytes
    assert not any(len(told.query) for told in seconds(64, 84, fit))  # nothing comes or goes


@pytest.mark.parametrize("shedding", [SHED_AREAS, SHED_OBJECTS])
@settings(max_examples=max(4, settings().max_examples // 2))
@given(
    memory=st.sampled_from((1000, 2000, 3000)), least=st.sampled_from((30.0, 70.0, 95.0)),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_a_least_accuracy_holds_by_count_wherever_streams_are(shedding, memory, least, seed):
    """Beside where all streams are: a query knows how many are due, and has enough of them or is locked."""
    rules = BudgetRules(
        10.0, 8 * SECOND, 8 * SECOND, memory, shedding, object_bytes=100, ghost_bytes=20, query_bytes=50,
        cells_a_side=8,
    )  # fmt: skip
    random, names = Random(seed), [f"s{number}" for number in range(40)]
    ids, buffer, picture = Ids.of(names), SharedBuffer(2, rules), Kept(names, False)
    queries = [
        Wanted(FIXED, bounds=((0.0, 10.0), (0.0, 10.0)), least=least),
        Wanted(FIXED, bounds=((4.0, 14.0), (0.0, 6.0)), margin=2.0, least=least),
        Wanted(DISC, center=(5.0, 5.0), size=(4.0, 4.0), margin=1.0, least=least),
        Wanted(FIXED, bounds=((-5.0, 25.0), (-5.0, 25.0))),
    ]
    slots = buffer.insert(asked_of(queries, 2, False), ids, len(ids))
    clusters = [(random.uniform(-2, 16), random.uniform(-2, 12)) for _ in range(random.choice((1, 3, 6)))]
    for second in range(28):
        if second % 12 == 11:  # they move elsewhere
            clusters[0] = (random.uniform(-2, 16), random.uniform(-2, 12))
        instant = []
        for stream in range(second % 8, len(names), 8):
            x, y = clusters[stream % len(clusters)]
            instant.append((stream, PRESENT, (random.gauss(x, 0.7), random.gauss(y, 0.7))))
        picture.take(instant)
        line = line_of([instant], 2)
        buffer.play(line, np.full(len(line.stream), second * SECOND), ids, len(ids))
        if second % 4 == 0:
            check_books(buffer)
        answers = answers_in(buffer, slots)
        for slot, query, figures in zip(slots.tolist(), queries, buffer.assess(slots), strict=True):
            stored, missed, accuracy, _, locked = figures
            due = len(picture.interested(query))
            if query.least:
                assert stored + missed == due
                assert accuracy == (100 * stored / due if due else 100)
                assert accuracy >= least or locked or not stored
            if not query.margin and query.least and due:
                assert 100 * len(answers[slot]) / due == accuracy
        over = buffer.used > memory and not buffer.accounting.shedding[layout.FULL]
        assert not (over and shedding == SHED_AREAS)


def test_a_shadow_is_found_again_when_its_stream_comes_back():
    rules = BudgetRules(
        10.0, 100 * SECOND, 100 * SECOND, 250, SHED_OBJECTS, object_bytes=100, ghost_bytes=10, query_bytes=10,
        cells_a_side=4,
    )  # fmt: skip
    ids, buffer = Ids.of(["a", "b", "c"]), SharedBuffer(1, rules)
    buffer.insert(asked_of([Wanted(FIXED, bounds=((0.0, 9.0),))], 1, False), ids, 3)
    for second in range(3):
        play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(3)]], ids, second)
    shadows = np.flatnonzero(buffer._store.arrays.objects["mode"] == GHOST)
    assert len(shadows)
    gone = set(buffer._store.arrays.objects["stream"][shadows].tolist())
    stay = [stream for stream in range(3) if stream not in gone]
    number = np.full(3, -1, np.int32)
    number[stay] = np.arange(len(stay))
    buffer.renumber_streams(number)
    check_books(buffer)
    other = SharedBuffer(1, rules)  # as after a restart
    other.insert(buffer.queries(np.array([0], np.int32)), ids, len(stay))
    kept, names = buffer.kept(), Ids.of([("a", "b", "c")[stream] for stream in stay])
    points = np.array([[float(stream)] for stream in stay])
    other.fill(kept, points, np.full(len(stay), 2 * SECOND), np.ones(len(stay), np.bool_), names, len(stay))
    check_books(other)
    assert np.array_equal(other.assess(np.array([0], np.int32)), buffer.assess(np.array([0], np.int32)))
    play_all(other, [[(0, PRESENT, (20.0,))]], names, 110)  # long after: shadows are gone, with or without a stream
    assert other.accounting.counts[layout.GHOSTS] == 0
    again = Ids.of([("a", "b", "c")[stream] for stream in (*stay, *sorted(gone))])
    play_all(buffer, [[(len(stay), PRESENT, (1.0,))]], again, 5)
    check_books(buffer)
    objects = buffer._store.arrays.objects
    assert (objects["mode"] != layout.FREE).sum() == 3  # nobody is there twice


@given(space=spaces, random=st.randoms(use_true_random=False))
def test_the_true_accuracy_is_that_of_a_scan(space, random):
    dimensions, lonlat = space
    chance, ids = Chance(random, dimensions, lonlat=lonlat), Ids.of(NAMES)
    rules = BudgetRules(
        10.0, 4 * SECOND, 4 * SECOND, 1500, SHED_OBJECTS, object_bytes=100, ghost_bytes=20, query_bytes=100
    )
    buffer, picture = SharedBuffer(dimensions, rules, lonlat=lonlat), Kept(NAMES, lonlat)
    queries = [chance.query() for _ in range(6)]
    slots = buffer.insert(asked_of(queries, dimensions, lonlat), ids, len(ids))
    for time in range(5):
        instant = chance.instant()
        picture.take(instant)
        line = line_of([instant], dimensions)
        buffer.play(line, np.full(len(line.stream), time * SECOND), ids, len(ids))
    position = np.full((len(NAMES), dimensions), np.nan)
    for stream, place in picture.position.items():
        position[stream] = place
    found = answers_in(buffer, slots)
    for slot, query, (due, there) in zip(slots.tolist(), queries, buffer.measure(slots, position), strict=True):
        if query.focal >= 0 and not buffer.is_stored(np.array([query.focal], np.int32))[0]:
            continue  # it is not known where it is
        true = picture.answer(query)
        assert (due, there) == (len(true), len(true & found[slot]))


def test_nobody_is_measured_before_anything_is_known():
    buffer = SharedBuffer(1, RULES)
    assert not buffer.is_stored(np.array([3], np.int32)).any()
    ids = Ids.of(["a", "b", "c"])
    slots = buffer.insert(asked_of([Wanted(NEAREST, focal=0, k=1)], 1, False), ids, 3)
    assert buffer.measure(slots, np.array([[1.0], [2.0], [3.0]])).tolist() == [[0, 0]]
    play_all(buffer, [[(0, PRESENT, (1.0,)), (2, PRESENT, (3.0,))]], ids, 0)
    buffer.insert(asked_of([Wanted(FIXED, bounds=((0.0, 9.0),))], 1, False), ids, 3)
    play_all(buffer, [[(2, PRESENT, (4.0,))]], ids, 1)
    assert buffer.measure(slots, np.array([[1.0], [2.0], [4.0]])).tolist() == [[1, 0]]  # b is nearer, and not known
    assert buffer.measure(slots, np.array([[1.0], [5.0], [4.0]])).tolist() == [[1, 1]]
    play_all(buffer, [[(1, PRESENT, (2.0,))]], ids, 2)
    assert buffer.measure(slots, np.array([[1.0], [9.0], [4.0]])).tolist() == [[1, 0]]  # c is kept, but b is the answer


def test_the_last_of_several_queries_that_move_with_one_stream_lets_it_go():
    ids, buffer = Ids.of(["a", "b"]), SharedBuffer(1, RULES)
    slots = buffer.insert(asked_of([Wanted(BOX, focal=0, size=(2.0, 2.0)) for _ in range(3)], 1, False), ids, 2)
    play_all(buffer, [[(0, PRESENT, (5.0,)), (1, PRESENT, (50.0,))]], ids, 0)
    for gone in (slots[0], slots[2], slots[1]):  # from the end and the beginning of the list
        assert buffer.is_stored(np.array([0, 1], np.int32)).tolist() == [True, False]
        buffer.remove(np.array([gone], np.int32))
        check_books(buffer)
    assert not buffer.is_stored(np.array([0], np.int32)).any()


def test_cache_areas_on_the_globe_are_wide_enough_at_every_latitude():
    ids, buffer = Ids.of(["a"]), SharedBuffer(2, RULES, lonlat=True)
    near_pole = Wanted(FIXED, bounds=((10.0, 20.0), (80.0, 88.5)), margin=60_000.0)
    usual = Wanted(FIXED, bounds=((10.0, 20.0), (40.0, 50.0)), margin=60_000.0)
    slots = buffer.insert(asked_of([near_pole, usual], 2, True), ids, 1)
    for second, (place, counts) in enumerate(
        [((-170.0, 88.9), [1, 0]), ((20.8, 49.9), [0, 1]), ((21.5, 45.0), [0, 0]), ((9.3, 50.3), [0, 1])]
    ):
        line = line_of([[(0, PRESENT, place)]], 2)
        buffer.play(line, np.array([second * SECOND]), ids, 1)
        assert buffer.assess(slots)[:, 0].tolist() == counts
    moving = buffer.insert(asked_of([Wanted(BOX, focal=0, size=(60_000.0, 60_000.0), margin=1000.0)], 2, True), ids, 1)
    assert answers_in(buffer, moving) == {int(moving[0]): set()}  # nobody but itself


def test_what_nobody_can_do_without_is_kept_and_said():
    """Two queries that must lose nothing, and memory for half of what they have."""
    rules = BudgetRules(
        10.0, 4 * SECOND, 4 * SECOND, 500, SHED_OBJECTS, object_bytes=100, ghost_bytes=20, query_bytes=50,
        cells_a_side=4,
    )  # fmt: skip
    ids, buffer = Ids.of([f"s{number}" for number in range(8)]), SharedBuffer(1, rules)
    strict = [Wanted(FIXED, bounds=((0.0, 9.0),), least=100.0), Wanted(NEAREST, center=(0.0,), k=3, least=100.0)]
    slots = buffer.insert(asked_of(strict, 1, False), ids, len(ids))
    for second in range(12):
        play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(8)]], ids, second)
    assert buffer.accounting.shedding[layout.FULL] == 1
    assert buffer.accounting.shedding[layout.OVERDRAWN] > 0
    assert buffer.assess(slots)[:, 2].tolist() == [100.0, 100.0]
    assert buffer.assess(slots)[:, 4].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("halved", [0, 40])  # with every shadow, and with next to none
def test_the_nearest_move_up_when_one_is_swept_out(halved):
    rules = BudgetRules(
        10.0, 4 * SECOND, 40 * SECOND, 450, SHED_OBJECTS, object_bytes=100, ghost_bytes=10, query_bytes=1,
        cells_a_side=4,
    )  # fmt: skip
    ids, buffer = Ids.of([f"s{number}" for number in range(9)]), SharedBuffer(1, rules)
    queries = [Wanted(NEAREST, center=(0.0,), k=2, margin=9.0), Wanted(FIXED, bounds=((0.0, 9.0),))]
    queries += [Wanted(FIXED, bounds=((low, low + 0.5),)) for low in (1.2, 3.2, 5.2, 7.2)]  # nobody is there
    slots = buffer.insert(asked_of(queries, 1, False), ids, len(ids))
    buffer.accounting.shedding[layout.HALVED] = halved
    play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(8)]], ids, 0)
    for second in range(1, 8):  # the others are silent, and do not go by themselves
        play_all(buffer, [[(8, PRESENT, (8.5,))]], ids, second)
        check_books(buffer)
    assert buffer.accounting.shedding[layout.SWEPT] > 0
    assert buffer.used <= 450
    assert len(answers_in(buffer, slots)[0]) == 2
    for second in range(50, 60):  # silent for too long: their shadows go, too
        play_all(buffer, [[(8, PRESENT, (8.5,))]], ids, second)
    assert buffer.accounting.counts[layout.GHOSTS] == 0


def test_areas_shrink_as_far_as_each_query_allows_and_grow_back():
    rules = BudgetRules(
        10.0, 8 * SECOND, 8 * SECOND, 2000, SHED_AREAS, object_bytes=100, ghost_bytes=20, query_bytes=50,
        entry_bytes=0, member_bytes=0, cells_a_side=4,
    )  # fmt: skip
    ids, buffer = Ids.of([f"s{number}" for number in range(30)]), SharedBuffer(1, rules)
    queries = [
        Wanted(FIXED, bounds=((0.0, 30.0),), margin=2.0),
        Wanted(NEAREST, center=(0.0,), k=10, margin=5.0),
        Wanted(NEAREST, center=(29.0,), k=4, margin=5.0, least=100.0),
        Wanted(DISC, center=(15.0,), size=(10.0, 10.0), margin=5.0, least=60.0),
        Wanted(FIXED, bounds=((-math.inf, 0.5),)),
        Wanted(FIXED, bounds=((0.0, 30.0),)),
    ]
    slots = buffer.insert(asked_of(queries, 1, False), ids, len(ids))
    buffer.remove(slots[5:])
    slots = slots[:5]
    play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(30)]], ids, 0)
    shares = buffer.assess(slots)[:, 3]
    assert shares[2] == 1.0
    assert shares[3] >= 0.6
    assert shares[0] == shares[1] < 0.6
    assert shares[4] == 1.0
    assert buffer.used <= 2900
    found = answers_in(buffer, slots)
    assert found[int(slots[2])] == {26, 27, 28, 29}
    assert 0 < len(found[int(slots[1])]) < 10
    middle = list(found[int(slots[0])])
    assert min(middle) > 0
    assert max(middle) < 29
    check_books(buffer)
    play_all(buffer, [[(stream, GONE, None) for stream in range(10, 30)]], ids, 1)
    before = buffer.share
    for second, share in zip(range(2, 26, 2), [before] * 3 + [0.5] * 4 + [1.0] * 5, strict=True):
        play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(10)]], ids, second)
        assert buffer.share == share
    assert answers_in(buffer, slots)[int(slots[1])] == set(range(10))


def test_shadows_become_few_and_many_again_and_strict_queries_count_all_of_theirs():
    rules = BudgetRules(
        10.0, 8 * SECOND, 8 * SECOND, 3000, SHED_OBJECTS, object_bytes=100, ghost_bytes=50, query_bytes=10,
        cells_a_side=4,
    )  # fmt: skip
    names = [f"stream {number}" for number in range(80)]
    ids, buffer = Ids.of(names), SharedBuffer(1, rules)
    queries = [Wanted(FIXED, bounds=((0.0, 80.0),)), Wanted(FIXED, bounds=((0.0, 40.0),), least=20.0)]
    slots = buffer.insert(asked_of(queries, 1, False), ids, len(ids))
    assert not buffer.accounting.shedding[layout.HALVED]
    for second in range(6):
        play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(80)]], ids, second)
        check_books(buffer)
        stored, missed = buffer.assess(slots)[1, :2]
        assert stored + missed == 40  # of the strict one
    halved = int(buffer.accounting.shedding[layout.HALVED])
    assert halved > 1
    shadows = buffer._store.arrays.objects["mode"] == GHOST
    assert shadows.sum() < 50
    assert buffer.used <= 3000
    for second in range(6, 30):  # a few remain, with and without a shadow
        stay = [stream for stream in range(80) if stream % 10 == 0]
        leave = [(stream, GONE, None) for stream in range(80) if stream % 10]
        play_all(
            buffer, [leave, [(stream, PRESENT, (float(stream),)) for stream in stay[: 4 + second % 4]]], ids, second
        )
        check_books(buffer)
    assert buffer.accounting.shedding[layout.HALVED] < halved


def test_nothing_to_say_of_a_query_that_waits_for_its_stream():
    ids, buffer = Ids.of(["a", "b"]), SharedBuffer(1, RULES)
    slots = buffer.insert(
        asked_of([Wanted(BOX, focal=0, size=(2.0, 2.0)), Wanted(DISC, center=(1.0,), size=(1.0, 1.0))], 1, False),
        ids,
        2,
    )
    play_all(buffer, [[(1, PRESENT, (1.0,))]], ids, 0)
    assert answers_in(buffer, slots) == {int(slots[0]): set(), int(slots[1]): {1}}
    buffer.remove(slots)
    check_books(buffer)
    assert least_references(np.array([0, 1, 1]), 5) == 3  # more than any has


def test_few_shadows_are_counted_by_all_again():
    rules = BudgetRules(
        10.0, 8 * SECOND, 8 * SECOND, 1100, SHED_OBJECTS, object_bytes=100, ghost_bytes=10, query_bytes=10,
        cells_a_side=4,
    )  # fmt: skip
    ids, buffer = Ids.of([f"s{number}" for number in range(12)]), SharedBuffer(1, rules)
    queries = [Wanted(FIXED, bounds=((0.0, 80.0),)), Wanted(FIXED, bounds=((0.0, 40.0),), least=20.0)]
    slots = buffer.insert(asked_of(queries, 1, False), ids, len(ids))
    buffer.accounting.shedding[layout.HALVED] = 20
    for second in range(25):
        play_all(buffer, [[(stream, PRESENT, (float(stream),)) for stream in range(12)]], ids, second)
        check_books(buffer)
    assert buffer.accounting.shedding[layout.HALVED] == 0
    assert (buffer.assess(slots)[:, :2].sum(axis=1) == 12).all()
    assert (buffer.assess(slots)[:, 1] > 0).all()


def test_areas_grow_by_and_by_while_there_is_room():
    """Most are at the rim of a region, and do not fit; the others do, and areas grow until they come to the many."""
    rules = BudgetRules(
        10.0,
        8 * SECOND,
        8 * SECOND,
        2000,
        SHED_AREAS,
        object_bytes=100,
        ghost_bytes=10,
        query_bytes=50,
        cells_a_side=4,
    )
    ids, buffer = Ids.of([f"s{number}" for number in range(35)]), SharedBuffer(1, rules)
    buffer.insert(asked_of([Wanted(FIXED, bounds=((0.0, 100.0),))], 1, False), ids, len(ids))
    shares = []
    for second in range(0, 10, 2):
        at = [1.0 if stream < 30 else 50.0 for stream in range(35)]
        play_all(buffer, [[(stream, PRESENT, (x,)) for stream, x in enumerate(at)]], ids, second)
        assert buffer.used <= 2000
        check_books(buffer)
        shares.append(round(buffer.share, 3))
    assert shares == [0.9, 0.945, 0.992, 0.893, 0.938]
    assert buffer.assess(np.array([0], np.int32))[0, :2].tolist() == [5.0, 30.0]
