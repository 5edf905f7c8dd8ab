"""One script on the engine and on the oracle: the same events after every step."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle import Oracle
from tests.strategies import Step
from tests.subject import Subject, assert_same_events

Form = dict[str, Any]


def border(query_id: str, lo: float | None, hi: float | None, **more: Any) -> Form:
    return {"type": "border", "id": query_id, "region": {"type": "range", "lo": lo, "hi": hi}, **more}


def assert_as_the_oracle(
    columns: Mapping[str, Any], queries: Iterable[Form], steps: Iterable[Step], **options: Any
) -> Subject:
    """Run the script on both, compare, and return the engine."""
    queries = list(queries)
    oracle, subject = Oracle(columns, queries, **options), Subject(columns, queries, **options)
    happened = 0
    for number, step in enumerate(steps):
        expected = getattr(oracle, step.call)(**step.arguments)
        got = getattr(subject, step.call)(**step.arguments)
        assert_same_events(expected, got, f"step {number}, {step.call}")
        happened += len(expected)
    assert happened, "a script without events tests nothing"
    return subject
