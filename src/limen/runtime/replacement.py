"""The events of queries that are registered, deregistered or replaced: their streams before and after."""

from collections.abc import Sequence

import numpy as np

from limen.arrays import Floats, Ints, Slots
from limen.model.event import CHANGED, DEREGISTERED, REGISTERED
from limen.regions.pairs import as_pairs
from limen.runtime.events import Events
from limen.runtime.stream_table import StreamTable

Concerned = tuple[Slots, Slots]  # pairs of a handle and a stream


def differences(
    old: Concerned, new: Concerned, replaced: Sequence[int], kinds: tuple[int, int], time: int, streams: StreamTable
) -> list[Events]:
    """Return the events of a change of queries: how the set of streams of each query differs.

    A replaced query emits the difference, a removed query all streams it had, a new query all streams it has. `kinds`
    are the event kinds of a stream that is added and of one that is removed.
    """
    (old_query, old_stream), (new_query, new_stream) = old, new
    if not len(old_query) and not len(new_query):
        return []
    enter_kind, exit_kind = kinds
    before, after = as_pairs(old_query, old_stream), as_pairs(new_query, new_stream)
    which = np.array(replaced, np.int32)
    same_old, same_new = np.isin(old_query, which), np.isin(new_query, which)
    events = []
    for query, stream, mask, kind, reason in (
        (old_query, old_stream, ~same_old, exit_kind, DEREGISTERED),
        (old_query, old_stream, same_old & ~np.isin(before, after), exit_kind, CHANGED),
        (new_query, new_stream, ~same_new, enter_kind, REGISTERED),
        (new_query, new_stream, same_new & ~np.isin(after, before), enter_kind, CHANGED),
    ):
        if mask.any():
            chosen = stream[mask]
            times = np.full(len(chosen), time)
            events.append(of_streams(query[mask], chosen, kind, reason, times, streams.last[chosen].T))
    return events


def as_replaced(events: list[Events], handles: Sequence[int]) -> list[Events]:
    """Turn the events of queries that were removed and registered again into the events of queries that changed.

    A stream that belongs to the query both before and after emits no event.
    """
    which = np.array(handles, np.int32)
    mine = [np.isin(each.query, which) for each in events]
    pairs = [as_pairs(each.query[own], each.stream[own]) for each, own in zip(events, mine, strict=True)]
    found, times = np.unique(np.concatenate([np.empty(0, np.int64), *pairs]), return_counts=True)
    both = found[times > 1]
    remaining = []
    for each, own in zip(events, mine, strict=True):
        changed = own & ~np.isin(as_pairs(each.query, each.stream), both)
        for chosen, reason in ((np.flatnonzero(~own), each.reason), (np.flatnonzero(changed), CHANGED)):
            if len(chosen):
                remaining.append(_chosen(each, chosen, reason))
    return remaining


def _chosen(events: Events, chosen: Ints, reason: int) -> Events:
    values = events.values(0, len(events))[:, chosen]
    return Events(
        events.query[chosen], events.stream[chosen], events.kind[chosen], reason, events.time[chosen],
        lambda first, last: values[:, first:last],
    )  # fmt: skip


def of_streams(query: Slots, stream: Slots, kind: int, reason: int, time: Ints, values: Floats) -> Events:
    """Make events of one kind, with the values (value columns, n) that are known of their streams."""
    return Events(
        query, stream, np.full(len(query), kind, np.int8), reason, time, lambda first, last: values[:, first:last]
    )
