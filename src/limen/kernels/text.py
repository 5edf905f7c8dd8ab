"""Strings as Arrow keeps them, bytes and offsets: find their slots, without a Python object."""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.hashing import hash_string, word

EMPTY = -1
BLOCK = 128  # strings whose cells are fetched together


@inner_kernel
def same_bytes(a, a_start, b, b_start, size):
    """Compare `size` bytes of two arrays."""
    for i in range(size):
        if a[a_start + i] != b[b_start + i]:
            return False
    return True


@inner_kernel
def marked(h1, size):
    """Make the upper half of a table's cell: 23 bits of the hash, and the length up to 255."""
    return (np.int64(h1 >> np.uint64(41)) << 8) | min(size, 255)


@inner_kernel
def find(data, start, stop, w1, w2, h1, table, heads, offsets, stored):
    """Find the cell of `table` that holds a string, or the empty cell where it belongs.

    A cell has the slot in its low 32 bits and a mark above them, so most unknown strings are passed over at once. The
    first 16 bytes of a string, w1 and w2, are compared as words; only longer ones need a look at the bytes behind.
    """
    size = stop - start
    mark = marked(h1, size)
    mask = table.size - 1
    cell = np.int64(h1 & np.uint64(mask))
    while True:
        content = table[cell]
        if content == EMPTY:
            return cell
        if content >> 32 == mark:
            slot = content & 0xFFFFFFFF
            if (
                heads[slot, 0] == w1
                and heads[slot, 1] == w2
                and (
                    size <= 16
                    or (
                        offsets[slot + 1] - offsets[slot] == size
                        and same_bytes(data, start + 16, stored, offsets[slot] + 16, size - 16)
                    )
                )
            ):
                return cell
        cell = (cell + 1) & mask


@kernel
def slots_of(data, bounds, row, table, heads, offsets, stored, hashes, known, out):
    """Map strings to slots, giving new slots to new strings, for rows [row, …).

    Parameters
    ----------
    data, bounds : uint8 array, int array (n + 1,)
        The strings, as Arrow keeps them.
    table : int64 array, size a power of two
        Open addressing; see `find`. Updated.
    heads, offsets, stored, hashes : uint64 (capacity, 2), int64 (capacity + 1,), uint8, uint64 (capacity, 2)
        The strings known so far: their first 16 bytes, their bytes, and their hashes. Updated.
    known : int
        How many are known.
    out : int32 array (n,)
        Slots of the rows.

    Returns
    -------
    (row, known)
        The first row not done (n when all are: otherwise table, offsets or stored must grow) and how many are known.
    """
    words = np.empty((BLOCK, 4), np.uint64)
    cells = np.empty(BLOCK, np.int64)
    mask = np.uint64(table.size - 1)
    for first in range(row, out.size, BLOCK):
        block = min(BLOCK, out.size - first)
        # Hash a block, then fetch its cells: look-ups that wait for nothing overlap, those between computations do not.
        for b in range(block):
            start, stop = np.int64(bounds[first + b]), np.int64(bounds[first + b + 1])
            w1 = word(data, start, stop)
            w2 = word(data, start + 8, stop)
            h1, h2 = hash_string(w1, w2, data, start, stop)
            words[b, 0], words[b, 1], words[b, 2], words[b, 3] = w1, w2, h1, h2
        for b in range(block):
            cells[b] = table[np.int64(words[b, 2] & mask)]
        for b in range(block):
            i = first + b
            start, stop = np.int64(bounds[i]), np.int64(bounds[i + 1])
            size = stop - start
            w1, w2, h1 = words[b, 0], words[b, 1], words[b, 2]
            content = cells[b]
            slot = content & 0xFFFFFFFF
            if (
                content == EMPTY or size > 16 or content >> 32 != marked(h1, size)
                or heads[slot, 0] != w1 or heads[slot, 1] != w2
            ):  # fmt: skip
                cell = find(data, start, stop, w1, w2, h1, table, heads, offsets, stored)
                content = table[cell]
                if content == EMPTY:
                    if 2 * (known + 1) > table.size or known + 1 >= offsets.size or offsets[known] + size > stored.size:
                        return i, known
                    at = offsets[known]
                    for k in range(size):
                        stored[at + k] = data[start + k]
                    offsets[known + 1] = at + size
                    heads[known, 0] = w1
                    heads[known, 1] = w2
                    hashes[known, 0] = h1
                    hashes[known, 1] = words[b, 3]
                    content = (marked(h1, size) << 32) | known
                    table[cell] = content
                    known += 1
            out[i] = content & 0xFFFFFFFF
    return out.size, known


@kernel
def look_up(data, bounds, table, heads, offsets, stored, out):
    """Map strings to slots; -1 for unknown strings."""
    for i in range(out.size):
        start = np.int64(bounds[i])
        stop = np.int64(bounds[i + 1])
        w1 = word(data, start, stop)
        w2 = word(data, start + 8, stop)
        h1, _ = hash_string(w1, w2, data, start, stop)
        content = table[find(data, start, stop, w1, w2, h1, table, heads, offsets, stored)]
        out[i] = -1 if content == EMPTY else content & 0xFFFFFFFF


@kernel
def fill_table(hashes, offsets, known, table):
    """Enter all known strings into an empty table; they are distinct, so bytes need not be compared."""
    mask = table.size - 1
    for slot in range(known):
        h1 = hashes[slot, 0]
        cell = np.int64(h1 & np.uint64(mask))
        while table[cell] != EMPTY:
            cell = (cell + 1) & mask
        table[cell] = (marked(h1, offsets[slot + 1] - offsets[slot]) << 32) | slot


@inner_kernel
def precedes(starts, text, one, other):
    """Return whether one id sorts before another, byte by byte; `starts` holds where each begins in the text.

    Examples
    --------
    >>> starts, text = np.array([0, 2, 3, 5]), np.frombuffer(b"abaab", np.uint8)
    >>> precedes(starts, text, 1, 0), precedes(starts, text, 0, 1), precedes(starts, text, 0, 2)
    (True, False, False)
    """
    a, b = starts[one], starts[other]
    while a < starts[one + 1] and b < starts[other + 1]:
        if text[a] != text[b]:
            return text[a] < text[b]
        a += 1
        b += 1
    return a == starts[one + 1] and b < starts[other + 1]
