import pyarrow as pa
import pytest

from limen.errors import InvalidInput
from limen.formats.geo.feature_files import read_features
from limen.formats.geo.properties import load_properties
from tests.formats.geo.shapes import SQUARE, feature, polygon, write


@pytest.fixture
def file(tmp_path):
    return lambda *features: write(tmp_path / "zones.geojson", *features)


def test_properties_by_id_of_the_first_feature_that_has_it(file):
    shape = polygon(SQUARE)
    path = file(
        feature(shape, n=1, zone="a"), feature(None, n=2, zone="b"), feature(shape, n=1, zone="c"), feature(shape)
    )
    table = load_properties(path, id="n")
    assert table.to_pylist() == [
        {"query_id": "1", "n": 1, "zone": "a"},
        {"query_id": "2", "n": 2, "zone": "b"},
    ]


def test_types_of_properties(file):
    values = {
        "i": (1, 2),
        "f": (1, 2.5),
        "s": ("a", None),
        "none": (None, None),
        "mixed": (1, "a"),
        "list": ([1], [2, 3]),
    }
    path = file(*(feature(None, **{name: pair[n] for name, pair in values.items()}) for n in (0, 1)))
    table = load_properties(path)
    assert table.schema.types == [
        pa.string(), pa.int64(), pa.float64(), pa.string(), pa.string(), pa.string(), pa.list_(pa.int64()),
    ]  # fmt: skip
    assert table["mixed"].to_pylist() == ["1", '"a"']
    assert table["query_id"].to_pylist() == ["1", "2"]


def test_a_property_may_be_called_query_id_if_it_holds_the_ids(file):
    path = file(feature(None, query_id="a", zone=3))
    assert load_properties(path, id="query_id").to_pylist() == [{"query_id": "a", "zone": 3}]
    with pytest.raises(InvalidInput) as caught:
        load_properties(path)
    assert str(caught.value) == (
        "zones.geojson: expected no property 'query_id', which is the column of ids, got one. "
        "Hint: id='query_id' makes its values the ids"
    )


def test_a_file_without_features(file):
    assert load_properties(file(), id="n").schema.names == ["query_id"]


def test_what_is_no_file_of_shapes(tmp_path):
    with pytest.raises(InvalidInput) as caught:
        read_features(tmp_path / "zones.shp")
    assert str(caught.value) == (
        "zones.shp: expected a file of shapes: .geojson, .json, .wkt, .parquet, .geoparquet, got '.shp'"
    )
    with pytest.raises(InvalidInput, match=r"none.wkt: expected a file, got No such file or directory$"):
        read_features(tmp_path / "none.wkt")
    with pytest.raises(InvalidInput, match=r"^load_properties: expected the path of a file, got 3$"):
        load_properties(3)
