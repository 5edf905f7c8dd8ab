"""Border queries: emit an event when a stream enters or leaves a region.

The last position of every stream is stored, and a row is evaluated by the borders between that position and the new
one. So the work depends on the crossings, not on the number of queries that contain the stream. The idea is that of
BMQ-Processor (border monitoring queries): section 3 defines the queries, section 4 the incremental algorithm in one
dimension, section 5 the one in several dimensions.
"""

from limen.model.event import APPEARED, ENTER, EXIT
from limen.queries.regional.crossing_operator import CrossingOperator


class BorderOperator(CrossingOperator):
    """Emit `enter` and `exit`, and `cross` for a move through a region."""

    enter_kind, exit_kind, initial_reason = ENTER, EXIT, APPEARED
