"""Put new entries into an edge list, and leave dead ones out."""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.regions.kernels.edges import OTHER, OWN

NO_QUERY = -1


@inner_kernel
def write_sentinel(edge, query, at, own):
    """Write an entry that fences a segment: it belongs to no query and contains nothing."""
    for c in range(edge.shape[1]):
        edge[at, c] = np.inf
    edge[at, OWN] = own
    edge[at, OTHER] = -np.inf
    query[at] = NO_QUERY


@inner_kernel
def copy_entry(edge, query, j, out_edge, out_query, at):
    """Copy entry j to place `at`."""
    for c in range(edge.shape[1]):
        out_edge[at, c] = edge[j, c]
    out_query[at] = query[j]


@kernel
def merge(
    edge,
    query,
    segments,
    owners,
    alive,
    new_edge,
    new_query,
    new_owner,
    keep_empty,
    out_edge,
    out_query,
    out_segments,
    out_owners,
):
    """Merge sorted entries into a list, segment by segment, in one pass.

    Parameters
    ----------
    edge, query, segments : arrays
        The list.
    owners : int32 array (s,)
        The owner of each segment, rising.
    alive : bool array (slots,)
        Queries that are not alive are left out of the list.
    new_edge, new_query, new_owner : arrays (m, …), (m,), (m,)
        Entries to put in, sorted by (owner, OWN).
    keep_empty : bool
        Whether a segment stays when it has no entries left.
    out_edge, out_query, out_segments, out_owners : arrays
        The result; room for all entries, and for two sentinels, a segment and an owner for each owner old and new.

    Returns
    -------
    (entries, segments)
        How many entries, with sentinels, and segments the result has.
    """
    at = 0
    written = 0
    g = 0
    i = 0
    out_segments[0] = 0
    while g < owners.size or i < new_owner.size:
        j = 0
        end = 0
        if g < owners.size and (i == new_owner.size or owners[g] <= new_owner[i]):
            owner = owners[g]
            j = segments[g] + 1
            end = segments[g + 1] - 1
            g += 1
        else:
            owner = new_owner[i]
        first = at
        write_sentinel(out_edge, out_query, at, -np.inf)
        at += 1
        while True:
            while j < end and not alive[query[j]]:
                j += 1
            more = i < new_owner.size and new_owner[i] == owner
            if j < end and (not more or edge[j, OWN] <= new_edge[i, OWN]):
                copy_entry(edge, query, j, out_edge, out_query, at)
                j += 1
            elif more:
                copy_entry(new_edge, new_query, i, out_edge, out_query, at)
                i += 1
            else:
                break
            at += 1
        write_sentinel(out_edge, out_query, at, np.inf)
        at += 1
        if at - first == 2 and not keep_empty:
            at = first
        else:
            out_owners[written] = owner
            written += 1
            out_segments[written] = at
    return at, written
