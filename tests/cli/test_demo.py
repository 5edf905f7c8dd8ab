import re
from itertools import islice

import pyarrow as pa
import pytest
from rich.console import Console
from typer.testing import CliRunner

from limen import Border, Engine, Range, workloads
from limen.cli import demo
from limen.cli.main import app
from limen.cli.screen import Screen

pytestmark = pytest.mark.slow  # kernels are compiled or loaded

TINY = ("demo", "--streams", "50", "--alerts", "1000", "--seed", "7")


def without_timings(output):
    return [line for line in output.splitlines() if not re.search(r"/s|after|a row|rows \d", line)]


def summary(output):
    lines = output.partition("Summary")[2].strip().splitlines()
    return dict(re.split(r"\s{2,}", line.strip()) for line in lines)


def test_a_tiny_run_ends_with_a_summary():
    result = CliRunner().invoke(app, [*TINY, "--seconds", "0"])  # no time: one batch, and a registration
    assert result.exit_code == 0, result.output
    assert result.output.startswith("compiling kernels (once)…\nkernels ready after ")
    assert "registered now: 'newcomer', " in result.output
    assert "enter  newcomer" in result.output
    figures = summary(result.output)
    assert (figures["streams"], figures["alerts"], figures["rows"]) == ("50", "1,001", "30,000")
    enters, exits, events = (int(figures[name].replace(",", "")) for name in ("enter", "exit", "events"))
    assert enters > 0
    assert exits > 0
    assert enters + exits == events
    assert {
        "state",
        "time a row in the engine",
        "NumPy scan of the 500 ranges alone, a row",
    } <= figures.keys()


def test_output_that_is_no_terminal_is_plain_lines():
    output = CliRunner().invoke(app, [*TINY, "--seconds", "1.2"]).output
    assert "\x1b" not in output
    assert re.search(r"^streams 50, alerts 1,00[01], rows [\d,]+, events [\d,]+, enter ", output, re.MULTILINE)
    assert re.search(r"^  \d\d:\d\d:\d\d  S\d\d  (enter|exit)  (range|buy|sell|watch) \d+  at ", output, re.MULTILINE)


def test_the_same_seed_gives_the_same_run():
    first, second = (CliRunner().invoke(app, [*TINY, "--seconds", "0"]).output for _ in range(2))
    assert without_timings(first) == without_timings(second)
    other = CliRunner().invoke(app, [*TINY, "--seconds", "0", "--seed", "8"]).output
    assert without_timings(first) != without_timings(other)


def test_an_interrupted_run_still_sums_up(monkeypatch):
    batches = iter([lambda run, prices: Engine.process(run.engine, prices)])

    def interrupted(run, prices):
        for process in batches:
            return process(run, prices)
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "warm_up", lambda: None)
    monkeypatch.setattr(demo.Run, "process", interrupted)
    result = CliRunner().invoke(app, [*TINY, "--seconds", "60"])
    assert result.exit_code == 0
    assert "ended early" in result.output
    assert summary(result.output)["rows"] == "30,000"


@pytest.mark.parametrize(("streams", "alerts"), [(1, 1), (10, 3), (3, 100)])
def test_as_many_alerts_as_asked_for(streams, alerts):
    market = demo.open_market(streams, alerts, seed=0)
    assert market.engine.counters["queries"] == alerts
    assert next(market.prices).num_rows == demo.BATCH_ROWS


def test_a_scan_takes_longer_with_more_alerts():
    few, many = (demo.open_market(streams=10, alerts=alerts, seed=3) for alerts in (20, 40_000))
    assert 0 < demo.scan_seconds(few, seed=3) < demo.scan_seconds(many, seed=3)


def test_a_terminal_gets_a_panel_with_figures_events_and_remarks(monkeypatch):
    console = Console(force_terminal=True, width=100, height=40, record=True)
    engine = Engine(workloads.PRICE_COLUMNS, queries=[Border("any", Range(None, None), initial="report")])
    events = pa.concat_tables(map(engine.process, islice(workloads.price_streams(2, 2), 2)))
    with Screen(console, "two streams", lambda: {"rows": "4"}) as screen:
        monkeypatch.setattr(screen, "_interval", 0.0)
        screen.say("look here", events.slice(0, 0))
        screen.show(events)
    text = console.export_text().rpartition("two streams")[2]  # drawn twice: when shown and at the end
    assert re.search(r"rows +4", text)
    assert "look here" in text
    assert len(re.findall(r"00:00:00  S\d  enter  any  at [\d,.]+ \(appeared\)", text)) == 2
