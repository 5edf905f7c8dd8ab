import pytest

from limen.errors import InvalidInput
from limen.formats.geo.feature_file import FeatureFile
from limen.formats.geo.feature_ids import ids_of


def named(ids=None, **properties):
    count = len(ids or next(iter(properties.values()), ()))
    return FeatureFile("f.geojson", [None] * count, ids, properties)


def test_a_property_that_is_asked_for():
    ids = ids_of(named(LocationID=[56, "57", 58.0]), "LocationID")
    assert (ids.texts, ids.source) == (["56", "57", "58"], "the property LocationID")
    assert ids.label(1) == "feature 2 (LocationID 57)"


def test_by_default_their_own_ids_then_the_property_id_then_positions():
    assert ids_of(named([7, "b"], id=[1, 2]), None).texts == ["7", "b"]
    assert ids_of(named([None, None], id=[1, 2]), None).texts == ["1", "2"]
    positions = ids_of(named([None, None], name=["a", "b"]), None)
    assert (positions.texts, positions.source) == (["1", "2"], "their positions in the file")
    assert positions.label(1) == "feature 2"


def test_long_ids_are_shortened_in_labels():
    assert len(ids_of(named(["x" * 10_000]), None).label(0)) < 100


@pytest.mark.parametrize("value", [None, True, 1.5, float("nan"), "", [1], {"a": 1}, "\ud800"])
def test_what_is_no_id_is_the_feature_s_problem(value):
    ids = ids_of(named(["a", value]), None)
    got = "none" if value is None else repr(value)
    assert str(ids.texts[1]) == f"id: expected text that is not empty, or an integer, got {got}"
    assert ids.label(1) == "feature 2"


def test_a_property_that_no_feature_has():
    with pytest.raises(InvalidInput) as caught:
        ids_of(named(zone=["a"], LocationID=[1]), "locationId")
    assert str(caught.value) == (
        "f.geojson: id: expected a property among zone, LocationID, got 'locationId'. Hint: did you mean 'LocationID'?"
    )
    with pytest.raises(InvalidInput, match=r"^f.geojson: id: expected no property: the file has none, got 'a'$"):
        ids_of(named(["x"]), "a")
    with pytest.raises(InvalidInput, match=r"got 3$"):
        ids_of(named(zone=["a"]), 3)
