"""Square cells of the plane that list something, found by hashing: nothing is stored for cells that do not.

Cells come in levels. Those of a level have a side that is a power of two, so that the cell of a coordinate, floor(x /
side), is computed without rounding and a cell is exactly a half-open square. Cells are found by blocks of 8 x 4:
`block` is a hash table, half empty at least, of type BLOCK. `cells` has a bit for each cell of the block that lists
something, and these cells have consecutive numbers from `first` on; cell number c lists entries [start[c],
start[c + 1]).

Coordinates beyond FAR cells belong to the outermost ones. The caller must not list regions there.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel

BLOCK = np.dtype(
    [("x", np.int32), ("y", np.int32), ("level", np.int32), ("first", np.int32), ("cells", np.uint32)]
)  # fmt: skip
FREE = -1  # the level of a block that is none
FAR = 1 << 31
BLOCK_X, BLOCK_Y = 3, 2  # cells of a block along x and y, as powers of two


@inner_kernel
def cell_at(x, cells_a_unit):
    """Return the number of the cell along one axis that holds a coordinate.

    Examples
    --------
    >>> cell_at(-0.5, 1.0), cell_at(7.5, 0.25), cell_at(1e300, 1.0)
    (-1, 1, 2147483648)
    """
    at = x * cells_a_unit
    if at >= FAR:
        return FAR
    if at < -FAR:
        return -FAR
    return np.int64(math.floor(at))


@inner_kernel
def find_block(block, x, y, level):
    """Return where a block is in the table, or ~place where it would be put."""
    last = block.size - 1
    # Odd factors below 2**30: no sum of such products overflows. Low bits depend on low bits only, hence the shift.
    mixed = x * 740_048_237 + y * 695_872_825 + level * 461_845_907
    at = (mixed ^ mixed >> 17) & last
    while True:
        there = block[at]["level"]
        if there == FREE:
            return ~at
        if there == level and block[at]["x"] == x and block[at]["y"] == y:
            return at
        at = (at + 1) & last


@inner_kernel
def bit_of(x, y):
    """Return the place of a cell in its block."""
    return (y & 3) << BLOCK_X | (x & 7)


@inner_kernel
def count_bits(bits):
    """Count the ones among 32 bits.

    Examples
    --------
    >>> count_bits(0b1011), count_bits(2**32 - 1)
    (3, 32)
    """
    bits -= bits >> 1 & 0x55555555
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333)
    bits = bits + (bits >> 4) & 0x0F0F0F0F
    return bits * 0x01010101 >> 24 & 0xFF


@inner_kernel
def number_of(block, x, y, level):
    """Return the number of a cell, or -1 when it lists nothing."""
    at = find_block(block, x >> BLOCK_X, y >> BLOCK_Y, level)
    if at < 0:
        return -1
    bit = bit_of(x, y)
    cells = np.int64(block[at]["cells"])
    if cells >> bit & 1 == 0:
        return -1
    return block[at]["first"] + count_bits(cells & ((1 << bit) - 1))


@kernel
def mark_cells(x, y, level, first, block, known, found):
    """Enter cells (x, y: int64 arrays; level: int16 array) from `first` on into a table, whose blocks' bits are set.

    `found` receives the places of new blocks, of which there were `known` before. Returns the first cell not done, when
    half of the table is full, and how many blocks are known then.
    """
    for i in range(first, x.size):
        at = find_block(block, x[i] >> BLOCK_X, y[i] >> BLOCK_Y, np.int64(level[i]))
        if at < 0:
            if 2 * (known + 1) > block.size or known == found.size:
                return i, known
            at = ~at
            block[at]["x"] = x[i] >> BLOCK_X
            block[at]["y"] = y[i] >> BLOCK_Y
            block[at]["level"] = level[i]
            block[at]["cells"] = 0
            found[known] = at
            known += 1
        block[at]["cells"] = np.int64(block[at]["cells"]) | 1 << bit_of(x[i], y[i])
    return x.size, known


@kernel
def number_cells(block, found):
    """Give cells their numbers, block after block in the order of `found`, and return how many there are."""
    count = 0
    for k in range(found.size):
        block[found[k]]["first"] = count
        count += count_bits(np.int64(block[found[k]]["cells"]))
    return count


@kernel
def list_entries(x, y, level, block, start, order):
    """Fill `start` (cells + 1,) and `order` (n,): the entries of each cell, one cell after another, as they came."""
    start[:] = 0
    for i in range(x.size):
        start[number_of(block, x[i], y[i], np.int64(level[i])) + 1] += 1
    for c in range(1, start.size):
        start[c] += start[c - 1]
    for i in range(x.size):
        c = number_of(block, x[i], y[i], np.int64(level[i]))
        order[start[c]] = i
        start[c] += 1
    for c in range(start.size - 1, 0, -1):  # each start has become the next one's
        start[c] = start[c - 1]
    start[0] = 0
