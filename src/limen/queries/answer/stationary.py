"""Stationary `Within` queries: each stream is evaluated on its own, as for borders."""

from limen.model.event import ADD, MOVED, REMOVE
from limen.queries.regional.crossing_operator import CrossingOperator


class StationaryOperator(CrossingOperator):
    """Emit streams that enter or leave a region as changes of its answer."""

    needs_global_order = True  # like all result sets, though single streams would not need it
    comes, goes, begins = ADD, REMOVE, MOVED

    def within_on(self, handle: int) -> tuple[int, ...] | None:
        """Return the columns of a query."""
        return self._identity(handle)[0]
