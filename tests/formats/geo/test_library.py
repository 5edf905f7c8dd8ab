import sys

import pytest

from limen.errors import LimenError
from limen.formats import load_queries
from tests.formats.geo.shapes import SQUARE, feature, polygon, write


def test_without_shapely_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(LimenError) as caught:
        load_queries(write(tmp_path / "a.geojson", feature(polygon(SQUARE))))
    assert str(caught.value) == ("files of shapes need shapely, which is not installed. Hint: pip install 'limen[geo]'")
