"""Many lists of numbers in one pool, each in an extent of its own, which grows and shrinks by itself.

A list is one piece of memory, so reading it is as fast as reading gets; changing it costs what it holds at most,
however many numbers are taken out at once. Extents come in few sizes, each half or a third larger than the one before:
one that is given back waits for the next list of its size, and nothing ever has to be compacted.

`extent` (lists, 2) has START and LENGTH, all that a reader needs; `grade` (lists,) the size of each extent, as an index
into `ROOMS`; `free` (GRADES + 1,) the first unused extent of each size, which links to the next, and the end of what is
used of the `pool`. A kernel that may have to enlarge the pool returns it, the old one or a larger copy.
"""

import numpy as np

from limen.kernels._jit import kernel

START, LENGTH = 0, 1
NO_EXTENT = -1

#: What extents have room for: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on.
ROOMS = np.array([0, 1, *sorted([2**power for power in range(1, 31)] + [3 * 2**power for power in range(29)])])
GRADES = len(ROOMS)


def no_extents() -> np.ndarray:
    """Make the `free` of an empty pool."""
    free = np.full(GRADES + 1, NO_EXTENT, np.int64)
    free[GRADES] = 0
    return free


@kernel
def lay_out(extent, grade, free):
    """Give lists of the lengths in `extent` their first extents, one after another, and return the pool's size.

    Lengths become 0: the lists are to be filled with `append`, which will find room.
    """
    end = 0
    for at in range(grade.size):
        size = np.searchsorted(ROOMS, extent[at, LENGTH])
        grade[at] = size
        extent[at, START] = end
        extent[at, LENGTH] = 0
        end += ROOMS[size]
    free[GRADES] = end
    return end


@kernel
def take_extent(size, free, pool):
    """Find an unused extent of a size; returns its start and the pool."""
    start = free[size]
    if start != NO_EXTENT:
        free[size] = pool[start]
        return start, pool
    start = free[GRADES]
    free[GRADES] = start + ROOMS[size]
    if free[GRADES] > pool.size:
        larger = np.empty(max(free[GRADES], pool.size * 5 // 4), pool.dtype)
        larger[:start] = pool[:start]
        pool = larger
    return start, pool


@kernel
def make_room(at, length, extent, grade, free, pool):
    """Let list `at` have room for so many numbers, keeping those it has; returns the pool."""
    size = grade[at]
    if length <= ROOMS[size]:
        return pool
    wanted = np.searchsorted(ROOMS, length)
    start, pool = take_extent(wanted, free, pool)
    old = extent[at, START]
    for m in range(extent[at, LENGTH]):
        pool[start + m] = pool[old + m]
    if size > 0:
        pool[old] = free[size]
        free[size] = old
    extent[at, START] = start
    grade[at] = wanted
    return pool


@kernel
def append(at, number, extent, grade, free, pool):
    """Put a number into list `at`; returns the pool."""
    length = extent[at, LENGTH]
    if length == ROOMS[grade[at]]:
        pool = make_room(at, length + 1, extent, grade, free, pool)
    pool[extent[at, START] + length] = number
    extent[at, LENGTH] = length + 1
    return pool


@kernel
def clear(at, extent, grade, free, pool):
    """Empty list `at` and give its extent back."""
    if grade[at] > 0:
        pool[extent[at, START]] = free[grade[at]]
        free[grade[at]] = extent[at, START]
    grade[at] = 0
    extent[at, LENGTH] = 0


@kernel
def sift(at, stamp, extent, pool):
    """Take the numbers that are stamped out of list `at`."""
    start = extent[at, START]
    kept = start
    for m in range(start, start + extent[at, LENGTH]):
        pool[kept] = pool[m]  # without branches: written always, kept when it counts
        kept += stamp[pool[m]] == 0
    extent[at, LENGTH] = kept - start


@kernel
def copy_out(at, extent, pool, count, out):
    """Append list `at` to the first `count` numbers of `out`; returns the new count, or -1 when there is no room."""
    length = extent[at, LENGTH]
    if count + length > out.size:
        return -1
    # Unsigned, since an index that may be negative keeps the loop from being done eight numbers at a time.
    start, end = np.uint64(extent[at, START]), np.uint64(count)
    for m in range(np.uint64(length)):
        out[end + m] = pool[start + m]
    return count + length


@kernel
def append_all(lists, numbers, extent, grade, free, pool):
    """Put `numbers[i]` into list `lists[i]`, for all i; returns the pool."""
    for i in range(lists.size):
        pool = append(lists[i], numbers[i], extent, grade, free, pool)
    return pool


@kernel
def sift_all(lists, stamp, extent, grade, free, pool):
    """Take the numbers that are stamped out of lists; one that becomes empty gives its extent back."""
    for i in range(lists.size):
        sift(lists[i], stamp, extent, pool)
        if extent[lists[i], LENGTH] == 0:
            clear(lists[i], extent, grade, free, pool)
