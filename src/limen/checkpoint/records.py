"""Records of a shard's state: the part that concerns some streams, and ids joined from their pieces."""

import numpy as np
import pyarrow as pa

from limen.arrays import Mask
from limen.checkpoint.codec import Sections, array_of


def ids_in_one(names: list[tuple[int, pa.Array]], known: int, count: int) -> pa.Array:
    """Put together the ids of slots from `known` on, from pieces that may overlap."""
    pieces = []
    for first, ids in sorted(names, key=lambda piece: piece[0]):
        if first + len(ids) > known and first <= known:
            pieces.append(ids.slice(known - first))
            known = first + len(ids)
    assert known >= count, "pages and records name all streams"
    return pa.concat_arrays(pieces) if pieces else pa.array([], pa.string())


def only(record: Sections, which: Mask) -> Sections:
    """Return the part of a record that concerns some of its streams."""
    own = ("slots", "first_new", "new_ids")
    if which.all():
        return {name: column for name, column in record.items() if name not in own}
    count, chosen = len(which), pa.array(np.flatnonzero(which))
    out = {}
    for name, column in record.items():
        if name in own:
            continue
        word = name.partition("/")[0]
        counts = f"{word}/count"
        if counts in record and name != counts:  # each stream has some entries of it
            out[name] = column.filter(pa.array(np.repeat(which, array_of(record, counts, np.int32))))
            continue
        width = len(column) // count
        out[name] = column.take(pa.array(np.flatnonzero(np.repeat(which, width))) if width > 1 else chosen)
    return out
