"""What a shard gives back: the room of queries that are gone, and of streams that nobody needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from limen.operators.shard import Shard


def tidy(shard: Shard) -> None:
    """Give back the room of queries and streams that are gone, now and then. Handles and slots may change."""
    shard.repeats.end(shard.watermark)
    for each in shard.streams.remembered.values():
        each.tidy()
    if shard.repeats.seen:
        return
    number = shard.settled_catalogue.forget_unused()  # those that are put off have no handles yet
    if number is not None:
        for each in shard.streams.remembered.values():
            each.renumber(queries=number)
    # By arrival, a forgotten stream must still know which rows are late; unless the line of answers does.
    if shard.options.order == "event" or (only_significant(shard) and shard.line.own is None):
        _forget_silent_streams(shard)


def only_significant(shard: Shard) -> bool:
    """Whether streams that matter to no answer need not be known: no other query, and nobody who measures, asks."""
    options, catalogue = shard.options, shard.settled_catalogue
    return options.keeps_significant and not options.measure_accuracy and catalogue.sole.count == len(catalogue)


def let_go(shard: Shard) -> None:
    """Forget the streams that matter to nobody."""
    if only_significant(shard):
        known = shard.line.streams(shard.streams)
        for streams in {id(shard.streams): shard.streams, id(known): known}.values():
            live = np.flatnonzero(streams.live).astype(np.int32)
            streams.let_go(live[~shard.settled_catalogue.sole.is_stored(live)])


def _forget_silent_streams(shard: Shard) -> None:
    streams, known = shard.streams, len(shard.streams.ids)
    if 2 * streams.forgotten < known + 4096:
        return
    useless = ~streams.live[:known]
    if not only_significant(shard):  # else a row of a time that is split over two batches may be seen twice
        useless &= streams.last_time[:known] < shard.watermark
    streams.forgotten = int(useless.sum())  # some may have come back
    if 2 * streams.forgotten < known + 4096:
        return
    for family in shard.settled_catalogue.families:
        useless[family.concerned()] = False
    kept = np.flatnonzero(useless == 0).astype(np.int32)
    number = np.full(known, -1, np.int32)
    number[kept] = np.arange(len(kept))
    streams.choose(kept)
    for family in shard.settled_catalogue.families:
        family.renumber_streams(number)
