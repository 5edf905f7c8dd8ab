"""Shards: how streams or queries are split, and where Spark puts each part.

Spark groups rows by a key and places a key by its hash. Shard i has the key whose hash is i, so that n shards lie on n
different partitions, and on fewer partitions as evenly as can be. The keys do not depend on the number of shards: shard
0 finds its state whatever the number, and detects when it has changed.
"""

import numpy as np
import pyarrow as pa

from limen.arrays import Ints, Slots
from limen.kernels.routing import count_shards, shard_of_strings
from limen.runtime.ids import string_buffers

_MASK = 0xFFFFFFFF
_SEED = 42  # of the hash by which Spark partitions
# The multipliers of MurmurHash3 (32 bits), and their inverses modulo 2³².
_C1_INVERSE = pow(0xCC9E2D51, -1, 1 << 32)
_C2_INVERSE = pow(0x1B873593, -1, 1 << 32)
_FIVE_INVERSE = pow(5, -1, 1 << 32)
_FMIX1_INVERSE = pow(0x85EBCA6B, -1, 1 << 32)
_FMIX2_INVERSE = pow(0xC2B2AE35, -1, 1 << 32)


def key_of(shard: int) -> int:
    """Return the key of a shard: the integer that Spark hashes to the shard's number.

    Every step of the hash of an integer can be undone, so there is exactly one.
    """
    h = shard ^ (shard >> 16)
    h = h * _FMIX2_INVERSE & _MASK
    h = _undo_shift(h, 13)
    h = h * _FMIX1_INVERSE & _MASK
    h = _undo_shift(h, 16)
    h ^= 4  # the length of an integer
    h = (h - 0xE6546B64) * _FIVE_INVERSE & _MASK
    h = _rotated(h, 32 - 13) ^ _SEED
    k = h * _C2_INVERSE & _MASK
    k = _rotated(k, 32 - 15) * _C1_INVERSE & _MASK
    return k - (1 << 32) if k >= 1 << 31 else k


def _rotated(x: int, bits: int) -> int:
    return (x << bits | x >> (32 - bits)) & _MASK


def _undo_shift(x: int, bits: int) -> int:
    """Undo x ^= x >> bits."""
    found = x
    for _ in range(32 // bits):
        found = x ^ found >> bits
    return found


def split(ids: pa.Array, shards: int) -> tuple[Ints, Ints]:
    """Sort rows by the shard of their id; return their order, and where each shard begins in it."""
    data, bounds = string_buffers(ids)
    shard = np.empty(len(ids), np.int32)
    shard_of_strings(data, bounds, shards, shard)
    order = np.empty(len(ids), np.int64)
    starts = np.zeros(shards + 1, np.int64)
    count_shards(shard, starts, order)
    return order, starts


def shards_of(names: list[str], shards: int) -> Slots:
    """Return the shard of each name."""
    data, bounds = string_buffers(names)
    out = np.empty(len(names), np.int32)
    shard_of_strings(data, bounds, shards, out)
    return out
