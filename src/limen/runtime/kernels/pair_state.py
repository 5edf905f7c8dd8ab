"""Remember border crossings that await the opposite one: the structure of Tran-Seq, one for all queries and streams.

A crossing is remembered as a *start* until the opposite one answers it or its time is up. A query and a stream have at
most one, their last crossing, found by hash. A stream's starts are chained, so that a stream that is forgotten takes
them along; and all deadlines wait in one heap. A start that was answered leaves its deadline behind in the heap: when
its turn comes, no start has it any more, and it is dropped.

The arrays that the kernels share:

* `entries`, of type START: the starts, and entries that are free, marked by the query -1;
* `chain` (int32, by slot): the first start of each stream;
* `table` (int32, a power of two, at most half full): entries by the hash of query and stream;
* `deadline` (int64) and `due_entry` (int32): the heap;
* `marks` (int64): see the constants below.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.hashing import finished
from limen.kernels.heap import push

NO_ENTRY = -1

#: The time, the query and stream, the stream's other starts (`following` also chains the free entries), how many rows
#: have confirmed it (of `unconfirmed`), whether it is an exit, and whether its deadline has passed.
START = np.dtype(
    [
        ("at", np.int64),
        ("query", np.int32),
        ("stream", np.int32),
        ("previous", np.int32),
        ("following", np.int32),
        ("rows", np.int32),
        ("leaves", np.bool_),
        ("over", np.bool_),
    ],
    align=True,
)

# The positions in `marks`: the first free entry, entries handed out so far, starts, deadlines in the heap, starts whose
# deadline has passed.
FREE, USED, LIVE, DUE, OVER = range(5)
MARKS = 5


@inner_kernel
def place_of(query, stream, mask):
    """Return the place in the table where the search for a start begins."""
    key = np.uint64(query) << np.uint64(32) | np.uint64(stream)
    return np.int64(finished(key) & np.uint64(mask))


@inner_kernel
def find(query, stream, entries, table):
    """Return the entry of a query's and a stream's start, -1 if there is none."""
    mask = table.size - 1
    place = place_of(query, stream, mask)
    while table[place] != NO_ENTRY:
        start = entries[table[place]]
        if start["query"] == query and start["stream"] == stream:
            return table[place]
        place = (place + 1) & mask
    return np.int32(NO_ENTRY)


@inner_kernel
def list_entry(e, entries, table):
    """Put an entry into the table."""
    mask = table.size - 1
    place = place_of(entries[e]["query"], entries[e]["stream"], mask)
    while table[place] != NO_ENTRY:
        place = (place + 1) & mask
    table[place] = e


@kernel
def list_all(entries, table, marks):
    """Put all starts into an empty table."""
    for e in range(marks[USED]):
        if entries[e]["query"] != NO_ENTRY:
            list_entry(e, entries, table)


@inner_kernel
def add(query, stream, at, leaves, entries, chain, table, marks):
    """Remember a start, for which there must be room, and return its entry."""
    if marks[FREE] != NO_ENTRY:
        e = np.int32(marks[FREE])
        marks[FREE] = entries[e]["following"]
    else:
        e = np.int32(marks[USED])
        marks[USED] += 1
    marks[LIVE] += 1
    start = entries[e]
    start["query"] = query
    start["stream"] = stream
    start["at"] = at
    start["leaves"] = leaves
    start["over"] = False
    start["rows"] = 0
    start["previous"] = NO_ENTRY
    start["following"] = chain[stream]
    if chain[stream] != NO_ENTRY:
        entries[chain[stream]]["previous"] = e
    chain[stream] = e
    list_entry(e, entries, table)
    return e


@kernel
def add_some(query, stream, at, leaves, over, rows, added, entries, chain, table, marks):
    """Store starts from a snapshot again, and write their entries to `added`."""
    for i in range(query.size):
        e = add(query[i], stream[i], at[i], leaves[i], entries, chain, table, marks)
        entries[e]["rows"] = rows[i]
        if over[i]:
            entries[e]["over"] = True
            marks[OVER] += 1
        added[i] = e


@inner_kernel
def remove(e, entries, chain, table, marks):
    """Forget a start."""
    start = entries[e]
    mask = table.size - 1
    hole = place_of(start["query"], start["stream"], mask)
    while table[hole] != e:
        hole = (hole + 1) & mask
    # Close the gap: an entry whose probe sequence passes through it moves up.
    place = (hole + 1) & mask
    while table[place] != NO_ENTRY:
        other = entries[table[place]]
        home = place_of(other["query"], other["stream"], mask)
        if (place - home) & mask >= (place - hole) & mask:
            table[hole] = table[place]
            hole = place
        place = (place + 1) & mask
    table[hole] = NO_ENTRY
    if start["previous"] != NO_ENTRY:
        entries[start["previous"]]["following"] = start["following"]
    else:
        chain[start["stream"]] = start["following"]
    if start["following"] != NO_ENTRY:
        entries[start["following"]]["previous"] = start["previous"]
    if start["over"]:
        marks[OVER] -= 1
    start["query"] = NO_ENTRY
    start["following"] = marks[FREE]
    marks[FREE] = e
    marks[LIVE] -= 1


@kernel
def remove_some(removed, entries, chain, table, marks):
    """Forget starts."""
    for i in range(removed.size):
        remove(removed[i], entries, chain, table, marks)


@kernel
def remove_of(streams, entries, chain, table, marks):
    """Forget all starts of streams."""
    for i in range(streams.size):
        while chain[streams[i]] != NO_ENTRY:
            remove(chain[streams[i]], entries, chain, table, marks)


@kernel
def count_of(streams, entries, chain, counts):
    """Count the starts of each of some streams, and return how many that is together."""
    total = 0
    for i in range(streams.size):
        counts[i] = 0
        e = chain[streams[i]]
        while e != NO_ENTRY:
            counts[i] += 1
            e = entries[e]["following"]
        total += counts[i]
    return total


@kernel
def entries_of(streams, entries, chain, out):
    """Write the entries of streams one after another, as many as `count_of` has counted."""
    n = 0
    for i in range(streams.size):
        e = chain[streams[i]]
        while e != NO_ENTRY:
            out[n] = e
            n += 1
            e = entries[e]["following"]


@inner_kernel
def remember_deadline(time, e, deadline, due_entry, marks):
    """Put a deadline into the heap, in which there must be room."""
    push(time, e, marks[DUE], deadline, due_entry)
    marks[DUE] += 1


@kernel
def schedule(waiting, within, entries, deadline, due_entry, marks):
    """Put the deadlines of starts into the heap, in which there must be room for them; `within` is by query."""
    for i in range(waiting.size):
        start = entries[waiting[i]]
        if start["query"] != NO_ENTRY and not start["over"]:
            remember_deadline(start["at"] + within[start["query"]], waiting[i], deadline, due_entry, marks)
