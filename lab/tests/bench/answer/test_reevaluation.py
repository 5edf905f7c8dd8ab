"""All ways that `limen bench answer` measures find the same changes."""

import pytest

pytest.importorskip("scipy")
pytest.importorskip("shapely")

from limen_lab.bench.answer.ours import AroundWay, BorderWay, EngineWay
from limen_lab.bench.answer.queries import ANYWHERE, MOVING, ON_ROADS, CityQueries
from limen_lab.bench.answer.reevaluation import KDTree, Reevaluation, STRTree
from limen_lab.bench.answer.tours import KeepsAnswers, agreed
from limen_lab.bench.answer.traffic import CityTraffic

TRAFFIC = CityTraffic(streams=600, seconds=3)


@pytest.mark.parametrize("place", [ANYWHERE, ON_ROADS, MOVING])
@pytest.mark.parametrize("nearest", [0, 3])
def test_all_ways_find_the_same_changes(place: str, nearest: int) -> None:
    queries = CityQueries(TRAFFIC, 300, place, nearest)
    ways: dict[str, KeepsAnswers] = {"around": AroundWay(queries), "engine": EngineWay(queries)}
    if place != MOVING and not nearest:
        ways["border"] = BorderWay(queries)
    for name, way in (KDTree(queries).ways | STRTree(queries).ways).items():
        ways[name] = Reevaluation(queries, way)
    assert agreed(ways, TRAFFIC.batches) > 0


def test_a_missing_change_is_noticed() -> None:
    queries, others = (CityQueries(TRAFFIC, 300, place) for place in (ON_ROADS, MOVING))
    ways: dict[str, KeepsAnswers] = {"stationary": BorderWay(queries), "moving": AroundWay(others)}
    with pytest.raises(AssertionError, match="differ in"):
        agreed(ways, TRAFFIC.batches)


def test_instants_do_not_matter_with_one_row_in_each() -> None:
    queries = CityQueries(TRAFFIC, 300, ON_ROADS)
    ways: dict[str, KeepsAnswers] = {"one": EngineWay(queries), "many": EngineWay(queries, TRAFFIC.streams)}
    assert agreed(ways, TRAFFIC.batches) > 0
