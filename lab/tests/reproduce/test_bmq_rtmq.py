import pytest

from limen_lab.reproduce.bmq.bmq_rtmq import BOUND, FIGURE, OURS, PAPER
from limen_lab.reproduce.bmq.transition_costs import Rates
from limen_lab.reproduce.figure import Points


@pytest.fixture(scope="module")
def points():
    return Points(FIGURE.measure("tiny"))


def test_the_papers_numbers_add_up():
    assert Rates().accesses == 126


def test_shares_are_about_the_papers(points):
    paper, ours = points.curve("b", PAPER), points.curve("b", OURS)
    for x, share in ours.items():
        assert 0.6 < share / paper[x] < 1.6


def test_what_is_held_grows_with_the_time_limit(points):
    held, bound = points.curve("e", OURS), points.curve("e", BOUND)
    assert list(held.values()) == sorted(held.values())
    assert all(0.3 * bound[within] < count < 2 * bound[within] for within, count in held.items())


def test_everything_is_measured_and_nothing_missed(points):
    assert {point.panel for point in points} == {panel.letter for panel in FIGURE.panels}
    assert all(verdict.outcome_in_a_word != "missed" for verdict in FIGURE.judge(points))
    assert all(point.y > 0 for point in points)
