"""Linked lists in arrays: `head` has the first member of each list, and `after` the next one of each member."""

from limen.kernels._jit import inner_kernel, kernel


@inner_kernel
def push(head, after, before, place, i):
    """Insert a member at the front of the list at a place."""
    first = head[place]
    before[i], after[i] = -1, first
    if first >= 0:
        before[first] = i
    head[place] = i


@inner_kernel
def unlink(head, after, before, place, i):
    """Remove a member from the list at a place."""
    if before[i] < 0:
        head[place] = after[i]
    else:
        after[before[i]] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@kernel
def attach(focals, next_around, around, some):
    """Link queries to their focal streams; `around` holds the first such query of each stream."""
    for q in some:
        next_around[q] = around[focals[q]]
        around[focals[q]] = q


@kernel
def detach(focals, next_around, around, some):
    """Remove queries from the lists of their focal streams, if they have one."""
    for q in some:
        focal = focals[q]
        if focal < 0:
            continue
        if around[focal] == q:
            around[focal] = next_around[q]
            continue
        before = around[focal]
        while next_around[before] != q:
            before = next_around[before]
        next_around[before] = next_around[q]
