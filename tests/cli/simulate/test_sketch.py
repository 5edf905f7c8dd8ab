"""What is remembered for a picture: a sample, whatever the size, and everyone who stands still."""

import numpy as np
import pytest

from limen.cli.simulate import sketch
from limen.cli.simulate.sketch import Sketch
from limen.simulate import Reports


def reports(second, numbers, kmh=20.0):
    number = np.array(numbers)
    x = number * 100.0 + second
    return Reports(second, number, np.ones(len(number), bool), x, x + 1, np.full(len(number), kmh))


def watched(seconds, rows, interval=30):
    kept = Sketch(rows, interval)
    assert [passed.second for passed in kept.watching(iter(seconds))] == [given.second for given in seconds]
    return kept


def test_few_reports_are_all_kept():
    columns = watched([reports(0, [0, 1]), reports(1, [2])], rows=3).columns()
    assert columns["number"].tolist() == [0, 1, 2]
    assert columns["second"].tolist() == [0, 0, 1]
    assert columns["x"].tolist() == [0, 100, 201]


@pytest.mark.parametrize(("kmh", "kept"), [(20.0, [0, 4, 8]), (0.0, list(range(10)))])
def test_of_many_only_some_are_kept_unless_they_stand_still(monkeypatch, kmh, kept):
    monkeypatch.setattr(sketch, "KEPT_ROWS", 3)
    assert watched([reports(0, range(10), kmh)], rows=10).columns()["number"].tolist() == kept


def test_trails_are_those_of_who_came_farthest():
    slow, fast = [reports(second, [5]) for second in (0, 3)], [reports(second, [7]) for second in (0, 50)]
    parked = [reports(second, [9], kmh=0.0) for second in (0, 99)]
    trails = watched([*slow, *fast, *parked], rows=6).trails(5)
    assert [trail.tolist() for trail in trails] == [
        [[700.0, 701.0], [750.0, 751.0]],
        [[500.0, 501.0], [503.0, 504.0]],
    ]
