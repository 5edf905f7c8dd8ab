"""`limen reproduce`: the papers' figures, measured here."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path  # typer reads annotations at run time
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from limen.cli.error_text import errors_as_text
from limen.errors import InvalidInput, LimenError
from limen_lab.reproduce.figure import Figure
from limen_lab.reproduce.machine import RunConditions
from limen_lab.reproduce.results import Result, Results

COLORS = {"reached": "green", "explained": "yellow", "missed": "red"}
INTERRUPTED = 130


def reproduce(
    figures: Annotated[
        list[str] | None, typer.Argument(metavar="[FIGURE…|all]", help="Such as bmq-10, sole-22a, vc-13b; or all.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The folder for data, pictures and the report.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="All figures in minutes, smaller than in the papers.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what the folder has already.")] = False,
    series: Annotated[
        Path | None, typer.Option("--series", help="Locality of a series of your own: CSV or Parquet; time, value.")
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the figures.")] = False,
) -> None:
    """Measure the papers' figures again, and say what came out of what the papers claim.

    Writes data (CSV), pictures (PNG), verdicts (JSON) and a report (report.md, report.html). What the folder has
    already is kept, so that an interrupted run resumes. Exit code 1: a claim is neither reached nor explained.
    """
    with errors_as_text():
        # The laboratory loads kernels and libraries: other commands should not wait for it.
        from limen_lab.reproduce.figure_catalogue import resolve  # noqa: PLC0415
        from limen_lab.reproduce.laboratory import check_can_draw  # noqa: PLC0415
        from limen_lab.reproduce.machine import here  # noqa: PLC0415
        from limen_lab.reproduce.results import Results  # noqa: PLC0415

        console = Console()
        if show_list:
            console.print(_listed())
            return
        if out is None:
            raise InvalidInput(where="--out", expected="a folder", got="none")
        if not figures and series is None:
            hint = "limen reproduce --list names the figures"
            raise InvalidInput(where="figures", expected="names of figures, or all", got="none", hint=hint)
        check_can_draw()
        wanted = resolve(figures or [])
        own = _of_series(series, console)
        results, conditions = Results(out), here("quick" if quick else "full")
        with _interruptible(console, out):
            done = _measured(wanted + own, results, conditions, console, fresh=fresh)
            _write_report(results, conditions, own, console)
    if any(verdict.outcome_in_a_word == "missed" for result in done for verdict in result.verdicts):
        raise typer.Exit(1)


def _of_series(file: Path | None, console: Console) -> list[Figure]:
    if file is None:
        return []
    from limen_lab.reproduce.locality.own_series import figure_of  # noqa: PLC0415  # as above
    from limen_lab.reproduce.locality.value_series import read_series  # noqa: PLC0415

    series = read_series(file)
    console.print(f"{escape(str(file))}: {escape(series.description)}", highlight=False, soft_wrap=True)
    return [figure_of(series)]


@contextmanager
def _interruptible(console: Console, out: Path) -> Iterator[None]:
    """Print how to resume when the user interrupts the run."""
    try:
        yield
    except KeyboardInterrupt:
        message = f"stopped; what is done stays in {escape(str(out))}, and the same command resumes from there"
        console.print(message, highlight=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None


def _measured(
    figures: list[Figure], results: Results, conditions: RunConditions, console: Console, *, fresh: bool
) -> list[Result]:
    """Measure the figures that the folder lacks, and print the verdicts of each as soon as they are known."""
    from limen_lab.reproduce.laboratory import reproduce as measure  # noqa: PLC0415  # as above

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    done = []
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(figures))
        for figure in figures:
            progress.update(task, description=figure.name)
            result = None if fresh else results.read(figure, conditions)
            kept = result is not None
            if result is None:

                def show_points(points: int, name: str = figure.name) -> None:
                    progress.update(task, description=f"{name}: {points} points")

                result = measure(figure, results, conditions, show_points)
            for line in _lines(result, kept=kept):
                console.print(line, highlight=False, soft_wrap=True)
            done.append(result)
            progress.advance(task)
    return done


def _lines(result: Result, *, kept: bool) -> Iterator[str]:
    how = f"kept from a run at scale {result.conditions.scale}" if kept else f"{result.seconds:.1f} s"
    yield f"[bold]{result.figure.name}[/bold] {escape(result.figure.title)} [dim]({how})[/dim]"
    for verdict in result.verdicts:
        word = verdict.outcome_in_a_word
        yield f"  [{COLORS[word]}]{word}[/{COLORS[word]}] {escape(verdict.claim)}: {escape(verdict.outcome)}"
        if verdict.explanation and not verdict.reached:
            yield f"    [dim]why: {escape(verdict.explanation)}[/dim]"


def _write_report(results: Results, conditions: RunConditions, own: list[Figure], console: Console) -> None:
    from limen_lab.reproduce.html_report import as_page  # noqa: PLC0415
    from limen_lab.reproduce.laboratory import all_done  # noqa: PLC0415  # as above
    from limen_lab.reproduce.markdown_report import as_markdown, counted  # noqa: PLC0415
    from limen_lab.reproduce.results import write_whole  # noqa: PLC0415

    done = all_done(results, conditions, own)
    write_whole(results.folder / "report.md", as_markdown(done, conditions, results).encode())
    page = results.folder / "report.html"
    write_whole(page, as_page(done, conditions, results).encode())
    console.print(f"{counted(done)}; report: {page}", highlight=False, soft_wrap=True)


def _listed() -> Table:
    from limen_lab.reproduce.figure_catalogue import load, names  # noqa: PLC0415  # as above

    table = Table(box=None, pad_edge=False)
    for heading in ("figure", "panels", "what it shows", "source"):
        table.add_column(heading, no_wrap=heading == "figure")
    for name in names():
        try:
            figure = load(name)
        except LimenError as error:
            table.add_row(name, "", escape(str(error)), "")
            continue
        panels = " ".join(panel.letter for panel in figure.panels)
        table.add_row(name, panels, escape(figure.title), escape(figure.source))
    return table
