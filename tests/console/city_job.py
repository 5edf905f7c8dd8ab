"""A job without Spark: a simulated city through an engine, with the telemetry of a job on Spark.

Also a program: ``python -m tests.console.city_job FOLDER --vehicles 10000 --fences 1000``.
"""

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from limen import Border, Box, Circle, Engine, Match, Nearest, Pair, Pattern, Polygon, Transition, Within
from limen.errors import LimenError
from limen.formats.query_json import change_from_json, query_to_dict
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.query import Query
from limen.model.time import from_micros
from limen.runtime.batch_reader import read
from limen.simulate.generated_roads import generated_roads
from limen.simulate.reports import TRAFFIC_COLUMNS
from limen.simulate.roads import RoadNetwork
from limen.simulate.traffic import Traffic
from limen.telemetry import TelemetrySettings
from limen.telemetry.publisher import JobPublisher
from limen.telemetry.task import TaskPublisher

NO_CHANGES = {"applied": 0, "rejected": 0}


class EngineJob:
    """Batches through an engine, and what a job tells of them.

    The times of rows are moved so that the first is now: lag and watermark then look as in a running job.
    """

    def __init__(
        self,
        folder: Path,
        columns: Columns,
        queries: list[Query],
        *,
        anew: bool = True,
        expire_after: int | None = None,
        **facts: Any,
    ) -> None:
        self.folder, self.columns = folder, columns
        self.changes = folder.with_name(folder.name + "-changes")
        self.engine = Engine(columns, queries, measure_accuracy=False, expire_after=expire_after)
        self.settings = TelemetrySettings(str(folder))
        said: dict[str, Any] = {
            "name": "city", "columns": columns.to_dict(), "options": {}, "changes": {"folder": str(self.changes)},
            "job_file": "city.toml", "trigger": 1.0, **facts,
        }  # fmt: skip
        self.publisher = JobPublisher(self.settings, said, [json.dumps(query_to_dict(query)) for query in queries])
        self.publisher.begin(anew=anew)
        self._runs = False
        self.batch, self._taken, self._types = 0, set[str](), dict[str, pa.DataType]()

    def step(self, table: pa.Table) -> pa.Table:
        """Take a batch of rows, and the changes that have come; return the events."""
        began = time.perf_counter()
        task = TaskPublisher(self.settings, self.batch, 0)
        applied = self._apply(task)
        before = dict(self.engine.counters["events"])
        rows, rejected = read(table, self.columns, self._types)
        task.rows(rows, len(table))
        events = pa.concat_tables([*applied, self.engine.process(table)])
        list(task.events(iter(events.combine_chunks().to_batches()), self.settings.events))
        counters = dict(self.engine.counters)
        told = {kind: n - before.get(kind, 0) for kind, n in counters["events"].items() if n > before.get(kind, 0)}
        mark = self.engine.watermark
        counters |= {"rows": len(table), "events": told, "rejected": rejected, "problems": []}
        counters |= {"watermark": from_micros(mark) if mark is not None else None}
        if not self._runs:
            self._runs = True
            self.publisher.running()
        self.publisher.batch(self.batch, round(1000 * (time.perf_counter() - began)), counters)
        self.batch += 1
        return events

    def _apply(self, task: TaskPublisher) -> list[pa.Table]:
        events, arrived = [], []
        for path in sorted(self.changes.glob("[!.]*")) if self.changes.exists() else []:
            if path.name in self._taken:
                continue
            self._taken.add(path.name)
            for text in path.read_text().splitlines():
                plain, error = json.loads(text), None
                try:
                    change = change_from_json(text)
                    if isinstance(change, Register):
                        events.append(self.engine.register(change.query))
                    elif isinstance(change, Deregister):
                        events.append(self.engine.deregister(change.id))
                except LimenError as problem:
                    error = str(problem)
                id = plain.get("id") or plain.get("query", {}).get("id")
                said = {"op": plain["op"], "id": id, "seq": plain.get("seq"), "at": None, "change": text}
                arrived.append({**said, "error": error})
        task.changes(arrived)
        return events


def city_queries(network: RoadNetwork, fences: int, seed: int = 0) -> list[Query]:
    """Make queries of all families over a city: mostly fences, of all shapes."""
    rng = np.random.default_rng(seed)
    width, height = network.extent.tolist()
    nodes = network.xy[rng.choice(len(network.xy), fences)]
    queries: list[Query] = []
    for number, (x, y) in enumerate(nodes.round().tolist()):
        size = round(float(rng.uniform(120, 420)))
        kind = number % 10
        if kind < 4:
            queries.append(Border(f"fence {number:04}", Box((x - size, y - size * 0.7), (x + size, y + size * 0.7))))
        elif kind < 6:
            turn = np.sort(rng.uniform(0, 2 * np.pi, 7))
            reach = size * rng.uniform(0.6, 1.1, 7)
            shell = np.column_stack([x + reach * np.cos(turn), y + reach * np.sin(turn)]).round(1)
            queries.append(Border(f"zone {number:04}", Polygon(shell.tolist()), initial="report"))
        elif kind < 8:
            queries.append(Transition(f"garage {number:04}", Box((x - 90, y - 90), (x + 90, y + 90)), within=60))
        elif kind == 8:
            queries.append(Within(f"school {number:04}", Circle((x, y), size * 0.8)))
        else:
            queries.append(Match(f"toll {number:04}", Circle((x, y), 60), where="speed > 40"))
    middle = (width / 2, height / 2)
    queries += [Nearest(f"taxis at stand {n}", 5, center=(middle[0] + 900 * n, middle[1])) for n in range(-2, 3)]
    queries.append(
        Pattern(
            "fast and close",
            {"a": "speed > 57", "b": "speed > 57"},
            [Pair("a", "b", after=(0, 2), distance=25.0, where="a.vehicle <> b.vehicle")],
        )
    )
    return queries


def city_tables(network: RoadNetwork, vehicles: int, batch_seconds: int, interval: int = 3) -> Iterator[pa.Table]:
    """Yield the reports of traffic without end, in batches; the first is of now."""
    traffic = Traffic(network=network, objects=vehicles, reports=1_000_000, interval=interval, kind=0.9)
    first: pa.Scalar | None = None
    began = pa.scalar(time.time_ns() // 1000 - 1_500_000, pa.timestamp("us", "UTC"))
    for table in traffic.tables(batch_seconds):
        first = table["time"][0] if first is None else first
        passed = (table["time"].cast(pa.int64()).to_numpy() - first.value) // batch_seconds  # a batch a second
        yield table.set_column(1, "time", pa.array(began.value + passed, pa.timestamp("us", "UTC")))


def save_roads(network: RoadNetwork, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "roads.npz", xy=network.xy, ends=network.ends, road_class=network.road_class)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vehicles", type=int, default=2_000)
    parser.add_argument("--fences", type=int, default=200)
    parser.add_argument("--batches", type=int)
    parser.add_argument("--batch-seconds", type=int, default=3)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--read-only", action="store_true")
    options = parser.parse_args()
    network = generated_roads()
    save_roads(network, options.folder)
    queries = city_queries(network, options.fences)
    facts: dict[str, Any] = {"changes": None} if options.read_only else {}
    job = EngineJob(options.folder, TRAFFIC_COLUMNS, queries, anew=not options.resume, expire_after=10, **facts)
    if options.resume:
        job.batch = sum(1 for _ in (options.folder / "batches.jsonl").open())
    due = time.monotonic()
    for table in itertools.islice(city_tables(network, options.vehicles, options.batch_seconds), options.batches):
        job.step(table)
        due += options.every
        time.sleep(max(due - time.monotonic(), 0))
    job.publisher.end()


if __name__ == "__main__":
    main()
