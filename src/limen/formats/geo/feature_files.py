"""Files of features: which reader reads which file."""

from pathlib import Path

from limen.errors import InvalidInput
from limen.formats.geo.feature_file import FeatureFile
from limen.formats.geo.geojson import read_geojson
from limen.formats.geo.geoparquet import read_geoparquet
from limen.formats.geo.wkt import read_wkt

_READERS = {
    ".geojson": read_geojson,
    ".json": read_geojson,
    ".wkt": read_wkt,
    ".parquet": read_geoparquet,
    ".geoparquet": read_geoparquet,
}

#: How the names of files of shapes end.
SUFFIXES = tuple(_READERS)


def read_features(path: Path) -> FeatureFile:
    """Read a file of shapes in the format of its suffix."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        got = repr(path.suffix) if path.suffix else "no suffix"
        raise InvalidInput(where=path.name, expected=f"a file of shapes: {', '.join(SUFFIXES)}", got=got)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(where=str(path), expected="a file", got=error.strerror) from error
    return reader(content.removeprefix(b"\xef\xbb\xbf"), path.name)
