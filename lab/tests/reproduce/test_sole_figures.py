import json
from dataclasses import asdict

import numpy as np
import pytest

from lab.tests.reproduce.miniature import figure, sole
from limen_lab.reproduce.sole.sole_traffic import MileTraffic

NUMBERS = [number for number in range(12, 26) if number != 15]


@pytest.mark.parametrize("number", NUMBERS)
def test_panels_and_curves_are_those_of_the_figure(number):
    about, points = figure(number, "sole"), sole(number)
    assert {point.panel for point in points} == {panel.letter for panel in about.panels}
    assert {point.curve for point in points} <= {curve.name for curve in about.curves}
    assert all(np.isfinite(point.y) and point.y >= 0 for point in points)


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_missed_without_an_explanation(number):
    found = list(figure(number, "sole").judge(sole(number)))
    assert found
    assert [verdict for verdict in found if verdict.outcome_in_a_word == "missed"] == []
    assert json.loads(json.dumps([asdict(verdict) for verdict in found]))  # as the record of results has them


@pytest.mark.parametrize(("fastest", "interval"), [(27.0, 30), (60.0, 10)])
def test_streams_report_once_an_interval_and_are_not_too_fast(fastest, interval):
    traffic = MileTraffic(300, fastest, interval)
    position, seen = np.full((300, 2), np.nan), np.full(300, -1)
    ways = []
    for number, second in enumerate(traffic.seconds(4)):
        assert (number - seen[second.stream][seen[second.stream] >= 0] == interval).all()
        ways.append(np.hypot(*(second.point - position[second.stream]).T))
        position[second.stream], seen[second.stream] = second.point, number
    ways = np.concatenate(ways)
    assert len(ways) == 4 * 300
    moved = ways[~np.isnan(ways)]
    assert moved.max() <= traffic.reach * (1 + 1e-9)
    assert 0.15 * traffic.reach < moved.mean() < 0.6 * traffic.reach
