import dataclasses
import json
import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.regions import grid_level, moves
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.moves import MoveBuffer
from limen.regions.pairs import PairBuffer
from limen.regions.shapes import Shapes
from tests.kernels.room import Room, assert_unharmed
from tests.regions import regions as by_scan
from tests.regions.regions import Drawn, circles, regions, spots

STREAMS = 4
XY = np.array([0, 1])


class Eager(BorderGrid):
    """An index that merges its levels all the time."""

    SMALL = 3
    RATIO = 2


@pytest.fixture(autouse=True)
def quiet():
    """As plain Python, kernels warn where the largest numbers overflow."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        yield


@pytest.fixture
def compiled():
    """Whether kernels are; as plain Python they take a hundred times as long."""
    return not numba.config.DISABLE_JIT


def found(pairs):
    return Counter(zip(*(array.tolist() for array in pairs.arrays()), strict=True))


def streams_of(rows):
    return np.zeros(rows, np.int32)


class Model:
    """An index and, beside it, what it should hold, in dictionaries."""

    def __init__(self, index):
        self.index = index
        self.regions = {}
        self.owners = {} if index.bound else None

    def insert(self, drawn, owners):
        shapes = Shapes.joined([region.shape for region in drawn])
        if self.owners is None:
            slots = self.index.insert(shapes)
        else:
            flat = np.array([owner for each in owners for owner in each], np.int32)
            slots = self.index.insert(shapes, flat, np.array([len(each) for each in owners], np.int64))
            self.owners.update(zip(slots.tolist(), owners, strict=True))
        assert not self.regions.keys() & set(slots.tolist()), "a slot that is in use was given away"
        self.regions.update(zip(slots.tolist(), drawn, strict=True))

    def remove(self, slots):
        self.index.remove(np.array(slots, np.int32))
        for slot in slots:
            del self.regions[slot]

    def check(self, streams, before, after):
        """Compare both look-ups with a scan."""
        slot, was, now = np.array(streams, np.int32), as_columns(before), as_columns(after)
        crossed = self.index.crossings(slot, was, now, XY, STREAMS)
        contained = self.index.containing(slot, now, XY)
        assert found(crossed) == by_scan.crossed(self.regions, self.owners, streams, before, after)
        assert found(contained) == by_scan.inside(self.regions, self.owners, streams, after)
        assert len(self.index) == len(self.regions)


def as_columns(points):
    return np.array(points, np.float64).reshape(-1, 2).T.copy()


owner_lists = st.lists(st.integers(0, STREAMS - 2), min_size=1, max_size=3, unique=True)


def draw_changes(data, model, max_changes):
    """Change an index at random, and look at it in between."""
    for _ in range(data.draw(st.integers(1, max_changes))):
        action = data.draw(st.sampled_from(("insert", "insert", "remove", "look", "look")))
        if action == "insert":
            drawn = data.draw(st.lists(regions(), max_size=5))
            model.insert(drawn, data.draw(st.lists(owner_lists, min_size=len(drawn), max_size=len(drawn))))
        elif action == "remove" and model.regions:
            model.remove(data.draw(st.lists(st.sampled_from(sorted(model.regions)), unique=True, max_size=5)))
        elif action == "look":
            model.check(*draw_moves(data, model))


def draw_moves(data, model):
    around = list(model.regions.values())
    streams = data.draw(st.lists(st.integers(0, STREAMS - 1), max_size=8))
    before, after = (data.draw(st.lists(spots(around), min_size=len(streams), max_size=len(streams))) for _ in range(2))
    return streams, before, after


@given(bound=st.booleans(), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(bound, data):
    model = Model(Eager(bound=bound))
    draw_changes(data, model, max_changes=10)
    model.check(*draw_moves(data, model))


@given(data=st.data())
def test_an_index_changed_step_by_step_equals_one_built_afresh(data):
    model = Model(Eager())
    draw_changes(data, model, max_changes=8)
    living = sorted(model.regions)
    fresh = BorderGrid()
    fresh.insert(Shapes.joined([model.regions[slot].shape for slot in living]))
    streams, before, after = draw_moves(data, model)
    moves = np.array(streams, np.int32), as_columns(before), as_columns(after), XY, STREAMS
    new = found(fresh.crossings(*moves))
    named = Counter({(row, living[q] if q >= 0 else ~living[~q]): count for (row, q), count in new.items()})
    assert found(model.index.crossings(*moves)) == named


@given(data=st.data())
def test_bound_queries_know_their_streams_and_follow_their_renumbering(data):
    model = Model(Eager(bound=True))
    draw_changes(data, model, max_changes=6)
    number = data.draw(st.permutations(range(STREAMS)))
    model.index.renumber_owners(np.array(number, np.int32))
    model.owners = {slot: [number[owner] for owner in owners] for slot, owners in model.owners.items()}
    model.check(*draw_moves(data, model))
    draw_changes(data, model, max_changes=3)
    model.check(*draw_moves(data, model))


@given(bound=st.booleans(), data=st.data())
def test_a_subset_is_an_index_of_its_own(bound, data):
    model = Model(Eager(bound=bound))
    draw_changes(data, model, max_changes=6)
    some = data.draw(st.lists(st.sampled_from(sorted(model.regions)), unique=True) if model.regions else st.just([]))
    part = model.index.subset(np.array(some, np.int32))
    streams, _, after = draw_moves(data, model)
    kept = {number: model.regions[query] for number, query in enumerate(some)}
    owners = {number: model.owners[query] for number, query in enumerate(some)} if bound else None
    got = found(part.containing(np.array(streams, np.int32), as_columns(after), XY))
    assert got == by_scan.inside(kept, owners, streams, after)


@given(data=st.data())
def test_crossings_are_the_difference_of_what_contains_both_ends(data):
    """Moves of every length among many regions of one size, over one cell or hundreds."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rows, each = (20, 4) if numba.config.DISABLE_JIT else (60, 25)
    middle = random.uniform(0, 60, (3, each, 2))
    shapes = Shapes.joined([jagged(random, middle[0]), rounds(random, middle[1]), squares(random, middle[2])])
    index = BorderGrid()
    index.insert(shapes)
    before = random.uniform(-5, 65, (2, rows))
    after = before + random.normal(0, 10.0 ** random.uniform(-3, 1.5, rows), (2, rows))
    crossed = found(index.crossings(streams_of(rows), before, after, XY, 1))
    then, now = (found(index.containing(streams_of(rows), points, XY)) for points in (before, after))
    assert crossed == (now - then) + Counter({(row, ~query): 1 for row, query in then - now})


def jagged(random, middle, size=4.0):
    """Star-shaped polygons with a hole around each point."""
    stars = []
    for x, y in middle:
        angle = np.sort(random.uniform(0, 2 * np.pi, random.integers(3, 40)))
        around = np.column_stack([np.cos(angle), np.sin(angle)])
        reach = random.uniform(0.5, size, (len(angle), 1))
        stars.append([around * reach + (x, y), around * reach * 0.3 + (x, y)])
    return Shapes.polygons(stars)


def rounds(random, middle):
    return circles(middle, random.uniform(0.5, 4.0, len(middle)))


def squares(random, middle):
    return Shapes.boxes(np.stack([middle, middle + random.uniform(0.5, 8.0, middle.shape)], axis=2))


def test_columns_may_be_any_in_any_order():
    index = BorderGrid()
    index.insert(Shapes.boxes(np.array([[[0.0, 1.0], [10.0, 11.0]]])))
    before = np.array([[10.5, 0.5], [99.0, 99.0], [5.0, 10.5]])
    after = np.array([[10.5, 0.5], [-99.0, np.nan], [0.5, 0.5]])
    pairs = index.crossings(np.array([0, 1], np.int32), before, after, np.array([2, 0]), 2)
    assert found(pairs) == Counter({(0, 0): 1})


def test_slots_of_queries_that_are_gone_are_used_again():
    index = Eager()
    one = Drawn(box=((0.0, 1.0), (0.0, 1.0))).shape
    outside, middle = np.array([[-1.0], [0.5]]), np.array([[0.5], [0.5]])
    for _ in range(40):
        slots = index.insert(one)
        entered = found(index.crossings(streams_of(1), outside, middle, XY, 1))
        assert entered == Counter({(0, int(slots[0])): 1})
        index.remove(slots)
        assert not found(index.crossings(streams_of(1), outside, middle, XY, 1))
        assert not found(index.containing(streams_of(1), middle, XY))
    assert len(index.alive) <= 16
    assert len(index) == 0


def test_many_single_insertions_do_not_wait_for_ever_for_a_look_up():
    index = BorderGrid()
    for number in range(BorderGrid.MOST_PENDING + 2):
        index.insert(Shapes.boxes(np.array([[[number, number + 1.0], [0.0, 1.0]]])))
        assert len(index._pending) <= BorderGrid.MOST_PENDING


class Small(BorderGrid):
    """An index that is large with few queries."""

    SMALL = 20


def test_levels_are_few_and_each_a_good_deal_smaller_than_the_one_before():
    index, random = Small(), np.random.default_rng(0)
    for _ in range(15):
        index.insert(squares(random, random.uniform(0, 100, (15, 2))))
        sizes = [len(level.slots) for level in index._up_to_date()]
        assert all(small * index.RATIO < large for large, small in pairwise(sizes))
        assert sum(sizes) == len(index)
        assert len(sizes) <= 3


FENCED = []


def fence(index):
    """Give an index little room for results, between fences, after a look at those of the room before."""
    assert_unharmed(*FENCED)
    FENCED[:] = Room(16), Room(16)
    index._buffer = PairBuffer()
    index._buffer.row, index._buffer.query = (room.cells for room in FENCED)


def test_more_results_than_the_buffer_holds(compiled):
    path = np.array([[-1.0, 0.5, 2.0, 0.5, -90.0, 0.5], [0.5] * 6])
    crowd = 9000 if compiled else 40
    square = [[0.0, 1.0], [0.0, 1.0]]
    kinds = {
        "box": Shapes.boxes(np.tile([square], (crowd, 1, 1))),
        "circle": circles(np.full((crowd, 2), 0.5), np.full(crowd, 0.6)),
        "unbounded": Shapes.boxes(np.tile([[[0.0, 1.0], [0.0, np.inf]]], (crowd, 1, 1))),
        "polygon": Shapes.joined([Drawn(rings=(((0, 0), (1, 0), (1, 1), (0, 1)),)).shape] * crowd),
    }
    for shapes in kinds.values():
        index = BorderGrid()
        fence(index)
        index.insert(shapes)
        pairs = found(index.crossings(streams_of(5), path[:, :-1].copy(), path[:, 1:].copy(), XY, 1))
        assert set(pairs.values()) == {1}
        assert Counter(row for row, _ in pairs) == dict.fromkeys(range(5), crowd)
        assert {row: query >= 0 for row, query in pairs} == {0: True, 1: False, 2: True, 3: False, 4: True}
        fence(index)
        start, end = np.array([[-0.105], [0.5]]), np.array([[0.005], [0.5]])  # a short way
        assert len(found(index.crossings(streams_of(1), start, end, XY, 1))) == crowd
        fence(index)
        assert len(found(index.containing(streams_of(6), path, XY))) == 3 * crowd


def test_more_results_for_a_stream_than_the_buffer_holds():
    index = BorderGrid(bound=True)
    index.insert(
        Shapes.boxes(np.tile([[[0.0, 1.0]] * 2], (200, 1, 1))), np.zeros(200, np.int32), np.ones(200, np.int64)
    )
    points = np.array([[0.5, 5.0], [0.5, 0.5]])
    fence(index)
    assert len(found(index.containing(streams_of(2), points, XY))) == 200
    fence(index)
    assert len(found(index.crossings(streams_of(2), points, points[:, ::-1].copy(), XY, 1))) == 400


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 1e7, 1e15])
def test_any_scale(size):
    random = np.random.default_rng(1)
    middle = random.uniform(0, 30, (40, 2))
    index, scaled = BorderGrid(), BorderGrid()
    boxes = np.stack([middle, middle + 2], axis=2)
    index.insert(Shapes.boxes(boxes))
    scaled.insert(Shapes.boxes(boxes * size))
    before, after = random.uniform(0, 30, (2, 2, 200))
    after = before + (after - before) * 0.1
    moves = found(index.crossings(streams_of(200), before, after, XY, 1))
    assert len(moves) > 20
    assert found(scaled.crossings(streams_of(200), before * size, after * size, XY, 1)) == moves


def test_a_polygon_without_width_contains_nothing():
    index = BorderGrid()
    index.insert(Drawn(rings=(((0, 0), (1, 1), (2, 2), (1, 1)),)).shape)
    points = np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])
    assert not found(index.containing(streams_of(3), points, XY))
    assert not found(index.crossings(streams_of(3), points - 0.25, points, XY, 1))
    assert not found(index.passings(streams_of(3), points - 0.25, points[::-1] + 0.25, XY))


def test_edges_of_a_polygon_that_is_not_closed_are_refused():
    shapes = Shapes.polygons([[np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]])]])
    open_one = dataclasses.replace(shapes, edges=shapes.edges[:1], edge_counts=np.array([1]))
    index = BorderGrid()
    index.insert(open_one)
    with pytest.raises(ValueError, match="not closed"):
        index.containing(streams_of(1), np.zeros((2, 1)), XY)


def test_small_regions_far_from_the_origin():
    """So far that cells of their size have no number."""
    index = BorderGrid()
    index.insert(Shapes.boxes(np.array([[[1e15, 1e15 + 1], [1e15, 1e15 + 1]]])))
    before, after = np.array([[1e15 - 2], [1e15]]), np.array([[1e15], [1e15]])
    assert found(index.crossings(streams_of(1), before, after, XY, 1)) == Counter({(0, 0): 1})
    assert found(index.containing(streams_of(1), after, XY)) == Counter({(0, 0): 1})


def test_sizes_that_differ_widely_get_levels_of_their_own(compiled):
    random, rows = np.random.default_rng(2), 3000 if compiled else 100
    size = 4.0 ** random.integers(0, 9, 600)
    middle = random.uniform(0, 3e4, (600, 2))
    boxes = np.stack([middle, middle + size[:, None]], axis=2)
    index, lists = BorderGrid(), BoxIndex(2)
    index.insert(Shapes.boxes(boxes))
    lists.insert(boxes)
    before = random.uniform(0, 3e4, (2, rows))
    after = before + random.normal(0, 4.0 ** random.integers(0, 8, rows), (2, rows))
    assert found(index.crossings(streams_of(rows), before, after, XY, 1)) == found(
        lists.crossings(streams_of(rows), before, after, XY, 1)
    )
    assert 1 < len(index.levels[0].plain.cells_a_unit) < 6
    assert not len(index.levels[0].everywhere)


def test_a_large_batch_is_taken_by_neighbourhood_and_finds_the_same(monkeypatch, compiled):
    rows = 40_000 if compiled else 60
    monkeypatch.setattr(moves, "WORTH_SORTING", rows // 2)
    monkeypatch.setattr(grid_level, "MANY", 50)
    monkeypatch.setattr(MoveBuffer, "MOST", rows * 3 // 4)
    random = np.random.default_rng(9)
    index = BorderGrid()
    index.insert(squares(random, random.uniform(0, 60, (100, 2))))
    before = random.uniform(-5, 65, (2, rows))
    before[0, ::7] = np.nan
    after = before + random.normal(0, 1, (2, rows)) * (random.random(rows) < 0.9)
    found_together = index.crossings(streams_of(rows), before, after, XY, 1)
    monkeypatch.setattr(moves, "WORTH_SORTING", rows + 1)
    one_by_one = index.crossings(streams_of(rows), before, after, XY, 1)
    assert found(found_together) == found(one_by_one)
    row, _ = found_together.by_row(rows)
    assert (np.diff(row) >= 0).all()
    assert len(row) > rows // 10


# ---- moves that pass through -----------------------------------------------------------------------------------------


@given(bound=st.booleans(), data=st.data())
def test_moves_pass_through_what_they_meet_from_outside_to_outside(bound, data):
    model = Model(Eager(bound=bound))
    draw_changes(data, model, max_changes=4)
    streams, before, after = draw_moves(data, model)
    passed = model.index.passings(np.array(streams, np.int32), as_columns(before), as_columns(after), XY)
    expected = by_scan.passed(model.regions, model.owners, streams, before, after)
    assert found(passed) == expected


def test_short_and_long_moves_pass_through_many_regions(compiled):
    random = np.random.default_rng(8)
    middle = random.uniform(0, 60, (60 if compiled else 12, 2))
    drawn = dict(enumerate(drawn_around(random, middle)))
    index = BorderGrid()
    index.insert(Shapes.joined([region.shape for region in drawn.values()]))
    before = random.uniform(-5, 65, (60, 2))
    after = before + random.normal(0, 10.0 ** random.uniform(-1, 1.7, (60, 1)), (60, 2))
    passed = found(index.passings(streams_of(60), as_columns(before), as_columns(after), XY))
    assert passed == by_scan.passed(drawn, None, [0] * 60, before.tolist(), after.tolist())
    assert len(passed) > (10 if compiled else 0)


def drawn_around(random, middle):
    for x, y in middle.tolist():
        kind, size = random.integers(0, 3), random.uniform(0.5, 4)
        if kind == 0:
            yield Drawn(box=((x, x + size), (y, y + size)))
        elif kind == 1:
            yield Drawn(circle=(x, y, size))
        else:
            angle = np.sort(random.uniform(0, 2 * np.pi, 7))
            yield Drawn(rings=(tuple((x + size * math.cos(a), y + size * math.sin(a)) for a in angle),))


ANGULAR = {
    0: Drawn(rings=(((0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)),)),
    1: Drawn(rings=(((2, 0), (4, 2), (2, 4), (0, 2)),)),
    2: Drawn(rings=(((0, 0), (4, 0), (4, 4), (0, 4)), ((1, 1), (1, 3), (3, 3), (3, 1)))),
    3: Drawn(rings=(((0, 4), (2, 0), (4, 4), (2, 2)),)),
    4: Drawn(rings=(((1, 0), (2, 2), (0, 2)), ((2, 2), (4, 2), (3, 4)))),
    5: Drawn(box=((0.0, 4.0), (1.0, 3.0))),
    6: Drawn(rings=(((0, 0), (3, 0), (3, 1), (5, 3), (3, 1), (0, 3)),)),  # with a spike
}


def test_ways_that_touch_corners_and_run_along_borders(compiled):
    """All ways between the points of a grid on which all corners are."""
    ends = [(x, y) for x in range(-1, 6) for y in range(-1, 6)]
    ways = [(one, other) for one in ends for other in ends][:: 1 if compiled else 11]
    before, after = ([tuple(map(float, way[end])) for way in ways] for end in range(2))
    index = BorderGrid()
    index.insert(Shapes.joined([region.shape for region in ANGULAR.values()]))
    passed = index.passings(streams_of(len(ways)), as_columns(before), as_columns(after), XY)
    assert found(passed) == by_scan.passed(ANGULAR, None, [0] * len(ways), before, after)


@pytest.mark.parametrize("bound", [False, True])
def test_nobody_is_told_of_queries_that_are_gone_or_about_others(bound):
    shapes = Shapes.joined([region.shape for region in (*ANGULAR.values(), Drawn(box=((0.0, 1.0), (0.0, math.inf))))])
    index = BorderGrid(bound=bound)
    owners = (np.zeros(len(shapes), np.int32), np.ones(len(shapes), np.int64)) if bound else ()
    index.insert(shapes, *owners)
    streams, far = np.array([0, 1], np.int32), 2 if not bound else 1
    outside, other_side, inside = (np.tile([[x], [1.5]], 2) for x in (-1.0, 5.0, 0.5))
    assert len(found(index.crossings(streams, outside, inside, XY, 2))) == 7 * far
    assert len(found(index.passings(streams, outside, other_side, XY))) == 8 * far
    index.remove(np.arange(len(shapes), dtype=np.int32))
    for start, end in ((outside, inside), (outside, inside + 1e-3), (outside - 900, inside)):
        assert not found(index.crossings(streams, start, end, XY, 2))
        assert not found(index.passings(streams, start, end, XY))
        assert not found(index.containing(streams, end, XY))


def test_more_passings_than_the_buffer_holds():
    boxes = Shapes.boxes(np.tile([[[0.0, 1.0], [0.0, 1.0]]], (200, 1, 1)))
    ends = np.array([[-1.0, 900.0], [0.5, 0.5]]), np.array([[2.0, -900.0], [0.5, 0.5]])
    index, bound = BorderGrid(), BorderGrid(bound=True)
    index.insert(boxes)
    bound.insert(boxes, np.zeros(200, np.int32), np.ones(200, np.int64))
    for each in (index, bound):
        fence(each)
        assert len(found(each.passings(streams_of(2), *ends, XY))) == 400
    assert_unharmed(*FENCED)


def test_a_move_over_the_antimeridian_goes_the_short_way():
    index = BorderGrid(lonlat=True)
    longitudes = np.array([[179.9, 180.0], [-180.0, -179.9], [-10.0, 10.0]])
    index.insert(Shapes.boxes(np.stack([longitudes, np.tile([0.0, 1.0], (3, 1))], axis=1)))
    index.insert(circles(np.array([[0.0, 0.5]]), np.array([1000.0]), np.array([[[-0.1, 0.1], [0.4, 0.6]]])))
    before, after = np.array([[179.0, -20.0], [0.5, 0.5]]), np.array([[-179.0, 20.0], [0.5, 0.5]])
    passed = found(index.passings(streams_of(2), before, after, XY))
    assert passed == Counter({(0, 0): 1, (0, 1): 1, (1, 2): 1, (1, 3): 1})


# ---- longitude and latitude ------------------------------------------------------------------------------------------


def circle_on_earth(x, y, radius, bounds):
    return Drawn(circle=(x, y, radius), bounds=bounds)


ON_EARTH = {
    0: circle_on_earth(4.9, 52.37, 900.0, ((4.88, 4.92), (52.36, 52.38))),
    1: circle_on_earth(4.91, 52.37, 2000.0, ((4.87, 4.95), (52.35, 52.39))),
    2: circle_on_earth(179.995, 10.0, 3000.0, ((-180.0, 180.0), (9.97, 10.03))),
    3: circle_on_earth(0.0, 89.99, 5000.0, ((-180.0, 180.0), (89.94, 90.0))),
    4: Drawn(box=((4.9, 5.0), (52.3, 52.37))),
}


def test_circles_on_earth_also_on_both_sides_of_the_antimeridian_and_round_a_pole():
    index, random = BorderGrid(lonlat=True), np.random.default_rng(3)
    index.insert(Shapes.joined([region.shape for region in ON_EARTH.values()]))
    middle = np.array([[4.9, 52.37], [4.92, 52.37], [180.0, 10.0], [20.0, 89.97]])[random.integers(0, 4, 400)]
    before, after = (middle + random.normal(0, 0.02, (400, 2)) for _ in range(2))
    for points in (before, after):
        points[:, 0] = (points[:, 0] + 180) % 360 - 180
        points[:, 1] = points[:, 1].clip(-90, 90)
    rows = [0] * 400
    crossed = found(index.crossings(streams_of(400), as_columns(before), as_columns(after), XY, 1))
    assert crossed == by_scan.crossed(ON_EARTH, None, rows, before.tolist(), after.tolist(), lonlat=True)
    contained = found(index.containing(streams_of(400), as_columns(after), XY))
    assert contained == by_scan.inside(ON_EARTH, None, rows, after.tolist(), lonlat=True)
    assert {query for _, query in contained} == set(ON_EARTH)


# ---- partitions ------------------------------------------------------------------------------------------------------


def mesh(random, cells):
    """Cut a square into quadrangles, and those into triangles, with moved vertices that neighbours share."""
    at = np.arange(cells + 1.0)
    vertices = np.stack(np.meshgrid(at, at, indexing="ij"), axis=2)
    vertices[1:-1, 1:-1] += random.uniform(-0.3, 0.3, (cells - 1, cells - 1, 2))
    vertices[1:-1:3, 1:-1:3] = vertices[1:-1:3, 1:-1:3].round(1)
    polygons = []
    for i in range(cells):
        for j in range(cells):
            a, b, c, d = vertices[i, j], vertices[i + 1, j], vertices[i + 1, j + 1], vertices[i, j + 1]
            if (i + j) % 3:
                polygons.append([np.array([a, b, c, d])])
            else:
                polygons += [[np.array([a, b, c])], [np.array([c, d, a])]]
    return polygons


def points_in(random, polygons, count):
    """Random points, vertices, points of edges, and those one ulp off, of the inner part."""
    ends = Shapes.polygons(polygons).edges
    edge, share = ends[random.integers(0, len(ends), count)], random.choice([0, 0.5, -1], (count, 1))
    share = np.where(share < 0, random.uniform(0, 1, (count, 1)), share)
    points = edge[:, :2] + share * (edge[:, 2:] - edge[:, :2])
    points = np.nextafter(points, points + random.integers(-1, 2, points.shape))
    limit = ends.max() - 1e-9
    anywhere = random.uniform(0, limit, (count, 2))
    return np.clip(np.where(random.random((count, 1)) < 0.3, anywhere, points), 0, limit).T.copy()


def assert_partition(cells, count, seed):
    random = np.random.default_rng(seed)
    polygons = mesh(random, cells)
    index = BorderGrid()
    index.insert(Shapes.polygons(polygons))
    points = points_in(random, polygons, count)
    row, query = index.containing(streams_of(count), points, XY).by_row(count)
    assert (row == np.arange(count)).all(), "a point in none, or in several"
    # The same from moves: a point's polygon is what it was, less what the move left, with what it entered.
    after = np.roll(points, 1, axis=1)
    after[:, ::2] = np.clip(points + random.normal(0, 0.2, points.shape), 0, cells - 1e-9)[:, ::2]
    now = index.containing(streams_of(count), after, XY).by_row(count)[1]
    row, crossed = index.crossings(streams_of(count), points, after, XY, 1).by_row(count)
    entered, left = crossed >= 0, crossed < 0
    expected = np.flatnonzero(query != now)
    order = np.argsort(row[entered], kind="stable"), np.argsort(row[left], kind="stable")
    assert (row[entered][order[0]] == expected).all()
    assert (row[left][order[1]] == expected).all()
    assert (crossed[entered][order[0]] == now[expected]).all()
    assert (~crossed[left][order[1]] == query[expected]).all()


def test_polygons_that_share_vertices_partition_the_plane(compiled):
    assert_partition(cells=40 if compiled else 6, count=1_000_000 if compiled else 1_000, seed=4)


@pytest.mark.soak
def test_ten_million_points_are_in_exactly_one_polygon_each():
    for seed in range(10):
        assert_partition(cells=30 + 5 * seed, count=1_000_000, seed=seed)


# ---- shapely ---------------------------------------------------------------------------------------------------------


def test_containment_is_shapelys_away_from_edges():
    shapely = pytest.importorskip("shapely")
    random = np.random.default_rng(5)
    index, stars = BorderGrid(), []
    for x, y in random.uniform(0, 30, (40, 2)):
        angle = np.sort(random.uniform(0, 2 * np.pi, 30))
        reach = random.uniform(1, 5, 30)
        stars.append(np.column_stack([x + reach * np.cos(angle), y + reach * np.sin(angle)]))
    index.insert(Shapes.polygons([[star] for star in stars]))
    points = random.uniform(-5, 35, (2, 2000))
    contained = found(index.containing(streams_of(2000), points, XY))
    for query, star in enumerate(stars):
        inside = np.flatnonzero(shapely.contains_xy(shapely.Polygon(star), *points))
        assert {row for row, q in contained if q == query} == set(inside.tolist())


def nyc_zones():
    places = (above / "shared/data/nyc_taxi_zones/taxi_zones.geojson" for above in Path(__file__).resolve().parents)
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        pytest.skip("the taxi zones of New York are not there")
    return [feature["geometry"] for feature in json.loads(file.read_text())["features"]]


def rings_of(geometry):
    parts = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return [np.array(ring) for part in parts for ring in part]


def test_containment_is_shapelys_in_the_taxi_zones_of_new_york(compiled):
    shapely = pytest.importorskip("shapely")
    zones = nyc_zones()[:: 1 if compiled else 90]
    shapes = Shapes.polygons([rings_of(zone) for zone in zones])
    index = BorderGrid(lonlat=True)
    index.insert(shapes)
    count = 20_000 if compiled else 200
    lower, upper = shapes.bounds[:, :, 0].min(axis=0), shapes.bounds[:, :, 1].max(axis=0)
    points = np.random.default_rng(6).uniform(lower, upper, (count, 2)).T.copy()
    row, query = index.containing(streams_of(count), points, XY).arrays()
    ours = set(zip(row.tolist(), query.tolist(), strict=True))
    theirs = set()
    for number, zone in enumerate(zones):
        inside = np.flatnonzero(shapely.contains_xy(shapely.geometry.shape(zone), *points))
        theirs |= {(int(at), number) for at in inside}
    assert ours == theirs
    after = points + np.random.default_rng(7).normal(0, 0.0005, points.shape)
    crossed = found(index.crossings(streams_of(count), points, after, XY, 1))
    then, now = (found(index.containing(streams_of(count), each, XY)) for each in (points, after))
    assert crossed == (now - then) + Counter({(row, ~query): 1 for row, query in then - now})


# ---- memory and growth -----------------------------------------------------------------------------------------------


def test_memory_per_query_and_stream(compiled):
    random, queries = np.random.default_rng(1), 100_000 if compiled else 900
    index = BorderGrid()
    index.insert(squares_of(random.uniform(0, 100 * queries**0.5, (queries, 2)), 200.0))
    index.crossings(streams_of(1), np.array([[0.0], [0.0]]), np.array([[1.0], [1.0]]), XY, 1000)
    if compiled:  # few queries may have finer cells
        assert index.nbytes_queries <= 120 * queries
    assert index.nbytes_streams == 0


def squares_of(corner, side):
    return Shapes.boxes(np.stack([corner, corner + side], axis=2))


def test_a_move_looks_at_little_however_many_regions_there_are(compiled):
    random = np.random.default_rng(1)
    each = []
    for queries in (1000, 16_000) if compiled else (200, 800):
        side = 100 * math.sqrt(queries)
        index = BorderGrid()
        index.insert(squares_of(random.uniform(0, side, (queries, 2)), 200.0))
        before = random.uniform(0, side, (2, 500))
        index.crossings(streams_of(500), before, before + random.uniform(-20, 20, (2, 500)), XY, 1)
        each.append(index.looked / 500)
    assert each[1] < 1.3 * each[0]
    assert each[1] < 15


@pytest.mark.parametrize(
    ("region", "was", "now"),
    [
        # a hole that touches the shell with a corner, and the way goes in there: it is in the hole from then on
        (Drawn(rings=(((0, 0), (10, 0), (10, 10), (0, 10)), ((0, 5), (3, 3), (3, 7)))), (-1, 5), (1, 5)),
        # a ring that crosses itself, and the way goes through that very point
        (Drawn(rings=(((5, 2), (2, 1), (-4, 1), (1, 5), (0, -3)),)), (7.5, 8), (-0.5, 0)),
        (Drawn(rings=(((0, 0), (4, 4), (4, 0), (0, 4)),)), (2, -1), (2, 5)),
        (Drawn(rings=(((0, 0), (4, 4), (4, 0), (0, 4)),)), (1, 2), (3, 2)),
        (Drawn(rings=(((0, 0), (4, 4), (0, 4), (4, 0)),)), (1, 2), (3, 2)),
        (Drawn(rings=(((0, 0), (4, 4), (0, 4), (4, 0)),)), (1, 1.75), (3, 2.25)),
        (Drawn(rings=(((0, 0), (4, 1e-7), (4, 1), (0, 1)),)), (-1, -1e-9), (9, 2e-7)),  # nearly along an edge
    ],
)
def test_ways_through_points_that_edges_share(region, was, now):
    index = BorderGrid()
    index.insert(region.shape)
    before, after = as_columns([tuple(map(float, was))]), as_columns([tuple(map(float, now))])
    passed = found(index.passings(streams_of(1), before, after, XY))
    assert passed == by_scan.passed({0: region}, None, [0], [was], [now])
