"""Where compiled kernels are kept, so that a machine compiles them once.

They are in a folder named by a *key*: a hash of all kernel sources, of the versions of Python, Numba and llvmlite, of
the processor, and of the settings that change what is compiled. A changed line is another key, wherever it stands, so
no kernel is ever stale. `LIMEN_CACHE_DIR` names the folder of these folders; else it is `NUMBA_CACHE_DIR`, or `limen`
in the user's cache folder. A platform wheel has a folder of its own, `limen/compiled`, which is looked into first.

Kernels are loaded only from folders and files that belong to this user or to root and that others cannot write: they
are code.
"""

import fcntl
import functools
import hashlib
import os
import shutil
import stat
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import llvmlite
import llvmlite.binding as llvm
import numba
from numba.core.caching import _CacheLocator

BASELINE = ("x86-64-v3", "")  # processor and features for which a platform wheel is compiled
_BASELINE_NEEDS = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_PACKAGE = Path(__file__).parents[1]
_SHIPPED = _PACKAGE / "compiled"
_SETTINGS = (
    "OPT",
    "BOUNDSCHECK",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "DEBUGINFO_DEFAULT",
    "FORTRAN_ORDER",
)
_OLD_DAYS, _MOST_KEYS = 30, 8  # folders of other keys that are kept
_LONGEST_WAIT, _PAUSE = 300.0, 0.05  # seconds, for another process that compiles the same

config: Any = numba.config


def processor() -> tuple[str, str]:
    """Return the name and the features of the processor that kernels are compiled for."""
    name = llvm.get_host_cpu_name() if config.CPU_NAME is None else config.CPU_NAME
    features = llvm.get_host_cpu_features().flatten() if config.CPU_FEATURES is None else config.CPU_FEATURES
    return str(name), str(features)


@functools.cache
def sources(file: str) -> bytes:
    """Return a hash of all that a kernel in a file may be made of: all kernels of Limen and of the file's package."""
    found, path = hashlib.sha256(), Path(file)
    archive = next((parent for parent in path.parents if parent.suffix in {".zip", ".egg", ".whl"}), None)
    if archive is not None and archive.is_file():  # a package that is imported from an archive
        found.update(archive.read_bytes())
        return found.digest()
    package = path.parent
    while (package.parent / "__init__.py").exists():
        package = package.parent
    for root in sorted({_PACKAGE, package}):
        for source in sorted(root.rglob("kernels/**/*.py")):
            found.update(f"{source.relative_to(root)}\0".encode() + source.read_bytes() + b"\0")
    found.update(path.read_bytes())
    return found.digest()


def remember(file: str) -> None:
    """Read the sources of a file's kernels, now that they are imported."""
    sources(_scope(file))


def has_changed(file: str) -> bool:
    """Return whether sources have been edited since this process read them: what it compiles has no key."""
    return sources.__wrapped__(_scope(file)) != sources(_scope(file))


def key(file: str, made_for: tuple[str, str]) -> str:
    """Return the key of the kernels in a file, compiled for a processor."""
    versions = (sys.implementation.cache_tag, sys.abiflags, sys.platform, numba.__version__, llvmlite.__version__)
    settings = [(name, str(getattr(config, name, None))) for name in _SETTINGS]
    own = "LIMEN_NUMBA_INTERNALS", os.environ.get("LIMEN_NUMBA_INTERNALS", "1")
    text = repr((versions, made_for, settings, own))
    return hashlib.sha256(sources(_scope(file)) + text.encode()).hexdigest()[:20]


def _scope(file: str) -> str:
    """Return a file that stands for all with the same sources: those of a package of kernels are hashed once."""
    return __file__ if _PACKAGE in Path(file).parents else file


def root() -> Path | None:
    """Return the folder of all keys: the user's; None if no home folder is known."""
    for name in ("LIMEN_CACHE_DIR", "NUMBA_CACHE_DIR"):
        if os.environ.get(name):
            return Path(os.environ[name]).absolute()
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]).absolute() / "limen"
    home = os.path.expanduser("~")  # noqa: PTH111  # unlike Path.home, it returns "~" where there is none
    return None if home in {"", "~", "/"} else Path(home) / ".cache" / "limen"


@functools.cache
def shipped(file: str) -> Path | None:
    """Return the folder of kernels that came with the wheel, if they fit this Python, Numba and processor."""
    if not _SHIPPED.is_dir() or config.CPU_NAME is not None:
        return None
    features = llvm.get_host_cpu_features()
    if not all(features.get(each) for each in _BASELINE_NEEDS):
        return None
    folder = _SHIPPED / key(file, BASELINE)
    return folder if folder.is_dir() else None


@functools.cache
def folder(file: str) -> Path | None:
    """Return the folder for the kernels of a file; None, after a warning, if there can be none."""
    parent = root()
    if parent is None:
        warn_once("the home folder is not known")
        return None
    mine = parent / key(_scope(file), processor())
    try:
        if not mine.is_dir():
            mine.mkdir(parents=True, exist_ok=True)
            _remove_old(parent, mine)
        elif time.time() - mine.stat().st_mtime > 24 * 3600 and os.access(mine, os.W_OK):
            os.utime(mine)  # it is in use
        if is_trusted(parent) and is_trusted(mine):
            return mine
        warn_once(f"{mine} can be written by other users")
    except OSError as error:
        warn_once(f"{error.strerror}: {error.filename}")
    return None


def mark(what: str) -> Path | None:
    """Return the file that is there when something has been compiled; None without a folder."""
    where = folder(__file__)
    return None if where is None else where / f".{hashlib.sha256(what.encode()).hexdigest()[:20]}.done"


def is_trusted(path: Path) -> bool:
    """Return whether only this user or root can have written a file or folder."""
    status = path.stat()
    writable = bool(status.st_mode & stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX
    return status.st_uid in {0, os.geteuid()} and not writable


_warned: list[str] = []


def warn_once(why: str) -> None:
    """Warn, once in a process, that kernels are compiled in memory."""
    if not _warned:
        _warned.append(why)
        warnings.warn(
            f"Compiled kernels are not kept, and will be compiled again next time: {why}. "
            "Hint: set LIMEN_CACHE_DIR to a folder of this user",
            RuntimeWarning,
            stacklevel=2,
        )


def write(file: Path, content: bytes) -> None:
    """Write a file, whole or not at all; where that is not possible, warn once."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.{time.monotonic_ns()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)  # it may have been removed
        temporary.write_bytes(content)
        temporary.replace(file)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        warn_once(f"{error.strerror}: {file.parent}")


class Lock:
    """The right to compile a kernel, among all processes of this machine; it ends with the process.

    Where a folder has no locks, or the other process takes too long, a process goes on without.
    """

    def __init__(self, file: Path) -> None:
        self.waited, self._file = False, -1
        with suppress(OSError):
            self._file = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            for _ in range(int(_LONGEST_WAIT / _PAUSE)):
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    self.waited = True
                    time.sleep(_PAUSE)
                else:
                    break

    def release(self) -> None:
        """Give the right back."""
        if self._file >= 0:
            with suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_UN)  # a process forked meanwhile has the file open as well
            os.close(self._file)
            self._file = -1


def _remove_old(parent: Path, mine: Path) -> None:
    """Remove the folders of keys that were not used for long, or that are too many."""
    others = [each for each in parent.iterdir() if each != mine and _is_key(each)]
    others.sort(key=lambda each: each.stat().st_mtime, reverse=True)
    oldest = time.time() - _OLD_DAYS * 24 * 3600
    for number, each in enumerate(others):
        if number >= _MOST_KEYS - 1 or each.stat().st_mtime < oldest:
            shutil.rmtree(each, ignore_errors=True)


def _is_key(path: Path) -> bool:
    name = path.name
    return len(name) == 20 and not set(name) - set("0123456789abcdef") and path.is_dir()


class KernelLocator(cast("type[Any]", _CacheLocator)):  # type: ignore[misc]
    """What Numba asks for the place of a kernel, by its setting `NUMBA_CACHE_LOCATOR_CLASSES`."""

    def __init__(self, function: Any, file: str, where: Path) -> None:
        self._py_file, self._where = file, where
        self._name = f"{function.__module__}-{function.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._where)

    def get_source_stamp(self) -> str:
        """Return what makes a kernel stale: nothing, since the folder has the key in its name."""
        return self._where.name

    def get_disambiguator(self) -> str:
        """Return what distinguishes kernels of one name."""
        return self._name

    @classmethod
    def from_function(cls, function: Any, file: str) -> "KernelLocator | None":
        """Return the place of a function, None if it is no kernel."""
        where = folder(_scope(file))
        return None if where is None else cls(function, file, where)
