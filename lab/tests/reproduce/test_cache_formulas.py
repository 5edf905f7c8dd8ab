import math

import pytest

from limen.errors import InvalidInput
from limen_lab.reproduce.sole.cache_formulas import cache_overhead, expansion_factor

MILES, SPEED, SECONDS = 3.0, 30 / 3600, 30.0  # the paper's example


@pytest.mark.parametrize(
    ("cache", "factor", "overhead"),
    [(1.0, 6, 35), (0.5, 12, 17), (0.25, 24, 8.5), (0.0, math.inf, 0)],
)
def test_the_example_of_the_paper(cache, factor, overhead):
    assert expansion_factor(MILES, SPEED, SECONDS, cache) == pytest.approx(factor)
    # printed as "around" so much: 36.1, 17.4, 8.5
    assert cache_overhead(MILES, SPEED, SECONDS, cache) == pytest.approx(overhead, abs=1.2)


def test_overhead_is_what_the_area_gains():
    for side, cache in ((0.7, 0.3), (2.0, 1.0), (40.0, 0.01)):
        added = 2 * cache * SPEED * SECONDS
        gained = 100 * ((side + added) ** 2 - side**2) / side**2
        assert cache_overhead(side, SPEED, SECONDS, cache) == pytest.approx(gained)


def test_fifty_times_as_long_costs_four_percent():
    assert cache_overhead(50.0, 1.0, 0.5) == pytest.approx(4, abs=0.1)


def test_streams_that_do_not_move_cost_nothing():
    assert cache_overhead(1.0, 0.0, 30.0) == 0


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ((0, 1, 1, 1), "side"),
        ((math.nan, 1, 1, 1), "side"),
        ((1, -1, 1, 1), "speed"),
        ((1, 1, math.inf, 1), "interval"),
        ((1, 1, 1, 1.5), "cache"),
        ((1, 1, 1, math.nan), "cache"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, where):
    for formula in (cache_overhead, expansion_factor):
        with pytest.raises(InvalidInput, match=where):
            formula(*arguments)
