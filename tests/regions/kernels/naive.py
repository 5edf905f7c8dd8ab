"""What kernels and indexes must find, by looking at every query for every row."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from limen.arrays import Floats

Pairs = Counter[tuple[int, int]]


def inside(box: Floats, point: Sequence[float]) -> bool:
    """Whether the point is in a half-open box (dimensions, 2); a NaN is nowhere."""
    return all(lo <= x < hi for (lo, hi), x in zip(box, point, strict=True))


def crossings(
    boxes: Mapping[int, Floats],
    owners: Mapping[int, Sequence[int]] | None,
    slot: Sequence[int],
    before: Floats,
    after: Floats,
    columns: Sequence[int],
) -> Pairs:
    """Find pairs (row, query) for enters and (row, ~query) for leaves; a row with a NaN is not a move."""
    found: Pairs = Counter()
    for row, stream in enumerate(slot):
        was, now = before[columns, row], after[columns, row]
        if np.isnan(was).any() or np.isnan(now).any():
            continue
        for query, box in boxes.items():
            if owners is not None and stream not in owners[query]:
                continue
            if inside(box, was) != inside(box, now):
                found[row, query if inside(box, now) else ~query] += 1
    return found


def containing(
    boxes: Mapping[int, Floats],
    owners: Mapping[int, Sequence[int]] | None,
    slot: Sequence[int],
    points: Floats,
    columns: Sequence[int],
) -> Pairs:
    """Find pairs (row, query) with the row's point inside the query."""
    return Counter(
        (row, query)
        for row, stream in enumerate(slot)
        for query, box in boxes.items()
        if (owners is None or stream in owners[query]) and inside(box, points[columns, row])
    )
