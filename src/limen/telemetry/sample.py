"""Sampling of streams by a fixed hash of their ids, so that a stream is always in the sample or never.

A smaller sample is a subset of a larger one: every stream of one in four is also a stream of one in two.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from limen.arrays import Mask, Slots
from limen.kernels.routing import shard_of_strings
from limen.runtime.ids import string_buffers

_HASH_BITS, _SHARD_BITS = 30, 10
#: The lowest sampling rate: one in so many streams.
FEWEST = 1 << (_HASH_BITS - _SHARD_BITS)


def buckets(ids: pa.Array | list[str]) -> Slots:
    """Return a fixed number from 0 to `FEWEST` for each id; a stream is in a sample of one in m if m divides it.

    The hash bits that assign streams to shards are left out, so that every shard has its part of a sample.
    """
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    if isinstance(ids, pa.Array) and pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    data, bounds = string_buffers(ids)
    out = np.empty(len(ids), np.int32)
    shard_of_strings(data, bounds, 1 << _HASH_BITS, out)
    return out >> _SHARD_BITS


def one_of_for(load: float, before: int = 1) -> int:
    """Return the sampling rate, one in a power of two, for streams that exceed the limits `load` times.

    The rate stays as it was unless it is far off, so that the sample does not change all the time.

    Examples
    --------
    >>> one_of_for(0.5), one_of_for(50.0), one_of_for(45.0, before=64), one_of_for(15.0, before=64)
    (1, 64, 64, 32)
    """
    now = before
    while now < load and now < FEWEST:
        now *= 2
    while now > 1 and now > 3 * load:
        now //= 2
    return now


class Sample:
    """Rows of sampled streams, up to a maximum: when the rows become too many, fewer streams are sampled.

    Parameters
    ----------
    most
        The maximum number of rows.
    one_of
        The sampling rate to start with.

    Examples
    --------
    >>> sample = Sample(most=2)
    >>> sample.add(pa.array(["a", "b", "a", "c", "d"]), lambda which: pa.table({"n": np.flatnonzero(which)}))
    >>> sample.seen, len(sample.table()) <= 2, sample.one_of > 1
    (5, True, True)
    """

    def __init__(self, most: int, one_of: int = 1) -> None:
        self.most, self.one_of, self.seen = most, one_of, 0
        self._parts: list[tuple[Slots, pa.Table]] = []
        self._kept = 0

    def add(self, ids: pa.Array, chosen: Callable[[Mask], pa.Table]) -> None:
        """Add rows; `chosen` returns the table of a mask. Rows without an id are always sampled, up to the maximum."""
        self.seen += len(ids)
        bucket = buckets(ids.fill_null("") if ids.null_count else ids)
        if ids.null_count:
            bucket[pc.is_null(ids).to_numpy(zero_copy_only=False)] = 0
        while self._kept + self._count(bucket) > self.most and self.one_of < FEWEST:
            self.one_of *= 2
            self._parts = [self._thinned(*part) for part in self._parts]
            self._kept = sum(len(bucket) for bucket, _ in self._parts)
        which = self._of_sample(bucket)
        self._parts.append((bucket[which], chosen(which)))
        self._kept += len(self._parts[-1][0])

    def table(self) -> pa.Table:
        """Return the sampled rows; if a single stream exceeds the maximum, its first rows."""
        return pa.concat_tables([table for _, table in self._parts]).slice(0, self.most)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def _of_sample(self, bucket: Slots) -> Mask:
        which: Mask = (bucket & (self.one_of - 1)) == 0
        return which

    def _count(self, bucket: Slots) -> int:
        return int(np.count_nonzero(self._of_sample(bucket)))

    def _thinned(self, bucket: Slots, table: pa.Table) -> tuple[Any, pa.Table]:
        which = self._of_sample(bucket)
        return bucket[which], table.filter(pa.array(which))
