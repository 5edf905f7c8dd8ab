"""Queries around a center: `Within` about a stream that moves, and `Nearest`. Their answers need all streams.

Streams and queries are played along one line of time: rows, and streams that are silent for too long, in the order in
which that happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen.operators.answer import AnswerFamily
from limen.operators.around_group import AroundGroup
from limen.operators.places import on_sphere

if TYPE_CHECKING:
    from limen.operators.answer_group import Key


class AroundFamily(AnswerFamily[AroundGroup]):
    """Keeps answers of queries around a center.

    Nothing of it has to be stored: all answers follow from the stream table.
    """

    def new_group(self, key: Key) -> AroundGroup:
        """Make an empty group."""
        return AroundGroup(key, lonlat=on_sphere(self.columns, key.columns))
