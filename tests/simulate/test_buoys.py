import numpy as np
import pyarrow.compute as pc
import pytest

from limen.engine import Engine
from limen.simulate import BUOY_COLUMNS, Buoys
from limen.simulate.buoy_patterns import PatternQueries
from limen.simulate.buoys import FILE, MEASURES
from limen.simulate.data_folder import find_data


def sound(table):
    time = table["time"].cast("int64").to_numpy()
    assert (np.diff(time) >= 0).all()
    assert len(pc.unique(table["buoy"])) > 20
    engine = Engine(BUOY_COLUMNS, on_bad_row="fail")
    engine.process(table)
    assert engine.counters["late"] <= len(table) // 1000  # two readings of a buoy in one second


def test_made_readings():
    table = Buoys(rows=5_000, made=True).table
    assert len(table) == 5_000
    again, other = Buoys(rows=5_000, made=True).table, Buoys(rows=5_000, made=True, seed=1).table
    assert repr(table.to_pylist()) == repr(again.to_pylist())
    assert not table["time"].equals(other["time"])
    sound(table)
    assert sum(map(len, Buoys(rows=5_000, made=True).batches(1_024))) == 5_000


def test_real_readings_taken_several_times():
    if find_data("tao", [FILE]) is None:
        pytest.skip("the readings of TAO are not here")
    buoys = Buoys(rows=200_000)
    table = buoys.table
    assert buoys.folder is not None
    assert len(table) == 200_000
    sound(table)
    ranges = {"zonal": (-14, 16), "meridional": (-14, 15), "humidity": (40, 105), "air": (16, 33), "sea": (16, 33)}
    for name in MEASURES:
        values = table[name].to_numpy()
        assert np.nanmin(values) > ranges[name][0]
        assert np.nanmax(values) < ranges[name][1]


@pytest.mark.parametrize("verbosity", [0.02, 0.1])
def test_patterns_have_about_the_wanted_verbosity(verbosity):
    table = Buoys(rows=6_000, made=True).table
    patterns = PatternQueries(count=3, verbosity=verbosity, variables=2, pairs=1).patterns(table)
    engine = Engine(BUOY_COLUMNS, queries=patterns)
    told = len(engine.process(table)) / len(table) / 3
    assert verbosity / 2 < told < verbosity * 2


def test_pairs_beyond_the_chain():
    table = Buoys(rows=2_000, made=True).table
    (pattern,) = PatternQueries(count=1, variables=4, pairs=5).patterns(table)
    assert len(pattern.pairs) == 5
