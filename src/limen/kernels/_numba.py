"""All that relies on the inside of Numba, in one place.

Each part says what it relies on and what it is worth; `tests/kernels/test_numba.py` tests every assumption, and the
version of Numba is bounded to those that were tested. With `LIMEN_NUMBA_INTERNALS=0` none of it is used: kernels then
take longer to compile, and compute the same.
"""

import gc
import hashlib
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import numba
from numba.core.caching import CacheImpl, _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import nrt
from numba.core.serialize import dumps
from numba.core.typed_passes import NativeLowering
from numba.core.types import Integer, int64, unliteral

from limen.kernels import cache, progress

ENABLED = os.environ.get("LIMEN_NUMBA_INTERNALS", "1") != "0"

# ---- What is compiled ------------------------------------------------------------------------------------------------


def plain_type(kind: Any) -> Any:
    """Return the type as which kernels pass a number to each other: not as a constant, and not as a small integer."""
    kind = cast("Any", unliteral)(kind)
    return int64 if isinstance(kind, Integer) and cast("Any", kind).signed else kind


def share_compilations(dispatcher: Any) -> None:
    """Let a kernel that another calls with a constant, or a small integer, be the one for 64-bit integers.

    Numba would compile it, and all that it calls, once more for each: a fifth of the compilation of answers. Relies on
    `get_call_template`, by which a dispatcher chooses what to compile for a caller.
    """
    template_of = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return template_of([plain_type(arg) for arg in args], {name: plain_type(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = get_call_template


class _LinkedCode(cast("type[Any]", JITCodeLibrary)):  # type: ignore[misc]
    """The code of a kernel that only kernels call, to be linked into theirs.

    Numba optimizes it on its own and makes machine code of it, which nothing calls: all of that is done again in the
    kernel that Python calls. This is worth a third of the compilation of answers, and nine tenths of the cache. Relies
    on the two steps by which a library is finalized.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@cast("Any", register_pass)(mutates_CFG=False, analysis_only=True)
class _Registration(cast("type[Any]", AnalysisPass)):  # type: ignore[misc]
    """Let kernels that are compiled later find this one, which has no machine code of its own."""

    _name = "limen_registration"

    def __init__(self) -> None:
        cast("Any", AnalysisPass).__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Register the code under a key: a built-in function, as Numba wants, that fails when it is called."""
        lowered, function = state["cr"], cast("dict[str, Any]", {}).__getitem__
        state.targetctx.insert_user_function(function, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=function)
        return False


class _LinkedCompiler(cast("type[Any]", CompilerBase)):  # type: ignore[misc]
    """Numba's compiler, up to the code that is linked."""

    def define_pipelines(self) -> list[Any]:
        """Return the steps of compilation."""
        state = self.state
        state.library = _LinkedCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        steps = cast("Any", DefaultPassBuilder).define_nopython_pipeline(state)
        steps.add_pass_after(_Registration, NativeLowering)
        steps.finalize()
        return [steps]


#: Options of a kernel that Python calls: without the code by which C would call it.
FOR_PYTHON: dict[str, Any] = {"no_cfunc_wrapper": True} if ENABLED else {}
#: Options of a kernel that only kernels call: without the code by which Python would call it either, a fifth of the
#: compilation of answers. It is not cached, since its callers contain it.
FOR_KERNELS: dict[str, Any] = (
    {**FOR_PYTHON, "no_cpython_wrapper": True, "pipeline_class": _LinkedCompiler, "cache": False} if ENABLED else {}
)

# ---- Where it is kept ------------------------------------------------------------------------------------------------

_runtime, _dumps, _rebuild = cast("Any", nrt).rtsys, cast("Any", dumps), cast("Any", CompileResult)._rebuild  # noqa: SLF001
_MAGIC = b"limen kernel 1\n"
_DAMAGED = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, TypeError, ValueError)


class KernelCache(cast("type[Any]", _Cache)):  # type: ignore[misc]
    """The compiled code of one kernel on disk, a file for each signature.

    Numba's own cache names the processor in its index, so that no wheel could bring code along; fails when the disk is
    full; can mix up signatures that two processes compile at once; and trusts whatever it reads. These files carry a
    checksum and are written whole or not at all, and a process that finds a kernel missing waits for another that is
    compiling it. Relies on the interface of `_Cache`, and on how compiled code is reduced to what can be pickled.
    """

    def __init__(self, function: Any, variant: str) -> None:
        self._function, self._name = function, f"{function.__module__}.{function.__qualname__}{variant}"
        self._lock: cache.Lock | None = None

    @property
    def cache_path(self) -> str | None:
        """The folder of this kernel's key."""
        where = cache.folder(self._function.__code__.co_filename)
        return None if where is None else str(where)

    def _file(self, folder: Path, sig: Any) -> Path:
        digest = hashlib.sha256(f"{self._name} {self._function.__code__.co_firstlineno} {sig}".encode()).hexdigest()
        return folder / f"{self._name[-80:].replace('<', '').replace('>', '')}-{digest[:16]}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature, from the wheel or the user's folder; None if there is none."""
        source = self._function.__code__.co_filename
        _runtime.initialize(target_context)
        came = cache.shipped(source)
        found = self._read(self._file(came, sig), target_context) if came else None
        mine = cache.folder(source) if found is None else None
        if mine is None:
            return found
        file = self._file(mine, sig)
        found = self._read(file, target_context)
        if found is None:
            self._lock = cache.Lock(file)  # held until it is saved, or failed to compile
            if self._lock.waited:
                found = self._read(file, target_context)
            if found is not None:
                self.release()
        return found

    def release(self) -> None:
        """Let other processes compile this kernel."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _read(self, file: Path, target_context: Any) -> Any:
        """Return the code in a file; None if there is none, or if it is damaged or not to be trusted."""
        try:
            content = file.read_bytes()
            trusted = cache.is_trusted(file)
        except OSError:
            return None
        head, payload = content[: len(_MAGIC) + 32], content[len(_MAGIC) + 32 :]
        if not trusted or head != _MAGIC + hashlib.sha256(payload).digest():
            return None
        with suppress(*_DAMAGED):
            return _rebuild(target_context, *pickle.loads(payload))  # noqa: S301  # it is trusted
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write compiled code."""
        source = self._function.__code__.co_filename
        folder = cache.folder(source)
        try:
            if folder is not None and not data.library.has_dynamic_globals and not cache.has_changed(source):
                payload = _dumps(data._reduce())  # noqa: SLF001
                cache.write(self._file(folder, sig), _MAGIC + hashlib.sha256(payload).digest() + payload)
        finally:
            self.release()

    def enable(self) -> None:
        """Do nothing: it is always enabled."""

    disable = flush = enable


@contextmanager
def _compiling(dispatcher: Any) -> Iterator[None]:
    """Announce a compilation, and pause garbage collection: a tenth of the time, since all that is made is kept."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with progress.compiling():
            yield
    except BaseException:
        if isinstance(dispatcher._cache, KernelCache):  # noqa: SLF001
            dispatcher._cache.release()  # noqa: SLF001
        raise
    finally:
        if was_enabled:
            gc.enable()


def observe(dispatcher: Any) -> None:
    """Announce what a dispatcher compiles. Relies on `_compiler.compile`, which is called for what is not cached."""
    compile_now = dispatcher._compiler.compile  # noqa: SLF001

    def observed(args: Any, return_type: Any) -> Any:
        with _compiling(dispatcher):
            return compile_now(args, return_type)

    dispatcher._compiler.compile = observed  # noqa: SLF001


# ---- All of it together ----------------------------------------------------------------------------------------------


def compiled(function: Any, variant: str, **flags: Any) -> Any:
    """Return the dispatcher of a kernel, with its place in the cache."""
    keep = flags.pop("cache", True)
    if not ENABLED:
        return _compiled_as_documented(function, keep=keep, **flags)
    dispatcher = numba.njit(**flags)(function)
    if isinstance(dispatcher, Dispatcher):  # else it is to run as plain Python
        share_compilations(dispatcher)
        observe(dispatcher)
        if keep:
            cache.remember(function.__code__.co_filename)
            cast("Any", dispatcher)._cache = KernelCache(function, variant)  # noqa: SLF001
    return dispatcher


def _compiled_as_documented(function: Any, *, keep: bool, **flags: Any) -> Any:
    """Return a dispatcher by documented settings; these hold for the whole process, so they are restored."""
    keep = keep and (bool(cache.config.DISABLE_JIT) or cache.folder(function.__code__.co_filename) is not None)
    before = cache.config.CACHE_LOCATOR_CLASSES
    others = before or ",".join(each.__name__ for each in cast("Any", CacheImpl)._locator_classes)  # noqa: SLF001
    cache.config.CACHE_LOCATOR_CLASSES = f"limen.kernels.cache.KernelLocator,{others}"
    try:
        return numba.njit(**flags, cache=keep)(function)
    finally:
        cache.config.CACHE_LOCATOR_CLASSES = before
