"""Time: which tuple, change and expiry happens when (SEMANTICS §2, 9, 10)."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracle import border, debounced, match, transition
from tests.oracle.answer_line import LINE_TYPES, AnswerLine
from tests.oracle.input_rows import Reading, Row, as_reading, canonical_order, read_row, reason_to_reject
from tests.oracle.query import Query, read_query

Event = dict[str, Any]
Time = float  # whole microseconds; minus infinity before anything has a time, infinity for never


@dataclass(frozen=True)
class Change:
    """A query that takes effect at a time, or with no query the end of the one with this id."""

    at: Time
    query_id: str
    query: Query | None


class Oracle:
    """Answer a script of rows and changes as the specification says.

    Parameters
    ----------
    columns
        Column names by role: id, time, values, attributes.
    queries
        Queries in their JSON form, which hold before the first tuple.
    order
        "arrival" or "event".
    lateness, max_ahead, expire_after
        Seconds; None for off.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        queries: Iterable[Mapping[str, Any]] = (),
        *,
        order: str = "arrival",
        lateness: float = 0,
        max_ahead: float | None = None,
        expire_after: float | None = None,
    ) -> None:
        self.columns = columns
        self.order = order
        self.lateness = _micros(lateness)
        self.max_ahead = _micros(max_ahead)
        self.expire_after = _micros(expire_after)
        self.queries = {form["id"]: read_query(form, columns) for form in queries}
        self._counters: dict[str, Any] = {
            "rows": 0,
            "late": 0,
            "rejected": {},
            "changes_late": 0,
            "changes_superseded": 0,
            "changes_rejected": 0,
        }
        self._histories: dict[str, list[Reading]] = {}
        self._late_before: dict[str, Time] = {}  # the latest deadline or expiry that has happened, by stream
        self._standings: dict[tuple[str, str], debounced.Standing] = {}  # of debounced queries, by query and stream
        self._starts: dict[tuple[str, str], transition.Start] = {}  # by query and stream
        self._answers = AnswerLine(self.queries, self.columns, self.expire_after)
        self._held: list[Row] = []
        self._waiting: list[Change] = []
        self._largest_time: Time = -math.inf
        self._advanced_to: Time = -math.inf
        self._events: list[Event] = []

    @property
    def watermark(self) -> Time:
        return max(self._largest_time - self.lateness, self._advanced_to)

    @property
    def counters(self) -> dict[str, Any]:
        watched = sum(watch.left_out for watch in self._answers.watches.values())
        return {**self._counters, "left_out": self._answers.left_out + watched}

    @property
    def answers(self) -> dict[str, set[str]]:
        """Who is in the answer of each query that has one, now."""
        return self._answers.answers

    def answers_after(self) -> dict[Time, dict[str, frozenset[str]]]:
        """By time of anything that happened to answers, all of them once that time was over."""
        return dict(self._answers.states)

    # The steps of a script; each returns the events that it causes.

    def process(self, rows: Sequence[Mapping[str, Any]]) -> list[Event]:
        watermark_before = self.watermark
        accepted = self._accept(rows)
        if self.order == "arrival":
            reached = max([self.watermark, *(row.time for row in accepted)])
            self._play(accepted, self._changes_until(reached), due_before=self.watermark)
        else:
            in_time = [row for row in accepted if row.time >= watermark_before]
            self._counters["late"] += len(accepted) - len(in_time)
            self._held += in_time
            self._play_complete()
        return self._take_events()

    def register(self, query: Mapping[str, Any], at: int | None = None) -> list[Event]:
        return self._change(query["id"], read_query(query, self.columns), at)

    def deregister(self, query_id: str, at: int | None = None) -> list[Event]:
        return self._change(query_id, None, at)

    def advance(self, to: int) -> list[Event]:
        self._advanced_to = max(self._advanced_to, to)
        self._play_complete()
        return self._take_events()

    def close(self) -> list[Event]:
        end = max(self._largest_time, self.watermark)
        rows, self._held = self._held, []
        self._play(rows, self._changes_until(end), due_before=end)
        return self._take_events()

    # Which rows and changes are due.

    def takes_effect_at_once(self, at: int | None) -> bool:
        # In event order a change at the watermark itself waits, since another one of that time may still come.
        return at is None or at < self.watermark or (at == self.watermark and self.order == "arrival")

    def _accept(self, raw_rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        """Read a batch in canonical order, without the rows that are rejected."""
        self._counters["rows"] += len(raw_rows)
        sound = []
        for row in (read_row(raw, self.columns) for raw in raw_rows):
            reason = reason_to_reject(row, self.columns)
            if reason is None:
                sound.append(row)
            else:
                self._count_rejected(reason)
        accepted = []
        # When nothing is known yet, the median of the batch stands in for the largest time so far.
        known = max(self._largest_time, self._advanced_to) > -math.inf
        typical = -math.inf if known or not sound else statistics.median_low(row.time for row in sound)
        for row in sorted(sound, key=canonical_order):
            newest = max(self._largest_time, self._advanced_to, typical)
            if row.time > newest + self.max_ahead:
                self._count_rejected("too_far_ahead")
            else:
                self._largest_time = max(self._largest_time, row.time)
                accepted.append(row)
        return accepted

    def _count_rejected(self, reason: str) -> None:
        self._counters["rejected"][reason] = self._counters["rejected"].get(reason, 0) + 1

    def _change(self, query_id: str, query: Query | None, at: int | None) -> list[Event]:
        if at is not None and not self.takes_effect_at_once(at):
            self._waiting.append(Change(at, query_id, query))
            return []
        if at is not None and at < self.watermark:
            self._counters["changes_late"] += 1
        self._play([], [Change(self.watermark, query_id, query)], due_before=-math.inf)
        return self._take_events()

    def _changes_until(self, reached: Time) -> list[Change]:
        """Take the waiting changes up to a time; of several to one id at one time the last one called."""
        due = [change for change in self._waiting if change.at <= reached]
        self._waiting = [change for change in self._waiting if change.at > reached]
        winners = {(change.at, change.query_id): change for change in due}
        self._counters["changes_superseded"] += len(due) - len(winners)
        return list(winners.values())

    # What happens, in the order of time.

    def _play_complete(self) -> None:
        """Play all that the watermark has completed."""
        ready = [row for row in self._held if row.time < self.watermark]
        self._held = [row for row in self._held if row.time >= self.watermark]
        reached = self.watermark if self.order == "arrival" else self.watermark - 1
        self._play(ready, self._changes_until(reached), due_before=self.watermark)

    def _play(self, rows: list[Row], changes: list[Change], due_before: Time) -> None:
        """At each time: first its changes, then its tuples, then what falls due."""
        pending = sorted(rows, key=canonical_order)
        for change in sorted(changes, key=lambda change: change.at):
            while pending and pending[0].time < change.at:
                self._process(pending.pop(0))
            self._fall_due(before=min(change.at, max(due_before, self.watermark)))
            self._apply(change)
        for row in pending:
            self._process(row)
        self._fall_due(before=due_before)
        self._answers.settle()
        # In arrival order the time line of answers goes with the rows, and no lateness holds it back.
        newest = max(self._largest_time, self._advanced_to) if self.order == "arrival" else self.watermark
        self._answers.reach(max(due_before, newest))

    def _process(self, row: Row) -> None:
        # What fell due before the stream's own next tuple has happened, whether or not anyone knew.
        self._fall_due_of(row.stream_id, before=row.time)
        history = self._histories.get(row.stream_id, [])
        repeated_or_older = bool(history) and row.time <= history[-1].time
        if repeated_or_older or row.time < self._late_before.get(row.stream_id, -math.inf):
            self._counters["late"] += 1
            return
        if not self._answers.see(row):
            self._counters["late"] += 1  # for answers; other queries see it
        new = as_reading(row, history)
        for query in self.queries.values():
            if query.type == "match":
                outcome = match.event_of_tuple(query, new)
                if outcome is not None:
                    self._emit(query.id, *outcome, new.time, new)
            elif query.type not in LINE_TYPES:
                self._step(query, history, new)
        self._histories[row.stream_id] = [*history, new]

    def _step(self, query: Query, history: list[Reading], new: Reading) -> None:
        """Tell of the border that a stream's new tuple crosses after its history."""
        was_outside = query.crossings and not self._counts_inside(query, history)
        if query.debounced:
            self._step_debounced(query, new)
        else:
            outcome = border.event_of_step(query, history, new)
            if outcome is not None:
                self._tell_border_event(query, *outcome, new.time, new)
        is_outside = was_outside and not self._counts_inside(query, [*history, new])
        if is_outside and border.jumps_over(query, history, new):
            self._emit(query.id, "cross", "moved", new.time, new)

    def _step_debounced(self, query: Query, new: Reading) -> None:
        if border.skips(query, new):
            return
        standing = self._standings.get((query.id, new.stream_id))
        if standing is None:
            standing = self._standings[query.id, new.stream_id] = debounced.Standing(border.inside(query, new))
            if standing.inside and query.initial == "report":
                self._emit(query.id, "enter", "appeared", new.time, new)
            return
        standing.left = [*standing.left, new] if debounced.leaves(query, standing, new) else []
        if debounced.confirmed_by_tuple(query, standing):
            kind, began = debounced.turn(standing)
            self._tell_border_event(query, kind, "moved", new.time, new, began)

    def _tell_border_event(
        self, query: Query, kind: str, reason: str, time: Time, latest: Reading, began: Time | None = None
    ) -> None:
        """Emit an event of a border, or for a transition compose it with the one before it."""
        if query.type == "border":
            self._emit(query.id, kind, reason, time, latest, started_at=began)
            return
        start = self._starts.get((query.id, latest.stream_id))
        answer = transition.answer(query, start, time)
        if answer is not None:
            self._emit(query.id, answer, "moved", time, latest, started_at=start.at)
        self._starts[query.id, latest.stream_id] = transition.Start(kind, time)

    def _counts_inside(self, query: Query, history: list[Reading]) -> bool:
        """Whether a stream with this history counts as inside; a debounced query goes by its side."""
        if not query.debounced:
            return border.contained(query, history)
        standing = self._standings.get((query.id, history[-1].stream_id)) if history else None
        return standing is not None and standing.inside

    def _reported_inside(self, query: Query | None, history: list[Reading]) -> bool:
        """Whether the stream is inside a query that reports containment completely."""
        return query is not None and query.initial == "report" and self._counts_inside(query, history)

    def _apply(self, change: Change) -> None:
        old, new = self.queries.pop(change.query_id, None), change.query
        if new is not None:
            self.queries[change.query_id] = new
        elif old is None:
            self._counters["changes_rejected"] += 1
        self._answers.change(change.at, old, new, self._histories)
        were_inside = {stream for stream, history in self._histories.items() if self._reported_inside(old, history)}
        self._forget(query_id=change.query_id)
        if new is not None and new.debounced:
            self._take_sides(new)
        replaced = (
            old is not None and new is not None and (old.type, old.on, old.initial) == (new.type, new.on, new.initial)
        )
        for stream, history in self._histories.items():
            was_inside, is_inside = stream in were_inside, self._reported_inside(new, history)
            if replaced and was_inside == is_inside:
                continue
            if was_inside:
                reason = "changed" if replaced else "deregistered"
                self._emit(change.query_id, "exit", reason, change.at, history[-1])
            if is_inside:
                reason = "changed" if replaced else "registered"
                self._emit(change.query_id, "enter", reason, change.at, history[-1])

    def _take_sides(self, query: Query) -> None:
        """Let each stream stand where its last tuple was, without any confirmation."""
        for stream_id, history in self._histories.items():
            if border.last_seen(query, history) is not None:
                self._standings[query.id, stream_id] = debounced.Standing(border.contained(query, history))

    def _forget(self, *, query_id: str | None = None, stream_id: str | None = None) -> None:
        """Discard what waits, and the sides, of a query or of a stream."""
        for memory in (self._starts, self._standings):
            for pair in [pair for pair in memory if query_id == pair[0] or stream_id == pair[1]]:
                del memory[pair]

    def _fall_due(self, before: Time) -> None:
        for stream_id in list(self._histories):
            self._fall_due_of(stream_id, before)

    def _fall_due_of(self, stream_id: str, before: Time) -> None:
        """Let the deadlines of a stream pass, and forget it if it was silent for too long, before the given time."""
        history = self._histories.get(stream_id)
        if history is None:
            return
        expiry = history[-1].time + self.expire_after
        for query in self.queries.values():
            while self._tell_deadline(query, history[-1], before, expiry):
                pass
        if expiry < before:
            for query in self.queries.values():
                if self._reported_inside(query, history):
                    self._emit(query.id, "exit", "expired", expiry, history[-1])
            del self._histories[stream_id]
            self._forget(stream_id=stream_id)
            self._let_be_late(stream_id, expiry)

    def _tell_deadline(self, query: Query, latest: Reading, before: Time, expiry: Time) -> bool:
        """Let the first deadline of a query and a stream pass that is due, and return whether there was one."""
        standing = self._standings.get((query.id, latest.stream_id))
        start = self._starts.get((query.id, latest.stream_id))
        confirmation = None if standing is None else debounced.deadline(query, standing)
        no_answer = None if start is None else transition.deadline(query, start)
        due = min((time for time in (confirmation, no_answer) if time is not None), default=math.inf)
        # At the very time of the expiry, what was true until then is told first.
        if due >= before or due > expiry:
            return False
        # An event that is confirmed at the very time of the other's deadline still is an answer to it.
        if due == confirmation:
            kind, began = debounced.turn(standing)
            self._tell_border_event(query, kind, "moved", due, latest, began)
        else:
            start.told = True
            self._emit(query.id, transition.UNANSWERED[start.kind], "timer", due, latest, started_at=start.at)
        self._let_be_late(latest.stream_id, due)
        return True

    def _let_be_late(self, stream_id: str, before: Time) -> None:
        self._late_before[stream_id] = max(before, self._late_before.get(stream_id, -math.inf))

    def _emit(
        self, query_id: str, kind: str, reason: str, time: Time, latest: Reading, started_at: Time | None = None
    ) -> None:
        self._events.append(
            {
                "query_id": query_id,
                "kind": kind,
                "stream_id": latest.stream_id,
                "time": time,
                "started_at": started_at,
                "reason": reason,
                "values": list(latest.known.values()),
                "bindings": None,
            }
        )

    def _take_events(self) -> list[Event]:
        for told in self._answers.take_told():
            self._emit(*told)
        for query_id, alert in self._answers.take_alerts():
            self._events.append(
                {
                    "query_id": query_id,
                    "kind": "alert",
                    "stream_id": None,
                    "time": max(each.time for each in alert.values()),
                    "started_at": None,
                    "reason": "moved",
                    "values": None,
                    "bindings": [
                        {"variable": name, "stream_id": each.stream_id, "time": each.time}
                        for name, each in alert.items()
                    ],
                }
            )
        events, self._events = self._events, []
        return events


def _micros(seconds: float | None) -> Time:
    return math.inf if seconds is None else round(seconds * 1_000_000)
