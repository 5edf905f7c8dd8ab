"""The parking garages: where they stand, who is ever inside, and how often borders are crossed."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from limen.errors import InvalidInput
from limen.simulate import TRAFFIC_COLUMNS, Garages, city_roads, garage_sites, generated_roads

OLDENBURG = Path(__file__).parents[3] / "shared" / "data" / "oldenburg"
TOWN = generated_roads(400, 460, side=6_000.0)


def garages(**changes):
    return Garages(**({"network": TOWN, "vehicles": 2_000, "reports": 20, "garages": 20, "seed": 1} | changes))


@pytest.fixture(scope="module", params=["generated", "oldenburg"])
def city(request):
    """A scenario and what it reports: number, second, x, y, kmh and the garage that one is in, or -1."""
    if request.param == "oldenburg" and not OLDENBURG.is_dir():
        pytest.skip(f"needs the map of Oldenburg in {OLDENBURG}")
    network = generated_roads() if request.param == "generated" else city_roads(OLDENBURG)
    scenario = Garages(network=network, vehicles=25_000, reports=60, seed=1)
    return scenario, *observed(scenario)


def observed(scenario):
    reports = list(scenario.seconds())
    number, x, y, kmh = (np.concatenate([getattr(r, name) for r in reports]) for name in ("number", "x", "y", "kmh"))
    second = np.repeat([r.second for r in reports], [len(r.number) for r in reports])
    inside = np.full(len(number), -1)
    by_x = np.argsort(x)
    sorted_x = x[by_x]
    for garage, (lo, hi) in enumerate(zip(scenario.sites.lo, scenario.sites.hi, strict=True)):
        column = by_x[slice(*np.searchsorted(sorted_x, [lo[0], hi[0]]))]
        inside[column[(y[column] >= lo[1]) & (y[column] < hi[1])]] = garage
    return number, second, x, y, kmh, inside


def border_events(number, second, inside):
    """(vehicle, garage) -> [(second, whether it came in)], of vehicles that were ever inside."""
    events = {}
    for vehicle in np.unique(number[inside >= 0]):
        mine = np.flatnonzero(number == vehicle)
        mine = mine[np.argsort(second[mine])]
        for before, after in pairwise(mine):
            if inside[before] != inside[after]:
                if inside[before] >= 0:
                    events.setdefault((vehicle, inside[before]), []).append((second[after], False))
                if inside[after] >= 0:
                    events.setdefault((vehicle, inside[after]), []).append((second[after], True))
    return events


def matched(events, last_second, came_in):
    """Of the starts that can be judged, the share of those followed by the opposite event within three minutes."""
    starts = [
        position + 1 < len(times) and times[position + 1][0] - at <= 180
        for times in events.values()
        for position, (at, entered) in enumerate(times)
        if entered == came_in and at + 180 <= last_second
    ]
    assert len(starts) > 200
    return np.mean(starts)


def test_borders_are_crossed_and_crossed_back_as_often_as_in_the_paper(city):
    _, number, second, _, _, _, inside = city
    events = border_events(number, second, inside)
    crossed = sum(len(times) for times in events.values())
    assert crossed / len(number) == pytest.approx(21 / 33_300, rel=0.25)
    assert 0.4 <= matched(events, second.max(), came_in=True) <= 0.6
    assert 0.4 <= matched(events, second.max(), came_in=False) <= 0.6


def test_the_rate_does_not_change_with_time(city):
    _, number, second, _, _, _, inside = city
    when = [at for times in border_events(number, second, inside).values() for at, _ in times]
    early, late = np.histogram(when, [30, 915, 1_800])[0]
    assert early == pytest.approx(late, rel=0.3)


def test_only_who_parks_is_ever_inside(city):
    scenario, number, _, _, _, kmh, inside = city
    parked = kmh == 0
    assert (parked == (inside >= 0)).all()
    # Few vehicles do, and those have the lowest numbers.
    assert 0.001 < len(np.unique(number[parked])) / scenario.vehicles < 0.03


def test_nobody_moves_while_parked_and_nobody_jumps(city):
    _, number, second, x, y, _, inside = city
    order = np.lexsort([second, number])
    same = np.diff(number[order]) == 0
    moved = np.hypot(np.diff(x[order]), np.diff(y[order]))
    stayed = same & (inside[order][1:] >= 0) & (inside[order][1:] == inside[order][:-1])
    # Who leaves is away for an interval at least, so that a report between two stays sees it.
    assert (moved[stayed] == 0).all()
    # A gate is at most 45 m from a garage's middle, and a place there 20 m.
    assert moved[same].max() <= 60 / 3.6 * 30 + 70


def test_every_vehicle_reports_every_interval(city):
    scenario, number, second, *_ = city
    assert len(number) == scenario.vehicles * scenario.reports
    order = np.lexsort([second, number])
    assert set(np.diff(second[order])[np.diff(number[order]) == 0].tolist()) == {30}


def test_stays_and_absences_are_short_or_long_but_not_in_between(city):
    """Reports are 30 s apart: who stays for less than 150 s is never seen for 180, and long is beyond 180."""
    _, number, second, _, _, _, inside = city
    lasted = [
        later - earlier
        for times in border_events(number, second, inside).values()
        for (earlier, entered), (later, _) in pairwise(times)
        if entered
    ]
    assert {30, 60, 90, 120, 150} >= {int(seconds) for seconds in lasted if seconds < 210}
    assert max(lasted) > 400


def test_garages_stand_off_the_roads_and_apart(city):
    sites = city[0].sites
    network = city[0].network
    middle = (sites.lo + sites.hi) / 2
    assert ((sites.hi - sites.lo) == 30.0).all()
    # Points along every road, a metre apart at most: none is in a garage, nor nearer than a metre.
    steps = np.ceil(network.metres).astype(int) + 1
    road = np.repeat(np.arange(len(steps)), steps)
    share = (np.arange(len(road)) - np.repeat(np.cumsum(steps) - steps, steps)) / (steps[road] - 1)
    one, other = network.xy[network.ends[road, 0]], network.xy[network.ends[road, 1]]
    points = one + share[:, None] * (other - one)
    points = points[np.argsort(points[:, 0])]
    for place in middle:
        near = points[slice(*np.searchsorted(points[:, 0], [place[0] - 16, place[0] + 16]))]
        assert (np.abs(near[:, 1] - place[1]) > 16).all()
    apart = np.abs(middle[:, None] - middle).max(axis=2)
    assert apart[~np.eye(len(middle), dtype=bool)].min() >= 32
    gates = network.xy[sites.gates]
    assert np.hypot(*(gates - middle).T).max() <= 46
    assert len(np.unique(sites.gates)) == len(sites.gates)


def test_queries_are_transitions_of_the_garages():
    scenario = garages()
    queries = scenario.queries()
    assert [query.id for query in queries] == [f"garage{number:02}" for number in range(20)]
    assert [query.region.lower for query in queries] == [tuple(lo) for lo in scenario.sites.lo]
    assert [query.region.upper for query in queries] == [tuple(hi) for hi in scenario.sites.hi]
    assert {query.within.total_seconds() for query in queries} == {180.0}
    for query in queries:
        query.check(TRAFFIC_COLUMNS)


def test_more_crossings_take_more_visitors():
    few, many = (observed(garages(crossings=rate))[-1] for rate in (0.001, 0.01))
    assert (many >= 0).sum() > 4 * (few >= 0).sum() > 0


def test_seed_decides():
    one, same, other = (observed(garages(seed=seed, reports=3)) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one[2], other[2])
    assert not np.array_equal(garages(seed=1).sites.lo, garages(seed=2).sites.lo)


def test_tables_hold_the_reports():
    scenario = garages(reports=2)
    tables = list(scenario.tables(batch_seconds=30))
    assert [table.num_rows for table in tables] == [2_000, 2_000]
    assert tables[0]["x"].to_pylist() == [x for r in list(scenario.seconds())[:30] for x in r.x]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"vehicles": 1}, "vehicles: expected 2 or more, got 1"),
        ({"reports": 0}, "reports: expected 1 or more, got 0"),
        (
            {"within": 60.0},
            (
                "within: expected three intervals or more, 90 seconds, got 60.0. "
                "Hint: reports are too rare to see a shorter stay"
            ),
        ),
        ({"crossings": 0.0}, "crossings: expected above 0, got 0.0"),
    ],
)
def test_impossible_scenarios_are_refused(changes, text):
    with pytest.raises(InvalidInput) as error:
        garages(**changes)
    assert str(error.value) == text


def test_too_many_crossings_are_refused():
    with pytest.raises(InvalidInput, match=r"crossings: expected 0\.0\d+ or fewer a report, got 1\.0"):
        next(garages(crossings=1.0).seconds())


def test_too_few_or_too_many_garages_are_refused():
    with pytest.raises(InvalidInput, match="garages: expected 2 or more, got 1"):
        garage_sites(TOWN, 1)
    with pytest.raises(InvalidInput, match=r"garages: expected \d+ or fewer: there is room for no more, got 401"):
        garage_sites(TOWN, 401)
