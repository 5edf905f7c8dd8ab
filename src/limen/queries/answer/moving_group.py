"""Groups of queries around a center, on the same columns and with the same condition."""

from limen.arrays import Ints, Slots
from limen.queries.answer.centered_queries import Centered, Changes
from limen.queries.answer.group import AnswerGroup, AnswerKey
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.answer.moving_index import MovingIndex
from limen.runtime.stream_table import StreamTable


class MovingGroup(AnswerGroup):
    """Queries around a center on the same columns and with the same condition."""

    index: MovingIndex

    def __init__(self, key: AnswerKey, *, lonlat: bool) -> None:
        super().__init__(key, MovingIndex(len(key.columns), lonlat=lonlat))

    def insert(self, queries: Centered, handles: Slots, streams: StreamTable) -> Slots:
        """Add queries, as columns, and return their slots."""
        slots = self.index.insert(queries, len(streams))
        self.put_handles(slots, handles)
        return slots

    def prepare(self, streams: StreamTable) -> None:
        """Load the positions of streams that satisfy the condition of this group."""
        if not len(self.index):
            self.index.forget_streams()  # without queries they are not updated
        if self.index.ready or not len(self.index):
            return
        known, position = self.positions(streams)
        self.index.fill(position, known, streams.ids)

    def play(self, timeline: PositionTimeline, time: Ints, streams: StreamTable) -> Changes:  # noqa: ARG002
        """Apply a timeline and return the changes of answers."""
        return self.index.play(timeline, streams.ids, len(streams))
