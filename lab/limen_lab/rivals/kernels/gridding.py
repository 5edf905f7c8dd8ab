"""Cut a line into cells of equal length, and find which of them an interval covers, wholly or in part.

A cell is defined by `cell_of` alone, which never falls as its value rises, whatever is rounded on the way. So what lies
strictly between the cells of an interval's ends is inside the interval, without a tolerance, and a cell at an end is
covered wholly when the values next to the end are in another cell. The first and last cell reach to infinity.
"""

import numpy as np

from limen.kernels._jit import kernel


@kernel
def cell_of(x, origin, cells_a_unit, cells):
    """Return the cell of a value that is not NaN.

    Examples
    --------
    >>> [cell_of(x, 10.0, 0.5, 4) for x in (-np.inf, 10.0, 11.9, 12.0, 99.0)]
    [0, 0, 0, 1, 3]
    """
    return np.int64(min(max((x - origin) * cells_a_unit, 0.0), cells - 1.0))


@kernel
def cells_of(lower, upper, origin, cells_a_unit, cells):
    """Return the first and last cell that [lower, upper) meets, and the first and last that it covers wholly.

    The cells in between those pairs, one at either end at most, are covered in part. When none is covered wholly the
    third number is larger than the fourth.

    Examples
    --------
    >>> cells_of(10.0, 15.0, 10.0, 0.5, 4)
    (0, 2, 1, 1)
    >>> cells_of(-np.inf, 14.0, 10.0, 0.5, 4)
    (0, 1, 0, 1)
    """
    first = cell_of(lower, origin, cells_a_unit, cells)
    last = cell_of(np.nextafter(upper, -np.inf), origin, cells_a_unit, cells)
    first_whole, last_whole = first, last
    if lower != -np.inf and cell_of(np.nextafter(lower, -np.inf), origin, cells_a_unit, cells) == first:
        first_whole += 1
    if upper != np.inf and cell_of(upper, origin, cells_a_unit, cells) == last:
        last_whole -= 1
    return first, last, first_whole, last_whole
