"""Folding: from the changes of answers to the answers (SEMANTICS §7, 9)."""

from collections.abc import Iterable
from typing import Any

from tests.subject import Event

Answers = dict[str, frozenset[str]]

PHASES = {"registered": 0, "changed": 0, "deregistered": 0, "moved": 1, "appeared": 1}
ENDS = ("exit", "remove", "passed", "gone")


def canonical(event: Event) -> tuple[Any, ...]:
    """Sort key of the canonical order of events, as far as answers have it."""
    phase, begins = PHASES.get(event["reason"], 2), event["kind"] not in ENDS
    return event["time"], phase, begins, event["stream_id"].encode(), event["query_id"].encode(), event["kind"]


class Fold:
    """Answers put together from events."""

    def __init__(self) -> None:
        self._answers: dict[str, set[str]] = {}

    def take(self, events: Iterable[Event]) -> None:
        """Go on with events, in canonical order: what is added was not there, and what is removed was."""
        for event in sorted(events, key=canonical):
            if event["kind"] not in ("add", "remove"):
                continue
            answer, stream_id = self._answers.setdefault(event["query_id"], set()), event["stream_id"]
            if event["kind"] == "add":
                assert stream_id not in answer, f"added twice: {event}"
                answer.add(stream_id)
            else:
                assert stream_id in answer, f"removed without being there: {event}"
                answer.remove(stream_id)

    @property
    def answers(self) -> Answers:
        return without_empty(self._answers)


def answers_by_time(events: Iterable[Event]) -> dict[float, Answers]:
    """Fold all events; by each time at which something happened to answers, what they were once it was over."""
    by_time: dict[float, list[Event]] = {}
    for event in events:
        if event["kind"] in ("add", "remove"):
            by_time.setdefault(event["time"], []).append(event)
    fold, found = Fold(), {}
    for time in sorted(by_time):
        fold.take(by_time[time])
        found[time] = fold.answers
    return found


def without_empty(answers: dict[str, Any]) -> Answers:
    """Leave out empty answers: of a query that is gone and one that has nobody, events say the same."""
    return {query_id: frozenset(answer) for query_id, answer in answers.items() if answer}
