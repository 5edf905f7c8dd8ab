"""Queries in SQL: statements from text, and text from queries."""

from limen.sql.files import load_script, queries_in, query_from_sql
from limen.sql.printing import to_sql
from limen.sql.reading import parse, parse_script
from limen.sql.statement import CreateQuery, CreateRegion, DropQuery, Explain, Select, ShowQueries, Statement

__all__ = [
    "CreateQuery",
    "CreateRegion",
    "DropQuery",
    "Explain",
    "Select",
    "ShowQueries",
    "Statement",
    "load_script",
    "parse",
    "parse_script",
    "queries_in",
    "query_from_sql",
    "to_sql",
]
