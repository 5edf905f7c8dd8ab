"""The properties of features as a table, to be joined to events."""

import json
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from limen.errors import InvalidInput
from limen.formats.geo.feature_files import read_features
from limen.formats.geo.feature_ids import ids_of


def load_properties(path: str | PathLike[str], id: str | None = None) -> pa.Table:
    """Read the properties of a file's features, to be joined to events by `query_id`.

    Parameters
    ----------
    path
        A file of shapes, as `load_queries` reads it.
    id
        The property that holds the ids, as in `load_queries`.

    Returns
    -------
    pyarrow.Table
        A row for each id: the column `query_id`, and one for each property. Of features that share an id the first one
        counts. Values of several types are written as JSON. Features without an id are left out.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "zones.geojson"
    >>> _ = path.write_text('''{"type": "Feature", "properties": {"LocationID": 4, "zone": "Alphabet City"},
    ...     "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 0]]]}}''')
    >>> load_properties(path, id="LocationID").to_pylist()
    [{'query_id': '4', 'LocationID': 4, 'zone': 'Alphabet City'}]
    """
    if not isinstance(path, (str, PathLike)):
        raise InvalidInput(where="load_properties", expected="the path of a file", got=repr(path))
    file = read_features(Path(path))
    if "query_id" in file.properties and id != "query_id":
        raise InvalidInput(
            where=file.name,
            expected="no property 'query_id', which is the column of ids",
            got="one",
            hint="id='query_id' makes its values the ids",
        )
    first: dict[str, int] = {}
    for position, text in enumerate(ids_of(file, id).texts):
        if isinstance(text, str):
            first.setdefault(text, position)
    rows = pa.array(list(first.values()), pa.int64())
    columns = {"query_id": pa.array(list(first), pa.string())}
    columns.update({name: _array(file.properties[name]).take(rows) for name in file.properties if name != "query_id"})
    return pa.table(columns)


def _array(values: Any) -> Any:  # pyarrow has no types
    """Make a column of a property; values that Arrow finds no type for are written as JSON."""
    if not isinstance(values, list):
        return values
    try:
        array = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
        return pa.array(texts, pa.string())
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array
