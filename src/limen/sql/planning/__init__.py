"""SELECT as a plan: what Spark does before our operator, what the operator does, and what Spark does with changes."""

from limen.sql.planning.explain_plan import explain, explain_query
from limen.sql.planning.plan import Plan, make_plan

__all__ = ["Plan", "explain", "explain_query", "make_plan"]
