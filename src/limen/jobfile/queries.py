"""The queries of a job file: those that hold from the start, and where changes of them come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen.jobfile.places import Files, Topic, located, read_topic
from limen.jobfile.query_file import read_query_file
from limen.model.wire import query_from_dict

if TYPE_CHECKING:
    from pathlib import Path

    from limen.jobfile.section import Section
    from limen.model.columns import Columns
    from limen.model.query import Query


def read_queries(section: Section, columns: Columns | None, folder: Path) -> tuple[list[Query], Files | Topic | None]:
    """Read the table `queries`."""
    table = section.section("queries", required=True)
    if table is None:
        return [], None
    before = len(table.problems)
    queries = _read_list(table, columns, folder)
    changes = _read_changes(table, folder)
    if not queries and not changes and len(table.problems) == before:
        table.complain((), expected="queries: inline, a file, a folder of changes or a topic of Kafka", got="none")
    table.end()
    return queries, changes


def _read_list(table: Section, columns: Columns | None, folder: Path) -> list[Query]:
    found: list[tuple[Section, Query]] = []
    for each in table.sections("inline"):
        query = each.checked((), lambda each=each: query_from_dict(each.content))  # type: ignore[misc]
        found += [(each, query)] if query else []
    found += [(table, query) for query in read_query_file(table, columns, folder)]
    known: set[str] = set()
    for place, query in found:
        if query.id in known:
            place.complain((), expected="each id once", got=f"{query.id!r} twice")
        known.add(query.id)
        if columns and place is not table:  # those of a file have been looked at
            place.checked((), lambda query=query: query.check(columns))  # type: ignore[misc]
    return [query for _, query in found]


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
