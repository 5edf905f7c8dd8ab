"""The queries of a job file: those that hold from the start, and where changes of them come from."""

from pathlib import Path
from typing import TypeAlias

from limen.formats.query_json import query_from_dict
from limen.jobfile.endpoints import Files, Topic, located, read_topic
from limen.jobfile.query_file import read_query_file
from limen.jobfile.section import Section
from limen.model.columns import Columns
from limen.model.query import Query
from limen.sql import load_script
from limen.sql.statement import Place

Found: TypeAlias = "list[tuple[Section, str | None, Query]]"  # with the table and the key that a query comes from


def read_queries(
    section: Section, columns: Columns | None, folder: Path, stream: str
) -> tuple[list[Query], Files | Topic | None]:
    """Read the table `queries`, or the list of tables of that name."""
    if isinstance(section.content.get("queries"), list):
        tables = section.sections("queries")
    else:
        tables = [table for table in [section.section("queries", required=True)] if table is not None]
    if not tables:
        return [], None
    before = len(section.problems)
    found: Found = []
    changes: Files | Topic | None = None
    regions: dict[str, Place] = {}  # names hold from table to table
    for table in tables:
        found += _read_list(table, columns, folder, regions, stream)
        more = _read_changes(table, folder)
        if changes and more:
            table.complain((), expected="changes from one place", got="two")
        changes = changes or more
        table.end()
    _check_ids(found)
    if not found and not changes and len(section.problems) == before:
        expected = "queries: inline, sql, a file, a folder of changes or a topic of Kafka"
        tables[0].complain((), expected=expected, got="none")
    return [query for *_, query in found], changes


def _read_list(table: Section, columns: Columns | None, folder: Path, regions: dict[str, Place], stream: str) -> Found:
    found: Found = []
    for each in table.sections("inline"):
        query = each.checked((), lambda each=each: query_from_dict(each.content))  # type: ignore[misc]
        found += [(each, None, query)] if query else []
    if statements := table.text("sql"):
        queries = table.checked(("sql",), lambda: load_script(statements, regions, stream))
        found += [(table, "sql", query) for query in queries or []]
    for place, key, query in found:
        if columns:
            inside = () if key is None else (key,)
            place.checked(inside, lambda query=query: query.check(columns))  # type: ignore[misc]
    # Those of a file have been looked at.
    return [*found, *((table, "file", query) for query in read_query_file(table, columns, folder, stream))]


def _check_ids(found: Found) -> None:
    known: set[str] = set()
    for place, key, query in found:
        if query.id in known:
            place.complain((key,) if key == "sql" else (), expected="each id once", got=f"{query.id!r} twice")
        known.add(query.id)


def _read_changes(table: Section, folder: Path) -> Files | Topic | None:
    changes, per_batch = table.text("folder"), table.whole("files_per_batch")
    topic = table.section("kafka")
    if topic is None:
        return Files("text", located(changes, folder), per_batch=per_batch) if changes else None
    if changes:
        topic.complain((), expected="changes from a folder or from Kafka", got="both")
    found = read_topic(topic, needs_schema=False)
    topic.end()
    return found
