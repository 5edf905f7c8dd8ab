"""Stationary `Within` queries: each stream is evaluated on its own, as for borders."""

from limen.model.event import ADD, MOVED, REMOVE
from limen.queries.regional.crossing_operator import CrossingOperator


class StationaryOperator(CrossingOperator):
    """Emit streams that enter or leave a region as changes of its answer."""

    needs_global_order = True  # like all result sets, though single streams would not need it
    enter_kind, exit_kind, initial_reason = ADD, REMOVE, MOVED

    def replacement_key(self, handle: int) -> tuple[int, ...] | None:
        """Return the columns of a query: a `Within` that moves on the same columns can replace it."""
        return self._identity(handle)[0]
