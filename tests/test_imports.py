"""What may be imported, and what `import limen` alone may load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "src/limen", ROOT / "lab/limen_lab")


def test_import_limen_is_light():
    heavy = ("matplotlib", "pandas", "pyspark", "rich", "shapely", "sqlglot", "starlette", "typer", "uvicorn")
    script = f"import sys, limen; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_state_name_is_known_without_loading_the_operators():
    # Spark starts a process to read it, and every stream waits for that process.
    heavy = ("limen.runtime", "limen.queries", "numba", "pandas", "pyarrow")
    script = f"import sys, limen.spark.processor; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_everything_is_there_though_it_is_loaded_late():
    script = "import limen; [getattr(limen, each) for each in dir(limen)]; print(set(limen.__all__) - set(dir(limen)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_kernels_import_only_numpy_numba_with_its_llvmlite_and_other_kernels(package):
    imported = {
        (str(path.relative_to(package)), module)
        for folder in package.rglob("kernels")
        for path in folder.rglob("*.py")
        for module in imported_modules(path)
    }
    allowed = {"llvmlite", "numba", "numpy", *sys.stdlib_module_names}
    others = {
        (file, module)
        for file, module in imported
        if module.split(".")[0] not in allowed and "kernels" not in module.split(".")
    }
    assert imported
    assert others == set()


def test_the_product_does_not_import_the_lab():
    product = PACKAGES[0]
    importers = {
        str(path.relative_to(product))
        for path in product.rglob("*.py")
        for module in imported_modules(path)
        if module.split(".")[0] in {"lab", "limen_lab"}
    }
    assert importers == set()


def imported_modules(path):
    """Return the full names of the modules that a file imports, wherever in the file."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # A module can be imported from its package, so the name counts too. A relative import begins with a dot,
            # which no rule allows.
            parent = "." * node.level + (node.module or "")
            modules |= {f"{parent}.{alias.name}" for alias in node.names}
    return modules
