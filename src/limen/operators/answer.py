"""What families of answers share: queries in groups, answers told by their changes along one line of time.

`Within` on a region that stays is a border with other words (`area.py`), and not among them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from limen.index.pairs import NO_PAIRS, as_pairs
from limen.kernels.answer_arrays import Line
from limen.kernels.object_grid import GONE
from limen.model.event import ADD, EXPIRED, MOVED, REMOVE, SHED
from limen.model.expression import Expression
from limen.operators.answer_group import AnswerGroup, Key
from limen.operators.base import QueryFamily
from limen.operators.events import Events
from limen.operators.replacing import differences

if TYPE_CHECKING:
    from collections.abc import Callable

    from limen.model.columns import Columns
    from limen.model.nearest import Nearest
    from limen.model.within import Within
    from limen.operators.step import Expired, Step
    from limen.operators.streams import StreamTable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
#: What returns the values known of the streams of some changes.
ValuesOf: TypeAlias = "Callable[[Ints], Floats]"
OneGroup = TypeVar("OneGroup", bound=AnswerGroup)


class AnswerFamily(QueryFamily, Generic[OneGroup]):
    """Keeps answers up to date."""

    one_line = True

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self.groups: list[OneGroup] = []
        self.keys: dict[Key, int] = {}

    def new_group(self, key: Key) -> OneGroup:
        """Make an empty group."""
        raise NotImplementedError

    # ---- queries -----------------------------------------------------------------------------------------------------

    def change(
        self,
        removed: Slots,
        queries: list[Within | Nearest],
        handles: Slots,
        streams: StreamTable,
        time: int | None,
    ) -> list[Events]:
        """Take queries out and put queries in, and tell whose answers are gone, new or different."""
        told = time is not None
        if told:
            self.prepare(streams)
        old = self.answers(removed) if told else None
        kept = {int(handle): self.identity(int(handle)) for handle in np.intersect1d(removed, handles)}
        out = [(number, self.slot_of[members]) for number, members in self.numbers_of(removed)]
        self.displace(removed)
        self._insert(queries, handles, streams)
        for (
            number,
            slots,
        ) in out:  # last, so that what an old query has of streams is there for the one that replaces it
            self.groups[number].index.remove(slots)
        if time is None or old is None:
            return []
        self.prepare(streams)
        replaced = [handle for handle, identity in kept.items() if identity == self.identity(handle)]
        return differences(old, self.answers(handles), replaced, (ADD, REMOVE), time, streams)

    def identity(self, handle: int) -> tuple[tuple[int, ...], bool]:
        """What must not differ for a new definition of a query to be a replacement: its columns and its type."""
        group = self.groups[self.group_of[handle]]
        return tuple(group.columns.tolist()), group.index.is_nearest(int(self.slot_of[handle]))

    def within_on(self, handle: int) -> tuple[int, ...] | None:
        """Return the columns of a query if it is a `Within`; else None."""
        columns, nearest = self.identity(handle)
        return None if nearest else columns

    def answers(self, handles: Slots) -> tuple[Slots, Slots]:
        """Return the answers of queries: handles, and streams."""
        found = [NO_PAIRS]
        for number, members in self.numbers_of(handles):
            group = self.groups[number]
            if group.index.ready:
                place, stream = group.index.answers(self.slot_of[members])
                found.append(as_pairs(members[place], stream))
        pairs = np.concatenate(found)
        return (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)

    def _insert(self, queries: list[Within | Nearest], handles: Slots, streams: StreamTable) -> None:
        members: dict[Key, list[int]] = {}
        for number, query in enumerate(queries):
            members.setdefault(self.key_of(query), []).append(number)
        for key, numbers in members.items():
            group = self.groups[self.number_of(key)]
            own = handles[numbers]
            self.place(self.keys[key], own, group.take([queries[number] for number in numbers], own, streams))

    def key_of(self, query: Within | Nearest) -> Key:
        """Return what a query has in common with those of its group."""
        condition = None if query.where is None else Expression.parse(query.where).canonical
        return Key(self.columns.positions(query.on), condition)

    def number_of(self, key: Key) -> int:
        """Return the group of a key, a new one if there is none."""
        if key not in self.keys:
            vacant = [other for other, number in self.keys.items() if not len(self.groups[number].index)]
            number = self.keys.pop(vacant[0]) if vacant else len(self.groups)
            self.groups[number : number + 1] = [self.new_group(key)]
            self.keys[key] = number
        return self.keys[key]

    # ---- streams -----------------------------------------------------------------------------------------------------

    def prepare(self, streams: StreamTable) -> None:
        """Take in where streams are, if that is not known."""
        for group in self.groups:
            group.prepare(streams)

    def step(self, step: Step) -> list[Events]:
        """Tell how answers change."""
        if not self.count or step.late.all():
            return []
        silent = step.silent()
        events = []
        for group in self.groups:
            if len(group.index):
                line, time, over = group.line(step, silent)
                changes = group.play(line, time, step.streams)
                events += _told(group, changes, time, over, _Values(step, changes, time))
        return events

    def expire(self, expired: Expired, streams: StreamTable) -> list[Events]:
        """Tell what follows from streams that are forgotten."""
        self.prepare(streams)
        events = []
        order = np.argsort(expired.time, kind="stable")
        time, over = expired.time[order], np.ones(len(expired), np.bool_)
        instant = np.zeros(len(time), np.int64)
        np.cumsum(time[1:] != time[:-1], out=instant[1:])
        for group in self.groups:
            if len(group.index):
                line = Line(
                    instant, expired.slot[order], np.full(len(time), GONE, np.int8), np.full(len(time), -1),
                    np.full((len(time), len(group.columns)), np.nan),
                )  # fmt: skip
                changes = group.play(line, time, streams)
                values = streams.last[changes.stream].T
                events += _told(group, changes, time, over, partial(_some, values))
        return events

    # ---- books -------------------------------------------------------------------------------------------------------

    @property
    def reporting(self) -> bool:
        """Whether changes of queries can cause events."""
        return self.count > 0

    def reports(self, handle: int) -> bool:  # noqa: ARG002
        """Whether taking this query out, or replacing it, can cause events: always."""
        return True

    def conditions(self) -> list[tuple[Expression, int]]:
        """Return the different conditions of all queries, each with the handle of a query that has it."""
        used = [group for group in self.groups if len(group.index)]
        return [
            (group.condition, int(group.handle[np.argmax(group.index.alive)]))
            for group in used
            if group.condition is not None
        ]

    def renumber(self, handles: Slots) -> None:
        """Keep these handles only and number them in this order."""
        self.keep_handles(handles)
        for number, group in enumerate(self.groups):
            own = np.flatnonzero(self.group_of == number)
            group.handle[self.slot_of[own]] = own

    def concerned(self) -> Slots:
        """Return the streams that queries name, which must not lose their slots."""
        return np.concatenate([np.empty(0, np.int32), *(group.index.concerned() for group in self.groups)])

    def renumber_streams(self, number: Slots) -> None:
        """Follow a renumbering of the streams."""
        for group in self.groups:
            group.index.renumber_streams(number)

    def forget_streams(self) -> None:
        """Forget where streams are; it is found in the stream table when it is needed."""
        for group in self.groups:
            group.forget_streams()

    @property
    def nbytes_queries(self) -> int:
        """Bytes that grow with the queries."""
        return super().nbytes_queries + sum(int(group.index.nbytes_queries) for group in self.groups)

    @property
    def nbytes_streams(self) -> int:
        """Bytes that grow with the streams."""
        return sum(int(group.index.nbytes_streams) for group in self.groups)


class _Values:
    """What streams of changes knew when the answers changed."""

    def __init__(self, step: Step, changes: Any, time: Ints) -> None:
        self._after, self._row = step.after, changes.row.copy()
        # Of those who had not spoken in this batch until then; found now, since they may be forgotten soon.
        unspoken = np.flatnonzero(changes.row < 0)
        if len(unspoken):
            earlier = step.known_at(changes.stream[unspoken], time[changes.entry[unspoken]])
            self._row[unspoken] = step.after.shape[1] + np.arange(len(unspoken))
            self._after = np.concatenate([step.after, earlier], axis=1)

    def __call__(self, chosen: Ints) -> Floats:
        return self._after[:, self._row[chosen]]


def _told(group: AnswerGroup, changes: Any, time: Ints, over: Mask, values_of: ValuesOf) -> list[Events]:
    """Make events of changes."""
    kind = np.where(changes.adds, ADD, REMOVE).astype(np.int8)
    reasons = np.where(changes.shed, SHED, np.where(over[changes.entry], EXPIRED, MOVED))
    events = []
    for reason in (MOVED, EXPIRED, SHED):
        chosen = np.flatnonzero(reasons == reason)
        if len(chosen):
            events.append(
                Events(
                    group.handle[changes.query[chosen]],
                    changes.stream[chosen],
                    kind[chosen],
                    reason,
                    time[changes.entry[chosen]],
                    partial(_piece, values_of, chosen),
                )
            )
    return events


def _some(values: Floats, chosen: Ints) -> Floats:
    return values[:, chosen]


def _piece(values_of: ValuesOf, chosen: Ints, first: int, last: int) -> Floats:
    return values_of(chosen[first:last])
