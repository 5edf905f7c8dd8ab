"""Rows to shards, by a fixed hash of their stream's id."""

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.hashing import hash_string, word


@kernel
def shard_of_strings(data, bounds, shards, out):
    """Write the shard of each string. The hash is the one of events, so it is the same everywhere and for ever."""
    for row in range(len(out)):
        start, stop = bounds[row], bounds[row + 1]
        h1, _ = hash_string(word(data, start, stop), word(data, start + 8, stop), data, start, stop)
        out[row] = np.int32(h1 % np.uint64(shards))


@kernel
def count_shards(shard, starts, order):
    """Sort rows by shard, or by another small number, stably; `starts` (shards + 1) must be zero: a counting sort."""
    for row in range(len(shard)):
        starts[shard[row] + 1] += 1
    for number in range(1, len(starts)):
        starts[number] += starts[number - 1]
    next_place = starts.copy()
    for row in range(len(shard)):
        place = next_place[shard[row]]
        order[place] = row
        next_place[shard[row]] = place + 1
