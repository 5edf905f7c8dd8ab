"""Figures 12 to 14: a query alone."""

import numpy as np

from lab.tests.reproduce.miniature import sole
from limen_lab.reproduce.sole import sole_12 as twelve
from limen_lab.reproduce.sole import sole_13 as thirteen
from limen_lab.reproduce.sole import sole_14 as fourteen
from limen_lab.reproduce.sole.sole_single import FORMULA, MEASURED
from limen_lab.reproduce.sole.sole_traffic import INTERVAL


def test_the_larger_the_cache_the_less_is_missed_and_with_all_of_it_nothing():
    worst = {}
    for letter, cache in twelve.CACHES.items():
        accuracy = sole(12).curve(letter, twelve.ONE)
        worst[cache] = min(y for x, y in accuracy.items() if x >= INTERVAL)
    assert worst[0.0] < 100
    assert list(worst.values()) == sorted(worst.values())
    assert worst[1.0] == 100


def test_an_answer_is_built_while_streams_report_for_the_first_time():
    building = list(sole(12).curve("e", twelve.NAMES[1.0]).values())
    assert building[0] < 20
    assert building == sorted(building)
    assert 30 < building[INTERVAL // 2] < 70
    assert building[INTERVAL - 1 :] == [100] * (len(building) - INTERVAL + 1)


def test_a_larger_cache_takes_more_memory():
    names = [twelve.NAMES[0.25], twelve.NAMES[0.5], twelve.NAMES[1.0], twelve.SAFE]
    mean = [np.mean(list(sole(12).curve("f", name).values())) for name in names]
    assert mean == sorted(mean)
    assert mean[0] > 0


def test_overhead_grows_with_velocity_cache_and_interval():
    for panel, few, much in (("a", "25 % cache", "100 % cache"), ("b", "10 s", "60 s")):
        low, high = (sole(13).curve(panel, f"{name}, {MEASURED}") for name in (few, much))
        assert list(low.values()) == sorted(low.values())
        assert list(high.values()) == sorted(high.values())
        assert high[60] > 2 * low[60]
        assert sole(13).curve(panel, f"{much}, {FORMULA}")[60] > 2 * sole(13).curve(panel, f"{few}, {FORMULA}")[60]
    assert len(thirteen.FIGURE.panels) == 2


def test_overhead_falls_with_the_size_of_the_query():
    small, large = (sole(14).curve("", f"{fourteen.named(side)}, {MEASURED}") for side in (1, 6))
    assert small[60] > 3 * large[60]
