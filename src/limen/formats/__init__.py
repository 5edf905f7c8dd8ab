"""Queries, regions and events in files: JSON, GeoJSON, WKT and GeoParquet, in and out.

What needs Arrow is left to its own modules: `event_geojson` and `geo.properties`.
"""

from limen.formats.load import check_queries, load_queries
from limen.formats.problem import Problem

__all__ = ["Problem", "check_queries", "load_queries"]
