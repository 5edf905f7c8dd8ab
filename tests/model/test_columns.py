import pickle

import pytest

from limen.errors import InvalidInput
from limen.model import Columns


def test_one_name_stands_for_a_tuple_of_one():
    columns = Columns("id", "t", "x", "kind")
    assert columns == Columns(id="id", time="t", values=["x"], attributes=("kind",))
    assert (columns.values, columns.attributes) == (("x",), ("kind",))
    assert (columns.crs, columns.time_unit) == ("planar", None)


def test_columns_are_values():
    columns = Columns("id", "t", ("x", "y"), time_unit="ms")
    assert pickle.loads(pickle.dumps(columns)) == columns
    assert hash(columns) == hash(Columns("id", "t", ["x", "y"], time_unit="ms"))
    with pytest.raises(AttributeError):
        columns.id = "other"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("id", "t", ()), "columns: values: expected at least one column, got none"),
        (("id", "t", ""), "columns: values: expected the name of a column, got ''"),
        ((3, "t", "x"), "columns: id: expected the name of a column, got 3"),
        (("id", None, "x"), "columns: time: expected the name of a column, got None"),
        (("id", "t", 7), "columns: values: expected names of columns, got 7"),
        (("id", "t", ("x", 7)), "columns: values: expected the name of a column, got 7"),
        (("id", "t", "t"), "columns: 't': expected one role for each column, got time and values"),
        (("id", "id", "x"), "columns: 'id': expected one role for each column, got id and time"),
        (("id", "t", ("x", "x")), "columns: 'x': expected one role for each column, got values and values"),
        (("id", "t", "x", "x"), "columns: 'x': expected one role for each column, got values and attributes"),
        (
            ("id", "t", "x", (), "lonlat"),
            "columns: values: expected longitude and latitude first, for crs 'lonlat', got x",
        ),
        (("id", "t", "x", (), "mars"), "columns: crs: expected 'planar' or 'lonlat', got 'mars'"),
        (
            ("id", "t", "x", (), "planar", "h"),
            "columns: time_unit: expected None, 's', 'ms', 'us' or 'ns', got 'h'",
        ),
    ],
)
def test_what_is_wrong_is_said(arguments, text):
    with pytest.raises(InvalidInput) as caught:
        Columns(*arguments)
    assert str(caught.value) == text


def test_positions():
    columns = Columns("id", "t", ("x", "y", "z"))
    assert columns.positions() == (0, 1, 2)
    assert columns.positions(("z", "x")) == (2, 0)
    with pytest.raises(InvalidInput) as caught:
        Columns("id", "t", ("speed", "y")).positions(("sped",))
    assert str(caught.value) == ("columns: expected a value column (speed, y), got 'sped'. Hint: did you mean 'speed'?")


@pytest.mark.parametrize(
    "columns", [Columns("id", "t", "x"), Columns("id", "t", ("x", "y"), ("k", "l"), time_unit="ns")]
)
def test_to_dict_and_back(columns):
    assert Columns.from_dict(columns.to_dict()) == columns


def test_to_dict_leaves_out_defaults():
    assert Columns("id", "t", "x").to_dict() == {"id": "id", "time": "t", "values": ["x"]}


def test_from_dict_refuses_what_it_does_not_know():
    with pytest.raises(InvalidInput, match=r"got 'atributes'\. Hint: did you mean 'attributes'\?"):
        Columns.from_dict({"id": "id", "time": "t", "values": ["x"], "atributes": ["k"]})
    with pytest.raises(InvalidInput, match="columns: expected the key 'time', got none"):
        Columns.from_dict({"id": "id", "values": ["x"]})
