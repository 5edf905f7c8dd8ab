"""Group of queries that share a buffer: the same columns and the same condition."""

from dataclasses import fields

import numpy as np

from limen.arrays import Array, Floats, Ints, Slots
from limen.checkpoint.codec import Sections, array_of
from limen.model.nearest import Nearest
from limen.model.options import Options
from limen.model.region import Region
from limen.model.shape import Circle
from limen.model.within import Within
from limen.queries.answer.centered_queries import Changes, centered_of
from limen.queries.answer.group import AnswerGroup, AnswerKey
from limen.queries.answer.kernels.layout import PositionTimeline
from limen.queries.budget.buffer_rules import BudgetRules
from limen.queries.budget.buffered_queries import COLUMNS, BufferedQueries
from limen.queries.budget.cache_areas import cache_margin
from limen.queries.budget.kernels.layout import FIXED, SHAPE
from limen.queries.budget.shared_buffer import BufferState, SharedBuffer
from limen.regions.region_index import bounds_of, is_shape, shapes_of
from limen.runtime.stream_table import StreamTable


class BudgetGroup(AnswerGroup):
    """Queries on the same columns and with the same condition, in one buffer."""

    index: SharedBuffer
    stored_as, stored_columns = BufferedQueries, COLUMNS

    def __init__(self, key: AnswerKey, rules: BudgetRules, options: Options, *, lonlat: bool) -> None:
        super().__init__(key, SharedBuffer(len(key.columns), rules, lonlat=lonlat))
        self._options = options
        self._kept: BufferState | None = None  # to begin with, when the stream table is there

    def insert(self, queries: BufferedQueries, handles: Slots, streams: StreamTable) -> Slots:
        """Add queries, as columns, and return their slots."""
        slots = self.index.insert(queries, streams.ids, len(streams))
        self.put_handles(slots, handles)
        return slots

    def prepare(self, streams: StreamTable) -> None:
        """Restore the objects that `load` read, once."""
        if self._kept is not None:
            kept, self._kept = self._kept, None
            points = streams.last[kept.stored][:, self.columns]
            looked_for = np.ones(len(points), np.bool_)
            if self.condition is not None:
                looked_for = streams.held(self.condition, self.columns, kept.stored)
            self.index.fill(kept, points, streams.last_time[kept.stored], looked_for, streams.ids, len(streams))

    @property
    def waits(self) -> bool:
        """Whether objects read by `load` wait to be restored."""
        return self._kept is not None

    def play(self, timeline: PositionTimeline, time: Ints, streams: StreamTable) -> Changes:
        """Apply a timeline, each entry with its time, and return the changes of answers."""
        return self.index.play(timeline, time, streams.ids, len(streams))

    def columns_of(self, queries: list[Within | Nearest], streams: StreamTable) -> BufferedQueries:
        """Return queries as columns of the buffer."""
        n, dimensions, lonlat = len(queries), self.index.dimensions, self.index.lonlat
        centered = centered_of(queries, streams, dimensions, lonlat=lonlat)
        bounds = np.empty((n, dimensions, 2))
        bounds[:] = -np.inf, np.inf
        edges, edge_counts = [np.empty((0, 4))], np.zeros(n, np.int64)
        for number, query in enumerate(queries):
            region = query.region if isinstance(query, Within) else None
            if region is not None and not isinstance(region, Circle):
                centered.kind[number], bounds[number], own = _bounded(region, lonlat=lonlat)
                edges.append(own)
                edge_counts[number] = len(own)
        return BufferedQueries(
            **{each.name: getattr(centered, each.name) for each in fields(centered)},
            bounds=bounds,
            edges=np.concatenate(edges),
            edge_counts=edge_counts,
            margin=np.array([cache_margin(query, self._options) for query in queries]),
            least=np.array([query.min_accuracy or 0.0 for query in queries]),
        )

    # ---- what is kept ------------------------------------------------------------------------------------------------

    def dump(self) -> dict[str, Array]:
        """Return the state of the buffer, without queries and the stream table, as named arrays for `load`."""
        accounting, (strict, shares) = self.index.accounting, self.index.own_shares()
        return {
            **(self._kept or self.index.kept())._asdict(),
            "counts": accounting.counts,
            "shedding": accounting.shedding,
            "share": np.array([self.index.share]),
            "strict": self.handle[strict],
            "strict_share": shares,
        }

    def load(self, part: Sections, place: str) -> None:
        """Restore the state that `dump` returned, as soon as the stream table is loaded."""
        grid, strict, shares = np.empty(0), np.empty(0, np.int32), np.empty(0)
        if f"{place}/grid" in part:  # earlier versions wrote none of these
            grid = array_of(part, f"{place}/grid", np.float64)
            strict = array_of(part, f"{place}/strict", np.int32)
            shares = array_of(part, f"{place}/strict_share", np.float64)
        self._kept = BufferState(
            array_of(part, f"{place}/stored", np.int32),
            array_of(part, f"{place}/shadow_name", np.uint64),
            array_of(part, f"{place}/shadow_point", np.float64, (-1, self.index.dimensions)),
            array_of(part, f"{place}/shadow_seen", np.int64),
            grid,
        )
        slots = np.flatnonzero(self.index.alive).astype(np.int32)
        slots = slots[np.argsort(self.handle[slots])]
        self.index.resume(
            array_of(part, f"{place}/counts", np.int64),
            array_of(part, f"{place}/shedding", np.int64),
            float(array_of(part, f"{place}/share", np.float64)[0]),
            (slots[np.searchsorted(self.handle[slots], strict)], shares),
        )


def _bounded(region: Region, *, lonlat: bool) -> tuple[int, Floats, Floats]:
    """Return the kind of a region that is no circle, its bounds and its edges."""
    if not is_shape(region, lonlat=lonlat):
        return FIXED, bounds_of([region])[0], np.empty((0, 4))
    shape = shapes_of([region], lonlat=lonlat)
    return SHAPE, shape.bounds[0], shape.edges
