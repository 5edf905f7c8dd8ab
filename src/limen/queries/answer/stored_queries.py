"""Queries around a center as named arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.checkpoint.codec import Sections, array_of
from limen.queries.answer.centered_queries import Centered
from limen.queries.answer.group import AnswerKey

if TYPE_CHECKING:
    from limen.queries.answer.base import AnswerOperator
    from limen.queries.answer.operator import MovingOperator

#: The columns of queries around a center: what each is made of, and how wide it is for queries of a group.
CENTERED_COLUMNS: dict[str, tuple[npt.DTypeLike, Callable[[AnswerKey], int] | None]] = {
    "kind": (np.int8, None),
    "focal": (np.int32, None),
    "center": (np.float64, lambda key: len(key.columns)),
    "half": (np.float64, lambda _: 2),
    "limit": (np.float64, None),
    "wanted": (np.int64, None),
    "listed": (np.int32, None),
    "counts": (np.int64, None),
}


def dump_answer_queries(operator: AnswerOperator[Any], place: str, arrays: dict[str, Any]) -> list[Any]:
    """Add all queries of an operator to `arrays`; return facts about their groups."""
    groups = []
    for key, number in sorted(operator.keys.items(), key=lambda entry: entry[1]):
        group = operator.groups[number]
        slots = np.flatnonzero(group.index.alive).astype(np.int32)
        kept = group.index.queries(slots)
        arrays |= {f"{place}/{number}/{each.name}": getattr(kept, each.name) for each in fields(kept)}
        arrays[f"{place}/{number}/handle"] = group.handle[slots]
        groups.append({**key._asdict(), "number": number})
    return groups


def load_moving_queries(operator: MovingOperator, place: str, arrays: Sections, groups: list[Any]) -> None:
    """Add the queries that `dump_answer_queries` wrote."""
    for kept in groups:
        number = kept["number"]
        key = AnswerKey(tuple(kept["columns"]), kept["condition"], kept.get("alone", False))  # an older one has all
        columns = {
            name: array_of(arrays, f"{place}/{number}/{name}", kind, (-1, width(key)) if width else (-1,))
            for name, (kind, width) in CENTERED_COLUMNS.items()
        }
        handles = array_of(arrays, f"{place}/{number}/handle", np.int32)
        own = operator.number_of(key)
        operator.place(own, handles, operator.groups[own].insert(Centered(**columns), handles, 0))
