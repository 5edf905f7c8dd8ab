"""What all families of region queries share: queries in groups, found again by their place in the catalogue."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from limen.arrays import Array, Slots
from limen.checkpoint.codec import Sections
from limen.model.border import Border
from limen.model.columns import Columns
from limen.model.debounced import BorderQuery
from limen.model.expressions.expression import Expression
from limen.model.query import RegionQuery
from limen.queries.regional.debounced import DebouncedBorders
from limen.queries.regional.group import ConditionalGroup, Group, MixedGroup
from limen.queries.regional.group_key import GroupKey
from limen.queries.regional.stored_queries import dump_region_queries, load_region_queries
from limen.queries.regional.unconfirmed import unconfirmed_of
from limen.regions.contract import RegionIndex
from limen.regions.edges import NO_STREAMS
from limen.regions.pairs import Pairs
from limen.regions.region_index import is_shape, new_index, on_sphere, regions_of
from limen.runtime.events import Events
from limen.runtime.query_operator import QueryOperator
from limen.runtime.step import Step
from limen.runtime.stream_table import StreamTable

#: Different conditions that get a group each; with more, the rest are tested one by one on candidates …
MOST_CONDITIONS = 32
#: … unless so many queries that come together share one.
MANY_ALIKE = 64


class _GroupTraits(NamedTuple):
    """The properties of a query that select its group."""

    on: tuple[str, ...] | None
    where: str | None
    bound: bool
    shapes: bool
    debounced: bool
    passing: bool


class RegionOperator(QueryOperator):
    """Queries of one type on regions, in groups."""

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self.groups: list[Group] = []
        self.keys: dict[GroupKey, int] = {}
        self._vacant: set[int] = set()  # while queries are put in: groups that may be given to another condition
        self._group_by_traits: dict[_GroupTraits, int] = {}
        self.debounced = DebouncedBorders(self)

    def insert(self, queries: list[RegionQuery], handles: Slots, streams: StreamTable) -> None:
        """Add queries; each handle must be free."""
        members: dict[int, list[int]] = {}
        popular = _popular_conditions(queries) if len(queries) >= MANY_ALIKE else set()
        self._vacant = self._find_vacant()
        for number, query in enumerate(queries):
            members.setdefault(self._group_for(query, popular), []).append(number)
        for group_number, numbers in members.items():
            chosen = queries if len(members) == 1 else [queries[number] for number in numbers]
            group = self.groups[group_number]
            regions = regions_of([query.region for query in chosen], group.index)
            owners = counts = None
            if group.index.bound:
                named = [query.streams or () for query in chosen]
                counts = np.array([len(each) for each in named], np.int64)
                owners = streams.slots([each for ids in named for each in ids])
            report = np.array([query.reports for query in chosen])
            conditions = [None if query.where is None else Expression.parse(query.where) for query in chosen]
            own_handles = handles if len(members) == 1 else handles[numbers]
            slots = group.insert(regions, own_handles, report, conditions, owners, counts)
            self.place(group_number, own_handles, slots)
            if group.debounced:
                self.debounced.insert(chosen, own_handles)

    def remove(self, handles: Slots) -> None:
        """Take queries out."""
        for group, members in self.by_group(handles):
            group.remove(self.slot_of[members])
        self.displace(handles)

    def change(
        self,
        removed: Slots,
        queries: list[RegionQuery],
        handles: Slots,
        streams: StreamTable,
        time: int | None,
    ) -> list[Events]:
        """Take queries out and put queries in, at a time; return the events this causes.

        Without a time the changes have been made elsewhere: what they made streams forget has been forgotten.
        """
        if time is not None:
            streams.touch(unconfirmed_of(streams).discard(removed))
        if len(removed):
            self.remove(removed)
        if len(handles):
            self.insert(queries, handles, streams)
        return []

    def moved(self, step: Step) -> tuple[Slots, Slots]:
        """Find the queries that rows enter and leave, by row: rows, and handles, complemented for a leave.

        Those of debounced queries are found by `debounced`.
        """
        found = Pairs()
        for group in self.groups:
            if len(group.index) and not group.debounced:
                for row, signed in group.moved(step).chunks():
                    leaves: Slots = signed >> 31  # all ones for a leave
                    found.append(row, group.handle[signed ^ leaves] ^ leaves)
        return found.by_row(len(step.slot))

    def own_columns(self, handles: Slots, key: GroupKey) -> dict[str, Array]:
        """Return what this family keeps of queries of a group beside their regions, as arrays, for `put_columns`."""
        return self.debounced.columns(handles) if key.calm else {}

    def put_columns(self, handles: Slots, columns: dict[str, Array]) -> None:
        """Set what `own_columns` returned."""
        if "margin" in columns:
            self.debounced.put(handles, columns)

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        self.keep_handles(handles)
        for number, group in enumerate(self.groups):
            own = np.flatnonzero(self.group_of == number)
            group.handle[self.slot_of[own]] = own
        self.debounced.renumber(handles)

    @property
    def reporting(self) -> bool:
        """Whether any query reports containment completely, so that changes of queries can cause events."""
        return any(group.reporting for group in self.groups)

    def reports(self, handle: int) -> bool:
        """Whether a query of this family reports containment completely."""
        return bool(self.groups[self.group_of[handle]].report[self.slot_of[handle]])

    def by_group(self, handles: Slots) -> list[tuple[Group, Slots]]:
        """Sort handles by group."""
        return [(self.groups[number], members) for number, members in self.numbers_of(handles)]

    def concerned(self) -> Slots:
        """Return the streams that queries name, which must not lose their slots."""
        found = [index.owners.of(np.flatnonzero(index.alive).astype(np.int32))[0] for index in self._bound_indexes()]
        return np.concatenate([NO_STREAMS, *found])

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams: `number` is the new slot of each old one."""
        for index in self._bound_indexes():
            index.renumber_owners(number)

    def _bound_indexes(self) -> list[RegionIndex]:
        return [group.index for group in self.groups if group.index.bound]

    def conditions(self) -> list[tuple[Expression, int]]:
        """Return the different conditions of all queries, each with the handle of a query that has it."""
        found: dict[str, tuple[Expression, int]] = {}
        for group in self.groups:
            slots = np.flatnonzero(group.index.alive)
            for slot in slots if isinstance(group, MixedGroup) else slots[:1]:
                if (condition := group.condition(int(slot))) is not None:
                    found[condition.canonical] = condition, int(group.handle[slot])
        return list(found.values())

    def _group_for(self, query: RegionQuery, popular: set[str]) -> int:
        lonlat = self.columns.crs == "lonlat" and on_sphere(self.columns, self.columns.positions(query.on))
        shapes = is_shape(query.region, lonlat=lonlat)
        debounced = isinstance(query, BorderQuery) and query.debounced
        jumps = isinstance(query, Border) and query.crossings
        in_metres = debounced and self.columns.crs == "lonlat"
        if (jumps or in_metres) and query.region.dimensions == 2:
            shapes = True  # also boxes: it is the index of shapes that knows ways over the plane, and metres
        traits = _GroupTraits(query.on, query.where, query.streams is not None, shapes, debounced, jumps)
        number = self._group_by_traits.get(traits)
        if number is None or query.where in popular:
            number = self._find_group(traits, popular=query.where in popular)
            if len(self._group_by_traits) > 4096:  # words may be many, groups are few
                self._group_by_traits.clear()
            self._group_by_traits[traits] = number
        self._vacant.discard(number)
        return number

    def _find_group(self, traits: _GroupTraits, *, popular: bool) -> int:
        columns, bound = self.columns.positions(traits.on), traits.bound
        condition = None if traits.where is None else Expression.parse(traits.where).canonical
        mixed = bound and condition is not None
        key = GroupKey(columns, None if bound else condition, bound, mixed, *traits[3:])
        if key not in self.keys and key.condition is not None and not popular:
            taken = sum(other.condition is not None for other in self.keys) - len(self._vacant)
            if taken >= MOST_CONDITIONS:
                key = key._replace(condition=None, mixed=True)
        if key not in self.keys:
            self._add_group(key)
        return self.keys[key]

    def _find_vacant(self) -> set[int]:
        """Find the groups that have no queries left."""
        conditional = (number for key, number in self.keys.items() if key.condition is not None)
        return {number for number in conditional if not len(self.groups[number].index)}

    def _add_group(self, key: GroupKey) -> None:
        """Make a group, in the place of a vacant one if there is one."""
        if self._vacant:
            number = self._vacant.pop()
            self.keys = {other: place for other, place in self.keys.items() if place != number}
            self._group_by_traits.clear()
            self.groups[number] = self.new_group(key)
        else:
            number = len(self.groups)
            self.groups.append(self.new_group(key))
        self.keys[key] = number

    def new_group(self, key: GroupKey) -> Group:
        """Make an empty group."""
        index = self.new_index(key)
        group = Group(key.columns, index)
        if key.mixed:
            group = MixedGroup(key.columns, index)
        elif key.condition is not None:
            group = ConditionalGroup(key.columns, index, Expression.parse(key.condition))
        group.debounced, group.passing = key.calm, key.passing
        self.has_deadlines = self.has_deadlines or group.debounced
        return group

    def new_index(self, key: GroupKey) -> RegionIndex:
        """Make an empty index for the regions of a group."""
        lonlat = on_sphere(self.columns, key.columns)
        return new_index(len(key.columns), bound=key.bound, shapes=key.shapes, lonlat=lonlat)

    def dump_queries(self, place: str, arrays: dict[str, Any]) -> list[Any]:
        """Add all queries to `arrays`, under names that begin with `place`; return facts about them."""
        return dump_region_queries(self, place, arrays)

    def load_queries(self, place: str, arrays: Sections, facts: list[Any], streams: StreamTable) -> None:  # noqa: ARG002
        """Add the queries that `dump_queries` wrote."""
        load_region_queries(self, place, arrays, facts)

    def gauges(self, streams: StreamTable) -> dict[str, Any]:
        """Return how much is stored now, by name."""
        return {"unconfirmed": len(unconfirmed_of(streams))}

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return super().nbytes_queries + self.debounced.nbytes + sum(group.nbytes_queries for group in self.groups)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return sum(group.index.nbytes_streams for group in self.groups)


def _popular_conditions(queries: list[RegionQuery]) -> set[str]:
    """Return the conditions that many of the queries share."""
    counts = Counter(query.where for query in queries if query.where is not None)
    return {condition for condition, count in counts.items() if count >= MANY_ALIKE}
