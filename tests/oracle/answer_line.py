"""The one time line of all answers and patterns: what happens to them when (SEMANTICS §2, 7, 8).

Streams are seen here in the order of time, all together: a row from before the line has come so far is not seen, and
for the answers it never was. So the line keeps its own picture of the streams, and lets them expire by itself. It
begins with the first query: until then there is nobody for whom a row could be late, and what is known then is the
picture.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.oracle.answer import ANSWER_TYPES, Picture, members
from tests.oracle.input_rows import Reading, Row, as_reading
from tests.oracle.pattern import Assignment, Watch
from tests.oracle.query import Query

LINE_TYPES = (*ANSWER_TYPES, "pattern")


class Told(NamedTuple):
    """What there is to say of one stream and one query."""

    query_id: str
    kind: str
    reason: str
    time: float
    latest: Reading


class AnswerLine:
    """Keep the answers of queries, step by step; each step tells the difference it makes to them."""

    def __init__(self, queries: Mapping[str, Query], columns: Mapping[str, Any], expire_after: float) -> None:
        self.columns = columns
        self.queries = {query.id: query for query in queries.values() if query.type in LINE_TYPES}
        self.answers: dict[str, set[str]] = {id: set() for id, query in self.queries.items() if query.type != "pattern"}
        self.watches = {id: Watch(query, columns) for id, query in self.queries.items() if query.type == "pattern"}
        self.left_out = 0  # of patterns that are gone
        self.expire_after = expire_after
        self.clock = -math.inf  # up to where the line has come; of this very time there may be more
        self.states: list[tuple[float, dict[str, frozenset[str]]]] = []  # the answers after every step, and its time
        self._picture: dict[str, list[Reading]] = {}
        self._moved = False  # whether tuples of this very time have been seen since it was last told what they change
        self._told: list[Told] = []
        self._alerts: list[tuple[str, Assignment]] = []

    def take_told(self) -> list[Told]:
        told, self._told = self._told, []
        return told

    def take_alerts(self) -> list[tuple[str, Assignment]]:
        alerts, self._alerts = self._alerts, []
        return alerts

    def see(self, row: Row) -> bool:
        """Put a tuple into the picture; return False if it is late. What it changes is told once its time is over."""
        if not self.queries:
            self.clock = max(self.clock, row.time)
            return True
        if row.time < self.clock:
            return False
        self.reach(row.time)
        history = self._picture.get(row.stream_id, [])
        new = as_reading(row, history)
        self._picture[row.stream_id] = [*history, new]
        self._moved = True
        for query_id, watch in self.watches.items():
            self._alerts += [(query_id, alert) for alert in watch.see(new)]
        return True

    def reach(self, time: float) -> None:
        """Come to a time: all tuples from before have been seen, and what fell due before has happened."""
        if time <= self.clock:
            return
        self.settle()
        while (due := min(map(self._expiry, self._picture.values()), default=math.inf)) < time:
            self._expire(due)
        self.clock = time

    def settle(self) -> None:
        """Tell what the tuples of the instant have changed, all together."""
        if not self._moved:
            return
        self._moved = False
        for query_id in self.answers:
            self._tell(query_id, "moved", self.clock, self._picture)
        self._note(self.clock)

    def change(self, at: float, old: Query | None, new: Query | None, known: Picture) -> None:
        """Let a query come, go or be another; `known` is what all other families know of the streams."""
        old, new = (query if query is not None and query.type in LINE_TYPES else None for query in (old, new))
        if old is None and new is None:
            return
        # The answer of a time that is over is not changed any more.
        at = max(at, self.clock)
        if not self.queries:
            self._picture = {each: history for each, history in known.items() if self._expiry(history) >= at}
        self.settle()
        self.reach(at)
        query_id = (old or new).id
        if old is not None and new is not None and (old.type, old.on) == (new.type, new.on) and old.type != "pattern":
            self.queries[query_id] = new
            self._tell(query_id, "changed", at, self._picture)
        else:
            if old is not None:
                self._take_out(old, at)
            if new is not None:
                self._put_in(new, at)
        self._note(at)
        if not self.queries:
            self._picture = {}

    def _take_out(self, query: Query, at: float) -> None:
        del self.queries[query.id]
        if query.type == "pattern":
            self.left_out += self.watches.pop(query.id).left_out
        else:
            self._tell(query.id, "deregistered", at, self._picture)
            del self.answers[query.id]

    def _put_in(self, query: Query, at: float) -> None:
        self.queries[query.id] = query
        if query.type == "pattern":
            self.watches[query.id] = Watch(query, self.columns)
        else:
            self.answers[query.id] = set()
            self._tell(query.id, "registered", at, self._picture)

    def _expiry(self, history: list[Reading]) -> float:
        return history[-1].time + self.expire_after

    def _expire(self, time: float) -> None:
        """Forget all streams whose time it is, and tell what that changes: nearest ones also move up."""
        before = self._picture
        self._picture = {each: history for each, history in before.items() if self._expiry(history) > time}
        for query_id in self.answers:
            self._tell(query_id, "expired", time, before)
        self._note(time)

    def _tell(self, query_id: str, reason: str, time: float, latest: Picture) -> None:
        """Tell the difference between the answer of before and that of now."""
        query = self.queries.get(query_id)
        were, are = self.answers[query_id], set() if query is None else members(query, self._picture)
        for kind, streams in (("remove", were - are), ("add", are - were)):
            self._told += [Told(query_id, kind, reason, time, latest[stream_id][-1]) for stream_id in sorted(streams)]
        self.answers[query_id] = are

    def _note(self, time: float) -> None:
        self.states.append((time, {query_id: frozenset(answer) for query_id, answer in self.answers.items()}))
