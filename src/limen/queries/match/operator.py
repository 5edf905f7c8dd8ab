"""Match queries: emit an event for every row inside a region.

Regions are cut into virtual constructs of fixed sizes, and each construct lists the queries that it is a piece of. A
row looks up the lists of the constructs that cover its cell, and no other queries. The idea is that of
VCI (intervals) and VCR (rectangles): "Indexing Continual Range Queries for Efficient Stream Processing", sections 2 and
3; sections 2.3 and 3.3 cut regions, sections 2.4 and 3.4 search.
"""

import numpy as np

from limen.model.event import MATCH, MOVED
from limen.queries.match.construct_index import ConstructIndex
from limen.queries.regional.group_key import GroupKey
from limen.queries.regional.operator import RegionOperator
from limen.regions.contract import RegionIndex
from limen.regions.pairs import Pairs
from limen.runtime.events import Events
from limen.runtime.step import Step, View


class MatchOperator(RegionOperator):
    """Emit one `match` for every processed row and every query that contains it, by the row's own values."""

    def new_index(self, key: GroupKey) -> RegionIndex:
        """Make an empty index for the regions of a group; border look-ups are not needed."""
        return super().new_index(key) if key.bound or key.shapes else ConstructIndex(len(key.columns))

    def step(self, step: Step) -> list[Events]:
        """Match rows."""
        found = Pairs()
        points = np.where(step.late, np.nan, step.rows.values)
        for group in self.groups:
            if len(group.index):
                row, query = group.inside(View(step.slot, points, step.holds))
                found.append(row, group.handle[query])
        row, handle = found.by_row(len(step.slot))
        if not len(row):
            return []
        return [
            Events(
                handle, step.slot[row], np.full(len(row), MATCH, np.int8), MOVED, step.rows.time[row],
                lambda first, last: step.after[:, row[first:last]],
            )
        ]  # fmt: skip
