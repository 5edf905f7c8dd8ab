"""A city that lives: vehicles that move, and something to tell of every family."""

from collections import Counter
from itertools import islice

import pyarrow as pa
import pytest

from limen import Engine
from limen.errors import InvalidInput
from limen.simulate import TRAFFIC_COLUMNS, generated_roads
from limen.simulate.live_city import LiveCity, table_at

CITY = LiveCity(network=generated_roads(200, 230, side=3_000.0), vehicles=1_000, fences=60, garages=12, seed=3)


def test_the_same_seed_gives_the_same_city() -> None:
    again = LiveCity(network=CITY.network, vehicles=1_000, fences=60, garages=12, seed=3)
    other = LiveCity(network=CITY.network, vehicles=1_000, fences=60, garages=12, seed=4)
    assert again.queries() == CITY.queries()
    assert other.queries() != CITY.queries()
    first, second = (table_at(next(city.seconds()), 0) for city in (CITY, again))
    assert first.equals(second)


def test_all_vehicles_report_every_second_and_most_move_a_little() -> None:
    seconds = list(islice(CITY.seconds(), 3))
    tables = [table_at(reports, reports.second) for reports in seconds]
    assert [len(table) for table in tables] == [1_000] * 3
    first, second = (
        dict(zip(table["vehicle"].to_pylist(), table["x"].to_pylist(), strict=True)) for table in tables[:2]
    )
    moved = [abs(second[name] - x) for name, x in first.items() if name in second]
    assert len(moved) > 980
    assert max(moved) < 60 / 3.6 + 40  # metres in a second, and the way into a garage
    taxis = Counter(tables[0]["kind"].to_pylist())["taxi"]
    assert 80 < taxis < 180


@pytest.mark.slow
def test_every_family_has_something_to_tell() -> None:
    engine = Engine(TRAFFIC_COLUMNS, CITY.queries(), expire_after=60)
    found = [engine.process(table_at(reports, reports.second)) for reports in islice(CITY.seconds(), 90)]
    events = pa.concat_tables(found)
    asked = {query.id: query.type for query in CITY.queries()}
    told = Counter(asked[id] for id in events["query_id"].to_pylist())
    assert set(told) == {"border", "transition", "nearest", "within", "pattern"}


@pytest.mark.parametrize(("name", "least"), [("vehicles", 100), ("fences", 1), ("garages", 2)])
def test_too_little_is_told(name: str, least: int) -> None:
    with pytest.raises(InvalidInput, match=f"{name}: expected {least} or more"):
        LiveCity(network=CITY.network, **{name: least - 1})
