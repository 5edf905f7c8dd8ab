"""Exact running sums with removal: values are added and subtracted exactly, and a sum is rounded once when read.

A sum is a whole number of the smallest double, 2^-1074, written in limbs of 32 bits. Taking a value out undoes putting
it in, in any order and of any size, so the sum depends on what is in it and not on what has been.
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel

_LOW = 0xFFFFFFFF
_SMALLEST = -1074  # the exponent of the smallest double
#: Limbs of a sum: doubles reach to bit 2098, and billions of them 32 bits further.
LIMBS = 68


@kernel
def running_sums(group, old, new, ends, limbs, sums, present):
    """Write the sum, and the number, of what is in a group after each of its instants.

    Parameters
    ----------
    group : int64 (changes,)
        The group that each change belongs to; those of one group are next to each other, in order of time.
    old, new : float64 (changes,)
        What the change takes out and what it puts in; NaN for nothing.
    ends : bool (changes,)
        Whether a change is the last of its instant.
    limbs : int64 (LIMBS,)
        Room to work in.
    sums : float64 (changes,)
        Comes out with the sum where an instant ends; elsewhere as it was.
    present : int64 (changes,)
        Comes out with the number of values in the sum, where an instant ends.
    """
    count = 0
    above = below = 0  # how many infinities are in it, of either sign
    for m in range(group.size):
        if m == 0 or group[m] != group[m - 1]:
            limbs[:] = 0
            count = above = below = 0
        for value, sign in ((old[m], -1), (new[m], 1)):
            if math.isnan(value):
                continue
            count += sign
            if math.isinf(value):
                above += sign if value > 0 else 0
                below += sign if value < 0 else 0
            else:
                _put(value, sign, limbs)
        if ends[m]:
            present[m] = count
            if above or below:
                sums[m] = np.nan if above and below else (np.inf if above else -np.inf)
            else:
                sums[m] = _rounded(limbs)


@inner_kernel
def _put(value, sign, limbs):
    """Add a finite value, or take it out. A limb has room for two billion of them until it is next tidied."""
    fraction, exponent = math.frexp(abs(value))
    mantissa = np.int64(fraction * 9007199254740992.0)  # 2^53
    place = exponent - 53 - _SMALLEST
    if place < 0:  # smaller than normal: the bits below are zeros
        mantissa >>= -place
        place = 0
    first, shift = place // 32, place % 32
    low = (mantissa & _LOW) << shift
    high = (mantissa >> 32) << shift
    if value < 0:
        sign = -sign
    limbs[first] += sign * (low & _LOW)
    limbs[first + 1] += sign * ((low >> 32) + (high & _LOW))
    limbs[first + 2] += sign * (high >> 32)


@inner_kernel
def _rounded(limbs):
    """Return the double nearest to a sum, of two the even one; also tidy its limbs."""
    negative = _carried(limbs)
    if negative:
        for i in range(limbs.size):
            limbs[i] = -limbs[i]
        _carried(limbs)
    top = limbs.size - 1
    while top > 1 and limbs[top] == 0:
        top -= 1
    bits = (np.uint64(limbs[top]) << np.uint64(32)) | np.uint64(limbs[top - 1])
    exponent = 32 * (top - 1) + _SMALLEST
    if top > 1:
        # Sixty-four bits, the last of which stands for all below it too: rounding them to 53 then rounds the sum.
        spare = 0
        while limbs[top] >> (31 - spare) == 0:
            spare += 1
        rest = limbs[top - 2] << spare
        bits = (bits << np.uint64(spare)) | np.uint64(rest >> 32)
        sticky = (rest & _LOW) != 0
        for i in range(top - 2):
            sticky = sticky or limbs[i] != 0
        bits |= np.uint64(sticky)
        exponent -= spare
    value = float(bits)
    # In two steps, since a power of two alone may be beyond all doubles.
    half = exponent // 2
    value = value * 2.0**half * 2.0 ** (exponent - half)
    if negative:
        for i in range(limbs.size):
            limbs[i] = -limbs[i]
        return -value
    return value


@inner_kernel
def _carried(limbs):
    """Carry until every limb has 32 bits, all of one sign but for the last; return whether the sum is negative."""
    carry = np.int64(0)
    for i in range(limbs.size - 1):
        whole = limbs[i] + carry
        carry = whole >> 32
        limbs[i] = whole & _LOW
    limbs[limbs.size - 1] += carry
    return limbs[limbs.size - 1] < 0
