"""Data model: columns, regions, queries and changes to them. Frozen values without behaviour.

The columns of events are in `limen.model.event`, which loads Arrow; what is here does not.
"""

from limen.model.border import Border
from limen.model.change import Advance, Change, Deregister, Register
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression
from limen.model.match import Match
from limen.model.nearest import Nearest
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.model.query import Query
from limen.model.region import Box, Range, Region
from limen.model.shape import Circle, MultiPolygon, Polygon
from limen.model.transition import Transition
from limen.model.variable import Variable
from limen.model.within import Within

__all__ = [
    "Advance", "Border", "Box", "Change", "Circle", "Columns", "Deregister", "Expression", "Match", "MultiPolygon",
    "Nearest", "Pair", "Pattern", "Polygon", "Query", "Range", "Region", "Register", "Transition", "Variable", "Within",
]  # fmt: skip
