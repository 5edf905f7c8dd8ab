"""State of an older version with answers under tight memory: it goes on, and all that fits comes back.

The stored files were written by that version: `record` of this module, run on its tree.
"""

import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from limen import Box, Columns, Engine, Nearest, Within
from limen.checkpoint.codec import decode
from limen.checkpoint.manifest import Manifest
from limen.formats.query_json import query_to_dict
from tests.checkpoint.test_journal import MemoryPages, Workers

VERSIONS = Path(__file__).parent / "versions"
COLUMNS: dict[str, Any] = {"id": "id", "time": "t", "values": ["x", "y"], "time_unit": "us"}
QUERIES = [
    Within("most", Box((0, 0), (90, 100))),
    Within("strict", Box((0, 0), (30, 30)), min_accuracy=60),
    Nearest("near", 5, center=(95, 50)),
]
OPTIONS: dict[str, Any] = {"max_speed": 0.001, "report_every": 8, "memory": 20_000}
MANY, FEW = 400, 60  # streams: more than there is room for, and less
SPIKE = 24  # seconds with many
SHEDDING = ("query", "object")


def rows(second: int, streams: int) -> list[dict[str, Any]]:
    """Return what is reported in a second; nobody moves, and each reports every eight."""
    random = Random(7)
    place = [(random.uniform(0, 100), random.uniform(0, 100)) for _ in range(streams)]
    return [
        {"id": f"s{i}", "t": second * 1_000_000, "x": place[i][0], "y": place[i][1]}
        for i in range(second % 8, streams, 8)
    ]


def begun(shedding: str) -> tuple[Engine, Workers]:
    """Return an engine, and the worker of a shard, with the queries and no streams yet."""
    engine = Engine(Columns(**COLUMNS), QUERIES, shedding=shedding, **OPTIONS)
    return engine, Workers(COLUMNS, [query_to_dict(query) for query in QUERIES], 1, shedding=shedding, **OPTIONS)


def record(version: int, folder: Path) -> None:
    """Write what a spike leaves, as a snapshot and as pages."""
    for shedding in SHEDDING:
        engine, workers = begun(shedding)
        for second in range(SPIKE):
            engine.process(pa.Table.from_pylist(rows(second, MANY)))
            workers.process(rows(second, MANY))
        with zipfile.ZipFile(folder / f"version-{version}-{shedding}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("snapshot", engine.snapshot())
            for name, page in workers.pages.current.items():
                archive.writestr(f"pages/{name}", page)


def assert_all_is_back(kept: dict[str, Any], shedding: str) -> None:
    """What is kept is what somebody keeps who has never seen a spike."""
    calm, _ = begun(shedding)
    for second in range(16):
        calm.process(pa.Table.from_pylist(rows(second, FEW)))
    assert kept["least_accuracy"] == 100
    assert kept["share"] == 1.0
    assert kept["shadows"] == 0
    assert kept["stored"] == calm.counters["kept"]["stored"] > FEW / 2


@pytest.mark.parametrize("shedding", SHEDDING)
def test_a_snapshot_of_version_6_goes_on(shedding: str) -> None:
    with zipfile.ZipFile(VERSIONS / f"version-6-{shedding}.zip") as archive:
        engine = Engine.restore(archive.read("snapshot"))
    kept = engine.counters["kept"]
    assert kept["least_accuracy"] < 60
    assert 0 < kept["used"] <= 1.1 * OPTIONS["memory"]
    for second in range(SPIKE, SPIKE + 64):
        engine.process(pa.Table.from_pylist(rows(second, FEW)))
    assert_all_is_back(engine.counters["kept"], shedding)


@pytest.mark.parametrize("shedding", SHEDDING)
def test_pages_of_version_6_go_on(shedding: str) -> None:
    _, workers = begun(shedding)
    pages = MemoryPages()
    with zipfile.ZipFile(VERSIONS / f"version-6-{shedding}.zip") as archive:
        for name in archive.namelist():
            if name.startswith("pages/"):
                pages.put(name.removeprefix("pages/"), archive.read(name))
    assert decode(pages.current["directory"], "")[1]["version"] == 6
    workers.pages, workers.copies = pages, [None]
    assert Manifest.read(pages) is not None
    told = []
    for second in range(SPIKE, SPIKE + 64):
        told += workers.process(rows(second, FEW))
    assert {event["kind"] for event in told} == {"add", "remove"}
    copy = workers.copies[0]
    assert copy is not None
    assert_all_is_back(copy.shard.gauges()["kept"], shedding)
    assert decode(pages.current["directory"], "")[1]["version"] > 6
