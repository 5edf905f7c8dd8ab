import pytest

from limen.errors import InvalidInput
from limen.formats.geo.crs import check_crs

NAMES = (
    "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84", "OGC:CRS84", "CRS84", "EPSG:4326", "epsg:4326",
    "urn:ogc:def:crs:EPSG::4326", "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
    "http://www.opengis.net/def/crs/EPSG/0/4326",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_of_wgs84(name):
    check_crs(name, "f")
    check_crs({"type": "name", "properties": {"name": name}}, "f")


def test_a_file_that_does_not_say():
    check_crs(None, "f")


@pytest.mark.parametrize(
    ("crs", "got"),
    [
        ("EPSG:3857", "EPSG:3857"),
        ("4326", "4326"),
        ("", ""),
        ({"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2263"}}, "urn:ogc:def:crs:EPSG::2263"),
        ({"type": "link", "properties": {"href": "x"}}, "{'type': 'link', 'properties': {'href': 'x'}}"),
        ({"type": "ProjectedCRS", "name": "mine"}, "mine"),
        ({"id": {"authority": "EPSG", "code": 3857}}, "EPSG:3857"),
    ],
)
def test_others_are_refused_with_what_to_do(crs, got):
    with pytest.raises(InvalidInput) as caught:
        check_crs(crs, "zones.geojson")
    assert str(caught.value) == (
        f"zones.geojson: crs: expected WGS84, longitude first (OGC:CRS84 or EPSG:4326), got {got}. "
        "Hint: transform the file first, or load it with crs='planar' if the streams have such coordinates too"
    )
