"""What `limen.kernels._numba` relies on inside of Numba: each of these fails on a Numba that is different there."""

import gc
import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, Flags
from numba.core.dispatcher import Dispatcher

from limen.kernels import _numba
from limen.kernels._jit import inlined_kernel, inner_kernel, kernel

pytestmark = [
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled"),
    pytest.mark.skipif(not _numba.ENABLED, reason="the internals of Numba are not used"),
]


@inner_kernel
def scaled(value, factor, negative):
    return -value * factor if negative else value * factor


@kernel
def several(value):
    return scaled(value, 2, True)


@inlined_kernel
def doubled(value):
    return 2 * value


@kernel
def fourfold(value):
    return doubled(doubled(value))


class Passes(event.Listener):
    def __init__(self):
        self.collecting = []

    def on_start(self, event):
        self.collecting.append(gc.isenabled())

    def on_end(self, event):
        pass


@pytest.fixture
def nothing_cached(monkeypatch: pytest.MonkeyPatch):
    """Have everything compiled: what is loaded has not been seen by the compiler."""
    monkeypatch.setattr(_numba.cache, "folder", lambda _file: None)


def test_constants_small_integers_and_variables_share_one_compilation(nothing_cached: None):
    @inner_kernel
    def times(value, factor, negative):
        return -value * factor if negative else value * factor

    @kernel
    def total(value, some):
        result = times(value, 2, True) + times(value, 3, False) + times(2, value, negative=value < 0)
        for each in some:
            result += times(each, 1, False)
        return result

    assert total(5, np.array([1, 2], np.int8)) == -10 + 15 + 10 + 3
    assert times.dispatcher.signatures == [(numba.int64, numba.int64, numba.boolean)]


def test_unsigned_integers_stay_what_they_are():
    assert _numba.plain_type(numba.uint8) == numba.uint8
    assert _numba.plain_type(numba.types.literal(3)) == numba.int64
    assert _numba.plain_type(numba.types.literal(True)) == numba.types.boolean
    assert _numba.plain_type(numba.float32) == numba.float32


def test_inner_kernels_have_no_machine_code_and_their_callers_have_theirs():
    @inner_kernel
    def added(x):
        return x + 1

    @kernel
    def calls(x):
        return added(x)

    assert calls(1) == 2
    (inner,) = added.dispatcher.overloads.values()
    assert inner.library.get_pointer_to_function(inner.fndesc.llvm_func_name) == 0
    with pytest.raises((KeyError, TypeError)):
        inner.entry_point(1)  # it fails instead of jumping to nowhere


def test_inner_kernels_can_be_called_from_python_all_the_same():
    assert scaled(2, 3, False) == 6
    assert doubled(4) == 8
    assert fourfold(4) == 16


def test_garbage_is_not_collected_while_a_kernel_is_compiled_and_is_after(nothing_cached: None):
    @kernel
    def fresh(x):
        return x + 11

    passes = Passes()
    with event.install_listener("numba:run_pass", passes):
        fresh(1)
    assert passes.collecting
    assert not any(passes.collecting)
    assert gc.isenabled()


def test_what_cannot_be_compiled_leaves_nothing_behind():
    @kernel
    def wrong(x):
        return x + "text"

    with pytest.raises(numba.TypingError):
        wrong(1)
    assert gc.isenabled()
    assert wrong._cache._lock is None


def test_compiled_code_can_be_reduced_and_rebuilt(nothing_cached: None):
    @kernel
    def fresh(x):
        return scaled(x, 3, False)

    assert fresh(4) == 12
    (code,) = fresh.overloads.values()
    again = CompileResult._rebuild(code.target_context, *pickle.loads(_numba._dumps(code._reduce())))
    assert again.entry_point(5) == 15


@pytest.mark.parametrize("name", ["get_call_template", "compile", "_compile_for_args"])
def test_dispatchers_have_the_methods_that_are_replaced_or_relied_on(name: str):
    assert callable(getattr(Dispatcher, name))
    assert hasattr(several, "_cache")
    assert callable(several._compiler.compile)


def test_libraries_are_finalized_in_the_steps_that_are_left_out():
    steps = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")
    assert all(callable(getattr(JITCodeLibrary, step)) for step in (*steps, "_verify_declare_only_symbols"))
    flags = Flags()
    flags.no_compile = flags.no_cfunc_wrapper = flags.no_cpython_wrapper = True  # raises for an unknown option


def test_the_version_of_numba_is_one_that_was_tested():
    major, minor = map(int, numba.__version__.split(".")[:2])
    assert (0, 62) <= (major, minor) < (0, 69)


def test_cached_kernels_load_without_all_of_numbas_library():
    # A third of a second that every start would take, and what is relied on: only the runtime has to be there.
    script = """
import sys
import numpy as np
from limen.kernels.text import fill_table
fill_table(np.zeros((1, 2), np.uint64), np.zeros(2, np.int64), 1, np.full(16, -1, np.int64))
print("numba.np.linalg" in sys.modules)
"""
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
