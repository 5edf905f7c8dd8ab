"""The decorators and numerical policy of all kernels.

Every kernel is compiled with `kernel` or `inner_kernel` and nothing else, so flags live in one place:

* no fast-math: comparisons with NaN and infinities follow IEEE 754, and two machines agree;
* `error_model="numpy"`: a division by zero gives inf or NaN as in NumPy, without a branch;
* the cache on disk, so that a user waits for compilation once;
* the GIL is released, since kernels touch nothing but arrays;
* one compilation for one set of types: Numba would compile a kernel once more for every constant that a caller
  passes, and whatever that kernel calls, which took most of the time that a user waited.

With `NUMBA_DISABLE_JIT=1` the same functions run as plain Python and can be stepped through. `NUMBA_BOUNDSCHECK=1`
is not part of Numba's cache key: use another `NUMBA_CACHE_DIR` with it, as the Makefile does.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import cgutils, config
from numba.core.dispatcher import Dispatcher
from numba.core.types import unliteral
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
_compiled = numba.njit(**_FLAGS)
_compiled_within = numba.njit(**_FLAGS, forceinline=True)


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers."""
    return cast("Function", _kernel(_compiled(function)))


def inner_kernel(function: Function) -> Function:
    """Compile a function into each of its callers.

    For what is called in the innermost loops with many arrays: a call of its own counts references to each of them,
    which can take longer than what it does. The callers take longer to compile.
    """
    return cast("Function", _kernel(_compiled_within(function)))


def _kernel(compiled: Any) -> Any:
    """Have a compiled function take constants as numbers."""
    if isinstance(compiled, Dispatcher):  # pragma: no cover  # else it is to run as plain Python
        _take_constants_as_numbers(compiled)
    return compiled


def _take_constants_as_numbers(dispatcher: Any) -> None:  # pragma: no cover
    """Let a kernel that is called with a constant be the one that is called with a variable of that type."""
    template_of, plain = dispatcher.get_call_template, cast("Any", unliteral)

    def get_call_template(args: Any, kws: Any) -> Any:
        return template_of([plain(arg) for arg in args], {name: plain(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = get_call_template


def _borrowed(_typing_context: Any, array: Any) -> Any:  # pragma: no cover  # it writes what is compiled
    """Return the array without reference counting."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tools = cast("Any", cgutils)
        made = tools.create_struct_proxy(signature.return_type)(context, builder, value=args[0])
        for owner in ("meminfo", "parent"):
            null = tools.get_null_value(getattr(made, owner).type)
            setattr(made, owner, null)
        return made._getvalue()  # noqa: SLF001  # as Numba's own code has it

    return array(array), write


def _same(array: Any) -> Any:
    return array


#: The same array, not counted: for one that the caller keeps alive while kernels pass it on. They would count
#: references to it in every call, which took a sixth of the time that patterns take.
borrowed: Any = _same if cast("Any", config).DISABLE_JIT else intrinsic(_borrowed)
