"""Limen: very many continuous queries over very many data streams."""

from limen.engine import Engine
from limen.errors import InvalidInput, InvalidQuery, LimenError, StateError
from limen.model import SCHEMA, Border, Box, Columns, Match, Query, Range, Region, load_queries, sort_events

__version__ = "0.1.0"

__all__ = [
    "SCHEMA",
    "Border",
    "Box",
    "Columns",
    "Engine",
    "InvalidInput",
    "InvalidQuery",
    "LimenError",
    "Match",
    "Query",
    "Range",
    "Region",
    "StateError",
    "load_queries",
    "sort_events",
]
