"""What is told when queries come, go and are replaced: who was concerned before, and who is after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from limen.index.pairs import as_pairs
from limen.model.event import CHANGED, DEREGISTERED, REGISTERED
from limen.operators.events import Events

if TYPE_CHECKING:
    from collections.abc import Sequence

    from limen.operators.streams import StreamTable

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Concerned = tuple[Slots, Slots]  # pairs of a handle and a stream


def differences(
    old: Concerned, new: Concerned, replaced: Sequence[int], kinds: tuple[int, int], time: int, streams: StreamTable
) -> list[Events]:
    """Tell of a replaced query what differs, of one that is gone all who were concerned, of a new one all who are.

    `kinds` are those of a stream that comes and of one that goes.
    """
    (old_query, old_stream), (new_query, new_stream) = old, new
    if not len(old_query) and not len(new_query):
        return []
    comes, goes = kinds
    before, after = as_pairs(old_query, old_stream), as_pairs(new_query, new_stream)
    which = np.array(replaced, np.int32)
    same_old, same_new = np.isin(old_query, which), np.isin(new_query, which)
    events = []
    for query, stream, mask, kind, reason in (
        (old_query, old_stream, ~same_old, goes, DEREGISTERED),
        (old_query, old_stream, same_old & ~np.isin(before, after), goes, CHANGED),
        (new_query, new_stream, ~same_new, comes, REGISTERED),
        (new_query, new_stream, same_new & ~np.isin(after, before), comes, CHANGED),
    ):
        if mask.any():
            chosen = stream[mask]
            times = np.full(len(chosen), time)
            events.append(of_streams(query[mask], chosen, kind, reason, times, streams.last[chosen].T))
    return events


def as_replaced(events: list[Events], handles: Sequence[int]) -> list[Events]:
    """Take what was told of queries as of some that went and others that came, and tell it as of queries that changed.

    Who was concerned before and is after is not told of at all.
    """
    which = np.array(handles, np.int32)
    mine = [np.isin(each.query, which) for each in events]
    pairs = [as_pairs(each.query[own], each.stream[own]) for each, own in zip(events, mine, strict=True)]
    found, times = np.unique(np.concatenate([np.empty(0, np.int64), *pairs]), return_counts=True)
    both = found[times > 1]
    told = []
    for each, own in zip(events, mine, strict=True):
        changed = own & ~np.isin(as_pairs(each.query, each.stream), both)
        for chosen, reason in ((np.flatnonzero(~own), each.reason), (np.flatnonzero(changed), CHANGED)):
            if len(chosen):
                told.append(_chosen(each, chosen, reason))
    return told


def _chosen(events: Events, chosen: Ints, reason: int) -> Events:
    values = events.values(0, len(events))[:, chosen]
    return Events(
        events.query[chosen], events.stream[chosen], events.kind[chosen], reason, events.time[chosen],
        lambda first, last: values[:, first:last],
    )  # fmt: skip


def of_streams(
    query: Slots, stream: Slots, kind: int, reason: int, time: Ints, values: npt.NDArray[np.float64]
) -> Events:
    """Make events of one kind, with the values (value columns, n) that are known of their streams."""
    return Events(
        query, stream, np.full(len(query), kind, np.int8), reason, time, lambda first, last: values[:, first:last]
    )
