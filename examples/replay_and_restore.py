"""Stop in the middle, go on elsewhere, and get the same events with the same ids.

The first run sees everything. The second stops half-way, and another engine, restored from its snapshot, goes
on. Since events are named by their content, whoever stores them can drop what a replay repeats.

Prints::

    the same events: True
    nothing new in a replay: True
"""

from collections.abc import Iterator
from itertools import islice

import pyarrow as pa

import limen
from limen import simulate

STREAMS, TICKS, BREAK = 200, 60, 30


def prices() -> Iterator[pa.Table]:
    return simulate.price_streams(STREAMS, TICKS, fluctuation=0.001)


def new_engine() -> limen.Engine:
    queries = simulate.as_borders(*simulate.price_queries(2_000, width=0.01))
    return limen.Engine(simulate.PRICE_COLUMNS, queries=queries)


def main() -> None:
    whole = new_engine()
    expected = pa.concat_tables(map(whole.process, prices()))

    source = prices()
    first = new_engine()
    before = [first.process(batch) for batch in islice(source, BREAK)]
    saved = first.snapshot()
    second = limen.Engine.restore(saved)
    after = [second.process(batch) for batch in source]
    print("the same events:", pa.concat_tables(before + after) == expected)

    # A consumer that crashed before it stored `after` restores the snapshot and replays.
    replayed = limen.Engine.restore(saved)
    again = [replayed.process(batch) for batch in islice(prices(), BREAK, None)]
    known = set(pa.concat_tables(after)["event_id"].to_pylist())
    print("nothing new in a replay:", set(pa.concat_tables(again)["event_id"].to_pylist()) == known)


if __name__ == "__main__":
    main()
