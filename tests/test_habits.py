"""What CONTRIBUTING.md promises: where tests are, one meaning a name, a short way for a tuple."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "limen", ROOT / "tests"


def mirrored(module: Path) -> Path:
    """Return the test file of a module: tests mirror the source."""
    place = module.relative_to(SOURCE)
    return TESTS / place.parent / f"test_{place.name}"


def missing(modules: list[Path]) -> list[str]:
    """Return the test files that modules should have and do not."""
    assert modules, "no modules found: has the source moved?"
    files = (mirrored(module) for module in modules if module.stem != "__init__")
    return sorted(str(file.relative_to(ROOT)) for file in files if not file.is_file())


def test_every_module_of_the_runtime_has_its_test_file():
    assert missing(list((SOURCE / "runtime").rglob("*.py"))) == []


def test_the_operator_of_every_query_family_has_its_test_file():
    assert missing(list((SOURCE / "queries").glob("*/operator.py"))) == []


def test_no_two_classes_have_the_same_name():
    places: dict[str, list[str]] = {}
    for module in [*SOURCE.rglob("*.py"), *(ROOT / "lab" / "limen_lab").rglob("*.py")]:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(module.relative_to(ROOT)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_one_tuple_passes_few_files():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "walk.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
