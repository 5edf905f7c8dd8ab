"""On which side of a line a point lies, without rounding.

Nearly always float64 decides it, and a bound on its rounding error shows when it does. Where it does not, the six
products of the determinant are added up as integers in as many digits as they need: exact for all finite coordinates,
however large, small or far apart.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel

DIGIT = 30  # bits of a digit of the sum
DIGIT_MASK = (1 << DIGIT) - 1
HALF = 27  # bits of the lower half of a mantissa
HALF_MASK = (1 << HALF) - 1
MANTISSA = 53
SURE = 4e-16  # of the sum of both products: more than three roundings can make of the difference
TINY = 1e-290  # products below may have lost digits that no ratio accounts for


@inner_kernel
def exponent(x):
    """Return the exponent of the last bit of a number's mantissa; of zero, one above all others."""
    return math.frexp(x)[1] - MANTISSA if x != 0.0 else 2000


@inner_kernel
def add_digits(part, offset, sign, digits):
    """Add `part`, below 2**60 and `offset` bits up, to a sum of digits that need not be carried."""
    at = offset // DIGIT
    shift = offset % DIGIT
    low = (part & DIGIT_MASK) << shift
    high = (part >> DIGIT) << shift
    digits[at] += sign * (low & DIGIT_MASK)
    digits[at + 1] += sign * ((low >> DIGIT) + (high & DIGIT_MASK))
    digits[at + 2] += sign * (high >> DIGIT)


@inner_kernel
def add_product(x, y, sign, last_x, last_y, digits):
    """Add sign * x * y to a sum whose last bit stands for 2 ** (last_x + last_y)."""
    if x == 0.0 or y == 0.0:
        return
    fraction_x, exponent_x = math.frexp(x)
    fraction_y, exponent_y = math.frexp(y)
    if (x < 0.0) != (y < 0.0):
        sign = -sign
    whole_x = np.int64(abs(fraction_x) * 2.0**MANTISSA)
    whole_y = np.int64(abs(fraction_y) * 2.0**MANTISSA)
    offset = exponent_x + exponent_y - 2 * MANTISSA - last_x - last_y
    high_x, low_x = whole_x >> HALF, whole_x & HALF_MASK
    high_y, low_y = whole_y >> HALF, whole_y & HALF_MASK
    add_digits(low_x * low_y, offset, sign, digits)
    add_digits(low_x * high_y + high_x * low_y, offset + HALF, sign, digits)
    add_digits(high_x * high_y, offset + 2 * HALF, sign, digits)


@inner_kernel
def sign_of(digits):
    """Return the sign of a sum of digits, each of which may be larger than a digit is, or negative."""
    carry = 0
    some = False
    for at in range(digits.size):
        digit = digits[at] + carry
        carry = digit >> DIGIT
        some = some or digit & DIGIT_MASK != 0
    if carry < 0:
        return -1
    return 1 if some else 0


@inner_kernel
def side_in_full(xa, ya, xb, yb, x, y):
    """Return the sign of (xb - xa)(y - ya) - (x - xa)(yb - ya): 1 when (x, y) is left of the way from a to b."""
    last_x = min(exponent(xa), exponent(xb), exponent(x))
    last_y = min(exponent(ya), exponent(yb), exponent(y))
    most = max(abs(xa), abs(xb), abs(x))
    most_y = max(abs(ya), abs(yb), abs(y))
    if most == 0.0 or most_y == 0.0:
        return 0
    bits = exponent(most) - last_x + exponent(most_y) - last_y + 2 * MANTISSA
    digits = np.zeros(bits // DIGIT + 4, np.int64)
    add_product(xb, y, 1, last_x, last_y, digits)
    add_product(xb, ya, -1, last_x, last_y, digits)
    add_product(xa, y, -1, last_x, last_y, digits)
    add_product(x, yb, -1, last_x, last_y, digits)
    add_product(x, ya, 1, last_x, last_y, digits)
    add_product(xa, yb, 1, last_x, last_y, digits)
    return sign_of(digits)


@kernel
def side(xa, ya, xb, yb, x, y):
    """Return 1 when (x, y) is left of the way from a to b, -1 when it is right of it, and 0 when it is on its line.

    Examples
    --------
    >>> side(0.0, 0.0, 3.0, 3.0, 1.0, 1.0), side(0.0, 0.0, 3.0, 3.0, 1.0, 1.0000000000000002)
    (0, 1)
    """
    left = (xb - xa) * (y - ya)
    right = (x - xa) * (yb - ya)
    difference = left - right
    sure = SURE * (abs(left) + abs(right)) + TINY
    if difference > sure:
        return 1
    if difference < -sure:
        return -1
    return side_in_full(xa, ya, xb, yb, x, y)  # also when a product is infinite
