"""The file of a job's queries: one query a line, or shapes, for which the job has the type of query."""

from pathlib import Path
from typing import Any

from limen.errors import LimenError
from limen.formats.geo import SUFFIXES
from limen.formats.geo.shape_queries import ARGUMENTS
from limen.formats.load import load_queries
from limen.jobfile.endpoints import located
from limen.jobfile.section import Section
from limen.model.columns import Columns
from limen.model.query import Query

CRS = ("planar", "lonlat")
#: Options of a job for a file of shapes: they hold for all queries that are made of it.
_OF_SHAPES = ("kind", "id", "radius", "crs", "repair")
_OF_QUERIES = tuple(dict.fromkeys(name for names in ARGUMENTS.values() for name in names))
_MOST_LISTED = 3  # of the queries of a file that do not fit the columns: most often it is all of them


def read_query_file(table: Section, columns: Columns | None, folder: Path, stream: str) -> list[Query]:
    """Read the key `file` of the table `queries`, with those that go with it."""
    path, before = table.text("file"), len(table.problems)
    options = _read_options(table, columns)
    if path is not None and Path(path).suffix.lower() in SUFFIXES:
        options |= _read_arguments(table, options["kind"])
    else:
        _check_unused(table, path)
        options = {}
    if path is None or len(table.problems) > before:
        return []
    try:
        queries = load_queries(located(path, folder), stream=stream, **options)
    except LimenError as error:
        table.blame(_named_by(error, table), error)
        return []
    return queries if columns is None else _fitting(table, queries, columns)


def _read_options(table: Section, columns: Columns | None) -> dict[str, Any]:
    """Read the arguments of `load_queries` for a file of shapes."""
    options = {
        "kind": table.text("kind", "border", choices=ARGUMENTS),
        "id": table.text("id"),
        "radius": table.value("radius"),
        "repair": table.flag("repair"),
        "crs": table.text("crs", columns.crs if columns is not None else "lonlat", choices=CRS),
    }
    if columns is not None and options["crs"] != columns.crs:
        table.complain(("crs",), expected=f"{columns.crs!r}, as the columns have it", got=repr(options["crs"]))
    return options


def _read_arguments(table: Section, kind: str) -> dict[str, Any]:
    """Read the options for all queries that are made of a file of shapes."""
    given = {name: value for name in _OF_QUERIES if (value := table.value(name)) is not None}
    for name in given:
        if name not in ARGUMENTS[kind]:
            expected = f"an argument of a {kind} query: {', '.join(ARGUMENTS[kind])}"
            table.complain((name,), expected=expected, got=repr(name))
    return given


def _check_unused(table: Section, path: str | None) -> None:
    """Refuse what only a file of shapes has a use for."""
    for name in (*_OF_SHAPES, *_OF_QUERIES):
        if name in table and table.value(name) is not None:
            got = "none" if path is None else repr(path)
            table.complain((name,), expected=f"a file of shapes beside it ({', '.join(SUFFIXES)})", got=got)


def _named_by(error: LimenError, table: Section) -> str:
    """Return the key that an error is about; the file where it names none."""
    return next((word for word in str(error).split(": ") if word in table), "file")


def _fitting(table: Section, queries: list[Query], columns: Columns) -> list[Query]:
    """Return the queries, and report those that do not fit the columns."""
    wrong = [error for query in queries if (error := _error(query, columns)) is not None]
    for error in wrong[:_MOST_LISTED]:
        table.blame(_named_by(error, table), error)
    if len(wrong) > _MOST_LISTED:
        table.complain(
            ("file",), expected="queries that fit the columns", got=f"{len(wrong) - _MOST_LISTED:,} more that do not"
        )
    return queries


def _error(query: Query, columns: Columns) -> LimenError | None:
    try:
        query.check(columns)
    except LimenError as error:
        return error
    return None
