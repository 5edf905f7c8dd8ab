"""Compare sixteen places at once with explicit SIMD instructions.

The compiler vectorizes such a loop, but not its result: a bit mask of the places. Without the mask the results have to
be stored and scanned again place by place, which took longer than the comparison.

Uncompiled, plain Python functions return the same. Arrays are read without bounds checks.
"""

from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

LANES = 16  # arrays have so many more than they need

_NUMBER = ir.IntType(16)
_NUMBERS = ir.VectorType(_NUMBER, LANES)


def margin(value: int, low: int, high: int) -> int:
    """Return how far a number is within bounds; below 0 outside of them."""
    return min(value - low, high - value)


def may_differ_in_python(
    here_x: Any, here_y: Any, there_x: Any, there_y: Any, at: int, low_x: int, high_x: int, low_y: int, high_y: int,
    west: int, east: int, south: int, north: int, depth: int,
) -> int:  # fmt: skip
    """Return a number with a bit for each of the places from one on that may have changed sides.

    Parameters
    ----------
    here_x, here_y, there_x, there_y : int16 arrays
        Where places are and were; no numbers below 0.
    low_x, high_x, low_y, high_y : int
        Between which numbers a region is, and as `west`, `east`, `south` and `north` where it was.
    depth : int
        How far within these bounds a place has to be to be surely in the region. It is surely out of it outside.
    """
    bits = 0
    for lane in range(LANES):
        x, y, old_x, old_y = (int(number[at + lane]) for number in (here_x, here_y, there_x, there_y))
        here = min(margin(x, low_x, high_x), margin(y, low_y, high_y))
        there = min(margin(old_x, west, east), margin(old_y, south, north))
        if not (min(here, there) > depth or max(here, there) < 0):
            bits |= 1 << lane
    return bits


def lowest_in_python(bits: int) -> int:
    """Return the place of the lowest bit that is set, of one at least."""
    return (int(bits) & -int(bits)).bit_length() - 1


def _may_differ(
    _typing_context: Any, here_x: Any, here_y: Any, there_x: Any, there_y: Any, at: Any, low_x: Any, high_x: Any,
    low_y: Any, high_y: Any, west: Any, east: Any, south: Any, north: Any, depth: Any,
) -> Any:  # pragma: no cover  # it writes what is compiled  # fmt: skip
    """Generate the vector code of `may_differ`."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def numbers(which: int) -> Any:
            array = cast("Any", cgutils).create_struct_proxy(signature.args[which])(context, builder, args[which])
            where = builder.gep(array.data, [args[4]])
            return builder.load(builder.bitcast(where, _NUMBERS.as_pointer()), align=2)

        def everywhere(which: int) -> Any:
            nothing, first = ir.Constant(_NUMBERS, ir.Undefined), ir.Constant(ir.IntType(32), 0)
            one = builder.insert_element(nothing, builder.trunc(args[which], _NUMBER), first)
            return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))

        def least(one: Any, other: Any) -> Any:
            return builder.select(builder.icmp_signed("<", one, other), one, other)

        def most(one: Any, other: Any) -> Any:
            return builder.select(builder.icmp_signed(">", one, other), one, other)

        def margins(which: int, low: int, high: int) -> Any:
            value = numbers(which)
            return least(builder.sub(value, everywhere(low)), builder.sub(everywhere(high), value))

        here, there = least(margins(0, 5, 6), margins(1, 7, 8)), least(margins(2, 9, 10), margins(3, 11, 12))
        is_in = builder.icmp_signed(">", least(here, there), everywhere(13))
        is_out = builder.icmp_signed("<", most(here, there), ir.Constant(_NUMBERS, [0] * LANES))
        bits = builder.bitcast(builder.not_(builder.or_(is_in, is_out)), ir.IntType(LANES))
        return builder.zext(bits, ir.IntType(64))

    whole = cast("Any", types).int64
    numbers_of = [at, low_x, high_x, low_y, high_y, west, east, south, north, depth]
    return whole(here_x, here_y, there_x, there_y, *[whole] * len(numbers_of)), write


def _lowest(_typing_context: Any, _bits: Any) -> Any:  # pragma: no cover
    def write(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    whole = cast("Any", types).int64
    return whole(whole), write


_plain = cast("Any", config).DISABLE_JIT
may_differ: Any = may_differ_in_python if _plain else intrinsic(_may_differ)
lowest: Any = lowest_in_python if _plain else intrinsic(_lowest)
