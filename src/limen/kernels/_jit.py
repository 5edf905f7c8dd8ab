"""The one decorator and numerical policy of all kernels.

Every kernel is compiled with `kernel` and nothing else, so flags live in one place:

* no fast-math: comparisons with NaN and infinities mean what IEEE 754 says, and two machines agree;
* `error_model="numpy"`: a division by zero gives inf or NaN as in NumPy, without a branch;
* the cache on disk, so that a user waits for compilation once;
* the GIL is released, since kernels touch nothing but arrays.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python and can be stepped through. `NUMBA_BOUNDSCHECK=1`
is not part of Numba's cache key: use another `NUMBA_CACHE_DIR` with it, as the Makefile does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_compiled = numba.njit(cache=True, nogil=True, error_model="numpy")


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers."""
    return cast("Function", _compiled(function))
