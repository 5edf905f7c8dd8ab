"""Ticks of a walk as Arrow tables, one row a stream and tick."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow as pa

from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.simulate.walk import Walk

# Simulated time has nothing to do with the clock: it begins here and a tick takes a second.
FIRST_TICK = np.datetime64("2026-01-01T00:00:00", "us")
TICK = np.timedelta64(1_000_000, "us")


def stream_names(prefix: str, streams: int) -> list[str]:
    """Name streams so that their order as text is their order as numbers.

    Examples
    --------
    >>> stream_names("S", 12)[9:]
    ['S09', 'S10', 'S11']
    """
    digits = len(str(streams - 1))
    return [f"{prefix}{number:0{digits}d}" for number in range(streams)]


def tick_tables(walk: Walk, columns: Columns, names: list[str], batch_ticks: int) -> Iterator[pa.Table]:
    """Yield tables of `batch_ticks` ticks each, rows in order of time and stream; the last may be shorter."""
    if batch_ticks < 1:
        raise InvalidInput(where="batch_ticks", expected="1 or more", got=batch_ticks)
    ids = pa.array(names, pa.string())
    ticks = walk.ticks()
    first = 0
    while batch := list(islice(ticks, batch_ticks)):
        rows = np.concatenate(batch)
        tick = np.repeat(np.arange(first, first + len(batch)), walk.streams)
        data = {
            columns.id: pa.chunked_array([ids] * len(batch)),
            columns.time: pa.array(FIRST_TICK + tick * TICK).cast(pa.timestamp("us", "UTC")),
        }
        for dimension, name in enumerate(columns.values):
            data[name] = pa.array(rows[:, dimension])
        yield pa.table(data)
        first += len(batch)
