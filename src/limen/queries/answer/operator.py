"""Maintain the live result sets of moving `Within` queries and of `Nearest` queries.

The idea: evaluate incrementally. Each update of a stream or of a query emits only the difference between the old and
the new answer, streams added and streams removed, for all queries together as one spatial join of streams and queries
in a grid. Rows and expirations are applied in order of time, since an answer depends on all streams.

The paper: Mokbel and Aref, "SOLE: Scalable On-Line Execution of Continuous Queries on Spatio-temporal Data Streams":
section 3.1 for positive and negative updates as the output, section 3.2 for moving, range and k-nearest-neighbour
queries, section 5.3 for the shared join. This operator stores all streams; `limen.queries.budget` adds the paper's
memory optimizations.
"""

from limen.model.nearest import Nearest
from limen.model.within import Within
from limen.queries.answer.base import AnswerOperator
from limen.queries.answer.group import AnswerKey
from limen.queries.answer.moving_group import MovingGroup
from limen.regions.region_index import on_sphere


class MovingOperator(AnswerOperator[MovingGroup]):
    """Maintain the answers of queries around a center.

    Checkpoints store no answers: they are derived from the stream table.
    """

    def key_of(self, query: Within | Nearest) -> AnswerKey:
        """Return the key of the group that a query belongs to.

        Many instants can be applied at once to ranges over all streams; other queries get groups of their own.
        """
        return super().key_of(query)._replace(alone=isinstance(query, Nearest) or query.streams is not None)

    def new_group(self, key: AnswerKey) -> MovingGroup:
        """Make an empty group."""
        return MovingGroup(key, lonlat=on_sphere(self.columns, key.columns))
