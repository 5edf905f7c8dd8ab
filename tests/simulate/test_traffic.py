"""Traffic: speeds, densities and reports as asked, on roads and nowhere else."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from limen.errors import InvalidInput
from limen.simulate import (
    TRAFFIC_COLUMNS,
    Traffic,
    city_roads,
    generated_roads,
    road_network,
    traffic_queries,
)
from limen.simulate.fastest_routes import LEAST_PACE, city_routes, road_limits
from limen.simulate.kinds import FAST, SLOW

OLDENBURG = Path(__file__).parents[3] / "shared" / "data" / "oldenburg"
TOWN = generated_roads(400, 460, side=6_000.0)
NAMES = ("number", "is_fast", "x", "y", "kmh")


def traffic(**changes):
    return Traffic(**({"network": TOWN, "objects": 300, "reports": 12, "seed": 1} | changes))


def rows(traffic):
    """All reports, as one array a column, sorted by number and time."""
    seconds = list(traffic.seconds())
    columns = {name: np.concatenate([getattr(reports, name) for reports in seconds]) for name in NAMES}
    columns["second"] = np.repeat([reports.second for reports in seconds], [len(r.number) for r in seconds])
    order = np.lexsort([columns["second"], columns["number"]])
    return {name: column[order] for name, column in columns.items()}


def off_road(network, x, y):
    """Metres from each place to the nearest road."""
    one, other = network.xy[network.ends[:, 0]], network.xy[network.ends[:, 1]]
    way = other - one
    nearest = np.full(len(x), np.inf)
    for i, place in enumerate(np.column_stack([x, y])):
        share = np.clip(((place - one) * way).sum(axis=1) / network.metres**2, 0.0, 1.0)
        nearest[i] = np.hypot(*(one + share[:, None] * way - place).T).min()
    return nearest


@pytest.fixture(scope="module", params=["generated", "oldenburg"])
def city(request):
    if request.param == "generated":
        return generated_roads()
    if not OLDENBURG.is_dir():
        pytest.skip(f"needs the map of Oldenburg in {OLDENBURG}")
    return city_roads(OLDENBURG)


@pytest.fixture(scope="module")
def both(city):
    """Fast and slow objects in the city, half of each."""
    return rows(Traffic(network=city, objects=8_000, reports=20, kind=0.5, seed=1))


@pytest.mark.parametrize(("kind", "is_fast"), [(FAST, True), (SLOW, False)])
def test_speeds_are_the_papers(both, kind, is_fast):
    kmh = both["kmh"][both["is_fast"] == is_fast]
    # 4,000 objects at 20 times; those of one object hang together, so the deviation of the mean is about 1 %.
    assert kmh.mean() == pytest.approx(kind.average, rel=0.03)
    assert kmh.max() <= kind.maximum * (1 + 1e-9)
    assert kmh.max() > 0.97 * kind.maximum
    assert kmh.min() > 0


@pytest.mark.parametrize("is_fast", [True, False])
def test_speeds_do_not_change_with_time(both, is_fast):
    mine = both["is_fast"] == is_fast
    early, late = both["second"] < 150, both["second"] >= 450
    assert both["kmh"][mine & early].mean() == pytest.approx(both["kmh"][mine & late].mean(), rel=0.04)


@pytest.mark.parametrize(("kind", "is_fast"), [(FAST, True), (SLOW, False)])
def test_nobody_goes_farther_than_the_maximum_allows(both, kind, is_fast):
    same = (np.diff(both["number"]) == 0) & (both["is_fast"][1:] == is_fast)
    moved = np.hypot(np.diff(both["x"]), np.diff(both["y"]))[same]
    assert moved.max() <= kind.maximum / 3.6 * 30 * (1 + 1e-9)
    # As the crow flies, and so less than the average along the roads, but not by much.
    assert 0.75 * kind.average < moved.mean() / 30 * 3.6 < kind.average


def test_objects_stay_on_roads(both, city):
    some = np.random.default_rng(0).choice(len(both["x"]), 1_500, replace=False)
    assert off_road(city, both["x"][some], both["y"][some]).max() < 1e-6


def test_objects_are_spread_over_the_city_from_the_first_report_on(both, city):
    """Of 36 districts, those with roads have objects in them, the first interval as the last one."""
    district = np.floor(6 * np.column_stack([both["x"], both["y"]]) / (city.extent * 1.001)).astype(int) @ [6, 1]
    first, last = both["second"] < 30, both["second"] >= 570
    middles = city.xy[city.ends].mean(axis=1)
    roads = np.bincount(np.floor(6 * middles / (city.extent * 1.001)).astype(int) @ [6, 1], city.metres, 36)
    counts = [np.bincount(district[when], minlength=36) for when in (first, last)]
    for count in counts:
        assert (count[roads > 10_000] > 0).all()
        assert (count[roads == 0] == 0).all()
        assert count.max() < 0.25 * count.sum()
    assert np.abs(counts[0] - counts[1]).sum() < 0.15 * counts[0].sum()


def test_every_second_has_its_share_of_the_objects():
    sizes = [len(reports.number) for reports in traffic(objects=1_000, interval=30, reports=3).seconds()]
    assert len(sizes) == 90
    assert set(sizes) == {33, 34}
    assert sizes[:30] == sizes[30:60] == sizes[60:]


def test_fewer_objects_than_seconds():
    sizes = [len(reports.number) for reports in traffic(objects=2, interval=5, reports=2).seconds()]
    assert sorted(sizes[:5]) == [0, 0, 0, 1, 1]
    assert sizes[5:] == sizes[:5]


def test_every_object_reports_at_its_interval_and_its_own_second():
    columns = rows(traffic(interval=7))
    same = np.diff(columns["number"]) == 0
    assert set(np.diff(columns["second"])[same].tolist()) == {7}


def test_the_population_is_constant_and_numbers_are_not_used_again():
    columns = rows(traffic(reports=60))
    for turn in range(60):
        now = columns["second"] // 30 == turn
        assert len(np.unique(columns["number"][now])) == 300
    # Trips end, and others begin: who is gone does not come back, and who comes is new.
    number, first = np.unique(columns["number"], return_index=True)
    assert len(number) > 400
    assert (np.diff(columns["second"])[np.diff(columns["number"]) == 0] == 30).all()
    births = columns["second"][first]
    assert (births[:300] < 30).all()
    assert (births[300:] >= 30).all()


def test_the_mix_of_kinds_is_as_asked_and_stays():
    columns = rows(traffic(kind=0.25, reports=40))
    for turn in (0, 20, 39):
        assert columns["is_fast"][columns["second"] // 30 == turn].sum() == 75
    assert rows(traffic(kind="fast"))["is_fast"].all()
    assert not rows(traffic(kind="slow"))["is_fast"].any()


def test_trips_are_about_as_long_as_their_kind_likes(city):
    routes = Traffic(network=city, kind=0.5).routes()
    for kind in (FAST, SLOW):
        start, toward = routes.trips(np.random.default_rng(1), 5_000, kind)
        assert routes.metres[start, toward].mean() == pytest.approx(kind.trip, rel=0.12)
        assert (routes.metres[start, toward] > 0).all()


def test_the_average_holds_on_a_network_where_nearly_all_roads_are_slow():
    """One motorway beside lanes: unless roads become less different, nobody could go at a third of the maximum."""
    xy = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    right = [(a, a + 1) for a in range(144) if a % 12 != 11]
    up = [(a, a + 12) for a in range(132)]
    classes = np.array([0] + [6] * (len(right) + len(up) - 1))
    network = road_network("lanes", xy, np.array(right + up), classes)
    slow = city_routes(network, np.arange(0, 144, 7), [FAST])
    assert road_limits(network).min() == 0.25
    assert slow.pace(FAST) >= LEAST_PACE
    assert slow.limits.max() == 1.0
    kmh = rows(Traffic(network=network, objects=2_000, reports=5))["kmh"]
    assert kmh.mean() == pytest.approx(20.0, rel=0.04)
    assert kmh.max() <= 60.0 * (1 + 1e-9)


def test_a_single_road_is_enough():
    line = road_network("line", np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0, 1]]), np.array([3]), side=100.0)
    columns = rows(Traffic(network=line, objects=20, reports=10))
    assert (columns["y"] == 0).all()
    assert columns["x"].min() >= 0
    assert columns["x"].max() <= 100
    assert len(np.unique(columns["number"])) > 100


def test_seed_decides():
    one, same, other = (rows(traffic(seed=seed)) for seed in (1, 1, 2))
    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not np.array_equal(one["x"][:50], other["x"][:50])


def test_global_random_state_is_left_alone():
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    rows(traffic(reports=2))
    assert np.random.random() == expected  # noqa: NPY002


def test_tables_hold_the_reports():
    table = pa.concat_tables(traffic(kind=0.5).tables(batch_seconds=50))
    assert table.schema == pa.schema(
        [
            ("vehicle", pa.string()),
            ("time", pa.timestamp("us", "UTC")),
            ("x", pa.float64()),
            ("y", pa.float64()),
            ("kind", pa.string()),
            ("speed", pa.float64()),
        ]
    )
    columns = TRAFFIC_COLUMNS
    assert (columns.id, columns.time, *columns.values, *columns.attributes) == tuple(table.column_names)
    reports = list(traffic(kind=0.5).seconds())
    numbers = np.concatenate([second.number for second in reports])
    assert table["vehicle"].to_pylist() == [f"V{number}" for number in numbers]
    assert np.array_equal(table["x"].to_numpy(), np.concatenate([second.x for second in reports]))
    assert np.array_equal(table["speed"].to_numpy(), np.concatenate([second.kmh for second in reports]))
    assert [kind == "fast" for kind in table["kind"].to_pylist()] == np.concatenate(
        [second.is_fast for second in reports]
    ).tolist()
    seconds = (table["time"].to_numpy() - np.datetime64("2026-01-01")).astype("timedelta64[s]").astype(int)
    assert np.array_equal(seconds, np.repeat([r.second for r in reports], [len(r.number) for r in reports]))


def test_batches_of_any_size_hold_the_same():
    whole = pa.concat_tables(traffic().tables(batch_seconds=1_000))
    assert pa.concat_tables(traffic().tables()).combine_chunks() == whole.combine_chunks()
    assert [table.num_rows for table in traffic(reports=2).tables(batch_seconds=25)] == [250, 250, 100]


def test_regions_are_squares_crowded_in_the_middle_of_the_city():
    queries = traffic_queries(TOWN, n=2_000, width=250.0)
    lo = np.array([query.region.lower for query in queries])
    hi = np.array([query.region.upper for query in queries])
    assert ((hi - lo) == 250.0).all()
    assert (lo + hi).mean(axis=0) / 2 == pytest.approx(TOWN.extent / 2, rel=0.02)
    assert ((lo + hi) / 2).std(axis=0) == pytest.approx(TOWN.extent / 6, rel=0.05)
    assert queries == traffic_queries(TOWN, n=2_000, width=250.0)
    assert queries != traffic_queries(TOWN, n=2_000, width=250.0, seed=1)
    for query in queries[:3]:
        query.check(TRAFFIC_COLUMNS)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"objects": 0}, "objects: expected 1 or more, got 0"),
        ({"reports": 0}, "reports: expected 1 or more, got 0"),
        ({"interval": 0}, "interval: expected 1 or more, got 0"),
        ({"destinations": 1}, "destinations: expected 2 or more, got 1"),
        ({"kind": "quick"}, "kind: expected 'fast', 'slow' or a fraction that are fast, got 'quick'"),
        ({"kind": 1.5}, "kind: expected 'fast', 'slow' or a fraction that are fast, got 1.5"),
        ({"kind": float("nan")}, "kind: expected 'fast', 'slow' or a fraction that are fast, got nan"),
    ],
)
def test_impossible_traffic_is_refused(changes, text):
    with pytest.raises(InvalidInput) as error:
        traffic(**changes)
    assert str(error.value) == text


def test_impossible_batches_and_regions_are_refused():
    with pytest.raises(InvalidInput, match="batch_seconds: expected 1 or more, got 0"):
        next(traffic().tables(batch_seconds=0))
    with pytest.raises(InvalidInput, match="n: expected 1 or more, got 0"):
        traffic_queries(TOWN, n=0)
    with pytest.raises(InvalidInput, match=r"width: expected metres, finite and above 0, got 0\.0"):
        traffic_queries(TOWN, width=0.0)
