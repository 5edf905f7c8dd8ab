"""`limen bench`: measure, side by side."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path  # typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console
from rich.table import Table

from limen.cli.error_text import errors_as_text
from limen.errors import InvalidInput, did_you_mean
from limen_lab.bench import border as border_bench
from limen_lab.bench import transition as transition_bench
from limen_lab.bench.record import Record

if TYPE_CHECKING:
    Measures: TypeAlias = Mapping[str, Callable[[], Iterator[Record]] | Callable[[], Iterator[Record | str]]]

app = typer.Typer(
    help="Measure what queries cost, beside what they are compared with.",
    no_args_is_help=True,
    add_completion=False,  # that of `limen` includes this command
)


_SPARK = "throughput, rival, latency, state"
_CONSOLE = "city, ticker"
_GEOFENCE = "million, city, zones, growth, choice"
_MATCH = "one, two, four"
_PATTERN = "many, few, length, join, spark"
_START = "cold, warm, command, wheel, spark, demo"
_ANSWER = "stationary, moving, nearest, growth, shared, instants, grid, spark"


@app.command()
def border(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help=f"Take these measures only: {', '.join(border_bench.MEASURES)}.")
    ] = None,
) -> None:
    """Border queries: the engine, its kernels, and its rivals. Takes some minutes."""
    with errors_as_text():
        _measure(border_bench.MEASURES, only, json_file)


@app.command()
def transition(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help=f"Take these measures only: {', '.join(transition_bench.MEASURES)}."),
    ] = None,
) -> None:
    """Transitions, beside the borders they are composed of, in a city of parking garages. Takes some minutes."""
    with errors_as_text():
        _measure(transition_bench.MEASURES, only, json_file)


@app.command()
def geofence(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_GEOFENCE}.")] = None,
) -> None:
    """Boxes and polygons in the plane: the border grid, beside lists of bounds and beside shapely. Takes minutes."""
    with errors_as_text():
        from limen_lab.bench.geofence import MEASURES  # noqa: PLC0415  # loads shapely

        _measure(MEASURES, only, json_file)


@app.command()
def match(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_MATCH}.")] = None,
) -> None:
    """What contains a point: our indexes, R-trees of two libraries, and a scan. Takes some minutes."""
    with errors_as_text():
        from limen_lab.bench.match import MEASURES  # noqa: PLC0415  # loads libraries

        _measure(MEASURES, only, json_file)


@app.command()
def answer(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_ANSWER}.")] = None,
) -> None:
    """Streams in a region, and nearest streams, kept up to date, beside a re-evaluation. Takes about ten minutes."""
    with errors_as_text():
        from limen_lab.bench.answer.suite import MEASURES  # noqa: PLC0415  # loads libraries

        _measure(MEASURES, only, json_file)


@app.command()
def pattern(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_PATTERN}.")] = None,
) -> None:
    """Patterns over readings of buoys, for the three ways to keep tuples, beside a join of SQL. Takes some minutes."""
    with errors_as_text():
        from limen_lab.bench.pattern.suite import MEASURES  # noqa: PLC0415  # reads readings

        _measure(MEASURES, only, json_file)


@app.command()
def start(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_START}.")] = None,
) -> None:
    """The wait before the first result, cold and warm, in processes of their own. Takes about five minutes."""
    with errors_as_text():
        from limen_lab.bench.start import MEASURES  # noqa: PLC0415  # as above

        _measure(MEASURES, only, json_file)


@app.command()
def spark(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_SPARK}.")] = None,
) -> None:
    """The Spark pipeline, beside what Spark does without it. Takes about ten minutes."""
    with errors_as_text():
        from limen_lab.bench.spark import MEASURES  # noqa: PLC0415  # loads Spark

        _measure(MEASURES, only, json_file)


@app.command()
def console(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the records to this file.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help=f"Take these measures only: {_CONSOLE}.")] = None,
) -> None:
    """A job with a console and three browsers, beside the same job without. Takes about ten minutes."""
    with errors_as_text():
        from limen_lab.bench.console import MEASURES  # noqa: PLC0415  # loads Spark

        _measure(MEASURES, only, json_file)


def _measure(measures: Measures, only: list[str] | None, file: Path | None) -> None:
    records: list[Record] = []
    for record in _run(measures, only or list(measures), Console()):
        records.append(record)
        if file is not None:  # at once: what has been measured is there, whatever comes
            file.write_text(json.dumps([each.to_dict() for each in records], indent=1, ensure_ascii=False) + "\n")
    Console().print(_summary(records))
    if any(record.reached is False for record in records):
        raise typer.Exit(1)


def _run(measures: Measures, names: list[str], console: Console) -> Iterator[Record]:
    for name in names:
        if name not in measures:
            raise InvalidInput(
                where="--only", expected=", ".join(measures), got=repr(name), hint=did_you_mean(name, measures)
            )
    begin = time.monotonic()
    for number, name in enumerate(names, start=1):
        heading = f"{number} of {len(names)}: {measures[name].__doc__}"
        with console.status(heading) as status:
            for said in measures[name]():
                if isinstance(said, str):
                    status.update(f"{heading} {said}")
                    if not console.is_terminal:
                        console.print(f"{time.monotonic() - begin:.0f} s, {name}: {said}", highlight=False)
                else:
                    console.print(_line(said), highlight=False, soft_wrap=True)
                    yield said


def _line(record: Record) -> str:
    others = "  ".join(
        f"{name} {value:,.4g} ({value / record.ours:.3g} ×)" for name, value in record.others.items() if record.ours
    )
    workload = ", ".join(f"{name} {value}" for name, value in record.workload.items())
    mark = {True: "[green]reached[/green]", False: "[red]missed[/red]", None: ""}[record.reached]
    ours = f"[bold]{record.ours:,.4g}[/bold] {record.unit}"
    return f"{record.bench}: {ours}  {others}  {record.claim} {mark}  [dim]{workload}[/dim]"


def _summary(records: list[Record]) -> Table:
    table = Table(title="What it must show")
    for heading in ("measure", "ours", "beside", "claim", ""):
        table.add_column(heading)
    for record in records:
        if record.claim:
            beside = ", ".join(f"{name} {value:,.4g}" for name, value in record.others.items())
            outcome = "reached" if record.reached else "missed"
            table.add_row(record.bench, f"{record.ours:,.4g} {record.unit}", beside, record.claim, outcome)
    return table
