"""What may be imported, and what `import limen` alone may load."""

import ast
import subprocess
import sys
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "src/limen/kernels"


def test_import_limen_is_light():
    heavy = ("matplotlib", "nicegui", "pandas", "pyspark", "rich", "shapely", "sqlglot", "typer")
    script = f"import sys, limen; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_name_of_a_state_is_told_without_loading_what_plays_rows():
    # Spark starts a process to ask for it, and every stream waits for that.
    heavy = ("limen.operators", "numba", "pandas", "pyarrow")
    script = f"import sys, limen.spark.processor; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_everything_is_there_though_it_is_loaded_late():
    script = "import limen; [getattr(limen, each) for each in dir(limen)]; print(set(limen.__all__) - set(dir(limen)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_kernels_import_only_numpy_numba_with_its_llvmlite_and_each_other():
    imported = {
        (path.name, module)
        for path in KERNELS.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for module in imported_modules(node)
    }
    allowed = {"__future__", "llvmlite", "numba", "numpy", "limen.kernels", *sys.stdlib_module_names}
    strangers = {
        (file, module)
        for file, module in imported
        if module.split(".")[0] not in allowed and ".".join(module.split(".")[:2]) not in allowed
    }
    assert imported
    assert strangers == set()


def imported_modules(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        # A relative import in this flat package names a sibling.
        return ["limen.kernels"] if node.level else [node.module]
    return []
