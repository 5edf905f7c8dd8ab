"""Queries that can be looked up together: same columns, same condition, same way of naming their streams.

A group has one index. What differs is the condition (`where`):

* `Group`: none. A row moves through the index from where its stream stood.
* `ConditionalGroup`: one for all its queries. Where it turns false or true a stream leaves or enters as if it had moved
  outside or in from there.
* `MixedGroup`: each query has its own. Candidates come from the index and are then tested; this is for alerts on single
  streams, and for more different conditions than are worth a group each.
"""

from typing import cast

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats, Ints, Mask, Slots
from limen.growable import grown
from limen.model.expressions.expression import Expression
from limen.regions.contract import BorderIndex, RegionIndex
from limen.regions.pairs import Pairs, as_pairs
from limen.regions.shapes import Shapes
from limen.runtime.step import Step, View
from limen.runtime.stream_table import StreamTable


class Group:
    """Queries without a condition.

    Parameters
    ----------
    columns : tuple of int
        The value columns that the queries' regions are about.
    index : RegionIndex
        Where their regions are put; empty.
    """

    debounced = False  # whether a change of side must be confirmed
    passing = False  # whether jumps over the region are emitted

    def __init__(self, columns: tuple[int, ...], index: RegionIndex) -> None:
        self.columns = np.array(columns, np.int64)
        self.index = index
        self.handle = np.empty(0, np.int32)  # the query in the catalogue, by slot of the index
        self.report = np.empty(0, np.bool_)  # whether its containment is reported completely
        self.reporting = 0

    def insert(
        self,
        regions: Floats | Shapes,
        handles: Slots,
        report: Mask,
        conditions: list[Expression | None],  # noqa: ARG002 (a group of its kind has none, or one for all)
        owners: Slots | None,
        owner_counts: Ints | None,
    ) -> Slots:
        """Add queries and return their slots."""
        slots = self.index.insert(regions, owners, owner_counts)
        room = len(self.index.alive)
        self.handle, self.report = grown(self.handle, room), grown(self.report, room)
        self.handle[slots] = handles
        self.report[slots] = report
        self.reporting += int(np.count_nonzero(report))
        return slots

    def remove(self, slots: Slots) -> None:
        """Take queries out."""
        self.reporting -= int(self.report[slots].sum())
        self.index.remove(slots)

    def inside(self, view: View) -> tuple[Slots, Slots]:
        """Find all pairs (row, slot of a query) with the row in the query's region and its condition true."""
        return self._tested(view, *self.index.containing(view.slot, view.points, self.columns).arrays())

    def streams_of(self, queries: Slots, streams: StreamTable) -> Slots:
        """Return the live streams that queries are about."""
        if not self.index.bound:
            return np.flatnonzero(streams.live).astype(np.int32)
        owners = np.unique(self.index.owners.of(queries)[0])
        return owners[streams.live[owners]]

    def inside_of(self, queries: Slots, view: View) -> tuple[Slots, Slots]:
        """The same for some of the queries only."""
        part = self.borders.subset(queries)
        row, number = part.containing(view.slot, view.points, self.columns).arrays()
        return self._tested(view, row, queries[number])

    @property
    def borders(self) -> BorderIndex:
        """The index as one that knows borders. Groups of match queries may have another, and do not call this."""
        return cast("BorderIndex", self.index)

    def moved(self, step: Step) -> Pairs:
        """Find the queries that rows enter and leave, as pairs (row, slot), ~slot for a leave."""
        return self.borders.crossings(step.slot, step.before, step.after, self.columns, len(step.streams))

    def passed(self, step: Step) -> Pairs:
        """Find the queries that rows jump over, as pairs (row, slot); the query must see both ends."""
        return self.borders.passings(step.slot, step.before, step.after, self.columns)

    def is_far(self, step: Step, row: Ints, slot: Slots, margin: Floats) -> Mask:
        """Return for pairs of an outside row and a query whether the row is further away than a margin.

        One that fails the condition is further away than any.
        """
        far = self.borders.distant(slot, step.after[:, row], self.columns, margin)
        held = self._holds(step.now(), row, slot)
        return far if held is None else far | ~held

    def condition(self, slot: int) -> Expression | None:  # noqa: ARG002 (the same for all)
        """Return the condition of a query."""
        return None

    def _tested(self, view: View, row: Slots, query: Slots) -> tuple[Slots, Slots]:
        """Keep the pairs for which the query's condition holds."""
        kept = self._holds(view, row, query)
        return (row, query) if kept is None else (row[kept], query[kept])

    def _holds(self, view: View, row: npt.NDArray[np.integer], query: Slots) -> Mask | None:  # noqa: ARG002
        """Return the pairs for which the query's condition holds, as a mask; None for all of them."""
        return None

    def _stepped(self, step: Step) -> Ints:
        """Return the rows that are the second or later ones which the group's queries see of their stream."""
        first = np.isnan(step.before[self.columns]).any(axis=0)
        return np.flatnonzero(step.seen(self.columns) & ~first)

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return self.index.nbytes_queries + self.handle.nbytes + self.report.nbytes


class ConditionalGroup(Group):
    """Queries with one condition in common."""

    def __init__(self, columns: tuple[int, ...], index: RegionIndex, condition: Expression) -> None:
        super().__init__(columns, index)
        self._condition = condition

    def condition(self, slot: int) -> Expression | None:  # noqa: ARG002
        """Return the condition of a query."""
        return self._condition

    def inside(self, view: View) -> tuple[Slots, Slots]:
        """As for `Group`; rows that fail the condition are not even looked up."""
        held = np.flatnonzero(view.holds(self._condition))
        kept = view.only(held)
        row, query = self.index.containing(kept.slot, kept.points, self.columns).arrays()
        return held[row].astype(np.int32), query

    def moved(self, step: Step) -> Pairs:
        """As for `Group`: a row that fails the condition is outside."""
        rows, was, now = self._held_before_and_after(step)
        before = self._before(step, rows[was & now])
        found = self.borders.crossings(step.slot, before, step.after, self.columns, len(step.streams))
        for turned, points, leaves in ((rows[now & ~was], step.after, False), (rows[was & ~now], step.before, True)):
            row, query = self.index.containing(step.slot[turned], points[:, turned], self.columns).arrays()
            found.append(turned[row].astype(np.int32), ~query if leaves else query)
        return found

    def passed(self, step: Step) -> Pairs:
        """As for `Group`."""
        rows, was, now = self._held_before_and_after(step)
        return self.borders.passings(step.slot, self._before(step, rows[was & now]), step.after, self.columns)

    def _held_before_and_after(self, step: Step) -> tuple[Ints, Mask, Mask]:
        """Return the rows that are steps, and whether the condition was true before and is true after each."""
        rows = self._stepped(step)
        return rows, step.held(self._condition, self.columns)[rows], step.holds(self._condition)[rows]

    def _before(self, step: Step, rows: Ints) -> Floats:
        """Return where streams were before some rows, and NaN for the others, which the index then passes over."""
        moving = np.zeros(len(step.slot), np.bool_)
        moving[rows] = True
        return np.where(moving, step.before, np.nan)

    def _holds(self, view: View, row: npt.NDArray[np.integer], query: Slots) -> Mask:  # noqa: ARG002
        held: Mask = view.holds(self._condition)[row]
        return held


class MixedGroup(Group):
    """Queries that each have a condition of their own."""

    def __init__(self, columns: tuple[int, ...], index: RegionIndex) -> None:
        super().__init__(columns, index)
        self._conditions: list[Expression] = []
        self._number: dict[str, int] = {}
        self._condition_of: Slots = np.empty(0, np.int32)

    def insert(
        self,
        regions: Floats | Shapes,
        handles: Slots,
        report: Mask,
        conditions: list[Expression | None],
        owners: Slots | None,
        owner_counts: Ints | None,
    ) -> Slots:
        """As for `Group`."""
        slots = super().insert(regions, handles, report, conditions, owners, owner_counts)
        self._condition_of = grown(self._condition_of, len(self.handle))
        if len(self._conditions) > 2 * len(self.index) + 64:
            self._forget_unused()
        for slot, condition in zip(slots, conditions, strict=True):
            assert condition is not None
            number = self._number.setdefault(condition.canonical, len(self._conditions))
            if number == len(self._conditions):
                self._conditions.append(condition)
            self._condition_of[slot] = number
        return slots

    def _forget_unused(self) -> None:
        """Drop conditions that no query has any more."""
        used, number = np.unique(self._condition_of, return_inverse=True)
        self._condition_of = number.astype(np.int32)
        self._conditions = [self._conditions[number] for number in used]
        self._number = {condition.canonical: number for number, condition in enumerate(self._conditions)}

    def condition(self, slot: int) -> Expression | None:
        """Return the condition of a query."""
        return self._conditions[int(self._condition_of[slot])]

    def moved(self, step: Step) -> Pairs:
        """As for `Group`, from the streams inside before and after."""
        rows = self._stepped(step)
        then_row, then_query = self.inside(step.then(self.columns).only(rows))
        now_row, now_query = self.inside(step.now().only(rows))
        then, now = as_pairs(then_row, then_query), as_pairs(now_row, now_query)
        found = Pairs()
        entered, left = ~np.isin(now, then), ~np.isin(then, now)
        found.append(rows[now_row[entered]].astype(np.int32), now_query[entered])
        found.append(rows[then_row[left]].astype(np.int32), ~then_query[left])
        return found

    def passed(self, step: Step) -> Pairs:
        """As for `Group`."""
        found, row, query = Pairs(), *super().passed(step).arrays()
        for view in (step.then(self.columns), step.now()):
            row, query = self._tested(view, row, query)
        found.append(row, query)
        return found

    def _holds(self, view: View, row: npt.NDArray[np.integer], query: Slots) -> Mask:
        kept = np.zeros(len(row), np.bool_)
        wanted = self._condition_of[query]
        order = np.argsort(wanted, kind="stable")
        for same in np.split(order, np.flatnonzero(np.diff(wanted[order])) + 1) if len(order) else []:
            kept[same] = view.holds(self._conditions[wanted[same[0]]], row[same].astype(np.int64))
        return kept
