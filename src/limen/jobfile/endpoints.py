"""The sources and sinks of a job file."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from limen.jobfile.section import Section

FILES = ("parquet", "csv", "json")
SOURCES = (*FILES, "kafka", "delta", "rate")
SINKS = (*FILES, "console", "kafka", "delta", "postgres")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
STARTS = ("earliest", "latest")


@dataclass(frozen=True, slots=True)
class Files:
    """A folder of files, or a table of Delta."""

    format: str
    path: str
    schema: str | None = None
    per_batch: int | None = None
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of Kafka."""

    servers: str
    topic: str
    schema: str | None = None
    starting: str = "earliest"
    per_batch: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    format: str = "kafka"


@dataclass(frozen=True, slots=True)
class Rate:
    """Synthetic positions, so many a second, for trials."""

    per_second: int
    streams: int
    format: str = "rate"


@dataclass(frozen=True, slots=True)
class Screen:
    """The terminal."""

    rows: int
    format: str = "console"


@dataclass(frozen=True, slots=True)
class Database:
    """A table of PostgreSQL."""

    url: str
    table: str
    format: str = "postgres"


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows come from, and what is made of them before they are looked at."""

    place: Files | Topic | Rate
    select: tuple[str, ...] = ()
    where: str | None = None


SinkPlace: TypeAlias = Files | Topic | Screen | Database


@dataclass(frozen=True, slots=True)
class Sink:
    """Where events go, and which of them."""

    place: SinkPlace
    where: str | None = None


def read_source(section: Section, folder: Path) -> Source | None:
    """Read the table `source`."""
    kind = section.text("format", required=True, choices=SOURCES)
    if kind is None:
        return None
    place: Files | Topic | Rate
    if kind == "kafka":
        place = read_topic(section, needs_schema=True)
    elif kind == "rate":
        place = Rate(section.whole("rows_per_second", 1000), section.whole("streams", 100))
    else:
        path = located(section.text("path", "", required=True), folder)
        schema = section.text("schema", required=kind in ("csv", "json"))
        place = Files(kind, path, schema, section.whole("files_per_batch"), section.settings("options"))
    source = Source(place, section.texts("select"), section.text("where"))
    section.end()
    return source


def read_topic(section: Section, *, needs_schema: bool) -> Topic:
    """Read a table about a topic of Kafka."""
    return Topic(
        servers=section.text("servers", "", required=True),
        topic=section.text("topic", "", required=True),
        schema=section.text("schema", required=True) if needs_schema else None,
        starting=section.text("starting", "earliest", choices=STARTS),
        per_batch=section.whole("rows_per_batch"),
        options=section.settings("options"),
    )


def read_sink(section: Section, folder: Path) -> Sink | None:
    """Read a table `sink`."""
    kind = section.text("format", required=True, choices=SINKS)
    if kind is None:
        return None
    place: SinkPlace
    if kind == "console":
        place = Screen(section.whole("rows", 20))
    elif kind == "postgres":
        place = Database(section.text("url", "", required=True), section.text("table", "limen_events"))
    elif kind == "kafka":
        servers, topic = section.text("servers", "", required=True), section.text("topic", "", required=True)
        place = Topic(servers, topic, options=section.settings("options"))
    else:
        path = located(section.text("path", "", required=True), folder)
        place = Files(kind, path, options=section.settings("options"))
    sink = Sink(place, section.text("where"))
    section.end()
    return sink


def located(path: str, folder: Path) -> str:
    """Return a path, relative to a folder; one with a scheme, such as s3://, is unchanged.

    Examples
    --------
    >>> from pathlib import Path
    >>> located("in", Path("/jobs")), located("/in", Path("/jobs")), located("s3://b/in", Path("/jobs"))
    ('/jobs/in', '/in', 's3://b/in')
    """
    return path if _SCHEME.match(path) else str(folder / path)


def local_path(path: str) -> Path | None:
    """Return where a path is on this machine's disks; None for other places.

    Examples
    --------
    >>> str(local_path("file:///tmp/a")), local_path("hdfs:/a")
    ('/tmp/a', None)
    """
    if path.startswith("file:"):
        return Path("/" + path.removeprefix("file:").lstrip("/"))
    return None if _SCHEME.match(path) else Path(path)
