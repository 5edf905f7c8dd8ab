"""Figures 16 and 17: INSIDE below and above another operator."""

import numpy as np
import pytest

from limen.reproduce import sole_16 as sixteen
from limen.reproduce import sole_17 as seventeen
from limen.reproduce.sole_pipeline import INTERVAL, MOVES, STAYS, at, inside, query_of, traced
from tests.reproduce.miniature import sole


@pytest.mark.parametrize("panel", ["a", "b"])
def test_below_there_are_more_tuples_the_more_are_inside_and_above_always_as_many(panel):
    for figure, number in ((sixteen, 16), (seventeen, 17)):
        above, below = sole(number).curve(panel, figure.ABOVE), sole(number).curve(panel, figure.BELOW)
        assert len(set(above.values())) == 1
        assert list(below.values()) == sorted(below.values())
        assert above[2] > 4 * below[2]
    assert sole(16).curve(panel, sixteen.ABOVE)[64] < sole(16).curve(panel, sixteen.BELOW)[64]
    assert 4 < sixteen.crossing(sole(16).curve(panel, sixteen.ABOVE), sole(16).curve(panel, sixteen.BELOW)) < 64
    assert sole(17).curve(panel, seventeen.ABOVE)[64] > 4 * sole(17).curve(panel, seventeen.BELOW)[64]


def test_all_reports_go_through_the_join_and_one_in_twenty_through_the_selection():
    objects, intervals = at("tiny")
    assert sole(17).curve("a", seventeen.ABOVE)[2] == objects * intervals
    assert sole(16).curve("a", sixteen.ABOVE)[2] == pytest.approx(objects * intervals / 20, rel=0.1)


@pytest.mark.parametrize("kind", [STAYS, MOVES])
def test_a_query_has_the_selectivity_asked_for(kind):
    trace = traced(*at("tiny"))
    first = trace.second < INTERVAL
    events = inside(trace, query_of(trace, kind, 16), first)
    comes = np.array(events["kind"].to_pylist()) == "add"
    share = (2 * comes.sum() - len(comes)) / first.sum()
    assert share == pytest.approx(0.16, abs=0.04)
