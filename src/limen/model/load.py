"""Files of queries."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from limen.errors import InvalidInput, InvalidQuery
from limen.model.change import Register
from limen.model.wire import change_from_dict, parse_json, query_from_dict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from limen.model.columns import Columns
    from limen.model.query import Query

_LATER = {".sql": "the SQL part", ".geojson": "geofences"}


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of a file that is no query, and why."""

    line: int
    reason: str


def load_queries(path: str | PathLike[str], kind: str = "border", id: str | None = None) -> list[Query]:
    """Read the queries of a file.

    A ``.jsonl`` file has one JSON object a line: a query, or a change that registers one. The queries of a
    file hold from the start, so the time of such a change is not used. Blank lines and lines that begin with
    ``//`` or ``#`` are skipped.

    Parameters
    ----------
    path
        The file.
    kind, id
        For files of shapes only, which do not say themselves what is asked: the type of the queries, and the
        property that holds their ids.

    Raises
    ------
    InvalidQuery
        For the first line that is no query. `check_queries` lists all of them.
    """
    if not isinstance(path, (str, PathLike)):
        raise InvalidInput(where="load_queries", expected="the path of a file", got=repr(path))
    if kind != "border" or id is not None:
        raise InvalidInput(
            where=Path(path).name,
            expected="kind and id for files of shapes only, which come with geofences",
            got=f"kind={kind!r}, id={id!r}",
        )
    queries = []
    for line, found in _lines(Path(path)):
        if isinstance(found, InvalidQuery):
            raise found.within(f"{Path(path).name} line {line}")
        queries.append(found)
    return queries


def check_queries(path: str | PathLike[str], columns: Columns | None = None) -> tuple[list[Query], list[Problem]]:
    """Read a file as `load_queries` does, but go on after a bad line.

    Parameters
    ----------
    path
        The file.
    columns
        Where given, queries that do not fit these columns are problems too.

    Returns
    -------
    tuple of list of Query and list of Problem
        The good queries, and every bad line.
    """
    queries: list[Query] = []
    problems: list[Problem] = []
    for line, found in _lines(Path(path), columns):
        if isinstance(found, InvalidQuery):
            problems.append(Problem(line, str(found)))
        else:
            queries.append(found)
    return queries, problems


def _lines(path: Path, columns: Columns | None = None) -> Iterator[tuple[int, Query | InvalidQuery]]:
    """Yield the number of each line that says something, with its query or what is wrong with it."""
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
    if suffix in _LATER:
        got = f"{suffix}, which this version does not read yet; it comes with {_LATER[suffix]}"
        raise InvalidInput(where=path.name, expected="a .jsonl file", got=got)
    if suffix != ".jsonl":
        expected = "a file of queries: .jsonl, .sql or .geojson"
        raise InvalidInput(where=path.name, expected=expected, got=repr(suffix) if suffix else "no suffix")
    try:
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InvalidInput(where=str(path), expected="a file", got=error.strerror) from error
