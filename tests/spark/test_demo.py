"""`limen demo`: the main job, small."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from limen.cli.demo.command import _MADE
from limen.cli.main import app
from limen.engine import Engine
from limen.formats.load import load_queries
from limen.simulate import PRICE_COLUMNS
from limen.simulate.market import NEWCOMER, Market

SMALL = ("--streams", "40", "--alerts", "600", "--ticks", "60", "--batches", "3", "--seed", "7")


def demo(out: Path) -> str:
    done = CliRunner().invoke(app, ["demo", *SMALL, "--out", str(out)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_it_shows_and_keeps_what_the_engine_finds(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "job.toml").write_text(_MADE)  # as an earlier demo left it
    (tmp_path / "out" / "old").touch()
    output = demo(tmp_path / "out")
    assert not (tmp_path / "out" / "old").exists()
    engine = Engine(PRICE_COLUMNS, load_queries(tmp_path / "out" / "queries.jsonl"))
    prices = [pq.read_table(path) for path in sorted((tmp_path / "out" / "prices").iterdir())]
    found = {id for batch in prices for id in engine.process(batch.slice(0))["event_id"].to_pylist()}
    kept = pq.read_table(tmp_path / "out" / "events", partitioning=None)
    own = kept.filter([query != NEWCOMER for query in kept["query_id"].to_pylist()])
    last = prices[-1]["time"][-1].value  # what is at the largest time is not complete
    assert set(own["event_id"].to_pylist()) <= found
    assert len(own) > 100
    assert max(own["time"].cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_pylist()) < last
    newcomer = [
        reason
        for query, reason in zip(*(kept[name].to_pylist() for name in ("query_id", "reason")), strict=True)
        if query == NEWCOMER
    ]
    assert newcomer[0] == "registered"
    assert f"{len(kept):,} events in" in output
    assert "2,400 rows" in output
    picture = (tmp_path / "out" / "demo.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000


def test_it_replaces_nothing_but_an_earlier_demo(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    refused = CliRunner().invoke(app, ["demo", *SMALL, "--out", str(tmp_path / "mine")])
    assert refused.exit_code == 2
    assert "--out: expected a new folder, or one of an earlier demo" in refused.output
    assert (tmp_path / "mine" / "letter").read_text() == "dear"


def test_the_same_seed_gives_the_same_market() -> None:
    first, second, other = (Market(10, 40, 4, 2, seed).queries() for seed in (1, 1, 2))
    assert first == second
    assert first != other
    assert {query.id.split(" ")[0] for query in first} >= {"range", "buy", "sell"}
