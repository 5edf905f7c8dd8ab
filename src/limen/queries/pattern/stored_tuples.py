"""Dump and load the tuples that patterns store. Lists, cells and heaps are rebuilt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from limen.arrays import Slots
from limen.checkpoint.codec import Sections, array_of
from limen.errors import StateError
from limen.queries.pattern.group import PatternGroup
from limen.queries.pattern.kernels.layout import LEFT_OUT, MOST_ENTRIES, MOST_TUPLES
from limen.queries.pattern.tuple_columns import Coded, numbers_of
from limen.queries.pattern.tuple_store import LOOSE, StoredEntries
from limen.runtime.ids import Ids

if TYPE_CHECKING:
    from limen.queries.pattern.operator import PatternOperator


def dump_tuples(operator: PatternOperator) -> tuple[dict[str, Any], list[Any]]:
    """Return the stored tuples as named arrays, and facts about each group."""
    arrays: dict[str, Any] = {}
    facts = []
    for number, group in enumerate(operator.groups):
        arrays |= {f"{number}/{name}": column for name, column in _columns(group).items()}
        state = group.index.entries.state
        facts.append(
            {
                "columns": group.positions.tolist(),
                "expiry": group.index.expiry,
                "links": [list(column) for column in group.links],
                "books": [int(state[each]) for each in (MOST_ENTRIES, MOST_TUPLES, LEFT_OUT)],
                "left_out": group.left_out,
            }
        )
    return arrays, facts


def _columns(group: PatternGroup) -> dict[str, Any]:
    index, kept = group.index, group.index.kept()
    slots, tuple_ = np.unique(kept.tuple, return_inverse=True)
    by_age = np.argsort(index.tuples.record["age"][slots], kind="stable")
    place = np.empty(len(slots), np.int32)
    place[by_age] = np.arange(len(slots))
    slots = slots[by_age]
    handle, variable = np.empty(index.variables, np.int32), np.empty(index.variables, np.int32)
    for member in group.members:
        if member.first >= 0:
            own = slice(member.first, member.first + len(member.pattern.variables))
            handle[own], variable[own] = member.handle, np.arange(len(member.pattern.variables))
    arrays: dict[str, Any] = {
        "time": index.tuples.record["time"][slots],
        "stream": index.tuples.record["stream"][slots],
        "place": index.tuples.place[slots],
        "link": index.tuples.link[slots],
        "tuple": place[tuple_],
        "handle": handle[kept.variable],
        "variable": variable[kept.variable],
        "until": kept.until,
    }
    arrays |= {f"values/{name}": column[slots] for name, column in group.kept.values.items()}
    return arrays | {f"attributes/{name}": memory.take(slots) for name, memory in group.kept.attributes.items()}


def load_tuples(
    operator: PatternOperator, arrays: Sections, facts: list[Any], types: dict[str, pa.DataType], ids: Ids
) -> None:
    """Replace the stored tuples by those of `dump_tuples`; the patterns must be registered."""
    for group in operator.groups:
        group.build_index(types)
        group.index.put(_NOTHING)
    for number, fact in enumerate(facts):
        group = operator.groups[operator.number_of_key(tuple(fact["columns"]))]
        if fact["expiry"] != group.index.expiry == LOOSE:
            raise StateError(
                where="patterns",
                expected=f"expiry {fact['expiry']!r}, with which the state was written",
                got=repr(LOOSE),
                hint="what was forgotten by a tighter rule cannot be brought back: go on as before, or start anew",
            )
        group.links = [Coded(*column) for column in fact["links"]]
        group.left_out = fact["left_out"]
        group.rebuild_index(types)
        slots = _load(group, f"{number}/", arrays, types, len(fact["links"]))
        _compute_links(group, slots, len(fact["links"]), ids)
        for each, count in zip((MOST_ENTRIES, MOST_TUPLES, LEFT_OUT), fact["books"], strict=True):
            group.index.entries.state[each] = count


_NOTHING = StoredEntries(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64))


def _compute_links(group: PatternGroup, slots: Slots, known: int, ids: Ids) -> None:
    """Compute the columns that kernels read but an older checkpoint lacks, from the columns it stored."""
    record, link = group.index.tuples.record, group.index.tuples.link
    for number, column in enumerate(group.links[known:], start=known):
        link[slots, number] = numbers_of(
            column, record["stream"][slots], lambda name: group.column(name, slots, ids)
        )  # fmt: skip


def _load(group: PatternGroup, place: str, arrays: Sections, types: dict[str, pa.DataType], links: int) -> Slots:
    """Read the tuples of a group, of which so many columns were compared when they were written."""
    index = group.index
    time = array_of(arrays, f"{place}time", np.int64)
    slots = index.take_slots(len(time))
    link = np.full((len(time), len(group.links)), np.nan)
    link[:, :links] = array_of(arrays, f"{place}link", np.float64).reshape(len(time), links)
    points = array_of(arrays, f"{place}place", np.float64).reshape(len(time), len(group.positions))
    index.set_tuples(slots, time, array_of(arrays, f"{place}stream", np.int32), points, link)
    for name in [name for name in arrays if name.startswith(f"{place}values/")]:
        column = np.full(len(index.taken), np.nan)
        column[slots] = array_of(arrays, name, np.float64)
        group.kept.values[name.removeprefix(f"{place}values/")] = column
    for name in [name for name in arrays if name.startswith(f"{place}attributes/")]:
        group.kept.put_attribute(name.removeprefix(f"{place}attributes/"), arrays[name], slots, len(index.taken), types)
    first = {member.handle: member.first for member in group.members}
    handles = array_of(arrays, f"{place}handle", np.int32)
    variable = array_of(arrays, f"{place}variable", np.int32)
    variable += np.array([first[handle] for handle in handles.tolist()], np.int32).reshape(-1)
    index.put(
        StoredEntries(
            slots[array_of(arrays, f"{place}tuple", np.int32)], variable, array_of(arrays, f"{place}until", np.int64)
        )
    )
    return slots
