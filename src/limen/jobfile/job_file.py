"""A job, as a file describes it."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limen.errors import InvalidInput, LimenError
from limen.jobfile.console import ConsolePlace, read_console
from limen.jobfile.document import Document
from limen.jobfile.endpoints import Files, Rate, Sink, Source, Topic, located, read_sink, read_source
from limen.jobfile.queries import read_queries
from limen.jobfile.section import Problems, Section
from limen.model.columns import Columns
from limen.model.options import MOST_SHARDS, Options, read_routing, read_tick
from limen.model.query import Query
from limen.model.time import seconds

#: The columns of the rate source, which a file need not name.
RATE_COLUMNS = Columns(id="id", time="time", values=("x", "y"))


class JobMistakes(LimenError):
    """All problems of a job file."""

    def __init__(self, problems: list[LimenError]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


@dataclass(frozen=True, slots=True)
class JobFile:
    """What to run.

    Attributes
    ----------
    name, stream
        For logs and metrics; and what SQL calls the rows.
    checkpoint
        Where Spark stores the job's progress and state.
    source, columns, options, sinks
        Rows, the role of each column, the options, and where events go.
    queries, changes
        The queries that hold from the start, and where changes of them come from while the job runs.
    available_now, every
        Whether to end when all that is there has been taken; else how often to look for more, in microseconds, None for
        as often as possible.
    metrics_file, metrics_port
        Where metrics are exported for Prometheus.
    console
        Where the job is to be seen.
    spark
        Settings of the session.
    file
        Where this was read.
    """

    name: str
    stream: str
    checkpoint: str
    source: Source
    columns: Columns
    options: dict[str, Any]
    queries: tuple[Query, ...]
    changes: Files | Topic | None
    sinks: tuple[Sink, ...]
    available_now: bool
    every: int | None
    metrics_file: str | None
    metrics_port: int | None
    console: ConsolePlace
    spark: dict[str, str]
    file: str

    @property
    def places(self) -> list[Any]:
        """All places that the job reads from or writes to."""
        return [self.source.place, *(sink.place for sink in self.sinks), *([self.changes] if self.changes else [])]


def read_job(path: Path, overrides: Iterable[str] = ()) -> JobFile:
    """Read and check a job file.

    Parameters
    ----------
    path
        The file. Paths in it are relative to its folder.
    overrides
        Values that stand in for those of the file, as in ``options.lateness="5 seconds"``.

    Raises
    ------
    JobMistakes
        With every mistake, each with its line.
    """
    section, folder = _opened(path, overrides)
    found = section.section("source", required=True)
    source = None if found is None else read_source(found, folder)
    columns = _read_columns(section, source)
    name = section.text("name", path.stem)
    stream = section.text("stream", name)
    queries, changes = read_queries(section, columns, folder, stream)
    sinks = [read_sink(each, folder) for each in section.sections("sink")]
    if not section.content.get("sink"):
        section.complain((), expected="a [[sink]]: where events go", got="none")
    available_now, every = _read_trigger(section)
    metrics_file, metrics_port = _read_metrics(section, folder)
    checkpoint = located(section.text("checkpoint", "", required=True), folder)
    job = JobFile(
        name=name,
        stream=stream,
        checkpoint=checkpoint,
        source=source,  # type: ignore[arg-type]  # None only with a problem
        columns=columns,  # type: ignore[arg-type]
        options=_read_options(section),
        queries=tuple(queries),
        changes=changes,
        sinks=tuple(sink for sink in sinks if sink),
        available_now=available_now,
        every=every,
        metrics_file=metrics_file,
        metrics_port=metrics_port,
        console=read_console(section, checkpoint, folder),
        spark=section.settings("spark"),
        file=str(path.resolve()),
    )
    for name in job.spark:
        if not name.startswith("spark."):
            section.complain(("spark", name), expected='a setting of Spark in quotes, such as "spark.master"', got=name)
    if not re.fullmatch(r"[\w. -]+", job.name):
        section.complain(("name",), expected="letters, digits, spaces, dots and dashes", got=repr(job.name))
    _check_apart(section, job)
    section.end()
    _raise(section.problems)
    return job


def read_page(path: Path, overrides: Iterable[str] = ()) -> tuple[str, ConsolePlace]:
    """Read the name of a job and where it is to be seen, whatever else is in its file: many queries, or mistakes."""
    section, folder = _opened(path, overrides)
    name = section.text("name", path.stem)
    place = read_console(section, located(section.text("checkpoint", "", required=True), folder), folder)
    _raise(section.problems)
    return name, place


def _opened(path: Path, overrides: Iterable[str]) -> tuple[Section, Path]:
    """Open a job file; return its contents, and the folder that its paths are relative to."""
    document = Document.read(path)
    for override in overrides:
        _override(document.content, override)
    return Section(document, (), document.content, []), path.resolve().parent


def _raise(problems: Problems) -> None:
    if problems:
        raise JobMistakes([problem for _, problem in sorted(problems, key=lambda each: each[0])])


def _override(content: dict[str, Any], text: str) -> None:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput(where="--set", expected="key=value, such as options.lateness='5 seconds'", got=text)
    try:
        plain = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        plain = value  # a text without its quotes, which a shell has taken away
    words = [word.strip() for word in key.split(".")]
    if words[0] == "spark":  # setting names contain dots and begin with the same word
        words = ["spark", key.strip().removeprefix("spark.") if words[1:2] == ["spark"] else key.strip()]
    *tables, name = words
    for table in tables:
        content = content.setdefault(table, {})
        if not isinstance(content, dict):
            raise InvalidInput(where=f"--set {key}", expected="a key of a table", got=f"{table!r}, which is none")
    content[name] = plain


def _check_apart(section: Section, job: JobFile) -> None:
    """Refuse a folder to write to where something else is read or written: a sink replaces the folders of a batch."""
    known = {job.checkpoint: "the checkpoint"}
    if job.source is not None and isinstance(job.source.place, Files):
        known[job.source.place.path] = "the source"
    if isinstance(job.changes, Files):
        known[job.changes.path] = "changes of queries"
    if job.console.settings is not None:
        other = known.setdefault(job.console.settings.folder, "telemetry")
        if other != "telemetry":
            section.complain(("console", "folder"), expected="a folder of its own", got=f"that of {other}")
    for number, sink in enumerate(job.sinks):
        if isinstance(sink.place, Files):
            other = known.setdefault(sink.place.path, f"sink {number + 1}")
            if other != f"sink {number + 1}":
                section.complain(("sink", number, "path"), expected="a folder of its own", got=f"that of {other}")


def _read_columns(section: Section, source: Source | None) -> Columns | None:
    plain = section.plain("columns")
    if "columns" in section:
        return section.checked(("columns",), lambda: Columns.from_dict(plain))
    if source and isinstance(source.place, Rate):
        return RATE_COLUMNS
    section.complain((), expected="a table [columns]: id, time and values", got="none")
    return None


def _read_options(section: Section) -> dict[str, Any]:
    table = section.section("options")
    if table is None:
        return {}
    options = dict(table.content)
    table.whole("shards", most=MOST_SHARDS)
    own = {"tick": read_tick, "routing": read_routing}
    for name, value in options.items():
        if name in own:
            table.checked((name,), lambda read=own[name], value=value: read(value))  # type: ignore[misc]
        elif name != "shards":
            read = {name: value}
            table.checked((name,), lambda read=read: Options.of(read, also=("shards", *own)))  # type: ignore[misc]
    common = {name: value for name, value in options.items() if name not in own and name != "shards"}
    if not table.problems:
        table.checked((), lambda: Options.of(common).agreed())
    return options


def _read_trigger(section: Section) -> tuple[bool, int | None]:
    table = section.section("trigger")
    if table is None:
        return False, None
    available_now, every = table.flag("available_now"), table.text("every")
    if available_now and every:
        table.complain(("every",), expected="either available_now or every", got="both")
    micros = table.checked(("every",), lambda: seconds(every, "trigger")) if every else None
    table.end()
    return available_now, micros


def _read_metrics(section: Section, folder: Path) -> tuple[str | None, int | None]:
    table = section.section("metrics")
    if table is None:
        return None, None
    file, port = table.text("file"), table.whole("port", most=65535)
    table.end()
    return located(file, folder) if file else None, port
