"""Queries around a center: `Within` about a stream that moves, and `Nearest`. Their answers need all streams.

Streams and queries are played along one line of time: rows, and streams that are silent for too long, in the order in
which that happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen.model.nearest import Nearest
from limen.operators.answer import AnswerFamily
from limen.operators.around_group import AroundGroup
from limen.operators.places import on_sphere

if TYPE_CHECKING:
    from limen.model.within import Within
    from limen.operators.answer_group import Key


class AroundFamily(AnswerFamily[AroundGroup]):
    """Keeps answers of queries around a center.

    Nothing of it has to be stored: all answers follow from the stream table.
    """

    def key_of(self, query: Within | Nearest) -> Key:
        """Return what a query has in common with those of its group.

        Of ranges among all streams many instants can be played at once; others would keep them from it.
        """
        return super().key_of(query)._replace(alone=isinstance(query, Nearest) or query.streams is not None)

    def new_group(self, key: Key) -> AroundGroup:
        """Make an empty group."""
        return AroundGroup(key, lonlat=on_sphere(self.columns, key.columns))
