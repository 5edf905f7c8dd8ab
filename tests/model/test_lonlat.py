# ruff: noqa: E501  # texts of errors are quoted whole
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidQuery
from limen.kernels.earth import EARTH_RADIUS
from limen.model import Border, Box, Circle, Columns, Polygon, Range
from limen.model.lonlat import circle_bounds, normalised, unwrapped
from tests.oracle.region import haversine

EARTH = Columns("id", "t", ("lon", "lat", "speed"), crs="lonlat")


@given(st.floats(-720, 720))
def test_a_place_has_one_longitude(longitude):
    found = normalised(longitude)
    assert -180 <= found < 180
    assert math.isclose(math.cos(math.radians(found)), math.cos(math.radians(longitude)), abs_tol=1e-9)


@given(
    st.tuples(st.floats(-180, 179.999), st.floats(-89, 89)),
    st.floats(1, 3_000_000),
    st.floats(0, 2 * math.pi),
    st.floats(0, 1),
)
def test_a_circle_lies_within_its_bounds(center, radius, bearing, part):
    (west, east), (south, north) = circle_bounds(center, radius)
    angle, lat = radius * part / EARTH_RADIUS, math.radians(center[1])
    there = math.asin(math.sin(lat) * math.cos(angle) + math.cos(lat) * math.sin(angle) * math.cos(bearing))
    turn = math.atan2(
        math.sin(bearing) * math.sin(angle) * math.cos(lat), math.cos(angle) - math.sin(lat) * math.sin(there)
    )
    point = normalised(center[0] + math.degrees(turn)), math.degrees(there)
    if haversine(center, point) <= radius:
        assert west <= point[0] <= east
        assert south <= point[1] <= north


def test_a_ring_round_a_pole_is_refused():
    ring = np.array([[0.0, 80], [90, 80], [180, 80], [-90, 80]])
    with pytest.raises(InvalidQuery, match="expected a ring that does not go round a pole, got 4 vertices that do"):
        unwrapped(ring, "polygon")


@pytest.mark.parametrize(
    ("ring", "longitude"),
    [
        ([(-180, 60), (180, 60), (180, 80), (-180, 80)], "-180"),
        ([(-170, 60), (190, 60), (190, 80), (-170, 80)], "-170"),
        ([(-180, 60), (0, 60), (360, 60), (360, 80), (0, 80), (-180, 80)], "0"),
    ],
)
def test_an_edge_round_the_world_is_refused(ring, longitude):
    text = f"edges that go less than once round the world, got one from longitude {longitude} that does not. Hint: add vertices"
    with pytest.raises(InvalidQuery, match=text):
        unwrapped(np.array(ring, np.float64), "polygon")


def test_the_antimeridian_has_two_names():
    ring = unwrapped(np.array([(170.0, 0.0), (180.0, 0.0), (-180.0, 5.0), (170.0, 5.0)]), "polygon")
    assert ring[:, 0].tolist() == [170, 180, 180, 170]


def test_a_cap_without_vertices_on_its_way_is_told_to_have_more():
    with pytest.raises(InvalidQuery, match=r"round a pole, got 4 vertices that do\. Hint: add vertices"):
        unwrapped(np.array([(-180.0, 60.0), (180.0, 60.0), (180.0, 90.0), (-180.0, 90.0)]), "polygon")


def test_a_ring_closed_along_a_pole_is_taken():
    antarctica = Polygon([(-180, -90), (-180, -80), (-60, -75), (60, -78), (180, -80), (180, -90)])
    Border("q", antarctica, on=("lon", "lat")).check(EARTH)
    assert unwrapped(antarctica.shell, "polygon") is antarctica.shell


@pytest.mark.parametrize(
    ("region", "text"),
    [
        (Circle((200, 95), 5), "query 'q': region: expected longitude from -180 to 180 and latitude from -90 to 90, got [200.0, 95.0]"),
        (Polygon([(40.7, -74), (40.8, -74), (40.8, -120)]), "query 'q': region: expected longitude from -180 to 180 and latitude from -90 to 90, got [40.8, -120.0]. Hint: longitude comes first"),
        (Box((0, 0), (10, 100)), "query 'q': region: expected longitude from -180 to 180 and latitude from -90 to 90, got [10.0, 100.0]. Hint: longitude comes first"),
        (Polygon([(0, 80), (120, 81), (-120, 80)]), "query 'q': region: expected a ring that does not go round a pole, got 3 vertices that do. Hint: cut the polygon at the antimeridian, and close it along the pole"),
    ],
)  # fmt: skip
def test_regions_that_are_not_of_this_world(region, text):
    with pytest.raises(InvalidQuery) as caught:
        Border("q", region, on=("lon", "lat")).check(EARTH)
    assert str(caught.value) == text


def test_regions_and_their_columns():
    for good in (
        Box((170, -10), (-170, 10)),
        Box((None, None), (None, 10)),
        Circle((-74, 40), 100),
        Box((170, 0), (190, 1)),
    ):
        Border("q", good, on=("lon", "lat")).check(EARTH)
    Border("q", Range(500, None), on="speed").check(EARTH)
    with pytest.raises(
        InvalidQuery, match=r"expected a shape on longitude and latitude \(lon, lat\), got one on lat, lon"
    ):
        Border("q", Circle((0, 0), 1), on=("lat", "lon")).check(EARTH)
    with pytest.raises(InvalidQuery, match=r"query 'q': box, dimension 1: expected lo < hi, got lo 170.0, hi -170.0"):
        Border("q", Box((170, -10), (-170, 10))).check(Columns("id", "t", ("x", "y")))
