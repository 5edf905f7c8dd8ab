"""All queries of a catalogue as named arrays, and back."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.index.asked import COLUMNS as ASKED_COLUMNS
from limen.index.asked import Asked
from limen.index.centered import Centered
from limen.index.ids import Ids
from limen.index.shapes import Shapes
from limen.model.expression import Expression
from limen.model.pattern import Pattern
from limen.model.wire import query_from_dict, query_to_dict
from limen.operators.answer_group import Key as AnswerKey
from limen.operators.around import AroundFamily
from limen.operators.family import Family, Key
from limen.operators.pattern import PatternFamily
from limen.operators.sole import SoleFamily
from limen.state.codec import Sections, array_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from limen.operators.catalogue import Catalogue
    from limen.operators.streams import StreamTable

#: The columns of shapes, in their order, and what each is made of.
SHAPE_COLUMNS: dict[str, tuple[npt.DTypeLike, tuple[int, ...]]] = {
    "shape_kind": (np.int8, (-1,)),
    "shape_bounds": (np.float64, (-1, 2, 2)),
    "shape_center": (np.float64, (-1, 2)),
    "shape_radius": (np.float64, (-1,)),
    "shape_edges": (np.float64, (-1, 4)),
    "shape_edge_counts": (np.int64, (-1,)),
}
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


def dump_queries(catalogue: Catalogue) -> tuple[dict[str, Any], list[Any]]:
    """Write all queries as named arrays, and facts about their groups."""
    arrays: dict[str, Any] = {
        "queries/ids": catalogue.ids.all(),
        "queries/family_of": catalogue.family_of[: len(catalogue.ids)],
    }
    families: list[Any] = []
    for f, family in enumerate(catalogue.families):
        if isinstance(family, (AroundFamily, SoleFamily)):
            families.append(_dump_answers(family, f"family/{f}", arrays))
        elif isinstance(family, Family):
            families.append(_dump_family(family, f"family/{f}", arrays))
        elif isinstance(family, PatternFamily):
            families.append(_dump_patterns(family))
    return arrays, families


def load_queries(catalogue: Catalogue, arrays: Sections, families: list[Any], streams: StreamTable) -> None:
    """Read what `dump_queries` wrote into an empty catalogue."""
    catalogue.ids = Ids.of(arrays["queries/ids"])
    catalogue.family_of = array_of(arrays, "queries/family_of", np.int8)
    # What an earlier version wrote has fewer families.
    for f, (family, kept) in enumerate(zip(catalogue.families, families, strict=False)):
        if isinstance(family, AroundFamily):
            _load_around(family, f"family/{f}", arrays, kept)
        elif isinstance(family, SoleFamily):
            _load_sole(family, f"family/{f}", arrays, kept, streams)
        elif isinstance(family, Family):
            _load_family(family, f"family/{f}", arrays, kept)
        elif isinstance(family, PatternFamily):
            _load_patterns(family, kept)


def _dump_family(family: Family, place: str, arrays: dict[str, Any]) -> list[dict[str, Any]]:
    groups = []
    for key, number in sorted(family.keys.items(), key=lambda entry: entry[1]):
        group = family.groups[number]
        slots = np.flatnonzero(group.index.alive).astype(np.int32)
        regions = group.index.regions(slots)
        columns = SHAPE_COLUMNS if key.shapes else ("boxes",)
        found = regions.columns if isinstance(regions, Shapes) else (regions,)
        arrays |= {f"{place}/{number}/{name}": column for name, column in zip(columns, found, strict=True)}
        arrays[f"{place}/{number}/handle"] = group.handle[slots]
        arrays[f"{place}/{number}/report"] = group.report[slots]
        own = family.own_columns(group.handle[slots], key)
        arrays |= {f"{place}/{number}/{name}": column for name, column in own.items()}
        if key.bound:
            owners, counts = group.index.owners.of(slots)
            arrays |= {f"{place}/{number}/owners": owners, f"{place}/{number}/owner_counts": counts}
        conditions = [group.condition(int(slot)) for slot in slots] if key.mixed else []
        groups.append({**key._asdict(), "conditions": [condition.text for condition in conditions if condition]})
    return groups


def _load_family(family: Family, place: str, arrays: Sections, groups: list[dict[str, Any]]) -> None:
    for number, kept in enumerate(groups):
        conditions = [Expression.parse(text) for text in kept.pop("conditions")]
        key = Key(**{**kept, "columns": tuple(kept["columns"])})
        group = family.new_group(key)
        family.keys[key] = number
        family.groups.append(group)
        regions = _load_regions(key, f"{place}/{number}", arrays)
        owners = counts = None
        if key.bound:
            owners = array_of(arrays, f"{place}/{number}/owners", np.int32)
            counts = array_of(arrays, f"{place}/{number}/owner_counts", np.int64)
        handles = array_of(arrays, f"{place}/{number}/handle", np.int32)
        report = array_of(arrays, f"{place}/{number}/report", np.bool_)
        each: list[Expression | None] = [*conditions] if key.mixed else [None] * len(handles)
        family.place(number, handles, group.insert(regions, handles, report, each, owners, counts))
        own = family.own_columns(np.empty(0, np.int32), key)  # their names and types
        family.put_columns(
            handles, {name: array_of(arrays, f"{place}/{number}/{name}", column.dtype) for name, column in own.items()}
        )


def _dump_answers(family: AroundFamily | SoleFamily, place: str, arrays: dict[str, Any]) -> list[dict[str, Any]]:
    groups = []
    for key, number in sorted(family.keys.items(), key=lambda entry: entry[1]):
        group = family.groups[number]
        slots = np.flatnonzero(group.index.alive).astype(np.int32)
        kept: Centered | Asked = group.index.queries(slots)
        arrays |= {f"{place}/{number}/{each.name}": getattr(kept, each.name) for each in fields(kept)}
        arrays[f"{place}/{number}/handle"] = group.handle[slots]
        groups.append({**key._asdict(), "number": number})
    return groups


def _load_around(family: AroundFamily, place: str, arrays: Sections, groups: list[dict[str, Any]]) -> None:
    for kept in groups:
        number = kept["number"]
        key = AnswerKey(tuple(kept["columns"]), kept["condition"], kept.get("alone", False))  # an older one has all
        columns = {
            name: array_of(arrays, f"{place}/{number}/{name}", kind, (-1, width(key)) if width else (-1,))
            for name, (kind, width) in CENTERED_COLUMNS.items()
        }
        handles = array_of(arrays, f"{place}/{number}/handle", np.int32)
        own = family.number_of(key)
        family.place(own, handles, family.groups[own].insert(Centered(**columns), handles, 0))


def _load_sole(
    family: SoleFamily, place: str, arrays: Sections, groups: list[dict[str, Any]], streams: StreamTable
) -> None:
    for kept in groups:
        number = kept["number"]
        key = AnswerKey(tuple(kept["columns"]), kept["condition"])
        wide = len(key.columns)
        columns = {
            name: array_of(
                arrays, f"{place}/{number}/{name}", kind, (-1, *(wide if size == -1 else size for size in shape))
            )
            for name, (kind, shape) in ASKED_COLUMNS.items()
        }
        handles = array_of(arrays, f"{place}/{number}/handle", np.int32)
        own = family.number_of(key)
        family.place(own, handles, family.groups[own].insert(Asked(**columns), handles, streams))


def _dump_patterns(family: PatternFamily) -> list[dict[str, Any]]:
    """Write patterns as their JSON: there are no columns to them."""
    members = (member for group in family.groups for member in group.members)
    return [{"handle": member.handle, "query": query_to_dict(member.pattern)} for member in members]


def _load_patterns(family: PatternFamily, kept: list[dict[str, Any]]) -> None:
    for each in kept:
        pattern = query_from_dict(each["query"])
        assert isinstance(pattern, Pattern)
        family.insert(each["handle"], pattern)


def _load_regions(key: Key, place: str, arrays: Sections) -> Shapes | npt.NDArray[np.float64]:
    if not key.shapes:
        return array_of(arrays, f"{place}/boxes", np.float64, (-1, len(key.columns), 2))
    return Shapes(*(array_of(arrays, f"{place}/{name}", kind, shape) for name, (kind, shape) in SHAPE_COLUMNS.items()))
