"""Zones that cover a city, taxis that drive in it, and shops beside its roads."""

import json

import numpy as np
import pyarrow as pa
import pytest
import shapely

from limen import InvalidInput, load_properties, load_queries
from limen.kernels.earth import EARTH_RADIUS
from limen.simulate import generated_roads, shop_sites
from limen.simulate.shops import FROM_ROAD
from limen_lab.workloads import Taxis, generated_zones, read_rings, zone_file, zone_rings
from limen_lab.workloads.addresses import addresses, inside
from limen_lab.workloads.taxis import FASTEST
from limen_lab.workloads.zones import ZONES_FILE

ZONES = generated_zones(across=4, vertices=9)
SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])


@pytest.fixture
def no_map(monkeypatch, tmp_path):
    monkeypatch.delenv("LIMEN_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_generated_zones_cover_their_square_once():
    zones = [shapely.Polygon(rings[0]) for rings in generated_zones()]
    assert all(zone.is_valid for zone in zones)
    whole = shapely.union_all(zones)
    assert not len(whole.interiors)
    assert sum(zone.area for zone in zones) == pytest.approx(whole.area, rel=1e-12)


def test_generated_zones_are_written_where_there_is_no_map(no_map):
    path = zone_file(no_map)
    assert zone_rings()[0] == "generated"
    assert len(load_queries(path, id="LocationID")) == 256
    first = load_properties(path, id="LocationID").slice(0, 1).to_pylist()
    assert first == [{"query_id": "1", "LocationID": 1, "zone": "Zone 1/1", "borough": "Generated"}]
    rings = read_rings(path)
    assert all((one[0][:-1] == other[0]).all() for one, other in zip(rings, generated_zones(), strict=True))


def test_the_map_of_new_york_is_taken_where_it_is(no_map, monkeypatch):
    folder = no_map / "data" / "nyc_taxi_zones"
    folder.mkdir(parents=True)
    monkeypatch.setenv("LIMEN_DATA", str(no_map / "data"))
    with pytest.raises(InvalidInput, match=f"LIMEN_DATA: expected a folder with {ZONES_FILE}, got {folder}"):
        zone_rings()
    islands = {"type": "MultiPolygon", "coordinates": [[SQUARE.tolist()], [(SQUARE + 9).tolist()]]}
    feature = {"type": "Feature", "properties": {"LocationID": 7}, "geometry": islands}
    (folder / ZONES_FILE).write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    assert zone_file(no_map) == folder / ZONES_FILE
    name, rings = zone_rings()
    assert (name, len(rings), len(rings[0])) == ("taxi zones of New York", 1, 2)


def test_addresses_are_inside_and_not_in_holes():
    hole = np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]])
    points = addresses(np.random.default_rng(1), [SQUARE, hole], 500)
    assert inside(points, [SQUARE]).all()
    assert not inside(points, [hole]).any()
    with pytest.raises(ValueError, match="without an area"):
        addresses(np.random.default_rng(1), [SQUARE[:2]], 1)


def test_taxis_are_the_same_however_they_are_cut_into_batches():
    fleet = Taxis(zones=ZONES, taxis=37, reports=20, noise=5.0, seed=3)
    whole = next(fleet.tables(batch_seconds=200))
    assert whole == pa.concat_tables(fleet.tables(batch_seconds=7)).combine_chunks()
    assert whole.num_rows == 37 * 20
    times = whole["time"].to_numpy()
    assert (np.diff(times) >= np.timedelta64(0)).all()


def test_taxis_keep_to_the_speed_of_a_city_and_stop_now_and_then():
    fleet = Taxis(zones=ZONES, taxis=50, reports=360, seed=3)
    table = pa.concat_tables(fleet.tables()).sort_by([("taxi", "ascending"), ("time", "ascending")])
    degrees = np.column_stack([table["lon"].to_numpy(), table["lat"].to_numpy()]).reshape(50, 360, 2)
    metres = np.diff(degrees, axis=1) * np.radians(EARTH_RADIUS) * (np.cos(np.radians(40.72)), 1)
    speed = np.hypot(*metres.transpose(2, 0, 1)) / fleet.interval
    assert speed.max() < 1.01 * FASTEST
    assert 0.2 < (speed < 0.01).mean() < 0.6


def test_noise_moves_reports_by_as_much_as_configured():
    calm, noisy = (pa.concat_tables(Taxis(zones=ZONES, taxis=50, reports=100, noise=n).tables()) for n in (0.0, 10.0))
    off = (noisy["lat"].to_numpy() - calm["lat"].to_numpy()) * np.radians(EARTH_RADIUS)
    assert off.std() == pytest.approx(10.0, rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"taxis": 0}, "taxis: expected 1 or more, got 0"),
        ({"interval": 0}, "interval: expected 1 or more, got 0"),
        ({"noise": -1.0}, "noise: expected metres, 0 or more, got -1.0"),
    ],
)
def test_impossible_fleets_are_refused(arguments, text):
    with pytest.raises(InvalidInput, match=text):
        Taxis(zones=ZONES, **arguments)
    with pytest.raises(InvalidInput, match="batch_seconds: expected 1 or more, got 0"):
        next(Taxis(zones=ZONES).tables(batch_seconds=0))


def test_shops_stand_beside_roads_and_mostly_in_the_middle():
    network = generated_roads(400, 460)
    shops = shop_sites(network, 500, seed=2)
    assert (shops == shop_sites(network, 500, seed=2)).all()
    roads = shapely.linestrings(network.xy[network.ends])
    assert shapely.distance(shapely.points(shops)[:, None], roads).min(axis=1).max() <= FROM_ROAD + 1e-6
    reach = np.hypot(*(shops - network.extent / 2).T) / network.extent.max()
    assert np.median(reach) < 0.25
    with pytest.raises(InvalidInput, match="n: expected 1 or more, got 0"):
        shop_sites(network, 0)
