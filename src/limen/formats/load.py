"""Files of queries, and of shapes that become queries."""

import logging
from collections.abc import Iterator
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from limen.errors import InvalidInput, InvalidQuery
from limen.formats.geo import SUFFIXES, read_fences
from limen.formats.problem import Problem
from limen.formats.query_json import change_from_dict, parse_json, query_from_dict
from limen.model.change import Register
from limen.model.columns import Columns
from limen.model.query import Query

log = logging.getLogger("limen")


def load_queries(
    path: str | PathLike[str],
    kind: str = "border",
    id: str | None = None,
    *,
    radius: str | float | None = None,
    crs: str = "lonlat",
    repair: bool = False,
    stream: str | None = None,
    **arguments: Any,
) -> list[Query]:
    """Read the queries of a file.

    A ``.jsonl`` file has one JSON object a line: a query, or a change that registers one. The queries of a
    file hold from the start, so the time of such a change is not used. Blank lines and lines that begin with
    ``//`` or ``#`` are skipped.

    A ``.sql`` file has CREATE statements, with semicolons between them; see `limen.sql`.

    A file of shapes has a query for each feature: ``.geojson`` or ``.json`` (GeoJSON), ``.wkt`` (a geometry a line,
    after an id and a tab or alone), ``.parquet`` or ``.geoparquet`` (GeoParquet). Polygons and MultiPolygons become
    regions of these names, and so do collections of them; points with a radius become circles. Features that share an
    id become one MultiPolygon, which is logged. Their properties are read by `load_properties`.

    Parameters
    ----------
    path
        The file.
    kind, id
        For files of shapes only, which have no query type of their own: the type of the queries (``"border"``,
        ``"transition"`` or ``"match"``), and the property that holds their ids. By default ids are the features' own;
        if none has one, the property ``id``; if there is none, their positions, from 1.
    radius
        For files of shapes with points: the property that holds the radius, or one radius for all.
    crs
        For files of shapes: ``"lonlat"`` if coordinates are longitude and latitude, as GeoJSON demands; ``"planar"`` if
        they are to be taken as they are.
    repair
        For files of shapes: repair invalid geometry, as far as shapely can; repairs are logged.
    stream
        For ``.sql`` files: the name of the stream that all statements are about; by default that of the first.
    arguments
        For files of shapes: further arguments of every query, such as ``within="3 minutes"``.

    Raises
    ------
    InvalidQuery
        For the first line or feature that is no query. `check_queries` lists all of them.
    """
    if not isinstance(path, (str, PathLike)):
        raise InvalidInput(where="load_queries", expected="the path of a file", got=repr(path))
    file = Path(path)
    if file.suffix.lower() in SUFFIXES:
        fences = read_fences(file, kind, id, arguments, radius=radius, crs=crs, repair=repair)
        if error := fences.first_error():
            raise error
        for repaired in fences.repairs:
            log.warning("%s", repaired.within(file.name))
        for remark in fences.remarks():
            log.info("%s: %s", file.name, remark)
        return fences.queries
    _check_for_shapes_only(file, kind=kind, id=id, radius=radius, repair=repair, **arguments)
    queries = []
    for line, found in _found(file, stream=stream):
        if isinstance(found, InvalidQuery):
            raise found.within(file.name if _is_sql(file) else f"{file.name} line {line}")
        queries.append(found)
    return queries


def check_queries(
    path: str | PathLike[str],
    columns: Columns | None = None,
    kind: str = "border",
    id: str | None = None,
    *,
    radius: str | float | None = None,
    crs: str | None = None,
    repair: bool = False,
    **arguments: Any,
) -> tuple[list[Query], list[Problem]]:
    """Read a file as `load_queries` does, but go on after a bad line or feature.

    Parameters
    ----------
    path
        The file.
    columns
        Where given, queries that do not fit these columns are problems too.
    kind, id, radius, crs, repair, arguments
        See `load_queries`; by default, `crs` is that of the columns.

    Returns
    -------
    tuple of list of Query and list of Problem
        The good queries, and every bad line or feature.
    """
    file = Path(path)
    if file.suffix.lower() in SUFFIXES:
        system = crs if crs is not None else columns.crs if columns is not None else "lonlat"
        fences = read_fences(file, kind, id, arguments, radius=radius, crs=system, repair=repair, columns=columns)
        return fences.queries, fences.problems()
    _check_for_shapes_only(file, kind=kind, id=id, radius=radius, repair=repair, **arguments)
    queries: list[Query] = []
    problems: list[Problem] = []
    for line, found in _found(file, columns):
        if isinstance(found, InvalidQuery):
            problems.append(Problem(line, str(found)))
        else:
            queries.append(found)
    return queries, problems


def _check_for_shapes_only(path: Path, **arguments: object) -> None:
    """Refuse arguments for files of shapes where the file has complete queries."""
    usual = {"kind": "border", "id": None, "radius": None, "repair": False}
    given = [f"{name}={value!r}" for name, value in arguments.items() if name not in usual or usual[name] != value]
    if given:
        raise InvalidInput(
            where=path.name,
            expected="no kind, id or other arguments, which are for files of shapes",
            got=", ".join(given),
        )


def _is_sql(path: Path) -> bool:
    return path.suffix.lower() == ".sql"


def _found(
    path: Path, columns: Columns | None = None, stream: str | None = None
) -> Iterator[tuple[int, Query | InvalidQuery]]:
    """Yield each query of a file of them, or what is wrong with it, and its line."""
    return _statements(path, columns, stream) if _is_sql(path) else _lines(path, columns)


def _statements(path: Path, columns: Columns | None, stream: str | None) -> Iterator[tuple[int, Query | InvalidQuery]]:
    content = _content(path)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        yield line, InvalidQuery(where=f"line {line}", expected="UTF-8", got=f"the byte {content[error.start]:#x}")
        return
    # By name, as in `wire`.
    yield from import_module("limen.sql").queries_in(text, columns, stream=stream)


def _lines(path: Path, columns: Columns | None = None) -> Iterator[tuple[int, Query | InvalidQuery]]:
    """Yield the number of each line that is not blank, with its query or its error."""
    first_line: dict[str, int] = {}
    for number, line in enumerate(_content(path).split(b"\n"), start=1):
        words = line.strip()
        if not words or words.startswith((b"//", b"#")):
            continue
        try:
            query = _query(words)
            _check_once(query.id, first_line.setdefault(query.id, number), number)
            if columns is not None:
                query.check(columns)
        except InvalidQuery as error:
            yield number, error
        else:
            yield number, query


def _check_once(id: str, first: int, line: int) -> None:
    if first != line:
        got = f"{id!r} in the lines {first} and {line}"
        raise InvalidQuery(where="id", expected="each query once", got=got)


def _query(line: bytes) -> Query:
    try:
        plain = parse_json(line.decode())
    except UnicodeDecodeError as error:
        got = f"the byte {line[error.start]:#x}"
        raise InvalidQuery(where="text", expected="UTF-8", got=got) from error
    if not isinstance(plain, dict) or "op" not in plain:
        return query_from_dict(plain)
    change = change_from_dict(plain)
    if not isinstance(change, Register):
        got = f"a change {plain['op']!r}"
        raise InvalidQuery(where="change", expected="a query, or a change that registers one", got=got)
    return change.query


def _content(path: Path) -> bytes:
    suffix = path.suffix.lower()
    if suffix not in (".jsonl", ".sql"):
        expected = f"a file of queries, .jsonl or .sql, or of shapes, {', '.join(SUFFIXES)}"
        raise InvalidInput(where=path.name, expected=expected, got=repr(suffix) if suffix else "no suffix")
    try:
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InvalidInput(where=str(path), expected="a file", got=error.strerror) from error
