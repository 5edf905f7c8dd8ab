import numpy as np
import pytest

from limen.errors import InvalidInput
from limen.simulate.walk import Walk, spread


def walk(**changes):
    settings = {"streams": 200, "tuples": 400, "fluctuation": 0.001, "domain": 1_000.0}
    return Walk(**(settings | changes))


@pytest.mark.parametrize("fluctuation", [0.0001, 0.01, 0.25])
@pytest.mark.parametrize("start", ["uniform", "normal"])
def test_average_step_is_the_fluctuation(fluctuation, start):
    steps = np.abs(np.diff(walk(fluctuation=fluctuation, start=start).values(), axis=0))
    # 80,000 uniform sizes: the deviation of their mean is 0.2 % of it.
    assert steps.mean() == pytest.approx(fluctuation * 1_000.0, rel=0.01)
    assert steps.max() <= 2 * fluctuation * 1_000.0 * (1 + 1e-9)


def test_values_stay_in_the_domain_even_with_the_longest_steps():
    values = walk(fluctuation=0.25).values()
    assert values.min() >= 0.0
    assert values.max() < 1_000.0


def test_no_fluctuation_means_no_move():
    values = walk(fluctuation=0.0, tuples=5).values()
    assert (values == values[0]).all()


def test_dimensions_move_independently():
    steps = np.diff(walk(dimensions=2).values(), axis=0)
    assert abs(np.corrcoef(steps[..., 0].ravel(), steps[..., 1].ravel())[0, 1]) < 0.02


def test_ticks_are_the_values():
    assert np.array_equal(np.stack(list(walk(tuples=7).ticks())), walk(tuples=7).values())


def test_seed_decides():
    assert np.array_equal(walk(seed=3).values(), walk(seed=3).values())
    assert not np.array_equal(walk(seed=3).values(), walk(seed=4).values())


def test_spread_is_uniform_or_crowded_in_the_middle():
    rng = np.random.default_rng(0)
    middle = [
        np.mean(np.abs(spread(rng, (20_000,), distribution, 1.0) - 0.5) < 1 / 6)
        for distribution in ("uniform", "normal")
    ]
    assert middle == pytest.approx([1 / 3, 0.683], abs=0.02)


def test_normal_spread_stays_inside_and_piles_up_nowhere():
    drawn = spread(np.random.default_rng(0), (100_000,), "normal", 1.0)
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert len(np.unique(drawn)) == len(drawn)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"streams": 0}, "streams: expected 1 or more, got 0"),
        ({"tuples": 0}, "tuples: expected 1 or more, got 0"),
        ({"dimensions": 0}, "dimensions: expected 1 or more, got 0"),
        (
            {"fluctuation": 0.3},
            "fluctuation: expected a fraction of the domain between 0 and 0.25, got 0.3. Hint: 0.01 % is",
        ),
        (
            {"fluctuation": float("nan")},
            "fluctuation: expected a fraction of the domain between 0 and 0.25, got nan",
        ),
        ({"domain": 0.0}, "domain: expected a finite size above 0, got 0.0"),
        ({"domain": float("inf")}, "domain: expected a finite size above 0, got inf"),
    ],
)
def test_impossible_walks_are_refused(changes, text):
    with pytest.raises(InvalidInput) as error:
        walk(**changes)
    assert str(error.value).startswith(text)


def test_unknown_distribution_is_refused():
    with pytest.raises(InvalidInput, match="expected 'uniform' or 'normal', got 'zipf'"):
        list(walk(start="zipf").ticks())
