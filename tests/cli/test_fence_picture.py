import numpy as np
import pytest

from limen.cli.fence_picture import draw_fences
from limen.formats.geo.feature_file import Outline
from limen.model import Border, Box, Circle, Polygon


@pytest.fixture
def picture(tmp_path):
    def draw(*regions, wrong=(), lonlat=True):
        queries = [Border(number, region) for number, region in enumerate(regions)]
        told = draw_fences(tmp_path / "f.png", "f.geojson", queries, wrong, lonlat=lonlat)
        return told, tmp_path / "f.png"

    return draw


def test_what_crosses_the_antimeridian_or_lies_at_a_pole(picture):
    crossing = Polygon([(170, 0), (-170, 0), (-170, 5), (170, 5)])
    told, path = picture(crossing, Circle((10, 90), 1000), Box((175, 2), (-175, 3)))
    assert told == f"a picture of 3 regions in {path}"
    assert path.read_bytes().startswith(b"\x89PNG")


def test_only_what_is_wrong(picture):
    bow = np.array([[0.0, 0], [2, 2], [2, 0], [0, 2], [0, 0]])
    nowhere = np.array([[0.0, 0], [np.nan, 2], [2, 0], [0, 0]])
    told, path = picture(wrong=[None, *(Outline("Polygon", ((ring,),)) for ring in (bow, nowhere, bow * 1000))])
    assert told == f"a picture of 0 regions in {path}"
    assert path.exists()


def test_what_has_no_end_is_cut_off(picture):
    assert picture(Box((0, None), (4, 4)), Box((0, 0), (None, 1)), lonlat=False)[1].exists()
    told, _ = picture(Box((None, None), (None, None)), lonlat=False)
    assert told == "no picture: there is no region of two dimensions with an end"


@pytest.mark.slow
def test_many_regions(picture):
    squares = [Box((x, y), (x + 1, y + 1)) for x in range(60) for y in range(60)]
    assert picture(*squares, lonlat=False)[0].startswith("a picture of 3,600 regions")
