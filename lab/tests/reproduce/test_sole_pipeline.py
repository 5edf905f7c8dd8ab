"""Figures 16 and 17: INSIDE below and above another operator."""

import numpy as np
import pytest

from lab.tests.reproduce.miniature import sole
from limen import Columns
from limen.sql import parse_script
from limen.sql.planning import explain, make_plan
from limen_lab.reproduce.sole import sole_16 as sixteen
from limen_lab.reproduce.sole import sole_17 as seventeen
from limen_lab.reproduce.sole.sole_pipeline import INTERVAL, MOVES, STAYS, at, inside, query_of, traced
from tests.sql.test_statements import SOLE_JOIN, SOLE_RANGE


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
def test_a_query_has_the_selectivity_requested(kind):
    trace = traced(*at("tiny"))
    first = trace.second < INTERVAL
    events = inside(trace, query_of(trace, kind, 16), first)
    comes = np.array(events["kind"].to_pylist()) == "add"
    share = (2 * comes.sum() - len(comes)) / first.sum()
    assert share == pytest.approx(0.16, abs=0.04)


def test_the_planner_of_sql_does_what_the_figures_say():
    """A join sees changes and not reports: Figure 17's plan that is better at every selectivity.

    A selection is part of INSIDE, as it may change from row to row: what fails goes through the pipeline not at all,
    neither as a report, as with INSIDE above, nor as a change, as with INSIDE below.
    """
    streams = {"movingobjects": Columns("ObjectID", "t", ("x", "y"), ("type",))}
    area = "CREATE REGION MyArea AS (0, 10, 10, 0)"
    (_, joined), (_, chosen) = (parse_script(f"{area}; {select}") for select in (SOLE_JOIN, SOLE_RANGE))
    join = explain(make_plan(joined, streams, {"MyFavoriteCars": ["ObjectID"]}.get)).split("\n")
    words = ("join", "INSIDE", "only streams", "stream M")
    where = [next(n for n, line in enumerate(join) if word in line) for word in words]
    assert where == sorted(where)  # from the result down to the rows
    for panel in ("a", "b"):
        above, below = sole(17).curve(panel, seventeen.ABOVE), sole(17).curve(panel, seventeen.BELOW)
        assert all(below[percent] < above[percent] for percent in below)
    assert make_plan(chosen, streams, {}.get).query.where == "type = 'truck'"
