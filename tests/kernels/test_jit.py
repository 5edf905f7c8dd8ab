"""The decorator of all kernels: what is called with constants is compiled once."""

import numba
import pytest

from limen.kernels._jit import kernel


@kernel
def scaled(value, factor, negative):
    return -value * factor if negative else value * factor


@kernel
def several(value):
    return scaled(value, 2, True) + scaled(value, 3, False) + scaled(2, value, negative=value < 0)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_constants_and_variables_of_a_type_share_one_compilation():
    assert several(5) == -10 + 15 + 10
    assert scaled.signatures == [(numba.int64, numba.int64, numba.boolean)]
