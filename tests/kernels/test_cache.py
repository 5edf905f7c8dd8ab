"""Compiled kernels on disk: never stale, never damaged, and never in the way of a user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from limen.kernels import cache

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

SOURCE = Path(cache.__file__).parents[2]

#: A package with a kernel that calls another one in another file.
FILES = {
    "fences/__init__.py": "",
    "fences/kernels/__init__.py": "",
    "fences/kernels/inner.py": """
from limen.kernels._jit import inner_kernel

@inner_kernel
def step(x):
    return x + 1
""",
    "fences/kernels/outer.py": """
from fences.kernels.inner import step
from limen.kernels._jit import kernel

@kernel
def twice(x):
    return step(step(x))
""",
}
SCRIPT = """
import warnings
from numba.core import event
from limen.kernels import cache

class Count(event.Listener):
    compiled = []
    def on_start(self, event):
        Count.compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

event.register("numba:compile", Count())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from fences.kernels.outer import twice
    result = twice(40)
print(result, "twice" in Count.compiled, len(caught), *[str(each.message) for each in caught])
"""


class Fences:
    """The package in a folder, run in processes of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def start(self, script: str = SCRIPT, **environment: str | None) -> subprocess.Popen[str]:
        given = {"PYTHONPATH": f"{self.folder}:{SOURCE}", "LIMEN_CACHE_DIR": str(self.cache), **environment}
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "LIMEN_", "XDG_"))}
        whole = {name: value for name, value in {**clean, **given}.items() if value is not None}
        return subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=whole
        )

    def run(self, script: str = SCRIPT, **environment: str | None) -> tuple[int, bool, int, str]:
        """Return the result, whether it was compiled, how many warnings there were, and their text."""
        process = self.start(script, **environment)
        out, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        result, compiled, warned, *text = out.split(maxsplit=3)
        return int(result), compiled == "True", int(warned), "".join(text)

    def kernels(self) -> list[Path]:
        return [each for each in self.cache.rglob("*twice*") if not each.name.startswith(".")]


@pytest.fixture
def fences(tmp_path: Path) -> Fences:
    return Fences(tmp_path)


def test_a_kernel_is_compiled_once(fences: Fences):
    assert fences.run()[:3] == (42, True, 0)
    assert fences.run()[:3] == (42, False, 0)


def test_a_changed_callee_in_another_file_is_seen_though_no_time_of_a_file_changes(fences: Fences):
    fences.run()
    callee = fences.folder / "fences/kernels/inner.py"
    before = callee.stat()
    callee.write_text(callee.read_text().replace("x + 1", "x + 5"))
    os.utime(callee, ns=(before.st_atime_ns, before.st_mtime_ns))
    shutil.rmtree(callee.parent / "__pycache__", ignore_errors=True)  # Python's own cache goes by the time of the file
    assert callee.stat().st_mtime_ns == before.st_mtime_ns
    assert fences.run()[:2] == (50, True)


def test_what_is_compiled_from_sources_that_were_edited_meanwhile_is_not_kept(fences: Fences):
    callee = fences.folder / "fences/kernels/inner.py"
    edit = f"    import pathlib; pathlib.Path({str(callee)!r}).write_text('# edited')\n    result ="
    assert fences.run(SCRIPT.replace("    result =", edit))[:3] == (42, True, 0)
    assert fences.kernels() == []


def test_it_is_the_same_without_numbas_internals(fences: Fences):
    assert fences.run(LIMEN_NUMBA_INTERNALS="0")[:3] == (42, True, 0)
    assert fences.run(LIMEN_NUMBA_INTERNALS="0")[:3] == (42, False, 0)
    callee = fences.folder / "fences/kernels/inner.py"
    callee.write_text(callee.read_text().replace("x + 1", "x + 5"))
    assert fences.run(LIMEN_NUMBA_INTERNALS="0")[:2] == (50, True)


@pytest.mark.parametrize("setting", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT"])
def test_settings_that_change_the_code_have_kernels_of_their_own(fences: Fences, setting: str):
    fences.run()
    assert fences.run(**{setting: "1"})[1]
    assert not fences.run(**{setting: "1"})[1]
    assert not fences.run()[1]


@pytest.mark.parametrize("damage", [b"", b"limen kernel 1\n", None, "half"])
def test_a_damaged_kernel_is_not_loaded_but_compiled_anew(fences: Fences, damage: bytes | str | None):
    fences.run()
    (file,) = fences.kernels()
    content = file.read_bytes()
    if damage is None:  # one bit
        damage = content[:-50] + bytes([content[-50] ^ 1]) + content[-49:]
    file.write_bytes(content[: len(content) // 2] if isinstance(damage, str) else damage)
    assert fences.run()[:3] == (42, True, 0)
    assert fences.run()[:3] == (42, False, 0)


def test_processes_that_start_at_once_compile_once(fences: Fences):
    running = [fences.start() for _ in range(4)]  # their pipes are closed by `communicate`
    said = [process.communicate(timeout=120) for process in running]
    assert all(out.startswith("42 ") for out, _ in said), said
    assert sum("True" in out.split() for out, _ in said) == 1


def test_a_process_that_is_killed_while_it_compiles_keeps_no_other_waiting(fences: Fences):
    killed = SCRIPT.replace("def on_start(self, event):", "def on_start(self, event):\n        import os; os.abort()")
    with fences.start(killed) as process:
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert fences.run()[:3] == (42, True, 0)


def test_a_folder_that_cannot_be_made_costs_one_warning(fences: Fences):
    result, compiled, warned, text = fences.run(LIMEN_CACHE_DIR="/proc/nowhere")
    assert (result, compiled, warned) == (42, True, 1)
    assert "/proc/nowhere" in text
    assert "LIMEN_CACHE_DIR" in text


@pytest.mark.parametrize("home", ["", "/", "/proc"])
def test_without_a_home_folder_kernels_are_compiled_in_memory(fences: Fences, home: str):
    # A user without an entry in /etc/passwd, as in a container.
    script = SCRIPT.replace("import warnings", "import os, pwd, warnings\npwd.getpwuid = {}.__getitem__", 1)
    result, compiled, warned, _ = fences.run(script, LIMEN_CACHE_DIR=None, HOME=home)
    assert (result, compiled) == (42, True)
    assert warned == 1


def test_a_cache_that_is_removed_while_it_is_in_use_is_made_again(fences: Fences):
    remove = "    import shutil; shutil.rmtree(cache.folder(cache.__file__).parent)\n"
    script = SCRIPT.replace("    result =", f"{remove}    result =")
    assert fences.run(script)[:3] == (42, True, 0)
    assert fences.run()[1] is False


def test_files_that_cannot_be_written_cost_one_warning(fences: Fences):
    # As on a full disk: writing fails after the file has been opened.
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    assert fences.run(limit + SCRIPT)[:3] == (42, True, 1)
    assert fences.kernels() == []
    assert fences.run()[:3] == (42, True, 0)


@pytest.fixture
def small_disk(tmp_path: Path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("disks can be mounted by root only")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_costs_one_warning(fences: Fences, small_disk: Path):
    (small_disk / "filler").write_bytes(b"x" * 4096)
    assert fences.run(LIMEN_CACHE_DIR=str(small_disk))[:3] == (42, True, 1)


def test_a_read_only_disk_is_read_from_and_costs_a_warning_for_what_it_lacks(fences: Fences, small_disk: Path):
    subprocess.run(["mount", "-o", "remount,size=4m", small_disk], check=True)
    fences.run(LIMEN_CACHE_DIR=str(small_disk))
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert fences.run(LIMEN_CACHE_DIR=str(small_disk))[:3] == (42, False, 0)
    other_types = SCRIPT.replace("twice(40)", "int(twice(40.0))")
    assert fences.run(other_types, LIMEN_CACHE_DIR=str(small_disk))[:3] == (42, True, 1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
@pytest.mark.parametrize("what", ["folder", "file", "writable"])
def test_what_another_user_can_have_written_is_not_loaded(fences: Fences, what: str):
    fences.run()
    if what == "folder":
        os.chown(fences.cache, 65534, 65534)
    elif what == "file":
        os.chown(fences.kernels()[0], 65534, 65534)
    else:
        fences.cache.chmod(0o777)
    result, compiled, warned, text = fences.run()
    assert (result, compiled) == (42, True)
    if what == "file":  # it is replaced
        assert fences.run()[:3] == (42, False, 0)
    else:
        assert warned == 1
        assert "other users" in text


def test_folders_of_keys_that_are_no_longer_used_are_removed(fences: Fences):
    old, strange = fences.cache / ("0" * 20), fences.cache / "kept"
    recent = [fences.cache / f"{number:020x}" for number in range(1, 12)]
    for place, each in enumerate([old, strange, *recent]):
        each.mkdir(parents=True)
        os.utime(each, (1e9, 1e9) if each in (old, strange) else None)
        if each in recent:
            os.utime(each, (each.stat().st_atime, each.stat().st_mtime - place))
    fences.run()
    assert not old.exists()
    assert strange.exists()
    assert sum(each.exists() for each in recent) == 7


def test_other_functions_of_the_process_keep_numbas_own_cache(fences: Fences):
    (fences.folder / "mine.py").write_text("import numba\n\n@numba.njit(cache=True)\ndef f(x):\n    return x + 2\n")
    script = """
import os
from fences.kernels.outer import twice
import numba
from mine import f
print(f(twice(38)), numba.config.CACHE_LOCATOR_CLASSES == "" and f.stats.cache_path == os.path.abspath("mine/cache"), 0)
""".replace('os.path.abspath("mine/cache")', repr(str(fences.folder / "__pycache__")))
    for internals in ("0", "1"):
        assert fences.run(script, LIMEN_NUMBA_INTERNALS=internals)[:2] == (42, True)
