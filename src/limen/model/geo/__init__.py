"""Files of shapes: features read from GeoJSON, WKT and GeoParquet, judged, mended, and made queries.

A file goes through these modules in turn: a reader (`geojson`, `wkt`, `geoparquet`) makes a `FeatureFile` of it, `ids`
gives its features names, `validity` tells what is wrong with them, `repair` mends that, and `fences` makes queries of
what is left. shapely is loaded when a file is read, and not before.
"""

from limen.model.geo.fences import Fences, read_fences
from limen.model.geo.files import SUFFIXES, load_properties
from limen.model.geo.merge import Merged

__all__ = ["SUFFIXES", "Fences", "Merged", "load_properties", "read_fences"]
