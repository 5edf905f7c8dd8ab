"""Region queries as named arrays, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from limen.arrays import Floats
from limen.checkpoint.codec import Sections, array_of
from limen.model.expressions.expression import Expression
from limen.queries.regional.group_key import GroupKey
from limen.regions.shapes import Shapes

if TYPE_CHECKING:
    from limen.queries.regional.operator import RegionOperator

#: The columns of shapes, in their order, and what each is made of.
SHAPE_COLUMNS: dict[str, tuple[npt.DTypeLike, tuple[int, ...]]] = {
    "shape_kind": (np.int8, (-1,)),
    "shape_bounds": (np.float64, (-1, 2, 2)),
    "shape_center": (np.float64, (-1, 2)),
    "shape_radius": (np.float64, (-1,)),
    "shape_edges": (np.float64, (-1, 4)),
    "shape_edge_counts": (np.int64, (-1,)),
}


def dump_region_queries(operator: RegionOperator, place: str, arrays: dict[str, Any]) -> list[Any]:
    """Add all queries of an operator to `arrays`; return facts about their groups."""
    groups = []
    for key, number in sorted(operator.keys.items(), key=lambda entry: entry[1]):
        group = operator.groups[number]
        slots = np.flatnonzero(group.index.alive).astype(np.int32)
        regions = group.index.regions(slots)
        columns = SHAPE_COLUMNS if key.shapes else ("boxes",)
        found = regions.columns if isinstance(regions, Shapes) else (regions,)
        arrays |= {f"{place}/{number}/{name}": column for name, column in zip(columns, found, strict=True)}
        arrays[f"{place}/{number}/handle"] = group.handle[slots]
        arrays[f"{place}/{number}/report"] = group.report[slots]
        own = operator.own_columns(group.handle[slots], key)
        arrays |= {f"{place}/{number}/{name}": column for name, column in own.items()}
        if key.bound:
            owners, counts = group.index.owners.of(slots)
            arrays |= {f"{place}/{number}/owners": owners, f"{place}/{number}/owner_counts": counts}
        conditions = [group.condition(int(slot)) for slot in slots] if key.mixed else []
        groups.append({**key._asdict(), "conditions": [condition.text for condition in conditions if condition]})
    return groups


def load_region_queries(operator: RegionOperator, place: str, arrays: Sections, groups: list[Any]) -> None:
    """Add the queries that `dump_region_queries` wrote."""
    for number, kept in enumerate(groups):
        conditions = [Expression.parse(text) for text in kept.pop("conditions")]
        key = GroupKey(**{**kept, "columns": tuple(kept["columns"])})
        group = operator.new_group(key)
        operator.keys[key] = number
        operator.groups.append(group)
        regions = _load_regions(key, f"{place}/{number}", arrays)
        owners = counts = None
        if key.bound:
            owners = array_of(arrays, f"{place}/{number}/owners", np.int32)
            counts = array_of(arrays, f"{place}/{number}/owner_counts", np.int64)
        handles = array_of(arrays, f"{place}/{number}/handle", np.int32)
        report = array_of(arrays, f"{place}/{number}/report", np.bool_)
        each: list[Expression | None] = [*conditions] if key.mixed else [None] * len(handles)
        operator.place(number, handles, group.insert(regions, handles, report, each, owners, counts))
        own = operator.own_columns(np.empty(0, np.int32), key)  # their names and types
        operator.put_columns(
            handles, {name: array_of(arrays, f"{place}/{number}/{name}", column.dtype) for name, column in own.items()}
        )


def _load_regions(key: GroupKey, place: str, arrays: Sections) -> Shapes | Floats:
    if not key.shapes:
        return array_of(arrays, f"{place}/boxes", np.float64, (-1, len(key.columns), 2))
    return Shapes(*(array_of(arrays, f"{place}/{name}", kind, shape) for name, (kind, shape) in SHAPE_COLUMNS.items()))
