"""Eviction: reclaim the slots of deregistered queries, and of streams that no query needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from limen.runtime.shard import Shard


def release(shard: Shard) -> None:
    """Reclaim handles and slots of deregistered queries and forgotten streams, if there are many; others may change."""
    for each in shard.streams.pair_state.values():
        each.tidy()
    if shard.repeats.seen:
        return
    number = shard.catalogue.forget_unused()
    if number is not None:
        for each in shard.streams.pair_state.values():
            each.renumber(queries=number)
    # By arrival, a forgotten stream must still know which rows are late; unless the global timeline does.
    if shard.options.order == "event" or (keeps_only_significant(shard) and not shard.timeline.separate):
        _forget_silent_streams(shard)


def keeps_only_significant(shard: Shard) -> bool:
    """Return whether streams that no result needs may be evicted: every operator stores those that it needs."""
    options = shard.options
    if not options.keeps_significant or options.measure_accuracy:
        return False
    return all(operator.stores_streams or not operator.count for operator in shard.catalogue.operators)


def evict(shard: Shard) -> None:
    """Evict the streams that no query needs."""
    if not keeps_only_significant(shard):
        return
    storing = [operator for operator in shard.catalogue.operators if operator.stores_streams]
    for streams in {id(table): table for table in (shard.streams, shard.timeline.streams)}.values():
        live = np.flatnonzero(streams.live).astype(np.int32)
        stored = np.zeros(len(live), np.bool_)
        for operator in storing:
            stored |= operator.is_stored(live)
        streams.evict(live[~stored])


def _forget_silent_streams(shard: Shard) -> None:
    streams, known = shard.streams, len(shard.streams.ids)
    if 2 * streams.forgotten < known + 4096:
        return
    useless = ~streams.live[:known]
    if not keeps_only_significant(shard):  # else a row of a time that is split over two batches may be seen twice
        useless &= streams.last_time[:known] < shard.watermark
    streams.forgotten = int(useless.sum())  # some may have come back
    if 2 * streams.forgotten < known + 4096:
        return
    for operator in shard.catalogue.operators:
        useless[operator.concerned()] = False
    kept = np.flatnonzero(useless == 0).astype(np.int32)
    number = np.full(known, -1, np.int32)
    number[kept] = np.arange(len(kept))
    streams.choose(kept)
    for operator in shard.catalogue.operators:
        operator.renumber_streams(number)
