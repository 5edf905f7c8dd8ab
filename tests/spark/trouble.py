"""Input with everything wrong with it, batch by batch, and how the oracle and the engine take the same batches."""

import math
import random
from dataclasses import dataclass, field
from typing import Any

from tests.oracle import Oracle
from tests.spark.workload import (
    ADVANCE,
    BEFORE,
    ORIGIN,
    QUERIES,
    SECONDS,
    Row,
    Rows,
    as_change,
    busy,
    cut,
    delayed,
    query,
)
from tests.strategies import SECOND, Step
from tests.subject import Event, Subject

LATENESS = 3
MAX_AHEAD = 60


@dataclass(frozen=True)
class Batch:
    """Changes that have a time, rows, and changes that have none and so hold after the rows."""

    timed: list[Step] = field(default_factory=list)
    rows: Rows = field(default_factory=list)
    untimed: list[Step] = field(default_factory=list)

    @property
    def changes(self) -> list[Row]:
        """The changes as rows of the control stream, where their order does not matter."""
        return [as_change(step) for step in (*self.untimed, *self.timed)]

    def play(self, monitor: Oracle | Subject) -> list[Event]:
        """Take it step by step."""
        steps = [*self.timed, Step("process", {"rows": self.rows}), *self.untimed]
        return [event for step in steps for event in getattr(monitor, step.call)(**step.arguments)]


def troubled(seed: int) -> tuple[dict[str, Any], list[Batch]]:
    """Make rows that are late, bad or too far ahead, and changes that are late, unknown or without a time.

    No two changes of one id are in one batch: told one by one, as to the oracle, they would not supersede each other.
    """
    chance = random.Random(seed)
    line = busy(seed)
    names = line.columns["values"]
    arrived = delayed(chance, line.rows, 2.5 * LATENESS)
    pieces = cut(chance, [_spoilt(chance, row) if chance.random() < 0.06 else row for row in arrived], 4)
    start = [Step("register", {"query": query(chance, names, name), "at": BEFORE}) for name in QUERIES[:20]]
    batches = [Batch(start, pieces[0])]
    for number, piece in enumerate(pieces[1:], start=1):
        some = chance.sample(QUERIES, 8)
        late, untimed, ending, replaced = some[0:2], some[2:4], some[4:6], some[6:8]
        some_time = ORIGIN + chance.randrange(SECONDS) * SECOND
        timed = [Step("register", {"query": query(chance, names, name), "at": some_time + number}) for name in late]
        # Whoever deregisters an unknown query at once is told by an error of the engine; in time, by a count.
        soon = ORIGIN + (SECONDS + number) * SECOND
        timed += [Step("deregister", {"query_id": name, "at": soon}) for name in [*ending, f"unknown{number}"]]
        timed += [Step("register", {"query": query(chance, names, name), "at": soon}) for name in replaced]
        after = [Step("register", {"query": query(chance, names, name), "at": None}) for name in untimed]
        batches.append(Batch(timed, piece, after))
    return line.columns, [*batches, Batch(untimed=[ADVANCE])]


def _spoilt(chance: random.Random, row: Row) -> Row:
    fault = chance.choice(("null_id", "null_time", "infinite_value", "too_far_ahead"))
    return {
        "null_id": {**row, "s": None},
        "null_time": {**row, "t": None},
        "infinite_value": {**row, "x": chance.choice((math.inf, -math.inf))},
        "too_far_ahead": {**row, "t": row["t"] + 3600 * SECOND},
    }[fault]
