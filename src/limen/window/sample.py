"""Which streams are told of: one of so many, by a fixed hash of their ids, so that a stream is told of always or never.

Of a larger sample, a smaller one is a part: of one in four streams, all are among one in two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from limen.index.ids import string_buffers
from limen.kernels.routing import shard_of_strings

if TYPE_CHECKING:
    from collections.abc import Callable

_HASH_BITS, _SHARD_BITS = 30, 10
#: The smallest sample.
FEWEST = 1 << (_HASH_BITS - _SHARD_BITS)


def buckets(ids: pa.Array | list[str]) -> npt.NDArray[np.int32]:
    """Return a number from 0 to `FEWEST` for each id, always the same; a stream is of the sample if m divides it.

    The bits of the hash by which streams are given to shards are left out: all shards have their part of a sample.
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
    """Return which part of the streams to tell of, one of a power of two, when all are `load` times too many.

    It stays as it was unless it is far off, so that the sample does not change all the time.

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
    """Rows of some of the streams, at most so many in all: fewer streams when they become too many.

    Parameters
    ----------
    most
        Rows.
    one_of
        The part of the streams to begin with.

    Examples
    --------
    >>> sample = Sample(most=2)
    >>> sample.add(pa.array(["a", "b", "a", "c", "d"]), lambda which: pa.table({"n": np.flatnonzero(which)}))
    >>> sample.seen, len(sample.table()) <= 2, sample.one_of > 1
    (5, True, True)
    """

    def __init__(self, most: int, one_of: int = 1) -> None:
        self.most, self.one_of, self.seen = most, one_of, 0
        self._parts: list[tuple[npt.NDArray[np.int32], pa.Table]] = []
        self._kept = 0

    def add(self, ids: pa.Array, chosen: Callable[[npt.NDArray[np.bool_]], pa.Table]) -> None:
        """Add rows; `chosen` makes a table of some of them. What has no id is always told, as far as there is room."""
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
        """Return what there is to tell; of one stream alone there may be too much, and then the first rows are told."""
        return pa.concat_tables([table for _, table in self._parts]).slice(0, self.most)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def _of_sample(self, bucket: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        which: npt.NDArray[np.bool_] = (bucket & (self.one_of - 1)) == 0
        return which

    def _count(self, bucket: npt.NDArray[np.int32]) -> int:
        return int(np.count_nonzero(self._of_sample(bucket)))

    def _thinned(self, bucket: npt.NDArray[np.int32], table: pa.Table) -> tuple[Any, pa.Table]:
        which = self._of_sample(bucket)
        return bucket[which], table.filter(pa.array(which))
