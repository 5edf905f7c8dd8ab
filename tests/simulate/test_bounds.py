import numpy as np
import pytest

from limen.errors import InvalidInput
from limen.model.region import Box, Range
from limen.simulate.bounds import above, as_borders, random_bounds


def bounds(shape=(10_000,), **changes):
    settings = {"width": 0.01, "distribution": "uniform", "widths": "constant", "domain": 1_000.0, "seed": 0}
    return random_bounds(shape, **(settings | changes))


def test_constant_widths_are_all_alike():
    lo, hi = bounds()
    assert np.allclose(hi - lo, 10.0)


def test_exponential_widths_are_mixed_around_the_same_average():
    lo, hi = bounds(widths="exponential")
    widths = hi - lo
    assert widths.mean() == pytest.approx(10.0, rel=0.05)
    assert widths.std() == pytest.approx(10.0, rel=0.05)
    assert (widths > 0).all()


def test_lower_ends_follow_the_distribution():
    uniform, normal = bounds()[0], bounds(distribution="normal")[0]
    assert uniform.std() == pytest.approx(1_000.0 / np.sqrt(12), rel=0.02)
    assert normal.std() == pytest.approx(1_000.0 / 6, rel=0.03)


def test_a_width_lost_to_rounding_still_gives_a_range():
    lo = np.array([1e6, 0.0])
    hi = above(lo, lo + 1e-20)
    assert (lo < hi).all()


def test_one_dimension_gives_ranges_and_more_give_boxes():
    ranges = as_borders(*bounds((3,)))
    boxes = as_borders(*bounds((12, 2)), prefix="zone")
    lo, hi = bounds((12, 2))
    assert [query.id for query in ranges] == ["Q0", "Q1", "Q2"]
    assert all(isinstance(query.region, Range) for query in ranges)
    assert boxes[11].id == "zone11"
    assert boxes[11].region == Box(lo[11].tolist(), hi[11].tolist())


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"width": 0.0}, "width: expected a fraction of the domain above 0, at most 1, got 0.0"),
        ({"width": 1.5}, "width: expected a fraction of the domain above 0, at most 1, got 1.5"),
        ({"widths": "pareto"}, "widths: expected 'constant' or 'exponential', got 'pareto'"),
        ({"distribution": "zipf"}, "distribution: expected 'uniform' or 'normal', got 'zipf'"),
    ],
)
def test_impossible_bounds_are_refused(changes, text):
    with pytest.raises(InvalidInput) as error:
        bounds(**changes)
    assert str(error.value).startswith(text)
