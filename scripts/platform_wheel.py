"""Make a platform wheel of the pure one: with compiled kernels, for one Python, Numba and level of processor.

Usage: python scripts/platform_wheel.py dist/limen-0.1.0-py3-none-any.whl

The kernels are compiled for the x86-64-v3 level of processors, which the build tag names, by the Numba of this
environment, to which the wheel is pinned. On another processor they are compiled anew, as from the pure wheel.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

BUILD_TAG = "1x86_64v3"
PINNED = ("numba", "llvmlite")


def main() -> None:
    """Unpack the wheel, add compiled kernels, pin what compiled them, and pack it again."""
    pure = Path(sys.argv[1])
    if platform.machine() != "x86_64" or sys.platform != "linux":
        sys.exit(f"platform wheel: expected Linux on x86-64, got {sys.platform} on {platform.machine()}")
    with tempfile.TemporaryDirectory() as scratch:
        run("wheel", "unpack", "--dest", scratch, str(pure))
        (root,) = Path(scratch).iterdir()
        compile_into(root)
        (metadata,) = root.glob("*.dist-info/METADATA")
        metadata.write_text("\n".join(map(pinned, metadata.read_text(encoding="utf-8").split("\n"))), encoding="utf-8")
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        run("wheel", "pack", "--dest-dir", scratch, "--build-number", BUILD_TAG, str(root))
        (packed,) = Path(scratch).glob("*.whl")
        tags = ["--python-tag", python, "--abi-tag", python, "--platform-tag", "linux_x86_64"]
        run("wheel", "tags", "--remove", *tags, str(packed))
        (made,) = Path(scratch).glob("*.whl")
        target = pure.with_name(made.name)
        target.write_bytes(made.read_bytes())
    print(f"{target} ({target.stat().st_size / 1e6:.1f} MB, pure {pure.stat().st_size / 1e6:.1f} MB)")


def compile_into(root: Path) -> None:
    """Compile all kernels of the unpacked wheel into its package."""
    folder = root / "limen" / "compiled"
    baseline = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    subprocess.run(
        [sys.executable, "-m", "limen", "warm"],
        check=True,
        cwd=root,
        env={**os.environ, **baseline, "LIMEN_CACHE_DIR": str(folder), "PYTHONPATH": str(root)},
    )
    for leftover in [*folder.rglob(".*"), *root.rglob("__pycache__")]:
        if leftover.is_file():
            leftover.unlink()
        else:
            for each in leftover.iterdir():
                each.unlink()
            leftover.rmdir()


def pinned(line: str) -> str:
    """Return a line of the metadata, with a requirement pinned to the version that compiled."""
    name = line.removeprefix("Requires-Dist: ").split(";")[0].rstrip("<>=!~.,0123456789 ")
    return f"Requires-Dist: {name}=={version(name)}" if line.startswith("Requires-Dist:") and name in PINNED else line


def run(*command: str) -> None:
    """Run a module of Python."""
    subprocess.run([sys.executable, "-m", *command], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


if __name__ == "__main__":
    main()
