"""Within queries that stay where they are: their answer follows from each stream alone, as borders do."""

from __future__ import annotations

from limen.model.event import ADD, MOVED, REMOVE
from limen.operators.border import BorderFamily


class AreaFamily(BorderFamily):
    """Reports who comes into a region and who goes out as changes of its answer."""

    one_line = True  # as all answers, though each of its streams could do without
    comes, goes, begins = ADD, REMOVE, MOVED

    def within_on(self, handle: int) -> tuple[int, ...] | None:
        """Return the columns of a query."""
        return self._identity(handle)[0]
