"""Transition queries: border events of one stream and one region, composed in time (SEMANTICS §5)."""

from dataclasses import dataclass

from tests.oracle.query import Query

#: What an answer in time is called, by the border event it answers, and what it is called when none came.
ANSWERED = {"enter": "passed", "exit": "returned"}
UNANSWERED = {"enter": "stayed", "exit": "gone"}


@dataclass
class Start:
    """The last border event of a stream and a query."""

    kind: str
    at: int
    told: bool = False  # that no answer came


def answer(query: Query, start: Start | None, time: int) -> str | None:
    """The kind of event that a border event at a time is, as the answer to the one before it."""
    if start is None or time - start.at > query.within:
        return None
    kind = ANSWERED[start.kind]
    return kind if kind in query.kinds else None


def deadline(query: Query, start: Start) -> int | None:
    """When it will be told that there was no answer, if the query wants to know."""
    return start.at + query.within if UNANSWERED[start.kind] in query.kinds and not start.told else None
