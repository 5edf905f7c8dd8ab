"""Queries in SQL: statements from text, and text from queries."""

from limen.sql.parser import parse, parse_script
from limen.sql.printing import to_sql
from limen.sql.statement import CreateQuery, CreateRegion, DropQuery, Explain, Select, ShowQueries, Statement
from limen.sql.statement_files import load_script, queries_in, query_from_sql

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
