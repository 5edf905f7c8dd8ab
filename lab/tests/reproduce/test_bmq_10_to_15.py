"""The shape of the border paper's figures of one dimension, in miniature."""

import pytest

from lab.tests.reproduce.miniature import figure, miniature
from limen_lab.reproduce.bmq.one_dimension import BY_CEI, BY_SKIP_LIST, CURVES, OURS, PAPERS
from limen_lab.reproduce.figure import Point, Points

FINE = "DiffRMQ (CEI, cells of 1)"


@pytest.mark.parametrize(("number", "xs"), [(10, 3), (11, 4), (12, 5), (13, 4), (14, 3), (15, 3)])
def test_every_curve_has_a_point_at_every_x_and_every_verdict_says_something(number, xs):
    points, drawn = miniature(number), figure(number)
    for curve in drawn.curves:
        assert len(points.curve("a", curve.name)) == xs
        assert all(y > 0 for y in points.curve("b", curve.name).values())
    verdicts = list(drawn.judge(points))
    assert len(verdicts) >= 3
    assert all(verdict.claim and verdict.outcome for verdict in verdicts)
    assert all(verdict.explanation for verdict in verdicts if not verdict.reached)


@pytest.mark.parametrize("number", [10, 13])
def test_what_borders_retrieve_is_the_result_and_what_matching_retrieves_ten_times_as_much(number):
    points = miniature(number)
    assert set(points.curve("a", PAPERS).values()) == {100.0}
    assert min(points.curve("a", OURS).values()) > 99
    for rival in (BY_CEI, BY_SKIP_LIST):
        assert all(8 < y < 12 for y in points.curve("a", rival).values())


def test_wider_queries_are_worse_for_matching_alone():
    points = miniature(11)
    rival = list(points.curve("a", BY_CEI).values())
    assert rival == sorted(rival, reverse=True)
    for name in (PAPERS, OURS):
        narrowest, *wider = points.curve("a", name).values()
        assert 70 < narrowest < 80  # W = FL: steps of up to 2 FL jump over queries
        assert min(wider) > 99


def test_longer_steps_are_worse_for_the_walk_and_less_so_for_the_border_index():
    points = miniature(12)
    papers, ours, rival = (points.curve("a", name) for name in (PAPERS, OURS, BY_CEI))
    assert list(papers.values()) == sorted(papers.values(), reverse=True)
    assert list(rival.values()) == sorted(rival.values())
    assert papers[0.05] > rival[0.05]
    assert papers[1.0] < 15
    assert rival[1.0] > 90
    assert ours[10.0] > 5 * papers[10.0]


def test_memory_of_borders_goes_with_the_queries_and_not_with_their_width():
    points = miniature(14)
    for name in (PAPERS, OURS):
        by_queries, by_width = points.curve("a", name), points.curve("b", name)
        assert 4.5 < by_queries[5_000] / by_queries[1_000] < 5.5
        assert len(set(by_width.values())) == 1
    for name in (BY_CEI, BY_SKIP_LIST, FINE):
        by_width = list(points.curve("b", name).values())
        assert by_width == sorted(by_width)
        assert by_width[-1] > by_width[0]
    assert points.curve("a", FINE)[5_000] > 10 * points.curve("a", OURS)[5_000]


def test_a_stream_costs_borders_a_few_bytes_and_differences_a_set():
    points = miniature(15)

    def bytes_a_stream(name):
        memory = points.curve("b", name)
        return 1e6 * (memory[400] - memory[100]) / 300

    assert bytes_a_stream(PAPERS) == pytest.approx(12)  # a pointer and the last value
    assert bytes_a_stream(OURS) == pytest.approx(16)  # two hints and the last value
    # the last value, a place in the pool, and some five queries
    assert min(bytes_a_stream(name) for name in (BY_CEI, BY_SKIP_LIST)) > 40


def test_times_are_judged():
    """Twice the time for the border index, and it is no longer 6.8 times as fast."""

    def points(ours):
        times = {PAPERS: (1.0, 1.1), BY_CEI: (7.0, 70.0), BY_SKIP_LIST: (9.0, 90.0), OURS: (1.0, ours)}
        for curve in CURVES:
            for x, time in zip((10_000, 100_000), times[curve.name], strict=True):
                yield Point("a", curve.name, x, 100.0)
                yield Point("b", curve.name, x, time)

    def verdict(ours):
        return next(each for each in figure(10).judge(Points(points(ours))) if "6.8" in each.claim)

    assert verdict(10.0).reached
    assert not verdict(11.0).reached
    assert verdict(11.0).explanation
