"""The shape of the border paper's figures of two and more dimensions, in miniature."""

import math

import pytest

from lab.tests.reproduce.miniature import figure, miniature
from limen_lab.reproduce.bmq.bmq_19 import ESTIMATE
from limen_lab.reproduce.bmq.in_the_plane import BY_CES, GRID, KINDS, OURS, PAPERS

FINE = "DiffRMQ (CES, cells of 15 m)"


@pytest.mark.parametrize("number", [16, 17, 18, 19])
def test_every_curve_has_a_point_at_every_x_and_every_verdict_says_something(number):
    points, drawn = miniature(number), figure(number)
    for curve in drawn.curves:
        assert len(points.curve("a", curve.name)) == (2 if curve.name == ESTIMATE else 3)
        assert all(y > 0 for y in points.curve("b", curve.name).values())
    verdicts = list(drawn.judge(points))
    assert len(verdicts) >= 2
    assert all(verdict.claim and verdict.outcome for verdict in verdicts)
    assert all(verdict.explanation for verdict in verdicts if not verdict.reached)


@pytest.mark.parametrize("kind", KINDS)
def test_lists_retrieve_less_in_vain_than_matching_among_large_squares(kind):
    points = miniature(16)
    papers, rival = points.curve("a", f"{PAPERS}, {kind}"), points.curve("a", f"{BY_CES}, {kind}")
    assert all(40 < y < 70 for y in papers.values())
    assert all(papers[x] > 10 * y for x, y in rival.items())
    # Limen's choice is lists as well, which look at a few summaries
    ours = points.curve("a", f"{OURS}, {kind}")
    assert all(0.95 * papers[x] < y <= papers[x] for x, y in ours.items())


@pytest.mark.parametrize("kind", KINDS)
def test_narrow_squares_are_worse_for_lists_and_better_for_matching(kind):
    points = miniature(17)
    papers, rival = points.curve("a", f"{PAPERS}, {kind}"), points.curve("a", f"{BY_CES}, {kind}")
    assert list(papers.values()) == sorted(papers.values())
    assert list(rival.values()) == sorted(rival.values(), reverse=True)
    assert points.curve("a", f"{GRID}, {kind}")[0.5] > papers[0.5]


def test_slow_objects_leave_more_to_save():
    points = miniature(17)
    for x, fast in points.curve("a", f"{BY_CES}, fast").items():
        assert points.curve("a", f"{BY_CES}, slow")[x] < fast / 3


def test_memory_of_lists_does_not_depend_on_the_width_and_that_of_cells_does():
    points = miniature(18)
    for name in (PAPERS, OURS):
        assert len(set(points.curve("b", name).values())) == 1
        by_queries = points.curve("a", name)
        assert 4 < by_queries[500] / by_queries[100] < 5.5
    for name in (BY_CES, FINE, GRID):
        by_width = list(points.curve("b", name).values())
        assert by_width == sorted(by_width)
        assert by_width[-1] > 2 * by_width[0]
    assert points.curve("a", FINE)[500] > 100 * points.curve("a", PAPERS)[500]


def test_memory_is_linear_in_the_dimensions_once_there_is_a_query_table():
    for name in (PAPERS, "border index (Limen)"):
        memory = miniature(19).curve("b", name)
        assert memory[3] / memory[2] == pytest.approx(1.5, rel=0.02)


def test_the_estimate_starts_from_the_time_of_one_dimension():
    points = miniature(19)
    one = points.curve("a", PAPERS)[1]
    assert points.curve("a", ESTIMATE) == pytest.approx({2: math.sqrt(2) * one, 3: 2 * math.sqrt(3) * one})
