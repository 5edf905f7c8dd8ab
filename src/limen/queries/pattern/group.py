"""Groups of patterns: those with distances on the same columns, and those without distances."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Ints, Mask, Slots
from limen.model.columns import Columns
from limen.model.event import SCHEMA
from limen.model.expressions.expression import Expression
from limen.model.expressions.tree import Column, Node, OperatorNode
from limen.model.graph import graph_of
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.queries.pattern.kernels.layout import NONE
from limen.queries.pattern.pair_conditions import ConditionCompiler, NotByNumbers
from limen.queries.pattern.predicates import Predicates, Tasks, predicate_of
from limen.queries.pattern.tables import HOW, Computation, Link, PatternRules
from limen.queries.pattern.tuple_columns import SLOT, Coded, StoredColumns, coded, numbers_of
from limen.queries.pattern.tuple_store import CHUNK, PatternIndex
from limen.regions.region_index import on_sphere
from limen.runtime.ids import Ids
from limen.runtime.step import Step


@dataclass(slots=True)
class Member:
    """A pattern of a group."""

    handle: int
    pattern: Pattern
    first: int = NONE  # its first variable in the index, NONE while it is not there
    judged: tuple[Pair, ...] = ()  # pairs with conditions that a kernel cannot decide


class PatternGroup:
    """Patterns, and the tuples stored for them."""

    def __init__(self, columns: Columns, positions: tuple[int, ...], expiry: str) -> None:
        self.columns = columns
        self.positions = np.array(positions, np.int64)
        self.members: list[Member] = []
        self.links: list[Coded] = []  # columns that kernels compare; their order is that of the index's
        self.kept = StoredColumns(columns)
        self.index = PatternIndex(len(positions), expiry, lonlat=on_sphere(columns, positions))
        self.left_out = 0  # alerts that no kernel has left out
        self._predicates = Predicates(columns)
        self._laid: object = None  # for which members and types the index is laid

    def add(self, handle: int, pattern: Pattern) -> None:
        """Add a pattern."""
        self.members.append(Member(handle, pattern))
        self._laid = None

    def remove(self, handles: set[int]) -> None:
        """Remove patterns, and the tuples stored for them."""
        self.members = [member for member in self.members if member.handle not in handles]
        self._laid = None

    # ---- laying out --------------------------------------------------------------------------------------------------

    def build_index(self, types: dict[str, pa.DataType]) -> None:
        """Bring the index up to date with the patterns and the types of the columns."""
        if self._laid == types:
            return
        old = np.full(self.index.variables, NONE, np.int32)
        rules, predicates, first = [], [], 0
        self.kept.names.clear()
        for member in self.members:
            size = len(member.pattern.variables)
            if member.first >= 0:
                old[member.first : member.first + size] = np.arange(first, first + size)
            member.first = first
            first += size
            rules.append(self._rules(member, types))
            predicates += [predicate_of(member.pattern, each, self.columns) for each in member.pattern.variables]
        self.kept.forget_others()
        self.index.set_links(len(self.links))
        self.index.set_patterns(rules, old)
        self._predicates.set(predicates)
        self._laid = dict(types)

    def rebuild_index(self, types: dict[str, pa.DataType]) -> None:
        """Rebuild the index with the columns that a checkpoint names for comparisons."""
        self._laid = None
        self.build_index(types)

    def _rules(self, member: Member, types: dict[str, pa.DataType]) -> PatternRules:
        pattern = member.pattern
        graph = graph_of(pattern)
        links: list[Link | Computation] = []
        judged = []
        for pair in pattern.pairs:
            if pair.where is None:
                continue
            steps = ConditionCompiler(pair, self.columns, types, self._link)
            complete = True
            for part in Expression.parse(pair.where).parts():
                link, exact = self._compared(pair, part, graph.names, types)
                if link is not None:
                    links.append(link)
                if not exact:
                    try:
                        program = steps.of(part)
                    except NotByNumbers:
                        complete = False
                        continue
                    links.append(Computation(graph.names.index(pair.a), graph.names.index(pair.b), program))
            if not complete:
                judged.append(pair)
                self.kept.names |= {
                    found[1] for name in Expression.parse(pair.where).names if (found := pair.column(name))
                }
        member.judged = tuple(judged)
        return PatternRules(graph, tuple(links), None if judged else pattern.most)

    def _compared(
        self, pair: Pair, part: Node, names: tuple[str, ...], types: dict[str, pa.DataType]
    ) -> tuple[Link | None, bool]:
        """Return the kernel's comparison of two columns, and whether it decides the condition alone."""
        if not isinstance(part, OperatorNode) or part.operator not in HOW:
            return None, False
        one, other = part.operands
        here, there = (pair.column(each.name) if isinstance(each, Column) else None for each in (one, other))
        if here is None or there is None or here[0] == there[0]:
            return None, False
        comparison = coded(here[1], part.operator, there[1], self.columns, types)
        if comparison is None:
            return None, False
        column, weaker, other_column, exact = comparison
        return (
            Link(
                names.index(here[0]), self._link(column), HOW[weaker], names.index(there[0]), self._link(other_column)
            ),
            exact,
        )

    def _link(self, column: Coded) -> int:
        if column not in self.links:
            self.links.append(column)
        return self.links.index(column)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def play(self, step: Step) -> Iterator[tuple[Slots, PatternIndex]]:
        """Process the rows of a step; yield alerts as rows of pattern and tuples, valid until the next ones."""
        self.build_index(step.streams.memory.types)
        seen = ~step.late if not len(self.positions) else step.seen(self.positions)
        tasks = self._predicates.tasks(step, seen)
        order = self._canonical(tasks.rows, step)
        for first in range(0, len(order), CHUNK):
            for found in self._play_some(tasks, order[first : first + CHUNK], step):
                yield found, self.index
            self.index.release()
        if len(step.slot):
            self.index.expire(int(step.rows.time[-1]))
            self.index.release()

    def _canonical(self, rows: Ints, step: Step) -> Ints:
        """Return the canonical order of rows: by time, then by stream name."""
        time = step.rows.time[rows]
        if not (time[1:] == time[:-1]).any():
            return np.arange(len(rows))
        slot = step.slot[rows]
        streams = np.unique(slot)
        rank = np.empty(len(streams), np.int64)
        rank[pc.sort_indices(step.streams.ids.take(streams)).to_numpy()] = np.arange(len(streams))
        return np.lexsort((rank[np.searchsorted(streams, slot)], time))

    def _play_some(self, tasks: Tasks, chosen: Ints, step: Step) -> Iterator[Slots]:
        rows = tasks.rows[chosen]
        index, slots = self.index, self.index.take_slots(len(rows))
        place = np.ascontiguousarray(step.after[self.positions][:, rows].T)
        link = np.empty((len(rows), len(self.links)))
        for number, column in enumerate(self.links):
            link[:, number] = numbers_of(column, step.slot[rows], lambda name: step.column(name).take(pa.array(rows)))
        index.set_tuples(slots, step.rows.time[rows], step.slot[rows], place, link)
        self.kept.put(step, rows, slots, len(index.taken))
        counts = tasks.starts[chosen + 1] - tasks.starts[chosen]
        starts = np.concatenate([[0], np.cumsum(counts)])
        positions = np.repeat(tasks.starts[chosen] - starts[:-1], counts) + np.arange(starts[-1])
        for found in index.play(slots, starts, tasks.variable[positions], step.streams.ids):
            judged = self._judged(found, step.streams.ids)
            if len(judged):
                yield judged

    def _judged(self, found: Slots, ids: Ids) -> Slots:
        """Keep the alerts that meet the conditions; for each last tuple no more than the pattern's limit."""
        good = np.ones(len(found), np.bool_)
        number = found[:, 1]
        for which, member in enumerate(self.members):
            if not member.judged and member.pattern.most is None:
                continue
            own = np.flatnonzero(number == which)
            for pair in member.judged:
                own = own[self._holds(member, pair, found[own], ids)]
            kept = self._smallest(found[own], member, ids)
            good[number == which] = False
            good[own[kept]] = True
            self.left_out += len(own) - len(kept)
        return found[good]

    def _holds(self, member: Member, pair: Pair, found: Slots, ids: Ids) -> Mask:
        condition = Expression.parse(pair.where or "")
        names = [variable.name for variable in member.pattern.variables]
        columns = {}
        for name in condition.names:
            variable, column = pair.column(name) or ("", "")
            slots = found[:, 2 + names.index(variable)]
            columns[name] = self.column(column, slots, ids)
        return condition.mask(columns)

    def column(self, name: str, slots: Slots, ids: Ids) -> pa.Array:
        """Return a stored column of tuples."""
        tuples = self.index.tuples
        if name == self.columns.id:
            return ids.take(tuples.record["stream"][slots])
        if name == self.columns.time:
            return pa.array(tuples.record["time"][slots]).cast(SCHEMA.field("time").type)
        return self.kept.take(name, slots)

    def _smallest(self, found: Slots, member: Member, ids: Ids) -> Ints:
        """Return for each last tuple the wanted number of alerts, those with the smallest bindings."""
        most = member.pattern.most
        if most is None or not len(found):
            return np.arange(len(found))
        slots = found[:, 2 : 2 + len(member.pattern.variables)]
        unique, where = np.unique(slots, return_inverse=True)
        names = pc.sort_indices(ids.take(self.index.tuples.record["stream"][unique])).to_numpy()
        rank = np.empty(len(unique), np.int64)
        # Of a stream there is one tuple of a time, so that names need no order among themselves.
        by_name = np.empty(len(unique), np.int64)
        by_name[names] = np.arange(len(unique))
        rank[np.lexsort((by_name, self.index.tuples.record["time"][unique]))] = np.arange(len(unique))
        ranks = rank[where.reshape(slots.shape)]
        order = np.lexsort((*ranks.T[::-1], found[:, 0]))
        row = found[order, 0]
        first = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        place = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
        return np.sort(order[place < most])

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams."""
        tuples = self.index.tuples
        taken = np.flatnonzero(self.index.taken)
        tuples.record["stream"][taken] = number[tuples.record["stream"][taken]]
        for position, column in enumerate(self.links):
            if column.coding == SLOT:
                tuples.link[taken, position] = tuples.record["stream"][taken]
