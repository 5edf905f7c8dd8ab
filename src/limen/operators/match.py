"""Match queries: every tuple inside the region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limen.index.match.region_index import MatchBoxes
from limen.index.pairs import Pairs
from limen.model.event import MATCH, MOVED
from limen.operators.events import Events
from limen.operators.family import Family
from limen.operators.step import View

if TYPE_CHECKING:
    from limen.index.contract import RegionIndex
    from limen.operators.family import Key
    from limen.operators.step import Step


class MatchFamily(Family):
    """Reports one `match` for every processed tuple and every query that contains it, by the tuple's own values."""

    def new_index(self, key: Key) -> RegionIndex:
        """Make an empty index for the regions of a group; no one will ask it about borders."""
        return super().new_index(key) if key.bound or key.shapes else MatchBoxes(len(key.columns))

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
