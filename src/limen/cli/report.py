"""`limen report`: what happened in a finished run, as a page that opens without a server."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from limen.cli.error_text import errors_as_text
from limen.errors import InvalidInput

_BATCHES = "A log of the job's batches, JSON lines: `batches.jsonl` of a console's folder, or Spark's progress."


def report(
    events: Annotated[
        Path, typer.Argument(help="Events: a folder of them or a file, .parquet, .json, .jsonl or .csv.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The page to write.")] = Path("report.html"),
    batches: Annotated[Path | None, typer.Option("--batches", help=_BATCHES)] = None,
    lonlat: Annotated[bool, typer.Option("--lonlat", help="Values are longitude and latitude in degrees.")] = False,
    title: Annotated[str | None, typer.Option("--title", help="What the page is called.")] = None,
) -> None:
    """Make a page of a finished run: what happened, when, where, for how long and to which streams.

    It is one HTML file without scripts, which loads nothing from elsewhere. Pictures need `pip install 'limen[plots]'`.
    """
    with errors_as_text():
        # Loaded here: other commands should not wait for it.
        from limen.report.batches import read_batches  # noqa: PLC0415
        from limen.report.event_files import find_files, read_events  # noqa: PLC0415
        from limen.report.page import as_page  # noqa: PLC0415
        from limen.report.summary import Summary  # noqa: PLC0415

        files = find_files(events)
        if out.is_dir() or not out.absolute().parent.is_dir() or out.absolute() in map(Path.absolute, files):
            raise InvalidInput(where="--out", expected="a file to write, in a folder that is there", got=str(out))
        log = None if batches is None else read_batches(batches)
        summary = Summary()
        bar = Progress(
            TextColumn("reading"), BarColumn(), MofNCompleteColumn(), console=Console(stderr=True), transient=True
        )
        with bar:
            for file in bar.track(files):
                for table in read_events(file):
                    summary.add(table)
        if not summary.events:
            got = f"none in {len(files):,} file{'s' if len(files) != 1 else ''}"
            raise InvalidInput(where=str(events), expected="events", got=got)
        source = f"{events}, {len(files):,} file{'s' if len(files) != 1 else ''}"
        page = as_page(title or f"Report: {events.absolute().name}", source, summary, log, lonlat=lonlat)
        out.write_text(page, encoding="utf-8")
        typer.echo(f"{summary.events:,} events: {out}")
