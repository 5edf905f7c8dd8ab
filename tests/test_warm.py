"""Compiling before kernels are needed: what a warm process finds, and that nothing is left to compile."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

import limen
from limen import warm
from limen.errors import InvalidInput

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.mark.parametrize("family", warm.FAMILIES)
@pytest.mark.slow
def test_every_step_of_a_family_runs(family: str):
    seen: list[tuple[int, int]] = []
    warm.warm_here(family, lambda number, of: seen.append((number, of)))
    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][0] == seen[-1][1]


def test_families_come_with_the_longest_first_and_wrong_ones_are_named():
    assert set(warm.check_families([])) == set(warm.FAMILIES)
    assert warm.check_families(["pattern", "budget"]) == ["budget", "pattern"]
    with pytest.raises(InvalidInput, match="got nearst"):
        warm.check_families(["nearst"])


@pytest.mark.parametrize("time_unit", [None, "s", "ns"])
def test_rows_fit_any_columns(time_unit: str | None):
    columns = limen.Columns(id="ship", time="at", values=("a", "b"), attributes=("flag",), time_unit=time_unit)
    engine = limen.Engine(columns, queries=[limen.Border("q", limen.Box((2, 2), (8, 8)))])
    assert engine.process(warm.rows(columns)).num_rows > 0
    assert engine.counters["rejected"] == {}


def run(script: str, cache: Path) -> str:
    environment = {**os.environ, "LIMEN_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


JOB = """
import limen
from limen import warm
columns = limen.Columns(id="ship", time="at", values="depth", attributes=("flag",))
queries = [limen.Border(f"q{i}", limen.Range(i, i + 3), where="flag = 'PA'") for i in range(5)]
"""


@compiled_only
@pytest.mark.slow
def test_a_job_finds_its_kernels_compiled_by_the_process_beside_it(tmp_path: Path):
    run(JOB + "warm.start_job(columns, queries, {'order': 'event', 'shards': 4})", tmp_path)
    deadline = time.monotonic() + 120
    while not list(tmp_path.rglob("*.done")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    before = {each.name for each in tmp_path.rglob("*")}
    run(JOB + "limen.Engine(columns, queries=queries, order='event').process(warm.rows(columns))", tmp_path)
    assert {each.name for each in tmp_path.rglob("*")} == before
    again = "import subprocess; subprocess.Popen = None; warm.start_job(columns, queries, {'order': 'event'})"
    run(JOB + again, tmp_path)  # it was done


def test_what_a_job_cannot_run_is_left_out():
    columns = limen.Columns(id="ship", time="at", values="depth", attributes=("flag",))
    fits = limen.Border("fits", limen.Range(2, 8))
    warm.warm_job(columns, [limen.Border("no", limen.Box((0, 0), (1, 1))), fits], {"lateness": 1.0})
