"""Events to report on: what an engine tells of cars in a square, with names that are no plain words."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import limen
from limen.cli.simulate.workload_files import json_lines

EVIL = "<script>alert('x')</script>"
COLUMNS = limen.Columns("car", "t", ("x", "y"), time_unit="s")
QUERIES = [
    limen.Border("depot", limen.Box((2, 2), (6, 6)), initial="report"),
    limen.Transition(EVIL, limen.Box((2, 2), (6, 6)), within=20),
    limen.Nearest("near, by", 2, center=(5, 5)),
]


def made() -> pa.Table:
    """Return some events of all sorts."""
    engine = limen.Engine(COLUMNS, queries=QUERIES)
    cars = {"a": 0, "NA": 3, f"{EVIL} &": 5}
    rows = [
        {"car": car, "t": second, "x": float((second + shift) % 9), "y": float((second * 2 + shift) % 9)}
        for second in range(0, 300, 3)
        for car, shift in cars.items()
    ]
    return pa.concat_tables([engine.process(pa.Table.from_pylist(rows)), engine.close()])


def write_parquet(folder: Path, events: pa.Table) -> Path:
    """Write them as a job does, a folder a batch, with what is not to be read beside."""
    for number in range(3):
        batch = folder / "job=j" / f"batch={number}"
        batch.mkdir(parents=True)
        size = len(events) // 3 + 1
        pq.write_table(events.slice(number * size, size), batch / "part-0.snappy.parquet")
        (batch / "_SUCCESS").touch()
        (batch / ".part-0.snappy.parquet.crc").write_bytes(b"crc")
    (folder / "_temporary").mkdir()
    (folder / "_temporary" / "part-9.parquet").write_bytes(b"half of a file")
    return folder


def write_json(folder: Path, events: pa.Table) -> Path:
    """Write them as lines."""
    lines = [json.loads(line) for line in json_lines(events.drop_columns("bindings"))]
    # As Spark does, without what is null.
    text = "\n".join(json.dumps({key: value for key, value in line.items() if value is not None}) for line in lines)
    (folder / "part-0.json").write_text(text, encoding="utf-8")
    (folder / "part-1.json").touch()
    return folder


def write_csv(folder: Path, events: pa.Table, *, headed: bool) -> Path:
    """Write them as Spark does: lists as JSON, a backslash before quotes within quotes, nothing for null."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        text = json.dumps(value, separators=(",", ":")) if isinstance(value, list) else str(value)
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if set(text) & set(',"\n') else text

    times = {name: pc.strftime(events[name], format="%Y-%m-%dT%H:%M:%SZ") for name in ("time", "started_at")}
    for name, texts in times.items():
        events = events.set_column(events.schema.get_field_index(name), name, texts)
    events = events.set_column(events.schema.get_field_index("bindings"), "bindings", pa.nulls(len(events)))
    lines = [",".join(events.schema.names)] if headed else []
    lines += [",".join(map(cell, row.values())) for row in events.to_pylist()]
    (folder / "part-0.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
