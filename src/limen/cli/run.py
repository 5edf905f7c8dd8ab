"""`limen run`: start the job of a file, watch it, and end as a supervisor expects."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.console import Console

from limen.cli.console_process import ConsoleProcess
from limen.cli.job_summary import print_plan
from limen.errors import LimenError, StateError, Unreachable
from limen.jobfile import read_job
from limen.jobfile.code import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limen.cli.watch import Watch
    from limen.jobfile import JobFile

_GLANCE = 0.2  # seconds from one look at the job to the next
_ONE_PRESS = 0.5  # seconds: a shell, a container or `timeout` may pass on one signal twice
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(
    job: Annotated[Path, typer.Argument(help="The job file (TOML); `limen init` writes one.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A value in place of the file's, as in --set options.lateness='5 seconds'."),
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Check everything, print the plan, and start nothing.")] = False,
    log: Annotated[
        Path | None,
        typer.Option(help="Where Spark's own messages go; on a terminal NAME.log, otherwise standard error."),
    ] = None,
    with_console: Annotated[bool, typer.Option("--console", help="Show the job in a web page while it runs.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The page's port, 8080 by default.")] = None,
) -> None:
    """Run a job: from its source, by its queries, to its sinks.

    Ctrl-C or SIGTERM ends it after the running batch, a second one at once. Started again, it resumes from its
    checkpoint. Exit codes: 0 done, 1 something outside failed (start it again), 2 the job is wrong, 3 its checkpoint
    is, 130 interrupted.
    """
    code = _run(job, settings or [], dry_run, log, Console(highlight=False), with_console or port is not None, port)
    if code:
        raise typer.Exit(code)


def _run(
    path: Path,
    settings: list[str],
    dry_run: bool,
    log: Path | None,
    console: Console,
    with_console: bool,
    port: int | None,
) -> int:
    try:
        job = read_job(path, settings)
        if log is None and console.is_terminal:
            log = Path(f"{job.name}.log")
        if dry_run:
            return _dry_run(job, console)
        if not with_console:
            return play(job, console, log)[0]
        with ConsoleProcess(job, port, settings, log) as page:
            return play_with_page(job, console, log, page)
    except KeyboardInterrupt:  # before there was a batch to wait for
        return Code.BROKEN_OFF
    except (LimenError, OSError) as error:
        return _refused(error)


def _refused(error: Exception) -> int:
    """Report why a job did not start, and return its exit code."""
    _print_error(error)
    if isinstance(error, StateError):
        return Code.CHECKPOINT
    return Code.FAILED if isinstance(error, Unreachable) else Code.WRONG


def play_with_page(job: JobFile, console: Console, log: Path | None, page: ConsoleProcess) -> int:
    """Run a job with its console; on a terminal the page stays up after the job has ended by itself."""
    job = replace(job, console=replace(job.console, telemetry=True))
    console.print(f"the console is at {page.url}", soft_wrap=True)
    try:
        code, watch = play(job, console, log, page)
    except (LimenError, OSError) as error:
        code, watch = _refused(error), None
    if console.is_terminal and not (watch and watch.stopped):
        console.print(f"the job has ended; its page stays at {page.url} until Ctrl-C", soft_wrap=True)
        with suppress(KeyboardInterrupt):
            page.wait()
    return code


def _print_error(error: object) -> None:
    for line in str(error).split("\n"):
        typer.echo(f"error: {line}", err=True)


def _dry_run(job: JobFile, console: Console) -> int:
    from limen.spark.run import Run  # noqa: PLC0415  # Spark takes seconds to load, and is not needed to see a mistake

    with console.status("starting Spark…"):
        Run(job, show=lambda *_: None).plan()
    print_plan(job, console)
    console.print("configuration valid (dry run)")
    return 0


def play(job: JobFile, console: Console, log: Path | None, page: ConsoleProcess | None = None) -> tuple[int, Watch]:
    """Run a job to its end; return its exit code, and the panel with its totals."""
    from limen.cli.metrics import Metrics  # noqa: PLC0415  # as above
    from limen.cli.watch import Watch  # noqa: PLC0415
    from limen.spark.failure import explain  # noqa: PLC0415
    from limen.spark.run import Run  # noqa: PLC0415

    watch = Watch(console, job.name if page is None else f"{job.name} · {page.url}")
    with messages_to(log), Run(job, watch.show) as run, _Signals(watch) as signals:
        metrics = Metrics(job)
        with console.status("starting Spark…"):
            run.start()
        signals.install()  # Spark has installed its own handlers
        with watch:
            ended = False
            while not ended:
                if signals.stopping:
                    run.stop()
                ended = run.wait(_GLANCE)
                for progress in run.progress():
                    if watch.batch(progress) and (remark := metrics.batch(watch.latest)):
                        watch.say(remark, "yellow")
                if page is not None and (remark := page.remark()):
                    watch.say(remark, "yellow")
                watch.refresh()
    watch.stopped = signals.stopping
    console.print(watch.summary())
    if run.failure is None:
        return Code.DONE, watch
    message, code = explain(run.failure)
    _print_error(message)
    if log is not None:
        _print_error(f"more is in {log}")
    return code, watch


class _Signals:
    """Handle signals: the first stops the job after the running batch; the second ends the process."""

    def __init__(self, watch: Watch) -> None:
        self.stopping = False
        self._when = 0.0
        self._watch = watch
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        self.install()
        return self

    def install(self) -> None:
        """Install the signal handlers."""
        for number in _SIGNALS:
            signal.signal(number, self._take)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, *_: object) -> None:
        if self.stopping:
            if time.monotonic() - self._when > _ONE_PRESS:
                os._exit(Code.BROKEN_OFF)  # Spark's own process ends when this one is gone
            return
        self.stopping, self._when = True, time.monotonic()
        self._watch.say("stopping after the running batch; once more to stop at once", "bold")


@contextmanager
def messages_to(log: Path | None) -> Iterator[None]:
    """Redirect the standard error of Spark and its workers to a file, so that it does not clutter the screen."""
    if log is None:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
