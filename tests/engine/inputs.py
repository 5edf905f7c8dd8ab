"""An engine with a history, batches for it, and a way to see that a failed call left no trace."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

from limen import Border, Columns, Engine, LimenError, Match, Range

COLUMNS = Columns("s", "t", ("x", "y"), ("kind", "level"), time_unit="s")
QUERIES = (
    Border("low", Range(0, 2), on="x"),
    Border("told", Range(0, 2), on="y", initial="report", where="kind = 'bus'"),
    Border("mine", Range(0, 2), on="x", streams="a", initial="report"),
    Match("hit", Range(0, 9), on="x", where="level > 1"),
)


def batch(time: int = 10, **columns: Any) -> pa.Table:
    """Rows of streams a and b at a time, with some columns in place of theirs or, with None, without them."""
    whole = {"s": ["a", "b"], "t": [time, time], "x": [1.0, 5.0], "y": [1.0, 5.0],
             "kind": ["bus", "car"], "level": [2, 0]}  # fmt: skip
    return pa.table({name: column for name, column in {**whole, **columns}.items() if column is not None})


def running(**options: Any) -> Engine:
    """Make an engine that has seen some rows."""
    engine = Engine(COLUMNS, QUERIES, **options)
    engine.process(batch(1, x=[5.0, 1.0]))
    engine.process(batch(2))
    return engine


def next_events(engine: Engine) -> list[dict[str, Any]]:
    """Go on with sound rows; who was where before them decides what happens."""
    events = engine.process(batch(20, x=[5.0, 1.0], y=[5.0, 1.0], kind=["bus", "bus"])).to_pylist()
    return [*events, *engine.close().to_pylist()]


@contextmanager
def refused(engine: Engine, kind: type[LimenError], text: str) -> Iterator[None]:
    """Expect an error with this text, and an engine that is as if the call had never been made."""
    snapshot, counters = engine.snapshot(), engine.counters
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text
    assert engine.counters == counters
    assert engine.snapshot() == snapshot
    untouched = Engine.restore(snapshot)
    going_on = Engine.restore(engine.snapshot())
    assert next_events(going_on) == next_events(untouched) != []
