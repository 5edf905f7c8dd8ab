"""Queries, regions and events in files: JSON, GeoJSON, WKT and GeoParquet, in and out."""

from limen.formats.event_geojson import events_to_geojson
from limen.formats.geo import load_properties
from limen.formats.load import check_queries, load_queries
from limen.formats.problem import Problem
from limen.formats.query_json import (
    canonical_json,
    change_from_dict,
    change_from_json,
    change_to_dict,
    query_from_dict,
    query_to_dict,
)

__all__ = [
    "Problem",
    "canonical_json",
    "change_from_dict",
    "change_from_json",
    "change_to_dict",
    "check_queries",
    "events_to_geojson",
    "load_properties",
    "load_queries",
    "query_from_dict",
    "query_to_dict",
]
