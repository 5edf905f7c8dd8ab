import numpy as np
import pytest

from limen_lab.reproduce.figure import Points
from limen_lab.reproduce.figure_catalogue import load
from limen_lab.reproduce.locality.generated_series import DEGREES, PRICES, prices, temperature
from limen_lab.reproduce.locality.locality import densities, falls_with_rate, fluctuation, peaks_at_zero, rate
from limen_lab.reproduce.locality.own_series import figure_of
from limen_lab.reproduce.locality.value_series import ValueSeries


def series(values, *, timed=False, step=1.0):
    return ValueSeries(
        "level", step * np.arange(len(values), dtype=np.float64), np.asarray(values, np.float64), 0, timed
    )


def verdicts(figure):
    points = Points(figure.measure("tiny"))
    return points, list(figure.judge(points))


def test_fluctuation_is_the_mean_distance_by_the_domain():
    assert fluctuation(series([0, 1, 3, 2]), 1, 100.0) == pytest.approx(100 * (1 + 2 + 1) / 3 / 100)
    assert fluctuation(series([0, 1, 3, 2]), 2, 100.0) == pytest.approx(3.0)


def test_rates_are_by_the_hour_or_by_the_row():
    assert rate(series([0] * 5, timed=True, step=10.0), 6) == 60
    assert rate(series([0] * 5), 4) == 0.25


def test_series_are_the_same_every_time():
    for one, other in zip((*prices(2), temperature(1)), (*prices(2), temperature(1)), strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_nights_are_gaps_of_prices():
    lively, _ = prices(3)
    assert lively.gaps == 2
    assert len(lively.every(1)) == len(lively.values) - 3


def test_generated_series_stay_in_their_domains():
    for each in prices(7):
        assert 0 < each.values.min() < each.values.max() < PRICES
    degrees = temperature(8).values
    assert -10 < degrees.min() < degrees.max() < DEGREES - 10


@pytest.mark.parametrize("name", ["bmq-20", "bmq-21", "bmq-22", "bmq-23", "bmq-24", "bmq-25"])
def test_locality_shows_in_every_figure(name):
    _, found = verdicts(load(name))
    assert found
    assert [verdict for verdict in found if not verdict.reached] == []


@pytest.mark.parametrize("name", ["bmq-21", "bmq-24"])
def test_fluctuation_falls_with_the_rate_and_work_grows_less_than_it(name):
    points, _ = verdicts(load(name))
    for curve in {point.curve for point in points if point.panel == "a"}:
        levels = list(points.curve("a", curve).values())
        assert levels == sorted(levels, reverse=True)
    ours, anew = (
        list(points.curve("b", curve).values())
        for curve in ("border index: entries looked at", "matching anew: queries found")
    )
    assert ours[-1] / ours[0] < 0.25 * anew[-1] / anew[0]


@pytest.mark.parametrize("name", ["bmq-22", "bmq-25"])
def test_differences_peak_at_zero_and_spread_as_the_rate_falls(name):
    figure = load(name)
    points, _ = verdicts(figure)
    for panel in figure.panels:
        curves = [points.curve(panel.letter, curve.name) for curve in figure.curves]
        zeros = [curve[min(curve, key=abs)] for curve in curves]
        assert zeros == sorted(zeros, reverse=True)
        assert max(curves[0].values()) == zeros[0]
        assert all(95 < sum(curve.values()) <= 100.001 for curve in curves)


def test_bins_are_as_wide_as_the_steps_of_the_values():
    walk = series(100 * np.cumsum(np.random.default_rng(1).integers(-1, 2, 2_000)))
    middles, density = densities(walk, [1])[1]
    assert set(np.diff(middles).round(6)) == {100.0}
    assert density[np.abs(middles) < 1].sum() == pytest.approx(100 / 3, abs=5)


def test_values_that_never_change_have_all_differences_at_zero():
    middles, density = densities(series([5] * 50), [1, 4])[1]
    assert density[np.argmin(np.abs(middles))] == 100


def test_a_verdict_says_where_the_level_does_not_fall():
    verdict = falls_with_rate("noise", {1.0: 2.0, 2.0: 3.0, 4.0: 1.0})
    assert (verdict.reached, verdict.outcome_in_a_word) == (False, "explained")
    assert "it does not fall from 1 to 2" in verdict.explanation


def test_a_verdict_says_where_the_peak_is():
    verdict = peaks_at_zero("drift", [-1.0, 0.0, 1.0], [0.0, 10.0, 90.0])
    assert (verdict.reached, verdict.outcome_in_a_word) == (False, "explained")
    assert "moves by 1" in verdict.explanation


def test_a_walk_of_ones_own_has_locality():
    walk = series(np.cumsum(np.random.default_rng(3).choice((-1, 0, 0, 1), 20_000)), timed=True)
    points, found = verdicts(figure_of(walk))
    assert [verdict.reached for verdict in found] == [True, True]
    assert len(points.curve("a", "level")) <= 1_250
    assert max(points.curve("b", "level")) == 3_600


def test_noise_of_ones_own_has_none_and_that_is_explained():
    _, found = verdicts(figure_of(series(np.random.default_rng(4).permutation(4_000))))
    assert found[0].outcome_in_a_word == "explained"


@pytest.mark.parametrize("values", [[1, 2, 4], [5, 5, 5], list(range(12))])
def test_short_and_constant_series_have_a_figure(values):
    figure = figure_of(series(values))
    points, found = verdicts(figure)
    assert {panel.letter for panel in figure.panels} == {point.panel for point in points}
    assert all(verdict.outcome_in_a_word != "missed" for verdict in found)
