"""`limen bench start`: what a user waits for before the first result, cold and warm, in processes of their own."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from limen_lab.bench.record import Record

CPU, CLOCK = "s (CPU)", "s"
TURNS = 3
#: Processor seconds that the first result may take where nothing is compiled.
COLD = {"Border": 6, "Pattern": 8, "Nearest": 15, "Within": None, "Transition": None, "Match": None, "memory": None}
WARM, WHEEL, DEMO, WORKER, HELP = 0.8, 3.0, 20.0, 1.5, 0.3

#: A program of a user, from its first import to its first result.
FIRST = """
import json, os, sys, time
began = time.perf_counter()
import pyarrow as pa
import limen
family = sys.argv[1]
two = family != "Border"
columns = limen.Columns(id="id", time="time", values=("x", "y") if two else "x", time_unit="s")
region = limen.Box((2, 2), (5, 5)) if two else limen.Range(2, 5)
queries = {
    "Border": lambda: limen.Border("q", region),
    "Transition": lambda: limen.Transition("q", region, within=2),
    "Match": lambda: limen.Match("q", region),
    "Within": lambda: limen.Within("q", focal="s1", width=3, height=3),
    "memory": lambda: limen.Within("q", region),
    "Nearest": lambda: limen.Nearest("q", 2, center=(3, 3)),
    "Pattern": lambda: limen.Pattern(
        "q", {"a": "x > 5", "b": "x < 5"}, [limen.Pair("a", "b", after=(0, 3), distance=50.0)]
    ),
}
options = {"max_speed": 5.0, "report_every": 1, "memory": 10**7, "shedding": "object"} if family == "memory" else {}
engine = limen.Engine(columns, queries=[queries[family]()], **options)
rows = {"id": [f"s{i % 7}" for i in range(50)], "time": list(range(50)), "x": [float(i % 11) for i in range(50)]}
if two:
    rows["y"] = [float(i % 5) for i in range(50)]
events = engine.process(pa.table(rows))
assert events.num_rows > 0
spent = sum(os.times()[:2])
print(json.dumps({"clock": time.perf_counter() - began, "cpu": spent}))
"""

#: The first batch of a job on Spark; of one that returns its rows as they are, shuffled and sorted as a job has them;
#: and of one that only returns them.
SPARK = """
import json, sys, time
import limen
from limen.spark import monitor, session
spark = session(**{"spark.ui.enabled": "false"})
spark.sparkContext.setLogLevel("ERROR")
spark.range(10).selectExpr("id + 1").write.format("noop").mode("overwrite").save()  # Spark's own start
rows = spark.range(2000).selectExpr("concat('s', id % 50) AS id", "timestamp_seconds(id) AS time", "sin(id) * 9 AS x")
if sys.argv[1] == "alone":
    frame = rows.mapInArrow(lambda batches: batches, rows.schema)
elif sys.argv[1] == "identity":
    shards = spark.sparkContext.defaultParallelism
    frame = rows.repartition(shards, "id").sortWithinPartitions("time").mapInArrow(lambda batches: batches, rows.schema)
else:
    columns = limen.Columns(id="id", time="time", values="x")
    frame = monitor(rows, [limen.Border(f"q{i}", limen.Range(i, i + 2)) for i in range(6)], columns)
began = time.perf_counter()
frame.write.format("noop").mode("overwrite").save()
print(json.dumps({"clock": time.perf_counter() - began}))
"""


def _run(script: str, *arguments: str, cache: Path, python: str = sys.executable, **environment: str) -> dict[str, Any]:
    """Run a script in a process with a folder for compiled kernels; return what it prints last."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "LIMEN_"))}
    done = subprocess.run(  # noqa: S603
        [python, "-c", script, *arguments], capture_output=True, text=True, check=True, cwd=cache,
        env={**clean, "LIMEN_CACHE_DIR": str(cache), **environment},
    )  # fmt: skip
    said: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return said


def cold() -> Iterator[Record]:
    """The first result of each family where nothing is compiled, and with what Numba documents only."""
    for family, most in COLD.items():
        with tempfile.TemporaryDirectory() as folder:
            ours = _run(FIRST, family, cache=Path(folder))["cpu"]
        with tempfile.TemporaryDirectory() as folder:
            plain = _run(FIRST, family, cache=Path(folder), LIMEN_NUMBA_INTERNALS="0")["cpu"]
        claim, reached = (f"≤ {most} s", ours <= most) if most else ("", None)
        yield Record(f"cold, {family}", {"rows": 50}, CPU, ours, {"without Numba's internals": plain}, claim, reached)


def warm() -> Iterator[Record]:
    """From the first import to the first result, with kernels compiled."""
    for family in COLD:
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder)
            _run(FIRST, family, cache=cache)
            taken = [_run(FIRST, family, cache=cache) for _ in range(TURNS)]
        ours = min(each["clock"] for each in taken)
        claim, reached = (f"≤ {WARM} s", ours <= WARM) if family == "Border" else ("", None)
        yield Record(f"warm, {family}", {"rows": 50, "turns": TURNS}, CLOCK, ours, {}, claim, reached)


def wheel() -> Iterator[Record]:
    """From the first import to the first result, from a platform wheel in an empty environment."""
    project = Path(__file__).parents[3]
    script = project / "scripts" / "platform_wheel.py"
    if not script.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        _call(sys.executable, "-m", "build", "--quiet", "--wheel", "--outdir", folder, str(project))
        (pure,) = Path(folder).glob("*.whl")
        _call(sys.executable, str(script), str(pure))
        (made,) = Path(folder).glob("*x86_64.whl")
        _call(sys.executable, "-m", "venv", f"{folder}/venv")
        _call(f"{folder}/venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", str(made))
        empty = Path(folder) / "empty"
        empty.mkdir()
        workload = {"rows": 50, "wheel MB": made.stat().st_size / 1e6, "pure wheel MB": pure.stat().st_size / 1e6}
        for family in COLD:
            taken = [_run(FIRST, family, cache=empty, python=f"{folder}/venv/bin/python") for _ in range(TURNS)]
            ours = min(each["clock"] for each in taken)
            compiled = sum(each.is_file() for each in empty.rglob("*"))
            reached = ours <= WHEEL and compiled == 0
            yield Record(f"platform wheel, {family}", workload, CLOCK, ours, {}, f"≤ {WHEEL:g} s", reached)


def command() -> Iterator[Record]:
    """The processor time of `limen --help`."""
    program = str(Path(sys.executable).with_name("limen"))
    best = float("inf")
    for _ in range(TURNS):
        before = os.times()
        _call(program, "--help")
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best, spent)
    yield Record("limen --help", {"turns": TURNS}, CPU, best, {}, f"≤ {HELP} s", best <= HELP)


def demo() -> Iterator[Record]:
    """Until the first events of `limen demo` are on screen, cold and warm."""
    program = str(Path(sys.executable).with_name("limen"))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LIMEN_CACHE_DIR": f"{folder}/kernels"}
        taken: dict[str, float] = {}
        for turn in ("cold", "warm"):
            began = time.perf_counter()
            with subprocess.Popen(  # noqa: S603
                [program, "demo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder,
                env=environment,
            ) as process:  # fmt: skip
                for line in process.stdout or ():
                    if turn not in taken and re.search(r"\b(enter|exit)\b", line):
                        taken[turn] = time.perf_counter() - began
    ours, others = taken["cold"], {"warm": taken["warm"]}
    yield Record("demo, first events", {"streams": 3000}, CLOCK, ours, others, f"≤ {DEMO:g} s", ours <= DEMO)


def spark() -> Iterator[Record]:
    """The first batch on Spark with kernels compiled, beyond what Spark takes to shuffle, sort and return the rows."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        _run(SPARK, "ours", cache=cache)
        best = {
            name: min(_run(SPARK, name, cache=cache)["clock"] for _ in range(TURNS))
            for name in ("ours", "identity", "alone")
        }
    ours = best["ours"] - best["identity"]
    yield Record(
        "first Spark batch, beyond the identity", {"rows": 2000, "turns": TURNS}, CLOCK, ours,
        {"identity": best["identity"], "identity, not shuffled": best["alone"]}, f"≤ {WORKER} s", ours <= WORKER,
    )  # fmt: skip


def _call(*program: str) -> None:
    subprocess.run(program, check=True, capture_output=True)  # noqa: S603


MEASURES = {"cold": cold, "warm": warm, "command": command, "wheel": wheel, "spark": spark, "demo": demo}
