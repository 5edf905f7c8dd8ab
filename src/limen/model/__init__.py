"""What is said: columns, regions, queries, changes to them, and events. Frozen values without behaviour."""

from limen.model.border import Border
from limen.model.change import Advance, Change, Deregister, Register
from limen.model.columns import Columns
from limen.model.event import KINDS, REASONS, SCHEMA, sort_events
from limen.model.event_geojson import events_to_geojson
from limen.model.expression import Expression
from limen.model.geo import load_properties
from limen.model.load import check_queries, load_queries
from limen.model.match import Match
from limen.model.nearest import Nearest
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.model.problem import Problem
from limen.model.query import Query
from limen.model.region import Box, Range, Region
from limen.model.shape import Circle, MultiPolygon, Polygon
from limen.model.transition import Transition
from limen.model.variable import Variable
from limen.model.wire import (
    canonical_json,
    change_from_dict,
    change_from_json,
    change_to_dict,
    query_from_dict,
    query_to_dict,
)
from limen.model.within import Within

__all__ = [
    "KINDS",
    "REASONS",
    "SCHEMA",
    "Advance",
    "Border",
    "Box",
    "Change",
    "Circle",
    "Columns",
    "Deregister",
    "Expression",
    "Match",
    "MultiPolygon",
    "Nearest",
    "Pair",
    "Pattern",
    "Polygon",
    "Problem",
    "Query",
    "Range",
    "Region",
    "Register",
    "Transition",
    "Variable",
    "Within",
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
    "sort_events",
]
