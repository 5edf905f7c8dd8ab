"""Files of shapes: features read from GeoJSON, WKT and GeoParquet, validated, repaired, and turned into queries.

A file goes through these modules in turn: a reader (`geojson`, `wkt`, `geoparquet`) makes a `FeatureFile` of it,
`feature_ids` names its features, `validity` finds and repairs faults, and `fences` makes queries of what is left;
`properties` makes a table of their properties.
shapely is loaded when a file is read, and not before.
"""

from limen.formats.geo.feature_files import SUFFIXES
from limen.formats.geo.fences import Fences, read_fences
from limen.formats.geo.regions import Merged

__all__ = ["SUFFIXES", "Fences", "Merged", "read_fences"]
