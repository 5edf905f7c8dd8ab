"""The decorators and numerical policy of all kernels.

Every kernel is compiled with `kernel`, `inner_kernel` or `inlined_kernel` and nothing else, so flags live in one place:

* no fast-math: comparisons with NaN and infinities follow IEEE 754, and two machines agree;
* `error_model="numpy"`: a division by zero gives inf or NaN as in NumPy, without a branch;
* a cache on disk, so that a user waits for compilation once: see `limen.kernels.cache`;
* the GIL is released, since kernels touch nothing but arrays;
* one compilation for one set of types: see `limen.kernels._numba`.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python and can be stepped through.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from limen.kernels import _numba

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_PLAIN = bool(cast("Any", numba.config).DISABLE_JIT)


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers that Python calls."""
    return cast("Function", _numba.compiled(function, "", **_FLAGS, **_numba.FOR_PYTHON))


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call. It takes less to compile than one that Python calls."""
    return function if _PLAIN else cast("Function", InnerKernel(function))


def inlined_kernel(function: Function) -> Function:
    """Compile a function into each of the kernels that call it.

    For what is called in the innermost loops with many arrays, where a call of its own takes longer than what it does:
    an eighth of the time of moving queries. The callers take longer to compile.
    """
    return function if _PLAIN else cast("Function", InnerKernel(function, forceinline=True))


class InnerKernel:
    """A compiled function for kernels. Called from Python, as by tests, it is compiled once more, for Python."""

    def __init__(self, function: Any, **flags: Any) -> None:
        functools.update_wrapper(self, function)
        self._function, self._flags = function, flags

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function as kernels see it; made when one that calls it is compiled, which is seldom."""
        return _numba.compiled(self._function, "", **_FLAGS, **self._flags, **_numba.FOR_KERNELS)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_  # by this name Numba asks for it

    @functools.cached_property
    def for_python(self) -> Any:
        """The function, compiled to be called from Python."""
        return _numba.compiled(self._function, " for Python", **_FLAGS, **_numba.FOR_PYTHON)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.for_python(*args, **kwargs)
