# ruff: noqa: E501  # texts of errors are quoted whole
import pickle
from dataclasses import replace

import numpy as np
import pytest

from limen import Box, Circle, Columns, InvalidQuery, Nearest, Range, Within
from limen.formats.query_json import query_from_dict, query_to_dict

PLANE = Columns("id", "t", ("x", "y", "z"))
GLOBE = Columns("id", "t", ("lon", "lat", "height"), crs="lonlat")
AREA = Box((0, 0), (1, 1))

ALL = [
    Within("q", AREA),
    Within("q", focal="car", radius=3, on=("x", "y"), where="z > 1", streams=["a", "b"], min_accuracy=90),
    Within("q", focal=7, width=3, height=4),
    Within("q", focal="car", width=3, on="z"),
    Nearest("q", 3, center=(1, 2)),
    Nearest("q", np.int64(3), focal="car", min_accuracy=100),
]


@pytest.mark.parametrize("query", ALL, ids=repr)
def test_queries_are_values(query):
    assert pickle.loads(pickle.dumps(query)) == query == query_from_dict(query_to_dict(query))
    assert len({query, replace(query, id="q")}) == 1
    assert replace(query, id="other") != query


def test_what_is_given_is_read():
    assert Within("q", focal=7, width=3, height=4).focal == "7"
    assert Nearest("q", 1, center=np.array([1, -0.0])).center == (1.0, 0.0)
    assert Nearest("q", 1, center=5, on="x").center == (5.0,)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Within("q"), "query 'q': expected either region= or focal=, got neither"),
        (lambda: Within("q", AREA, focal="a", radius=1), "query 'q': expected either region= or focal=, got both"),
        (lambda: Within("q", (0, 1)), "query 'q': expected a region such as Circle((0, 0), 5), got (0, 1)"),
        (lambda: Within("q", AREA, radius=3), "query 'q': radius: expected none: the region has a size, got one"),
        (lambda: Within("q", focal="a"), "query 'q': expected width= and height=, or radius=, around focal=, got none"),
        (lambda: Within("q", focal="a", height=1), "query 'q': expected width= and height=, or radius=, around focal=, got height"),
        (lambda: Within("q", focal="a", width=1, radius=1), "query 'q': expected width= and height=, or radius=, around focal=, got width and radius"),
        (lambda: Within("q", focal="a", radius=0), "query 'q': radius: expected a number above 0, got 0"),
        (lambda: Within("q", focal="a", radius=-1), "query 'q': radius: expected a number above 0, got -1"),
        (lambda: Within("q", focal="a", radius=float("nan")), "query 'q': radius: expected a number above 0, got nan"),
        (lambda: Within("q", focal="a", radius=1e200), "query 'q': radius: expected at most 1e+150, got 1e+200"),
        (lambda: Within("q", focal="a", width=0, height=1), "query 'q': width: expected a number above 0, got 0"),
        (lambda: Within("q", focal="a", width=1, height="2"), "query 'q': height: expected a number above 0, got '2'"),
        (lambda: Within("q", focal=[1], radius=1), "query 'q': focal: expected the id of a stream, got [1]"),
        (lambda: Within("q", AREA, min_accuracy=0), "query 'q': min_accuracy: expected a percentage above 0, up to 100, got 0"),
        (lambda: Nearest("q", 0, center=(0, 0)), "query 'q': k: expected a number of streams, 1 or more, got 0"),
        (lambda: Nearest("q", -2, center=(0, 0)), "query 'q': k: expected a number of streams, 1 or more, got -2"),
        (lambda: Nearest("q", 1.5, center=(0, 0)), "query 'q': k: expected a number of streams, 1 or more, got 1.5"),
        (lambda: Nearest("q", True, center=(0, 0)), "query 'q': k: expected a number of streams, 1 or more, got True"),
        (lambda: Nearest("q", 1), "query 'q': expected either center= or focal=, got neither"),
        (lambda: Nearest("q", 1, center=(0, 0), focal="a"), "query 'q': expected either center= or focal=, got both"),
        (lambda: Nearest("q", 1, center=(0, float("inf"))), "query 'q': center: expected a finite number for each column, got (0, inf)"),
        (lambda: Nearest("q", 1, center=()), "query 'q': center: expected a finite number for each column, got ()"),
        (lambda: Nearest("q", 1, center="here"), "query 'q': center: expected a finite number for each column, got 'here'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make, text):
    with pytest.raises(InvalidQuery) as caught:
        make()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("query", "columns", "text"),
    [
        (Within("q", AREA), PLANE, "query 'q': expected a region of 3 dimensions (x, y, z), got 2. Hint: name the columns that the region is about with on="),
        (Within("q", focal="a", width=1), PLANE, "query 'q': expected radius=, or two columns, got width alone. Hint: name the columns that the query is about with on="),
        (Within("q", focal="a", width=1, on=("x", "y")), PLANE, "query 'q': expected a box of 2 dimensions, got width alone. Hint: name the columns that the query is about with on="),
        (Within("q", focal="a", width=1, height=1, on="x"), PLANE, "query 'q': expected a box of 1 dimension, got width and height. Hint: name the columns that the query is about with on="),
        (Nearest("q", 1, center=(0, 0)), PLANE, "query 'q': center: expected a place in 3 dimensions, got 2. Hint: name the columns that the query is about with on="),
        (Nearest("q", 1, center=(0, 95), on=("lon", "lat")), GLOBE, "query 'q': center: expected longitude from -180 to 180 and latitude from -90 to 90, got [0.0, 95.0]. Hint: longitude comes first"),
        (Nearest("q", 1, focal="a", on="height"), GLOBE, "query 'q': expected distances on longitude and latitude (lon, lat), got one on height"),
        (Within("q", focal="a", radius=1, on=("lat", "lon")), GLOBE, "query 'q': expected a query around a stream on longitude and latitude (lon, lat), got one on lat, lon"),
        (Within("q", Circle((0, 0), 1), on=("x", "y"), where="colour = 'red'"), PLANE, "query 'q': where: expected a column among x, y, z, got 'colour'"),
    ],
)  # fmt: skip
def test_a_query_must_fit_the_columns(query, columns, text):
    with pytest.raises(InvalidQuery) as caught:
        query.check(columns)
    assert str(caught.value) == text


def test_queries_that_fit():
    assert Within("q", Range(0, 1), on="z").check(PLANE) == (2,)
    assert Within("q", focal="a", radius=1).check(PLANE) == (0, 1, 2)
    assert Nearest("q", 1, focal="a", on=("z", "x")).check(PLANE) == (2, 0)
    assert Nearest("q", 1, center=(190, 0), on=("lon", "lat")).check(GLOBE) == (0, 1)
