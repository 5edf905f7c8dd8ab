import itertools

import numpy as np
import pyarrow as pa
import pytest

import limen
from limen.regions.border_grid import BorderGrid
from limen.regions.boxes import BoxIndex
from limen.regions.plane_boxes import PlaneBoxes
from limen.regions.region_index import new_index

PLANE = limen.Columns(id="id", time="time", values=("x", "y"), time_unit="s")
DEGREES = limen.Columns(id="id", time="time", values=("x", "y"), time_unit="s", crs="lonlat")


@pytest.mark.parametrize(
    ("dimensions", "shapes", "kind"),
    [(1, False, BoxIndex), (2, False, PlaneBoxes), (3, False, BoxIndex), (2, True, BorderGrid)],
)
@pytest.mark.parametrize("bound", [False, True])
def test_each_kind_of_region_has_its_index(dimensions, shapes, kind, bound):
    index = new_index(dimensions, bound=bound, shapes=shapes, lonlat=False)
    assert (type(index), index.bound) == (kind, bound)


def box_at(random, place):
    low = random.integers(-20, 20, 2)
    return limen.Border(f"b{place}", limen.Box(low.tolist(), (low + random.integers(1, 6, 2)).tolist()))


def play(columns, seed):
    """Let queries come, change and go while streams move, with restarts; return all events, and who was in a grid."""
    random, clock = np.random.default_rng(seed), itertools.count()
    engine, events, in_grid = limen.Engine(columns), [], []
    for number in (3, 30, 12, 40, 2, 25):
        known = engine.counters["queries"]
        events += [engine.deregister(f"b{place}") for place in range(number, known)]
        engine.register([box_at(random, place) for place in range(min(number, known) // 2, number)])
        for _ in range(3):
            rows = {"id": [str(s) for s in range(60)], "time": [next(clock)] * 60}
            x, y = random.integers(-22, 22, (2, 60)) / 1.0
            events.append(engine.process(pa.table({**rows, "x": x, "y": y})))
        in_grid.append(engine._shard.catalogue.operators[0].groups[0].index.in_grid)
        engine = limen.Engine.restore(engine.snapshot())
    return limen.sort_events(pa.concat_tables(events)), in_grid


@pytest.mark.parametrize("columns", [PLANE, DEGREES], ids=["plane", "degrees"])
def test_events_do_not_depend_on_the_index_that_boxes_are_in(columns, monkeypatch):
    monkeypatch.setattr(PlaneBoxes, "UNSEEN", 0)
    monkeypatch.setattr(PlaneBoxes, "LARGEST", np.inf)
    played = []
    for fewest, expected in ((1000, {False}), (1, {True}), (10, {False, True})):
        monkeypatch.setattr(PlaneBoxes, "FEWEST", fewest)
        events, in_grid = play(columns, seed=4)
        assert set(in_grid) == expected
        played.append(events)
    assert played[0].num_rows > 100
    assert played[1] == played[0]
    assert played[2] == played[0]
